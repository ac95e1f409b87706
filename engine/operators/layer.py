"""The blocks of a layer by its kind: what mixes its tokens, and the MLP or the experts after it."""

from engine.inputs import Run
from engine.layers import LayerKind
from engine.layout import Degrees
from engine.operators.attention import attention
from engine.operators.experts import expert_mlp
from engine.operators.latent import latent_attention
from engine.operators.mixer import mixer
from engine.operators.mlp import mlp
from engine.operators.work import Block
from engine.states import gradient_bytes


def layer_blocks(run: Run, d: Degrees, kind: LayerKind, fused: bool) -> tuple[Block, ...]:
    """Attention or a mixer, then an MLP or experts; a layer of a single block has one of them."""
    gradient = gradient_bytes(run)
    made: list[Block] = []
    if kind.first == "mixer":
        made.append(mixer(run, d, gradient))
    elif kind.first and run.model.attention is not None and run.model.attention.kind == "latent":
        made.append(latent_attention(run, d, gradient, fused))
    elif kind.first:
        made.append(attention(run, d, gradient, fused, kind.windowed))
    if kind.second:
        made.append(expert_mlp(run, d, gradient) if kind.experts else mlp(run, d, gradient))
    return tuple(made)

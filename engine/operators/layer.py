"""The blocks of a layer by its kind: what mixes its tokens, and the MLP or the experts after it."""

from engine.inputs import Model, Run
from engine.layers import LayerKind
from engine.layout import Degrees
from engine.operators import lora
from engine.operators.attention import attention
from engine.operators.experts import expert_mlp
from engine.operators.latent import latent_attention
from engine.operators.mixer import mixer
from engine.operators.mlp import mlp
from engine.operators.work import Block
from engine.states import accumulated_bytes


def layer_blocks(run: Run, d: Degrees, kind: LayerKind, fused: bool) -> tuple[Block, ...]:
    """Attention or a mixer, then an MLP or experts; a layer of a single block has one of them."""
    gradient = accumulated_bytes(run)
    made: list[Block] = []
    if kind.first == "mixer":
        made.append(mixer(run, d, gradient))
    elif kind.first and run.model.attention is not None and run.model.attention.kind == "latent":
        made.append(latent_attention(run, d, gradient, fused))
    elif kind.first:
        made.append(attention(run, d, gradient, fused, kind.windowed))
    if kind.second:
        made.append(expert_mlp(run, d, gradient) if kind.experts else mlp(run, d, gradient))
    if run.lora is not None:
        made.append(lora.block(run, kind, d, gradient))
    return tuple(made)


def doubts(model: Model) -> list[str]:
    """What a reader should know about times that rest on no measurement."""
    found = []
    if model.mixer is not None:
        found.append(f"the time of {model.mixer.kind} layers is that of their matrix multiplies and of the bytes that "
                     "convolution and scan move: low confidence")  # fmt: skip
    if model.attention is not None and model.attention.index_heads is not None:
        found.append("attention over the keys that an indexer picks is priced as a window of as many: low confidence")
    return found

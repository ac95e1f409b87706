"""Recomputation of every second matrix multiply of a layer (`selective` with the operation `alternate`).

Of a layer's seven multiplies the outputs of the first, third, fifth and seventh (queries, values, gate, down) and of
the attention kernel are kept with the layer's input; keys, the output projection, the up projection, norms, rotary
embedding and the activation are computed again. Source: TorchTitan's per-operator activation checkpointing.
"""

from dataclasses import replace

from engine.columns import ONE, Column
from engine.inputs import Run
from engine.operators.work import Gemm, Kept, Traffic, Work

WORD = "alternate"
FREED = {
    "norm output": 1.0, "keys and values": 0.5, "activation input": 0.5, "activation output": 1.0, "gate output": 1.0,
    "permuted input": 1.0, "latents and their norms": 1.0, "shared activation input": 0.5,
    "shared activation output": 1.0,
}  # fmt: skip
TRAFFIC = ("norm", "rope", "activation", "latent norm")


def kept_share(kept: Kept, ops: tuple[str, ...]) -> float:
    """Share of a tensor that stays."""
    return 1.0 - FREED.get(kept.tensor, 0.0) if WORD in ops else 1.0


def again(run: Run, work: Work) -> Work | None:
    """The part of a piece of forward work that runs again."""
    if isinstance(work, Traffic):
        return work if work.op in TRAFFIC else None
    if not isinstance(work, Gemm):
        return None
    share = {"qkv": keys(run), "attn_out": ONE, "mlp_up": ONE / 2, "expert_up": ONE / 2}.get(work.op)
    return None if share is None else replace(work, n=work.n * share, weights=work.weights * share)


def keys(run: Run) -> Column:
    """Share of the keys in the projection to queries, keys and values: k/(a + 2k)."""
    heads, own = run.model.heads, run.model.kv_heads
    assert heads is not None
    own = heads if own is None else own
    return own / (heads + 2 * own)

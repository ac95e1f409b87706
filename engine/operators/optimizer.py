"""The optimizer step: memory traffic over the states of the rank's shard.

Symbols: P parameters of the rank before sharding, P/D of its shard; g, master, moments, w bytes per parameter.
"""

from engine.columns import Column, column
from engine.inputs import Run
from engine.operators.work import Traffic, Work

NORM_AND_CLIP = 3.0  # the gradient is read for its norm, then read and written when clipped
ADAM_FLOPS = 11.0  # multiplies and adds of an update, per parameter
MOMENTS_MOVED = 16.0  # per parameter: both moments read and written


def step_bytes(run: Run, gradient: Column) -> Column:
    """Bytes moved per parameter of the shard: g + 2 (master + moments) + w; 28 with bf16 gradients, 30 with fp32.

    Source: bytes of the states read and written, counted.
    """
    if run.stack.optimizer_bytes is not None:
        return run.stack.optimizer_bytes
    return gradient + 2 * (run.states.master + run.states.moments) + run.states.weights


def optimizer(run: Run, shard: Column, unsharded_gradient: Column, gradient: Column) -> tuple[Work, ...]:
    """Rows of the step: the update, norm and clip over the shard, zeroing of the gradient buffer.

    Source: Loshchilov and Hutter 2019 (AdamW) algorithm 2; bytes of the states read and written, counted.
    """
    rows: list[Work] = [Traffic("update", shard * step_bytes(run, gradient), 1.0)]
    rows.append(Traffic("norm and clip", shard * gradient, NORM_AND_CLIP))
    rows.append(Traffic("zero gradients", unsharded_gradient * gradient, 1.0))
    return tuple(rows)


def textbook_seconds(parameters: Column, dp: Column, bandwidth: Column, peak: Column) -> Column:
    """Seconds of AdamW by its moments alone, to compare with: 2 S/beta + 11 N/(dp P), S = 8 N/dp bytes of moments."""
    share = parameters / dp
    return column(MOMENTS_MOVED) * share / bandwidth + ADAM_FLOPS * share / peak

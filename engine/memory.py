"""Memory of a rank, stage by stage: what it holds at its peak, and whether that fits.

allocated = (1 + slack) [states + kept (in flight) + max(logits at the loss, recomputed layer + working set + gathered)]
reserved  = allocated x (1 + slack of the allocator); total = reserved + NCCL buffers + buckets + context.
Symbols: P parameters of the rank, D shard group, m micro-batches, T tokens, w bytes of an element.
Source: ruling (c), held against measured memory of five frameworks.
"""

from dataclasses import dataclass

import numpy as np

from engine.columns import ONE, ZERO, Column, column
from engine.inputs import Run
from engine.layout import Degrees
from engine.models import shape
from engine.operators.head import logits_bytes
from engine.operators.mlp import inner_size
from engine.operators.work import ELEMENT, Block, Kept
from engine.schedules import SCHEDULES
from engine.stages import Stage
from engine.states import gradient_bytes, largest
from engine.step import Timing, add, recompute_ops, recomputed

GATHERED_UNITS = 2.0  # FSDP holds the layer it computes and the one it prefetches
UNREDUCED = 4.0  # bytes of a gradient that waits for its reduction (fp32)
RISK = 0.08  # allocator slack seen at worst; between it and the stack's own a run is at risk


@dataclass(frozen=True)
class StageMemory:
    """Bytes on one rank of one stage."""

    stage: int
    layers: int
    in_flight: Column
    weights: Column
    gradients: Column
    optimizer: Column
    gathered: Column
    activations: Column
    logits: Column
    working: Column
    buffers: Column
    communicators: Column
    context: Column
    slack: Column
    allocated: Column
    reserved: Column
    total: Column


def stage_memory(run: Run, d: Degrees, made: Timing, stage: Stage) -> StageMemory:
    """Memory of one stage at its peak."""
    dense, experts = made.parameters.stage(stage, run.model.tied, d.pp), made.parameters.stage_experts(stage)
    weights, gradients, optimizer, gathered = states(run, d, made, dense, experts)
    in_flight = SCHEDULES[run.layout.schedule.kind].in_flight(stage.index, d.pp, d.micro_batches, d.vp)
    kept = in_flight * kept_bytes(run, made, stage)
    logits = logits_bytes(run, d) * stage.last
    working = working_set(run, d, made)
    peak = np.maximum(logits, working + gathered)
    tensors = weights + gradients + optimizer + kept + peak
    allocated = (1 + run.stack.allocated_slack) * tensors
    reserved = (1 + run.stack.reserved_slack) * allocated
    links = run.stack.communicator_memory * communicators(d)
    buckets = ZERO if run.stack.buckets is None else run.stack.buckets
    context = run.stack.context_memory
    return StageMemory(
        stage.index,
        stage.layers,
        in_flight + ZERO,
        weights,
        gradients,
        optimizer,
        np.where(logits > working + gathered, 0.0, gathered),
        kept,
        np.where(logits > working + gathered, logits, 0.0),
        np.where(logits > working + gathered, 0.0, working),
        buckets + ZERO * kept,
        links,
        context,
        reserved - tensors,
        allocated,
        reserved,
        reserved + links + buckets + context + run.memory.reserve,
    )


def states(
    run: Run, d: Degrees, made: Timing, dense: Column, experts: Column = ZERO
) -> tuple[Column, Column, Column, Column]:
    """Weights, gradients, optimizer states and what ZeRO-3 gathers: bytes per parameter over the sharding's D.

    zero1 divides the optimizer's states, zero2 the gradients too, zero3 the weights too; experts are divided by edp.
    zero3 keeps two gathered layers and one unreduced gradient, and with pipeline stages the whole stage gathered and
    unreduced (ruling E10).
    """
    s, kind = run.states, run.layout.shard.kind
    level = {"none": 0, "zero1": 1, "zero2": 2, "zero3": 3}[kind]
    whole, part = dense + experts, dense / d.shard + experts / d.edp
    weights = s.weights * (part if level >= 3 else whole)
    gradients = gradient_bytes(run) * (part if level >= 2 else whole)
    optimizer = (s.master + s.moments) * (part if level >= 1 else whole)
    if level < 3:
        return weights, gradients, optimizer, ZERO * weights
    layer = made.parameters.largest_layer
    if d.pp > 1 or not run.layout.reshard:
        units, unreduced = whole, whole if d.pp > 1 else layer
    else:
        units = GATHERED_UNITS * layer + made.parameters.head
        unreduced = np.maximum(layer, made.parameters.head)
    return weights, gradients, optimizer, s.weights * units + UNREDUCED * unreduced


def kept_bytes(run: Run, made: Timing, stage: Stage) -> Column:
    """Bytes one micro-batch leaves on a stage between its passes: its layers', the embedding's or the head's own."""
    ops, again, result = recompute_ops(run), recomputed(run, stage), ZERO
    for kind, found in made.layers.items():
        blocks, less = tuple(b.block for b in found), again.count(made.kinds, kind)
        full = (stage.count(made.kinds, kind) - less) * layer_bytes(blocks, ())
        result = result + full + less * layer_bytes(blocks, ops)
    if stage.first:
        result = result + add(k.bytes for k in made.embedding.block.keeps)
    if stage.last:
        result = result + add(k.bytes for k in made.head.block.keeps)
    return result


def layer_bytes(blocks: tuple[Block, ...], ops: tuple[str, ...]) -> Column:
    """Bytes a layer keeps when ``ops`` are recomputed; with all of them, its input alone (/tp under sequence
    parallelism, ruling E14)."""
    if "all" in ops:
        return blocks[0].keeps[0].bytes
    return add(k.bytes for block in blocks for k in block.keeps if not _freed(k, block.name, ops))


def _freed(kept: Kept, block: str, ops: tuple[str, ...]) -> bool:
    return kept.op in ops or (block in ops and kept.tensor != "block input")


def working_set(run: Run, d: Degrees, made: Timing) -> Column:
    """Bytes of the backward pass's own tensors, w T [max(3 f/tp, attention) + 2 h], and one recomputed layer."""
    dims = shape(run.model)
    inner = ZERO if run.model.experts is not None and run.model.ffn is None else inner_size(run)
    core = (2 * dims.heads / d.tp + 2 * d.kv_heads) * dims.head
    rows = dims.hidden / (d.tp if d.sequence_parallel else ONE)
    own = ELEMENT * d.tokens * (np.maximum(3 * inner / d.tp, core) + 2 * rows)
    ops = recompute_ops(run)
    if not ops:
        return own
    again = [tuple(b.block for b in found) for found in made.layers.values()]
    return own + largest([layer_bytes(blocks, ()) - layer_bytes(blocks, ops) for blocks in again])


def communicators(d: Degrees) -> Column:
    """Communicators a rank belongs to: one for every axis it shares with others."""
    shared = (d.tp > 1) * ONE + (d.cp > 1) * ONE + (d.dp * d.cp > 1) * ONE + (d.copies > 1) * ONE
    return shared + column(1.0 if d.pp > 1 else 0.0)


def verdict(total: Column, reserved: Column, allocated: Column, capacity: Column) -> list[str]:
    """ "fits", "tight" (only with the stack's slack, not with the worst seen) or "does not fit", one a point."""
    worst = total - reserved + (1 + RISK) * allocated
    return [
        ("fits" if w <= c else "tight") if t <= c else "does_not_fit"
        for t, w, c in zip(*np.broadcast_arrays(total, worst, capacity), strict=True)
    ]

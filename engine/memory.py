"""Memory of a rank, stage by stage: what it holds at its peak, and whether that fits.

allocated = (1 + slack) [states + kept (in flight) + max(logits at the loss, recomputed layer + working set + gathered)]
reserved  = allocated x (1 + slack of the allocator); total = reserved + NCCL buffers + buckets + context + reserve.
The same for the other phases of a run, each without activations: loading a checkpoint (states, and what is held twice),
the optimizer's update, saving. The largest of the four is what must fit.
Symbols: P parameters of the rank, D shard group, m micro-batches, T tokens, w bytes of an element.
Source: Rajbhandari et al. 2020 (states), Korthikanti et al. 2022 (activations); held against measured memory of five
frameworks.
"""

from dataclasses import dataclass

import numpy as np

from engine import offload
from engine.columns import ONE, ZERO, Column, column
from engine.inputs import Run
from engine.kept import layer_bytes
from engine.layout import Degrees
from engine.models import shape
from engine.operators import lora
from engine.operators.head import logits_bytes
from engine.operators.mlp import inner_size
from engine.operators.work import ELEMENT
from engine.schedules import SCHEDULES
from engine.stages import Stage
from engine.states import gradient_bytes, largest, shard_bytes, weight_bytes
from engine.step import Timing, add, rank_states, recompute_ops, recomputed, send_bytes

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
    step: Column  # totals by phase: forward and backward pass
    load: Column
    update: Column
    save: Column
    host: Column  # bytes of this rank in host memory


@dataclass(frozen=True)
class Held:
    """States of a rank on its GPU, and what of them is in host memory."""

    weights: Column
    gradients: Column
    optimizer: Column
    host: Column

    @property
    def device(self) -> Column:
        """Bytes on the GPU."""
        return self.weights + self.gradients + self.optimizer


def stage_memory(run: Run, d: Degrees, made: Timing, stage: Stage) -> StageMemory:
    """Memory of one stage at its peak.

    Left out: fragmentation beyond the stated slack of the allocator; memory of other processes beyond the stated
    reserve.
    """
    held = [made.stages[s] for s in made.ranks[stage.index]]  # two where a rank holds two copies (DualPipe)
    dense, experts = rank_states(run, d, made, made.ranks[stage.index])
    adapters = add(made.parameters.stage_adapters(s) for s in held)
    weights, gradients, optimizer, gathered = states(run, d, made, dense, experts, adapters)
    kept_states = offloaded(run, weights, gradients, optimizer / len(held))  # copies share one set of optimizer states
    in_flight = SCHEDULES[run.layout.schedule.kind].in_flight(stage.index, d.pp, d.micro_batches, d.vp)
    kept = in_flight * add(kept_bytes(run, made, s) + sent(run, d, s) for s in held) / len(held)
    logits = logits_bytes(run, d) * (1 + run.model.mtp) * any(s.last for s in held)
    working = working_set(run, d, made)
    head = head_held(run, d, made) * any(s.last for s in held)
    lossy = logits + head > working + gathered  # the peak stands where the loss is computed
    peak = np.where(lossy, logits + head, working + gathered)
    away = offload.of(run).activations * kept
    kept = kept - away + np.minimum(offload.buffers(run, largest_kept(run, made)), away)
    tensors = kept_states.device + kept + peak
    own = trained(run, dense, experts, adapters)
    phases = {"step": tensors, **other_phases(run, kept_states, own[0] / d.shard + own[1] / d.edp)}
    allocated = (1 + run.stack.allocated_slack) * largest(list(phases.values()))
    reserved = (1 + run.stack.reserved_slack) * allocated
    links = run.stack.communicator_memory * communicators(d)
    buckets = ZERO if run.stack.buckets is None else run.stack.buckets
    context = run.stack.context_memory
    fixed = links + buckets + context + run.memory.reserve
    slack = (1 + run.stack.allocated_slack) * (1 + run.stack.reserved_slack)
    totals = {name: slack * held_then + fixed for name, held_then in phases.items()}
    return StageMemory(
        stage.index,
        stage.layers,
        in_flight,
        kept_states.weights,
        kept_states.gradients,
        kept_states.optimizer,
        np.where(lossy, head, gathered),
        kept,
        np.where(lossy, logits, 0.0),
        np.where(lossy, 0.0, working),
        buckets + ZERO * kept,
        links,
        context,
        reserved - tensors + run.memory.reserve,
        allocated,
        reserved,
        largest(list(totals.values())),
        **totals,
        host=kept_states.host + away,
    )


def head_held(run: Run, d: Degrees, made: Timing) -> Column:
    """Bytes beside the logits in the head's backward pass under zero3: its gathered matrix, and its gradient as it is
    computed and as it is reduced in fp32 (2 + 2 + 4 bytes a parameter)."""
    if run.layout.shard.kind != "zero3":
        return ZERO
    return (2 * run.states.weights + UNREDUCED * lora.trained_share(run)) * made.parameters.head


def other_phases(run: Run, held: Held, shard: Column) -> dict[str, Column]:
    """Bytes on the GPU while a checkpoint is loaded, while the optimizer runs, and while one is saved.

    load: states + the stack's share of the optimizer states held twice; update: states + bytes a parameter of the
    shard; save: states + the share that is copied on the device. Source: stacks of the library.
    """
    stack = run.stack
    return {
        "load": held.device + stack.load_copy * held.optimizer,
        "update": held.device + stack.update_bytes * shard,
        "save": held.device + stack.save_copy * held.optimizer,
    }


def trained(run: Run, dense: Column, experts: Column, adapters: Column) -> tuple[Column, Column]:
    """Dense and expert parameters of a rank that are trained: the share that is not frozen, and adapters."""
    share = lora.trained_share(run)
    return share * dense + adapters, share * experts


def offloaded(run: Run, weights: Column, gradients: Column, optimizer: Column) -> Held:
    """States with what is offloaded in host memory: optimizer states with their sharded gradients (zero2, zero3), and
    sharded weights (zero3).
    Source: Ren et al. 2021 (ZeRO-Offload) section 3.5, Rajbhandari et al. 2021 (ZeRO-Infinity) section 5.1.
    """
    off, kind = offload.of(run), run.layout.shard.kind
    away = [
        off.weights * weights if kind == "zero3" else ZERO,
        off.optimizer * gradients if kind in ("zero2", "zero3") else ZERO,
        off.optimizer * optimizer,
    ]
    return Held(weights - away[0], gradients - away[1], optimizer - away[2], add(away))


def largest_kept(run: Run, made: Timing) -> Column:
    """Bytes that one layer of the largest kind keeps of one micro-batch."""
    return largest([layer_bytes(tuple(b.block for b in found), recompute_ops(run)) for found in made.layers.values()])


def states(
    run: Run, d: Degrees, made: Timing, dense: Column, experts: Column = ZERO, adapters: Column = ZERO
) -> tuple[Column, Column, Column, Column]:
    """Weights, gradients, optimizer states and what ZeRO-3 gathers: bytes per parameter over the sharding's D.

    zero1 divides the optimizer's states, zero2 the gradients too, zero3 the weights too; experts are divided by edp.
    zero3 keeps two gathered layers and one unreduced gradient, and with pipeline stages the whole stage gathered and
    unreduced; with gradient_sync = last every rank holds the whole gradient. Frozen parameters
    have weights only.
    Source: Rajbhandari et al. 2020 section 5, FSDP2's gathered layers.
    """
    s, kind = run.states, run.layout.shard.kind
    level = {"none": 0, "zero1": 1, "zero2": 2, "zero3": 3}[kind]
    whole, part = dense + experts + adapters, (dense + adapters) / d.shard + experts / d.edp
    own, own_experts = trained(run, dense, experts, adapters)
    own_part, late = own / d.shard + own_experts / d.edp, run.layout.gradient_sync == "last"
    weights = weight_bytes(run) * (part if level >= 3 else whole)
    gradients = gradient_bytes(run) * (own_part if level == 2 or (level == 3 and not late) else own + own_experts)
    optimizer = shard_bytes(run) * (own_part if level >= 1 else own + own_experts)
    if level < 3:
        return weights, gradients, optimizer, ZERO
    layer = made.parameters.largest_layer
    if d.pp > 1 or not run.layout.reshard:
        units, unreduced = whole, whole if d.pp > 1 else layer
    else:
        units = GATHERED_UNITS * layer + made.parameters.head
        unreduced = np.maximum(layer, made.parameters.head)
    waiting = ZERO if late and d.pp == 1 else lora.trained_share(run) * unreduced
    return weights, gradients, optimizer, s.weights * units + UNREDUCED * waiting


def kept_bytes(run: Run, made: Timing, stage: Stage) -> Column:
    """Bytes one micro-batch leaves on a stage between its passes: its layers', the embedding's or the head's own.

    Source: Korthikanti et al. 2022 section 4.
    """
    ops, again, result = recompute_ops(run), recomputed(run, stage), ZERO
    for kind, found in made.layers.items():
        blocks, less = tuple(b.block for b in found), again.count(made.kinds, kind)
        full = (stage.count(made.kinds, kind) - less) * layer_bytes(blocks, ())
        result = result + full + less * layer_bytes(blocks, ops)
    if stage.first:
        result = result + add(k.bytes for k in made.embedding.block.keeps)
    if stage.last:
        result = result + add(k.bytes for k in made.head.block.keeps)
        for block in made.prediction:
            result = result + run.model.mtp * layer_bytes((block.block,), ops if block.recompute else ())
    return result


def sent(run: Run, d: Degrees, stage: Stage) -> Column:
    """Bytes of a micro-batch's output that a stage holds until its backward pass, where the stack does not free it."""
    return ZERO if stage.last or not run.stack.keeps_outputs else send_bytes(run, d)


def working_set(run: Run, d: Degrees, made: Timing) -> Column:
    """Bytes of the backward pass's own tensors, w T [max(3 f/tp, attention) + 2 h], and one recomputed layer.

    Source: tensors alive at once in one layer's backward pass, counted.
    """
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
    """Communicators a rank belongs to: one for every axis it shares with others.

    Source: NCCL's buffers of a communicator; held against measured memory.
    """
    axes = (d.tp > 1, d.cp > 1, d.dp * d.cp > 1, d.copies > 1)
    return add(ONE * shared for shared in axes) + column(d.pp > 1)


def verdict(total: Column, reserved: Column, allocated: Column, capacity: Column) -> list[str]:
    """ "fits", "tight" (only with the stack's slack, not with the worst seen) or "does not fit", one a point."""
    worst = total - reserved + (1 + RISK) * allocated
    return [
        ("fits" if w <= c else "tight") if t <= c else "does_not_fit"
        for t, w, c in zip(*np.broadcast_arrays(total, worst, capacity), strict=True)
    ]


__all__ = ["Held", "StageMemory", "kept_bytes", "layer_bytes", "stage_memory", "states", "verdict", "working_set"]

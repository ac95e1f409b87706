"""The step: stage times, schedule, once-a-step rows, and the ledger that sums to the step time.

T = schedule(stage times, send times) + exposed data-parallel traffic + optimizer + tied-embedding all-reduce
    + stragglers + fixed time. A stage's time holds every exposed row of one micro-batch; only once-a-step rows stay
outside, so that no row is counted twice (ruling E16). bubble := schedule - m x the slowest stage's micro-batch.

Symbols: m micro-batches, p stages, v chunks per stage, L_i layers of stage i, c seconds of one send.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from engine import collectives, kernels, network, overlap
from engine.collectives import COLLECTIVES, point_to_point
from engine.columns import ONE, ZERO, Column, column
from engine.inputs import Run
from engine.layout import Degrees
from engine.ledger import Entry, PricedBlock, Prices, Row, price, price_block, total
from engine.models import Parameters
from engine.operators.attention import attention
from engine.operators.embedding import embedding
from engine.operators.head import head
from engine.operators.mlp import mlp
from engine.operators.optimizer import optimizer
from engine.operators.work import ELEMENT
from engine.schedules import SCHEDULES, StageTimes
from engine.stages import Stage, assign
from engine.states import RankParameters, gradient_bytes, rank_parameters, reduce_bytes

NODE = 8.0  # GPUs from which stragglers and synchronization are counted
SELECTIVE = ("sdpa",)


@dataclass(frozen=True)
class Step:
    """A step taken apart: blocks of a layer, stages and their times, the ledger's entries."""

    layer: tuple[PricedBlock, ...]
    embedding: PricedBlock
    head: PricedBlock
    stages: tuple[Stage, ...]
    forward: tuple[Column, ...]  # of one micro-batch, by stage
    backward: tuple[Column, ...]
    send: Column
    pace: Column  # index of the slowest stage
    bubble: Column
    entries: tuple[Entry, ...]
    parameters: RankParameters
    prices: Prices

    @property
    def seconds(self) -> Column:
        """The step time: the sum of every entry's exposed seconds."""
        return add(e.exposed for e in self.entries)


def add(parts: Iterable[Column]) -> Column:
    """Sum of some columns."""
    result = ZERO
    for part in parts:
        result = result + part
    return result


def groups(run: Run, d: Degrees) -> dict[str, network.Group]:
    """The group of every axis laid over the network; "shard" and "copies" are the two levels of data parallelism."""
    found = {axis: network.group(run, d, axis) for axis in ("tensor", "context", "data", "pipeline")}
    found["shard"] = network.group(run, d, "data", size=d.shard)
    found["copies"] = network.group(run, d, "data", size=d.copies, spread=d.shard)
    return found


def recompute_ops(run: Run) -> tuple[str, ...]:
    """Operations whose forward work runs again: none, the named ones (core attention by default), or all."""
    kind = run.layout.recompute.kind
    return {"none": (), "selective": run.layout.recompute.ops or SELECTIVE, "full": ("all",)}[kind]


def recomputed_layers(run: Run, stage: Stage) -> int:
    """Layers of a stage that are recomputed: all, or the first so many."""
    first = run.layout.recompute.first
    return stage.layers if first is None else min(first, stage.layers)


def step(run: Run, d: Degrees, n: Parameters) -> Step:
    """The step of one group of design points."""
    prices = Prices(run, kernels.device(run), groups(run, d), collectives.terms.of(run))
    gradient, ops = gradient_bytes(run), recompute_ops(run)
    fused = prices.device.fused_attention
    blocks = (attention(run, d, gradient, fused), mlp(run, d, gradient))
    layer = tuple(price_block(b, prices, ops) for b in blocks)
    first = price_block(embedding(run, d), prices, ())
    last = price_block(head(run, d, gradient), prices, ())
    assert run.model.layers is not None
    stages = assign(run.model.layers, d.pp, d.vp, run.layout.split, run.layout.stages)
    forward = tuple(_stage_forward(s, layer, first, last) for s in stages)
    backward = tuple(_stage_backward(run, s, layer, first, last) for s in stages)
    busy = np.stack(np.broadcast_arrays(*(f + b for f, b in zip(forward, backward, strict=True))))
    pace = np.argmax(busy, axis=0).astype(np.float64)
    send = _send(run, d, prices)
    parameters = rank_parameters(run, n, d)
    made = Step(layer, first, last, stages, forward, backward, send, pace, ZERO, (), parameters, prices)
    bubble, entries = _entries(run, d, made, np.max(busy, axis=0))
    return replace(made, bubble=bubble, entries=entries)


def _stage_forward(stage: Stage, layer: tuple[PricedBlock, ...], first: PricedBlock, last: PricedBlock) -> Column:
    time = stage.layers * add(b.forward_seconds for b in layer)
    return time + stage.first * first.forward_seconds + stage.last * last.forward_seconds


def _stage_backward(
    run: Run, stage: Stage, layer: tuple[PricedBlock, ...], first: PricedBlock, last: PricedBlock
) -> Column:
    time = stage.layers * add(total(b.backward) for b in layer) + recomputed_layers(run, stage) * add(
        total(b.recompute) for b in layer
    )
    return time + stage.first * first.backward_seconds + stage.last * last.backward_seconds


def _send(run: Run, d: Degrees, prices: Prices) -> Column:
    """Seconds of one send of T h w, divided by tp under sequence parallelism (ruling 12)."""
    assert run.model.hidden is not None
    size = d.tokens * run.model.hidden * ELEMENT / (d.tp if d.sequence_parallel else ONE)
    return point_to_point.seconds(size, prices.groups["pipeline"], prices.terms)


def _entries(run: Run, d: Degrees, made: Step, slowest: Column) -> tuple[Column, tuple[Entry, ...]]:
    """The ledger: per-micro-batch rows of the slowest stage, the bubble, exposed sends, once-a-step rows."""
    schedule, m = SCHEDULES[run.layout.schedule.kind], d.micro_batches
    times = StageTimes(made.forward, made.backward)
    span = schedule.total(times, m, d.vp, ZERO)
    sends = _exposed_sends(run, d, times, made.send)
    bubble = np.maximum(span - m * slowest, 0.0)
    entries = [*_stage_entries(run, d, made)]
    entries.append(_wait("pipeline", "bubble", bubble))
    if d.pp > 1:
        entries.append(_sends(run, d, made, sends))
    entries += _once(run, d, made)
    return bubble, (*entries, *_overheads(run, d, entries))


def _stage_entries(run: Run, d: Degrees, made: Step) -> list[Entry]:
    """Rows of the stage that sets the pace, with their counts per step."""
    index, m = made.pace.astype(int), d.micro_batches
    layers = column([s.layers for s in made.stages])[index]
    again = column([recomputed_layers(run, s) for s in made.stages])[index]
    first, last = (made.pace == 0) * m, (made.pace == len(made.stages) - 1) * m
    entries: list[Entry] = []
    for block in made.layer:
        entries += [Entry(r, m * layers) for r in (*block.forward, *block.backward)]
        entries += [Entry(r, m * again) for r in block.recompute]
    entries += [Entry(r, first) for r in (*made.embedding.forward, *made.embedding.backward)]
    entries += [Entry(r, last) for r in (*made.head.forward, *made.head.backward)]
    return entries


def _exposed_sends(run: Run, d: Degrees, times: StageTimes, send: Column) -> Column:
    """Seconds of sends that a step waits for: by schedule (ruling E5), and of the sends an interleaved schedule
    overlaps the stack's share that is not hidden (all of it where overlap is off).
    """
    kind = run.layout.schedule.kind
    chain = SCHEDULES[kind].exposed_sends(times, d.micro_batches, d.vp, send)
    if d.vp == 1:
        return chain
    share = run.stack.pipeline_exposed if run.layout.overlap.pipeline else ONE
    return chain + share * np.maximum(2 * d.micro_batches * d.vp * send - chain, 0.0)


def _sends(run: Run, d: Degrees, made: Step, exposed: Column) -> Entry:
    """The pipeline's sends as one entry: 2 m v sends a rank and step."""
    assert run.model.hidden is not None
    count = 2 * d.micro_batches * d.vp
    size = d.tokens * run.model.hidden * ELEMENT / (d.tp if d.sequence_parallel else ONE)
    behind = "compute of other micro-batches" if d.vp > 1 else None
    return Entry(
        Row(
            "pipeline",
            "send and receive",
            "step",
            "collective",
            ZERO,
            size,
            None,
            "pipeline",
            "point to point",
            made.send,
            exposed / count,
            behind,
            1,
        ),
        count,
    )


def _wait(block: str, op: str, seconds: Column) -> Entry:
    return Entry(Row(block, op, "step", "wait", ZERO, ZERO, None, None, None, seconds, seconds, None, 0), ONE)


def _once(run: Run, d: Degrees, made: Step) -> list[Entry]:
    """Once-a-step rows: data-parallel traffic, the optimizer, the all-reduce of a tied embedding."""
    sizes = [made.parameters.stage(s, run.model.tied, d.pp) for s in made.stages]
    largest = np.max(np.stack(np.broadcast_arrays(*sizes)), axis=0)
    layers = max(s.layers for s in made.stages)
    f, b = made.forward[0] / d.vp, made.backward[0] / d.vp
    entries = overlap.data_rows(run, d, made.prices, largest, layers, f, b)
    sharded = run.layout.shard.kind
    shard = largest if sharded == "none" else largest / d.shard
    buffer = largest if sharded in ("none", "zero1") else shard
    plain = replace(made.prices, device=replace(made.prices.device, passes=ONE))
    entries += [
        Entry(r, ONE) for r in price(optimizer(run, shard, buffer, gradient_bytes(run)), "optimizer", "step", plain)
    ]
    if run.model.tied and d.pp > 1:
        entries.append(_tied(run, made))
    return entries


def _tied(run: Run, made: Step) -> Entry:
    """All-reduce of the tied embedding's gradient between the first and the last stage."""
    group = replace(made.prices.groups["pipeline"], size=ONE * 2)
    size = reduce_bytes(run) * made.parameters.embedding
    seconds = COLLECTIVES["all_reduce"].seconds(size, group, made.prices.terms)
    return Entry(
        Row(
            "embedding",
            "tied gradient",
            "step",
            "collective",
            ZERO,
            size,
            None,
            "pipeline",
            "all_reduce",
            seconds,
            seconds,
            None,
            1,
        ),
        ONE,
    )


def _overheads(run: Run, d: Degrees, entries: list[Entry]) -> list[Entry]:
    """Stragglers, a share of everything per doubling beyond a node of eight, and the fixed time of a step."""
    doublings = np.log2(np.maximum(d.used / NODE, 1.0))
    rest = add(e.exposed for e in entries)
    fixed = run.stack.step_time * (1 + doublings / 2)
    return [_wait("step", "stragglers", run.stack.straggler * doublings * rest), _wait("step", "fixed", fixed)]


def recomputed_flops(run: Run, d: Degrees, made: Step) -> Column:
    """FLOPs of one token that run again in the backward pass: what HFU counts beyond MFU.

    A row does 1/tp of a layer's FLOPs for the T tokens of a rank.
    """
    rows = add(r.flops for block in made.layer for r in block.recompute)
    return sum(recomputed_layers(run, s) for s in made.stages) * rows * d.tp / d.tokens

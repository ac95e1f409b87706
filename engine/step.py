"""The step: blocks priced once per kind of layer, stages and their times, and the ledger that sums to the step time.

T = schedule(stage times, send times) + exposed data-parallel traffic + optimizer + tied-embedding all-reduce
    + stragglers + fixed time. A stage's time holds every exposed row of one micro-batch; only once-a-step rows stay
outside, so that no row is counted twice. bubble := schedule - m x the slowest stage's micro-batch.

Symbols: m micro-batches, p stages, v chunks per stage, L_i layers of stage i.
Source: definition; schedules by their own papers.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from engine import calibrate, kernels, offload
from engine.collectives import point_to_point, terms
from engine.columns import ONE, ZERO, Column, column
from engine.groups import groups
from engine.inputs import Run
from engine.layers import LayerKind, counted_kinds, layer_kinds
from engine.layout import Degrees
from engine.ledger import Entry, PricedBlock, Prices, exposed, price_block
from engine.models import Parameters
from engine.operators.embedding import embedding
from engine.operators.head import head
from engine.operators.layer import layer_blocks
from engine.operators.prediction import prediction
from engine.operators.work import ELEMENT
from engine.schedules import SCHEDULES
from engine.stages import Stage, assign
from engine.states import RankParameters, accumulated_bytes, first_largest, rank_parameters

SELECTIVE = ("sdpa",)


@dataclass(frozen=True)
class Timing:
    """Blocks by kind of layer, stages, and the seconds of one micro-batch on each of them."""

    prices: Prices
    kinds: tuple[LayerKind, ...]  # of every layer
    layers: dict[LayerKind, tuple[PricedBlock, ...]]
    embedding: PricedBlock
    head: PricedBlock
    prediction: tuple[PricedBlock, ...]  # of one multi-token-prediction module, on the last stage
    stages: tuple[Stage, ...]
    forward: tuple[Column, ...]  # by stage
    backward: tuple[Column, ...]
    send: Column
    parameters: RankParameters
    ranks: tuple[tuple[int, ...], ...]  # the stages a rank holds, each for an equal part of the micro-batches
    classes: tuple[int, ...]  # of every stage the first that holds the same layers

    @cached_property
    def whole(self) -> tuple[Column, ...]:
        """Seconds of one micro-batch on every rank, the mean of the stages it holds; alike ranks share a column."""
        both = alike(lambda s: self.forward[s] + self.backward[s], self.classes)
        held = [tuple(self.classes[s] for s in stages) for stages in self.ranks]
        return alike(lambda r: add(both[s] for s in self.ranks[r]) / len(self.ranks[r]), held)

    def mean(self, values: Sequence[float]) -> Column:
        """A figure of every stage as that of every rank."""
        return column([sum(values[s] for s in stages) / len(stages) for stages in self.ranks])

    @property
    def first_of_kind(self) -> list[int]:
        """Of ranks that hold the same layers the first one."""
        kinds = [tuple(self.classes[s] for s in stages) for stages in self.ranks]
        return [i for i, own in enumerate(kinds) if own not in kinds[:i]]

    @cached_property
    def pace(self) -> Column:
        """Index of the slowest rank of a pipeline, the first of those that are."""
        places = np.array([float(i) for i, _ in distinct(self.whole)])
        return np.asarray(places[first_largest([seconds for _, seconds in distinct(self.whole)]).astype(int)])

    @cached_property
    def slowest(self) -> Column:
        """Seconds of one micro-batch on it."""
        return reduce(np.maximum, [seconds for _, seconds in distinct(self.whole)])


@dataclass(frozen=True)
class Step:
    """A step taken apart: its timing, the bubble, and the ledger's entries."""

    timing: Timing
    bubble: Column
    entries: tuple[Entry, ...]

    @cached_property
    def seconds(self) -> Column:
        """The step time: the sum of every entry's exposed seconds."""
        return exposed(self.entries)


def add(parts: Iterable[Column]) -> Column:
    """Sum of some columns."""
    result = ZERO
    for part in parts:
        result = result + part
    return result


def alike(make: Callable[[int], Column], classes: Sequence[Hashable]) -> tuple[Column, ...]:
    """A column for every stage or rank, made once for those of a class."""
    made: dict[Hashable, Column] = {}
    for i, own in enumerate(classes):
        if own not in made:
            made[own] = make(i)
    return tuple(made[own] for own in classes)


def distinct(columns: Sequence[Column]) -> list[tuple[int, Column]]:
    """The columns that are not shared with one before, with their places."""
    seen: dict[int, tuple[int, Column]] = {}
    for i, own in enumerate(columns):
        seen.setdefault(id(own), (i, own))
    return list(seen.values())


def recompute_ops(run: Run) -> tuple[str, ...]:
    """Operations whose forward work runs again: none, the named ones (core attention by default), or all."""
    kind = run.layout.recompute.kind
    return {"none": (), "selective": run.layout.recompute.ops or SELECTIVE, "full": ("all",)}[kind]


def recomputed(run: Run, stage: Stage) -> Stage:
    """The layers of a stage that are recomputed: all of them, or its first so many."""
    first = run.layout.recompute.first
    if first is None:
        return stage
    left, chunks = first, []
    for chunk in stage.chunks:
        chunks.append(chunk[: max(left, 0)])
        left -= len(chunk)
    return Stage(stage.index, tuple(chunks), stage.first, stage.last)


def predicted(run: Run, d: Degrees, kind: LayerKind, prices: Prices) -> tuple[PricedBlock, ...]:
    """The blocks of one multi-token-prediction module, whose layer is of the last kind; none without modules."""
    if not run.model.mtp:
        return ()
    layer, last = prediction(run, d, layer_blocks(run, d, kind, prices.device.fused_attention), accumulated_bytes(run))
    return price_block(layer, prices, recompute_ops(run)), price_block(last, prices, ())


def timing(run: Run, d: Degrees, n: Parameters) -> Timing:
    """Every block priced, every stage timed."""
    prices = Prices(run, kernels.device(run), groups(run, d), terms.of_step(run))
    fused, ops = prices.device.fused_attention, recompute_ops(run)
    kinds = layer_kinds(run.model)
    layers = {
        kind: offload.copies(
            run, tuple(price_block(block, prices, ops) for block in layer_blocks(run, d, kind, fused)), prices, ops
        )
        for kind in counted_kinds(run.model)
    }
    first = price_block(embedding(run, d), prices, ())
    last = price_block(head(run, d, accumulated_bytes(run)), prices, ())
    modules = predicted(run, d, kinds[-1], prices)
    stages = assign(len(kinds), d.pp, d.vp, run.layout.split, run.layout.stages, run.model.mtp)
    ends = [
        [b for b, here in ((first, s.first), (last, s.last)) if here] + s.last * run.model.mtp * list(modules)
        for s in stages
    ]

    def forward(index: int) -> Column:
        return add(
            stages[index].count(kinds, k) * b.forward_seconds for k, found in layers.items() for b in found
        ) + add(b.forward_seconds for b in ends[index])

    def backward(index: int) -> Column:
        stage, again = stages[index], recomputed(run, stages[index])
        return (
            add(stage.count(kinds, k) * b.own_backward for k, found in layers.items() for b in found)
            + add(again.count(kinds, k) * b.recompute_seconds for k, found in layers.items() for b in found)
            + add(b.backward_seconds for b in ends[index])
        )

    classes = stage_classes(run, stages, kinds)
    group, own = calibrate.laid(run, "send", prices.groups["pipeline"], prices.terms)
    send = calibrate.factor(run, "pipeline") * point_to_point.seconds(send_bytes(run, d), group, own)
    parameters = rank_parameters(run, n, d)
    schedule = SCHEDULES[run.layout.schedule.kind]
    ranks = tuple(schedule.partners(s.index, d.pp) for s in stages)
    times = alike(forward, classes), alike(backward, classes)
    return Timing(prices, kinds, layers, first, last, modules, stages, *times, send, parameters, ranks, classes)


def stage_classes(run: Run, stages: Sequence[Stage], kinds: Sequence[LayerKind]) -> tuple[int, ...]:
    """For every stage the first one that holds, and computes again, as many layers of each kind and the same ends."""
    first: dict[Hashable, int] = {}
    found, every = [], tuple(counted_kinds(run.model))
    for stage in stages:
        again = recomputed(run, stage)
        counts = tuple((stage.count(kinds, k), again.count(kinds, k)) for k in every)
        found.append(first.setdefault((counts, stage.first, stage.last), stage.index))
    return tuple(found)


def send_bytes(run: Run, d: Degrees) -> Column:
    """Bytes of one send between stages: T h w, divided by tp where ranks hold or send parts of it.

    Source: Narayanan et al. 2021 section 4.1 (scatter and gather).
    """
    assert run.model.hidden is not None
    return d.tokens * run.model.hidden * ELEMENT / (d.tp if d.sequence_parallel or run.stack.scatter_sends else ONE)


def recomputed_flops(run: Run, d: Degrees, made: Timing) -> Column:
    """FLOPs of one token that run again in the backward pass: what HFU counts beyond MFU.

    A row does 1/tp of a layer's FLOPs for the T tokens of a rank.
    """
    result = ZERO
    for kind, found in made.layers.items():
        rows = add(r.flops for block in found for r in block.recompute)
        result = result + sum(recomputed(run, s).count(made.kinds, kind) for s in made.stages) * rows
    return result * d.tp / d.tokens


def rank_states(run: Run, d: Degrees, made: Timing, rank: tuple[int, ...]) -> tuple[Column, Column]:
    """Dense and expert parameters of all stages that a rank holds."""
    held = [made.stages[s] for s in rank]
    dense = add(made.parameters.stage(s, run.model.tied, d.pp) for s in held)
    return dense, add(made.parameters.stage_experts(s) for s in held)

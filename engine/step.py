"""The step: blocks priced once per kind of layer, stages and their times, and the ledger that sums to the step time.

T = schedule(stage times, send times) + exposed data-parallel traffic + optimizer + tied-embedding all-reduce
    + stragglers + fixed time. A stage's time holds every exposed row of one micro-batch; only once-a-step rows stay
outside, so that no row is counted twice (ruling E16). bubble := schedule - m x the slowest stage's micro-batch.

Symbols: m micro-batches, p stages, v chunks per stage, L_i layers of stage i.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engine import calibrate, kernels, offload
from engine.collectives import point_to_point, terms
from engine.columns import ONE, ZERO, Column, column
from engine.groups import groups
from engine.inputs import Run
from engine.layers import LayerKind, layer_kinds
from engine.layout import Degrees
from engine.ledger import Entry, PricedBlock, Prices, price_block, total
from engine.models import Parameters
from engine.operators.embedding import embedding
from engine.operators.head import head
from engine.operators.layer import layer_blocks
from engine.operators.prediction import prediction
from engine.operators.work import ELEMENT
from engine.schedules import SCHEDULES
from engine.stages import Stage, assign
from engine.states import RankParameters, accumulated_bytes, rank_parameters

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

    @property
    def whole(self) -> Column:
        """Seconds of one micro-batch on every rank, the mean of the stages it holds; ranks x points."""
        both = [f + b for f, b in zip(self.forward, self.backward, strict=True)]
        held = (add(both[s] for s in stages) / len(stages) for stages in self.ranks)
        return np.asarray(np.stack(np.broadcast_arrays(*held)))

    def mean(self, values: Sequence[float]) -> Column:
        """A figure of every stage as that of every rank."""
        return column([sum(values[s] for s in stages) / len(stages) for stages in self.ranks])

    @property
    def pace(self) -> Column:
        """Index of the slowest rank of a pipeline."""
        return np.asarray(np.argmax(self.whole, axis=0), dtype=np.float64)

    @property
    def slowest(self) -> Column:
        """Seconds of one micro-batch on it."""
        return np.asarray(np.max(self.whole, axis=0))


@dataclass(frozen=True)
class Step:
    """A step taken apart: its timing, the bubble, and the ledger's entries."""

    timing: Timing
    bubble: Column
    entries: tuple[Entry, ...]

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
        for kind in dict.fromkeys(kinds)
    }
    first = price_block(embedding(run, d), prices, ())
    last = price_block(head(run, d, accumulated_bytes(run)), prices, ())
    modules = predicted(run, d, kinds[-1], prices)
    stages = assign(len(kinds), d.pp, d.vp, run.layout.split, run.layout.stages, run.model.mtp)
    forward, backward = [], []
    for stage in stages:
        ends = [b for b, here in ((first, stage.first), (last, stage.last)) if here]
        ends += stage.last * run.model.mtp * modules
        again = recomputed(run, stage)
        forward.append(
            add(stage.count(kinds, k) * b.forward_seconds for k, found in layers.items() for b in found)
            + add(b.forward_seconds for b in ends)
        )
        backward.append(
            add(stage.count(kinds, k) * total(b.backward) for k, found in layers.items() for b in found)
            + add(again.count(kinds, k) * total(b.recompute) for k, found in layers.items() for b in found)
            + add(b.backward_seconds for b in ends)
        )
    group, own = calibrate.laid(run, "send", prices.groups["pipeline"], prices.terms)
    send = calibrate.factor(run, "pipeline") * point_to_point.seconds(send_bytes(run, d), group, own)
    parameters = rank_parameters(run, n, d)
    schedule = SCHEDULES[run.layout.schedule.kind]
    ranks = tuple(schedule.partners(s.index, d.pp) for s in stages)
    return Timing(
        prices, kinds, layers, first, last, modules, stages, tuple(forward), tuple(backward), send, parameters, ranks
    )


def send_bytes(run: Run, d: Degrees) -> Column:
    """Bytes of one send between stages: T h w, divided by tp where ranks hold or send parts of it (ruling 12)."""
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

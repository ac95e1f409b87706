"""The step: blocks priced once per kind of layer, stages and their times, and the ledger that sums to the step time.

T = schedule(stage times, send times) + exposed data-parallel traffic + optimizer + tied-embedding all-reduce
    + stragglers + fixed time. A stage's time holds every exposed row of one micro-batch; only once-a-step rows stay
outside, so that no row is counted twice (ruling E16). bubble := schedule - m x the slowest stage's micro-batch.

Symbols: m micro-batches, p stages, v chunks per stage, L_i layers of stage i.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from engine import kernels
from engine.collectives import point_to_point, terms
from engine.columns import ONE, ZERO, Column
from engine.groups import groups
from engine.inputs import Run
from engine.layers import LayerKind, layer_kinds
from engine.layout import Degrees
from engine.ledger import Entry, PricedBlock, Prices, price_block, total
from engine.models import Parameters
from engine.operators.attention import attention
from engine.operators.embedding import embedding
from engine.operators.experts import expert_mlp
from engine.operators.head import head
from engine.operators.latent import latent_attention
from engine.operators.mlp import mlp
from engine.operators.work import ELEMENT, Block
from engine.stages import Stage, assign
from engine.states import RankParameters, gradient_bytes, rank_parameters

SELECTIVE = ("sdpa",)


@dataclass(frozen=True)
class Timing:
    """Blocks by kind of layer, stages, and the seconds of one micro-batch on each of them."""

    prices: Prices
    kinds: tuple[LayerKind, ...]  # of every layer
    layers: dict[LayerKind, tuple[PricedBlock, ...]]
    embedding: PricedBlock
    head: PricedBlock
    stages: tuple[Stage, ...]
    forward: tuple[Column, ...]  # by stage
    backward: tuple[Column, ...]
    send: Column
    parameters: RankParameters

    @property
    def whole(self) -> Column:
        """Seconds of one micro-batch on every stage, stages x points."""
        both = (f + b for f, b in zip(self.forward, self.backward, strict=True))
        return np.asarray(np.stack(np.broadcast_arrays(*both)))

    @property
    def pace(self) -> Column:
        """Index of the slowest stage."""
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


def blocks(run: Run, d: Degrees, kind: LayerKind, fused: bool) -> tuple[Block, Block]:
    """The attention and the MLP block of a layer of this kind."""
    gradient, latent = gradient_bytes(run), run.model.attention is not None and run.model.attention.kind == "latent"
    first = latent_attention(run, d, gradient, fused) if latent else attention(run, d, gradient, fused, kind.windowed)
    return first, expert_mlp(run, d, gradient) if kind.experts else mlp(run, d, gradient)


def timing(run: Run, d: Degrees, n: Parameters) -> Timing:
    """Every block priced, every stage timed."""
    prices = Prices(run, kernels.device(run), groups(run, d), terms.of(run))
    fused, ops = prices.device.fused_attention, recompute_ops(run)
    kinds = layer_kinds(run.model)
    layers = {
        kind: tuple(price_block(block, prices, ops) for block in blocks(run, d, kind, fused))
        for kind in dict.fromkeys(kinds)
    }
    first = price_block(embedding(run, d), prices, ())
    last = price_block(head(run, d, gradient_bytes(run)), prices, ())
    stages = assign(len(kinds), d.pp, d.vp, run.layout.split, run.layout.stages)
    forward, backward = [], []
    for stage in stages:
        ends = [b for b, here in ((first, stage.first), (last, stage.last)) if here]
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
    send = point_to_point.seconds(send_bytes(run, d), prices.groups["pipeline"], prices.terms)
    parameters = rank_parameters(run, n, d)
    return Timing(prices, kinds, layers, first, last, stages, tuple(forward), tuple(backward), send, parameters)


def send_bytes(run: Run, d: Degrees) -> Column:
    """Bytes of one send between stages: T h w, divided by tp under sequence parallelism (ruling 12)."""
    assert run.model.hidden is not None
    return d.tokens * run.model.hidden * ELEMENT / (d.tp if d.sequence_parallel else ONE)


def recomputed_flops(run: Run, d: Degrees, made: Timing) -> Column:
    """FLOPs of one token that run again in the backward pass: what HFU counts beyond MFU.

    A row does 1/tp of a layer's FLOPs for the T tokens of a rank.
    """
    result = ZERO
    for kind, found in made.layers.items():
        rows = add(r.flops for block in found for r in block.recompute)
        result = result + sum(recomputed(run, s).count(made.kinds, kind) for s in made.stages) * rows
    return result * d.tp / d.tokens

"""Data-parallel traffic of a step, and what of it stays exposed.

Symbols: P parameters of a rank (after tensor, expert and pipeline splitting), D shard group, R its copies, a_g bytes of
a reduced gradient, m micro-batches, n layers of the stage.
Source: Rajbhandari et al. 2020 section 7 (bytes of ZeRO); what stays exposed is fitted on published runs.
"""

from dataclasses import dataclass, replace

import numpy as np

from engine.collectives import COLLECTIVES
from engine.columns import ONE, ZERO, Column
from engine.inputs import Run
from engine.layout import Degrees
from engine.ledger import Entry, Prices, Row, call_seconds
from engine.states import reduce_bytes

WINDOW = 0.8  # share of a micro-batch's pass that can hide gradient or parameter traffic
WEIGHT = 2.0  # bytes of a gathered bf16 weight
TINY = 1e-30  # s, keeps a share of nothing from being 0/0


@dataclass(frozen=True)
class Bucket:
    """Parameters that are summed over one group: the dense ones, or the experts'."""

    name: str
    parameters: Column
    trained: Column  # of them: those that have gradients
    axis: str
    layers: int


def data_rows(
    run: Run, d: Degrees, prices: Prices, buckets: list[Bucket], forward: Column, backward: Column
) -> list[Entry]:
    """Collectives of the data-parallel groups per step; a micro-batch of the stage takes ``forward`` and ``backward``.

    none: all-reduce of a_g P. zero1: reduce-scatter a_g P and all-gather 2 P once a step. zero2: the reduce-scatter
    after every micro-batch. zero3: gathers and reductions layer by layer (``sharded_rows``); with pipeline stages the
    weights stay gathered for the whole step. HSDP adds an all-reduce of a_g P/D over R copies.
    Buckets share the compute they hide behind: what one uses is gone for the next.
    """
    entries: list[Entry] = []
    for bucket in buckets:
        if run.layout.shard.kind == "zero3" and d.pp == 1:
            entries += sharded_rows(run, d, prices, bucket, forward, backward)
        else:
            entries += step_rows(run, d, prices, bucket, forward, backward)
        if run.layout.shard.kind == "zero3" and bucket.axis == "shard" and np.any(d.copies > 1):
            entries.append(copies_row(run, d, prices, bucket, backward))
        forward, backward = (
            _left(entries, op, window) for op, window in (("weights", forward), ("gradients", backward))
        )
    return entries


def _left(entries: list[Entry], op: str, window: Column) -> Column:
    """What the last once-a-step collective of this kind leaves of the compute it hides behind."""
    used = [e.row.seconds for e in entries if e.row.phase == "step" and e.row.op.endswith(op)]
    return np.maximum(window - used[-1] / WINDOW, 0.0) if used else window


def step_rows(run: Run, d: Degrees, prices: Prices, bucket: Bucket, forward: Column, backward: Column) -> list[Entry]:
    """Collectives of whole gradients and weights, once a step or (zero2) the gradients' after every micro-batch."""
    kind, gradients = run.layout.shard.kind, reduce_bytes(run) * bucket.trained
    weights = WEIGHT * (bucket.parameters if kind == "zero3" else bucket.trained)  # frozen ones never change
    if kind == "none":
        return [_hidden(prices, bucket, "gradients", "all_reduce", gradients, ONE, backward)]
    each = d.micro_batches if kind == "zero2" else ONE
    return [
        _hidden(prices, bucket, "gradients", "reduce_scatter", gradients, each, backward),
        _hidden(prices, bucket, "weights", "all_gather", weights, ONE, forward),
    ]


def copies_row(run: Run, d: Degrees, prices: Prices, bucket: Bucket, backward: Column) -> Entry:
    """HSDP: all-reduce of the shard's gradients over the R copies, after every micro-batch unless pipelined."""
    size = reduce_bytes(run) * bucket.trained / d.shard
    count = ONE if d.pp > 1 or run.layout.gradient_sync == "last" else d.micro_batches
    across = replace(bucket, axis="copies")
    return _hidden(prices, across, "gradient copies", "all_reduce", size, count, backward)


def sharded_rows(
    run: Run, d: Degrees, prices: Prices, bucket: Bucket, forward: Column, backward: Column
) -> list[Entry]:
    """FSDP: per layer and micro-batch a gather before the forward pass, one before the backward pass unless the weights
    are kept, and a reduction behind the backward pass. Exposed per layer: what exceeds the neighbor layer's compute,
    plus the overlap tax; the first gather and the last reduction have nothing to hide behind.
    """
    count = d.micro_batches * bucket.layers
    sums = ONE * bucket.layers if run.layout.gradient_sync == "last" else count  # reductions a step
    gathered = WEIGHT * bucket.parameters / bucket.layers
    reduced = reduce_bytes(run) * bucket.trained / bucket.layers
    gather = _seconds(prices, "all_gather", gathered, bucket.axis)
    reduce = _seconds(prices, "reduce_scatter", reduced, bucket.axis)
    again = gather if run.layout.reshard else ZERO
    f, b = forward / bucket.layers, backward / bucket.layers
    late = np.maximum(again + reduce - b, 0.0)
    both = np.maximum(again + reduce, TINY)
    ahead, behind = "the forward pass of the layer before", "the backward pass of the next layer"
    first = np.maximum(gather - f, 0.0)
    rows = [("weights", "all_gather", gathered, count, gather, first, gather, "forward", ahead)]
    if run.layout.reshard:
        over = late * again / both
        rows.append(("weights again", "all_gather", gathered, count, again, over, ZERO, "backward", behind))
    over = late * reduce / both
    rows.append(("gradients", "reduce_scatter", reduced, sums, reduce, over, reduce, "backward", behind))
    return [
        _entry(prices, bucket, op, kind, size, times, _expose(run, times, busy, over, edge), phase, hidden_by)
        for op, kind, size, times, busy, over, edge, phase, hidden_by in rows
    ]


def _expose(run: Run, count: Column, busy: Column, late: Column, edge: Column) -> Column:
    """Average exposed seconds of one call: what is late, the tax on what is hidden, and the one call at the edge."""
    if not run.layout.overlap.data:
        return busy
    return late + run.stack.overlap_tax * (busy - late) + np.maximum(edge - late, 0.0) / count


def _hidden(prices: Prices, bucket: Bucket, op: str, kind: str, size: Column, count: Column, window: Column) -> Entry:
    """A once-a-step (or once-a-micro-batch) collective behind one micro-batch's pass.

    exposed = max(x t, t/n, t - 0.8 window): x the stack's least exposed share, t/n the layer that finishes last.
    """
    run, busy = prices.run, _seconds(prices, kind, size, bucket.axis)
    if not run.layout.overlap.data:
        return _entry(prices, bucket, op, kind, size, count, busy, "step", None)
    least = np.maximum(run.stack.data_exposed * busy, busy / max(bucket.layers, 1))
    exposed = np.maximum(least, busy - WINDOW * window)
    behind = "the first forward pass" if op == "weights" else "one backward pass"
    return _entry(prices, bucket, op, kind, size, count, exposed, "step", behind)


def _seconds(prices: Prices, kind: str, size: Column, axis: str) -> Column:
    return call_seconds(prices, kind, size, axis)


def _entry(
    prices: Prices, bucket: Bucket, op: str, kind: str, size: Column, count: Column, exposed: Column, phase: str,
    behind: str | None,
) -> Entry:  # fmt: skip
    """A ledger entry of a data-parallel collective."""
    group, rule = prices.groups[bucket.axis], COLLECTIVES[kind]
    count = count * (size > 0)  # nothing is trained: nothing is sent
    busy = call_seconds(prices, kind, size, bucket.axis)
    moved = rule.traffic(size, group.size)
    alpha = np.divide(moved, busy * group.bandwidth, out=np.full_like(moved * busy, np.nan), where=busy > 0)
    shown = np.where(group.size > 1, exposed, 0.0)
    algorithm = f"{kind} ({rule.algorithm})"
    row = Row(
        "data", bucket.name + op, phase, "collective", ZERO, moved, alpha, "data", algorithm, busy, shown, behind, ONE
    )
    return Entry(row, count)

"""Data-parallel traffic of a step, and what of it stays exposed.

Symbols: P parameters of a rank (after tensor and pipeline), D shard group, R its copies, a_g bytes of a reduced
gradient, m micro-batches, n layers of the stage. Bytes by mode follow ruling E9.
"""

from collections.abc import Callable

import numpy as np

from engine.collectives import COLLECTIVES
from engine.columns import ZERO, Column
from engine.inputs import Run
from engine.layout import Degrees
from engine.ledger import Entry, Prices, Row
from engine.states import reduce_bytes

WINDOW = 0.8  # share of a micro-batch's pass that can hide gradient or parameter traffic
WEIGHT = 2.0  # bytes of a gathered bf16 weight


def data_rows(
    run: Run, d: Degrees, prices: Prices, parameters: Column, layers: int, forward: Column, backward: Column
) -> list[Entry]:
    """Collectives of the data-parallel group per step; a micro-batch of the stage takes ``forward`` and ``backward``.

    none: all-reduce of a_g P. zero1: reduce-scatter a_g P and all-gather 2 P once a step. zero2: the reduce-scatter
    after every micro-batch. zero3: gathers and reductions layer by layer (``sharded_rows``); with pipeline stages the
    weights stay gathered for the whole step (ruling E10). HSDP adds an all-reduce of a_g P/D over R copies.
    """
    kind, a_g, m = run.layout.shard.kind, reduce_bytes(run), d.micro_batches
    gradients, weights = a_g * parameters, WEIGHT * parameters
    once, each = ZERO + 1.0, m
    if kind == "none":
        return [_hidden(prices, "gradients", "all_reduce", gradients, once, backward, layers)]
    if kind == "zero3" and d.pp == 1:
        rows = sharded_rows(run, d, prices, parameters, layers, forward, backward)
    else:
        rows = [
            _hidden(
                prices, "gradients", "reduce_scatter", gradients, each if kind == "zero2" else once, backward, layers
            ),
            _hidden(prices, "weights", "all_gather", weights, once, forward, layers),
        ]
    if kind == "zero3" and np.any(d.copies > 1):
        copies = once if d.pp > 1 else each
        rows.append(
            _hidden(prices, "gradient copies", "all_reduce", gradients / d.shard, copies, backward, layers, "copies")
        )
    return rows


def sharded_rows(
    run: Run, d: Degrees, prices: Prices, parameters: Column, layers: int, forward: Column, backward: Column
) -> list[Entry]:
    """FSDP: per layer and micro-batch a gather before the forward pass, one before the backward pass unless the weights
    are kept, and a reduction behind the backward pass. Exposed per layer: what exceeds the neighbor layer's compute,
    plus the overlap tax; the first gather and the last reduction have nothing to hide behind.
    """
    share = parameters / layers
    count = d.micro_batches * layers
    gather = _seconds(prices, "all_gather", WEIGHT * share, "shard")
    reduce = _seconds(prices, "reduce_scatter", reduce_bytes(run) * share, "shard")
    again = gather if run.layout.reshard else ZERO * gather
    f, b = forward / layers, backward / layers
    late = np.maximum(again + reduce - b, 0.0)
    sum_back = np.maximum(again + reduce, 1e-30)
    expose = _cover(run, count)
    rows = [
        _entry(
            prices,
            "weights",
            "all_gather",
            WEIGHT * share,
            "shard",
            count,
            expose(gather, np.maximum(gather - f, 0.0), gather),
            "forward",
            "the forward pass of the layer before",
        )
    ]
    if run.layout.reshard:
        rows.append(
            _entry(
                prices,
                "weights again",
                "all_gather",
                WEIGHT * share,
                "shard",
                count,
                expose(again, late * again / sum_back, ZERO * gather),
                "backward",
                "the backward pass of the layer before",
            )
        )
    rows.append(
        _entry(
            prices,
            "gradients",
            "reduce_scatter",
            reduce_bytes(run) * share,
            "shard",
            count,
            expose(reduce, late * reduce / sum_back, reduce),
            "backward",
            "the backward pass of the layer after",
        )
    )
    return rows


def _cover(run: Run, count: Column) -> Callable[[Column, Column, Column], Column]:
    """Average exposed seconds of one call: what is late, the tax on what is hidden, and the one call at the edge."""

    def expose(busy: Column, late: Column, edge: Column) -> Column:
        if not run.layout.overlap.data:
            return busy
        return late + run.stack.overlap_tax * (busy - late) + np.maximum(edge - late, 0.0) / count

    return expose


def _hidden(
    prices: Prices, op: str, kind: str, size: Column, count: Column, window: Column, layers: int, axis: str = "shard"
) -> Entry:
    """A once-a-step (or once-a-micro-batch) collective behind one micro-batch's pass.

    exposed = max(x t, t/n, t - 0.8 window): x the stack's least exposed share, t/n the layer that finishes last
    (ruling 16).
    """
    run = prices.run
    busy = _seconds(prices, kind, size, axis)
    if run.layout.overlap.data:
        exposed = np.maximum(np.maximum(run.stack.data_exposed * busy, busy / max(layers, 1)), busy - WINDOW * window)
    else:
        exposed = busy
    behind = "one backward pass" if op != "weights" else "the first forward pass"
    return _entry(prices, op, kind, size, axis, count, exposed, "step", behind if run.layout.overlap.data else None)


def _seconds(prices: Prices, kind: str, size: Column, axis: str) -> Column:
    return COLLECTIVES[kind].seconds(size, prices.groups[axis], prices.terms)


def _entry(
    prices: Prices,
    op: str,
    kind: str,
    size: Column,
    axis: str,
    count: Column,
    exposed: Column,
    phase: str,
    behind: str | None,
) -> Entry:
    """A ledger entry of a data-parallel collective."""
    group, rule = prices.groups[axis], COLLECTIVES[kind]
    busy = rule.seconds(size, group, prices.terms)
    moved = rule.traffic(size, group.size)
    alpha = np.divide(moved, busy * group.bandwidth, out=np.full_like(moved * busy, np.nan), where=busy > 0)
    row = Row(
        "data",
        op,
        phase,
        "collective",
        ZERO,
        moved,
        alpha,
        "data",
        f"{kind} ({rule.algorithm})",
        busy,
        np.where(group.size > 1, exposed, 0.0),
        behind,
        1,
    )
    return Entry(row, count + ZERO)

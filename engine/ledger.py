"""The ledger: every row of work with its price, what hides it, and what of it stays exposed.

Nothing enters the step time that is not a row. A ``Row`` is one execution (one micro-batch of one layer, or once a
step); an ``Entry`` is a row with the times it runs per step on the stage that sets the pace.
Source: definition.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine import alternate, calibrate, shapes
from engine.collectives import COLLECTIVES, Terms
from engine.columns import ONE, ZERO, Column
from engine.inputs import Run
from engine.kernels import Device, gemm_flops, gemm_seconds, sdpa_seconds, traffic_seconds
from engine.network import Group
from engine.operators import lora
from engine.operators.work import WIDE, Block, Collective, Gemm, Sdpa, Traffic, Work, casts

ATTENTION_BACKWARD_KERNELS = 3
CLASS_AXES = ("tensor", "context", "expert", "pipeline")  # the rest is data-parallel: shard, copies, expert_data
ATTENTION_HIDES = 0.7  # share of the attention kernel that a ring exchange can hide behind


@dataclass(frozen=True)
class Row:
    """One priced execution. ``seconds`` is how long it is busy, ``exposed`` what it adds to the step."""

    block: str
    op: str
    phase: str
    kind: str
    flops: Column
    bytes: Column
    efficiency: Column | None
    axis: str | None
    algorithm: str | None
    seconds: Column
    exposed: Column
    hidden_by: str | None
    kernels: Column


@dataclass(frozen=True)
class Entry:
    """A row and how often it runs per step."""

    row: Row
    count: Column

    @cached_property
    def exposed(self) -> Column:
        """Exposed seconds of a row a step: executions x exposed seconds of one."""
        return self.count * self.row.exposed


@dataclass(frozen=True)
class Prices:
    """All that is needed to price work: the device, the groups of every axis, and the terms of collectives."""

    run: Run
    device: Device
    groups: dict[str, Group]
    terms: Terms


def price(works: Iterable[Work], block: str, phase: str, prices: Prices) -> tuple[Row, ...]:
    """Rows of one phase of a block, in order; a collective comes last: it may hide behind the rest."""
    works = casts(tuple(works), prices.run.precision)
    local = {i: _local(w, block, phase, prices) for i, w in enumerate(works) if not isinstance(w, Collective)}
    beside = {row.op: row.seconds for row in local.values()}
    return tuple(
        _collective(w, block, phase, prices, beside) if isinstance(w, Collective) else local[i]
        for i, w in enumerate(works)
    )


def _name(work: Work) -> str:
    return f"{work.op} {work.tag}" if work.tag else work.op


def _local(work: Gemm | Sdpa | Traffic, block: str, phase: str, prices: Prices) -> Row:
    """A row of work on one device."""
    run, dev = prices.run, prices.device
    stated = getattr(run.efficiency, work.op, None)
    if isinstance(work, Gemm):
        seconds, eta = gemm_seconds(work, dev, stated, bf16=work.op in WIDE)
        if stated is None and work.groups is None and run.calibration is not None:
            slower = shapes.timed(work, dev, run, work.op in WIDE)
            seconds, eta = seconds * slower, eta / slower
        flops = gemm_flops(work)
        launched = np.where(flops > 0, ONE, ZERO)  # an empty one is not launched
        kernels = launched if work.groups is None else launched * work.groups  # a grouped one, one kernel an expert
        row = _row(block, _name(work), phase, "gemm", flops, work.weights, eta, seconds, kernels)
        row = row if stated is not None else _measured(row, run)
        return row if work.tag != "dW" or block == lora.NAME or lora.trains_all(run) else _trained(row, run)
    if isinstance(work, Sdpa):
        seconds, eta = sdpa_seconds(work, dev, stated)
        kernels = ONE * (ATTENTION_BACKWARD_KERNELS if work.backward else 1)
        row = _row(block, _name(work), phase, "sdpa", work.flops, ZERO, eta, seconds, kernels)
        return row if stated is not None else _measured(row, run)
    seconds, passes = traffic_seconds(work, dev)
    return _measured(_row(block, _name(work), phase, "hbm", ZERO, work.bytes * passes, passes, seconds), run)


def _measured(row: Row, run: Run) -> Row:
    """A row of local work at the measured speed of its class, where a calibration has one."""
    if run.calibration is None:
        return row
    f = calibrate.factor(run, "optimizer" if row.block == "optimizer" else row.kind)
    eta = row.efficiency if row.efficiency is None or row.kind == "hbm" else row.efficiency / f
    return replace(row, seconds=f * row.seconds, exposed=f * row.exposed, efficiency=eta)


def _trained(row: Row, run: Run) -> Row:
    """The weight gradients of the part that is trained: frozen matrices have none."""
    share = lora.trained_share(run)
    return replace(
        row,
        flops=share * row.flops,
        bytes=share * row.bytes,
        seconds=share * row.seconds,
        exposed=share * row.exposed,
        kernels=share * row.kernels,
    )


def _row(
    block: str,
    op: str,
    phase: str,
    kind: str,
    flops: Column,
    moved: Column,
    eta: Column,
    seconds: Column,
    kernels: Column = ONE,
) -> Row:
    return Row(block, op, phase, kind, flops, moved, eta, None, None, seconds, seconds, None, kernels)


def call_seconds(prices: Prices, kind: str, size: Column, axis: str, group: Group | None = None) -> Column:
    """Seconds of a collective of ``size`` bytes over the group of an axis, as calibrated where that was measured."""
    run, laid_over = prices.run, prices.groups[axis] if group is None else group
    laid, terms = calibrate.laid(run, kind, laid_over, prices.terms)
    own = {"expert_tensor": "expert"}.get(axis, axis if axis in CLASS_AXES else "data")
    return calibrate.factor(run, own) * COLLECTIVES[kind].seconds(size, laid, terms)


def _collective(work: Collective, block: str, phase: str, prices: Prices, beside: dict[str, Column]) -> Row:
    """A collective row; what hides it depends on the axis and on the layout's overlap.

    Source: overlap of a tensor axis: Korthikanti et al. 2022 section 4.2.2; shares hidden fitted on published runs.
    """
    group, rule = prices.groups[work.axis], COLLECTIVES[work.kind]
    seconds = call_seconds(prices, work.kind, work.bytes, work.axis)
    exposed, behind = _exposed(work, seconds, prices, beside)
    moved = rule.traffic(work.bytes, group.size)
    alpha = np.divide(moved, seconds * group.bandwidth, out=np.full_like(seconds, np.nan), where=seconds > 0)
    return Row(
        block,
        _name(work),
        phase,
        "collective",
        ZERO,
        moved,
        alpha,
        work.axis,
        f"{work.kind} ({rule.algorithm})",
        seconds,
        exposed,
        behind,
        ONE,
    )


def _exposed(work: Collective, seconds: Column, prices: Prices, beside: dict[str, Column]) -> tuple[Column, str | None]:
    """Exposed seconds of a collective inside a block, and what hides the rest."""
    layout, tax = prices.run.layout, prices.run.stack.overlap_tax
    if work.axis == "expert":
        hidden = _expert_hidden(prices.run)
        return (1 - hidden) * seconds, "other compute" if np.any(hidden > 0) else None
    if work.axis == "tensor" and layout.tp_overlap == "fraction":
        return (1 - layout.overlap.tensor) * seconds, "compute, as stated"
    if work.axis == "tensor" and layout.tp_overlap == "none":
        return seconds, None
    cover = beside.get(work.behind) if work.behind else None
    if work.axis == "tensor":
        seconds = (1 - prices.run.stack.tensor_hidden) * seconds + prices.run.stack.tensor_call * (seconds > 0)
    if cover is None:
        return seconds, None
    if work.axis == "context":
        cover = ATTENTION_HIDES * cover
    return np.maximum(seconds - cover, 0.0) + tax * np.minimum(seconds, cover), work.behind


def _expert_hidden(run: Run) -> Column:
    """Share of the experts' all-to-all that is hidden: as the layout states, or what the stack hides of it.

    One micro-batch's exchange hides behind another's compute; a pipeline has another at hand only where chunks are
    interleaved (Megatron-Core's overlap of expert communication needs virtual stages).
    """
    layout = run.layout
    able = layout.pipeline == 1 or (layout.schedule.virtual_stages or 1) > 1
    return 1 - (1 - layout.overlap.expert) * (1 - able * run.stack.expert_hidden)


def launch(rows: tuple[Row, ...], block: str, phase: str, prices: Prices) -> Row:
    """The launch tax of a block's phase: kernels x gap, and the host floor max(0, kernels x t_host - device time).

    CUDA graphs leave part of the gap and no floor.
    Source: gap and host time of a kernel, fitted on published runs.
    """
    run, stack = prices.run, prices.run.stack
    kernels, device = launched(rows, prices), total(rows)
    gap = kernels * stack.kernel_gap
    if run.kernels.graphs:
        seconds = gap * stack.graph_gap + ZERO * device
    else:
        seconds = gap + np.maximum(kernels * stack.host_time - device - gap, 0.0)
    seconds = calibrate.factor(run, "idle") * seconds
    return Row(block, "launch", phase, "launch", ZERO, ZERO, None, None, None, seconds, seconds, None, ZERO)


def launched(rows: Iterable[Row], prices: Prices) -> Column:
    """Kernels that some rows launch; a collective of one rank launches none.

    Source: kernels of each operation, counted.
    """
    kernels = ZERO
    for row in rows:
        kernels = kernels + (row.kernels if row.axis is None else row.kernels * (prices.groups[row.axis].size > 1))
    return kernels


def total(rows: Iterable[Row]) -> Column:
    """Exposed seconds of some rows."""
    result = ZERO
    for row in rows:
        result = result + row.exposed
    return result


def exposed(entries: Iterable[Entry]) -> Column:
    """Exposed seconds of some entries per step: rows that run as often are added before they are multiplied."""
    result = ZERO
    for count, rows in as_often(entries):
        result = result + count * total(rows)
    return result


def as_often(entries: Iterable[Entry]) -> list[tuple[Column, list[Row]]]:
    """Rows that share a count, with it."""
    found: dict[int, tuple[Column, list[Row]]] = {}
    for entry in entries:
        found.setdefault(id(entry.count), (entry.count, []))[1].append(entry.row)
    return list(found.values())


@dataclass(frozen=True)
class PricedBlock:
    """A block's rows by phase; ``recompute`` is the forward work that runs again before the backward pass."""

    block: Block
    forward: tuple[Row, ...]
    recompute: tuple[Row, ...]
    backward: tuple[Row, ...]

    @cached_property
    def forward_seconds(self) -> Column:
        """Seconds of a block's forward pass: the exposed seconds of its rows."""
        return total(self.forward)

    @cached_property
    def backward_seconds(self) -> Column:
        """Seconds of a block's backward pass: what is recomputed, then the block's own rows."""
        return self.recompute_seconds + self.own_backward

    @cached_property
    def recompute_seconds(self) -> Column:
        """Of the work that runs again."""
        return total(self.recompute)

    @cached_property
    def own_backward(self) -> Column:
        """Of the backward pass without it."""
        return total(self.backward)


def recomputed(work: Work, block: str, ops: tuple[str, ...]) -> bool:
    """Whether a piece of forward work runs again when ``ops`` (operations or whole blocks) are recomputed."""
    return work.op in ops or block in ops or "all" in ops


def price_block(block: Block, prices: Prices, recompute: tuple[str, ...]) -> PricedBlock:
    """A block's rows with its launch tax; recomputed work repeats its collectives."""
    forward = price(block.forward, block.name, "forward", prices)
    again = tuple(w for w in block.forward if recomputed(w, block.name, recompute))
    if alternate.WORD in recompute:
        again += tuple(w for work in block.forward if (w := alternate.again(prices.run, work)) and work not in again)
    repeated = price(again, block.name, "recompute", prices)
    backward = price(block.backward, block.name, "backward", prices)
    tax = [
        launch(rows, block.name, phase, prices)
        for rows, phase in ((forward, "forward"), (repeated, "recompute"), (backward, "backward"))
    ]
    return PricedBlock(block, (*forward, tax[0]), (*repeated, tax[1]) if repeated else (), (*backward, tax[2]))

"""Figure: what fills a GPU's memory, one stacked bar per pipeline stage or per run, against its capacity."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reports import style, terms
from reports.figures import bars, words
from reports.figures.frame import OVERSHOOT, WASTE, Kind, legend, legend_rows, note, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale, linear
from reports.figures.sheet import Sheet, width
from reports.style import FAIL, INK, MUTE

NAME = "memory"
KINDS = (
    Kind("Weights", style.NAVY),
    Kind("Gradients", style.BLUE),
    Kind("Optimizer state", style.AMBER),
    Kind("Activations", style.SKY),
    Kind("Logits, working set", style.RUST),
    Kind("Buffers, context", style.GREEN),
    Kind("Slack", style.STONE, WASTE),
)
PARTS = (("weights",), ("gradients",), ("optimizer",), ("activations",), ("gathered", "logits", "working"),
         ("buffers", "communicators", "context"), ("slack",))  # fmt: skip
FITS = {"fits": MUTE, "tight": style.WARN, "does_not_fit": FAIL}
COLUMNS = 38.0  # mm at the right


@dataclass(frozen=True)
class MemoryRow:
    """One stage or run: bytes by kind (in the order of KINDS), their total, the device's capacity, the verdict."""

    name: str
    parts: tuple[float, ...]
    total: float | None
    capacity: float | None
    fits: str = "fits"
    chosen: bool = False


@dataclass(frozen=True)
class MemoryData:
    """The bars, the planning limit in bytes where there is one, and how many bars there would be."""

    rows: tuple[MemoryRow, ...]
    limit: float | None = None
    of: int = 0
    things: str = "stages"


def from_point(point: Mapping[str, Any], name: str = "This run") -> MemoryData | None:
    """One bar per pipeline stage, neighbors that hold the same in one; None without a memory table."""
    stages = [s for s in point.get("memory") or () if words.known(s.get("total")) is not None]
    if not stages:
        return None
    rows = _merged([(int(s["stage"]), _row(s, "")) for s in stages], name)
    fullest = sorted(sorted(range(len(rows)), key=lambda i: -words.amount(rows[i].total))[: bars.MOST])
    return MemoryData(tuple(rows[i] for i in fullest), _limit(point), len(rows), "stages")


def from_points(points: Sequence[Mapping[str, Any]], names: Sequence[str], chosen: int = 0) -> MemoryData | None:
    """One bar per point, its fullest stage; the chosen one first; points without a memory table are left out."""
    order = sorted(range(len(points)), key=lambda i: i != chosen)
    rows = []
    for i in order:
        stages = points[i].get("memory") or ()
        if stages:
            worst = max(stages, key=lambda s: words.amount(s.get("total")) / (words.amount(s.get("capacity")) or 1))
            rows.append(_row(worst, names[i], i == chosen))
    return MemoryData(tuple(rows[: bars.MOST]), _limit(points[chosen]), len(rows), "runs") if rows else None


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> MemoryData | None:
    """The figure of the runs of a comparison, the baseline first."""
    points = experiment.get("points") or ()
    names = [str(point.get("name")) for point in points]
    baseline = experiment.get("baseline")
    return from_points(points, names, names.index(baseline) if baseline in names else 0) if points else None


def _row(stage: Mapping[str, Any], name: str, chosen: bool = False) -> MemoryRow:
    parts = tuple(sum(words.amount(stage.get(key)) for key in keys) for keys in PARTS)
    total, capacity = words.known(stage.get("total")), words.known(stage.get("capacity"))
    return MemoryRow(name, parts, total, capacity, str(stage.get("fits") or "fits"), chosen)


def _merged(rows: Sequence[tuple[int, MemoryRow]], alone: str) -> list[MemoryRow]:
    """The rows with their stages as names; a run of stages that hold the same is one row."""
    runs: list[tuple[int, int, MemoryRow]] = []
    for stage, row in rows:
        if runs and runs[-1][1] == stage - 1 and runs[-1][2] == row:
            runs[-1] = (runs[-1][0], stage, row)
        else:
            runs.append((stage, stage, row))
    names = [alone if len(rows) == 1 else f"Stage {a}" if a == b else f"Stages {a}–{b}" for a, b, _ in runs]
    return [replace(row, name=name, chosen=len(rows) == 1) for name, (_, _, row) in zip(names, runs, strict=True)]


def _limit(point: Mapping[str, Any]) -> float | None:
    """The planning limit: the report's own, else the capacity less the memory kept free."""
    reserve = words.amount((point.get("settings") or {}).get("memory.reserve"))
    capacity = max((words.amount(s.get("capacity")) for s in point.get("memory") or ()), default=0.0)
    return words.limit(point, "memory_per_gpu") or (capacity - reserve if 0 < reserve < capacity else None)


@figure
def draw(data: MemoryData) -> Picture:
    """Stacked bars; dashed planning limit, red capacity; columns GiB, % and verdict at the right."""
    rows = data.rows[: bars.MOST]
    size, unit = words.unit([_total(r) for r in rows] + [words.amount(r.capacity) for r in rows], words.MEMORY)
    kinds = [k for i, k in enumerate(KINDS) if any(words.amount(r.parts[i]) for r in rows)]
    shown = [*kinds, OVERSHOOT] if any(_over(r) > 0 for r in rows) else kinds
    which = ", the fullest ones" if data.things == "stages" else ", the chosen one first"
    left_out = words.shown_of(len(rows), max(data.of, len(data.rows)), data.things, which)
    lie = bars.rows(len(rows), 11.2 + 4.0 * (legend_rows(shown, style.FULL) - 1), left_out)
    sheet = Sheet(NAME, style.FULL, lie.height)
    legend(sheet, shown)
    lengths = [v / size for r in rows for v in (_total(r), words.amount(r.capacity))]
    room = 1.14 if len(_capacities(rows)) > 1 else 1.06  # a number stands behind each bar
    scale = linear(lengths, bars.names_room([r.name for r in rows]), style.FULL - COLUMNS, room)
    title = f"Memory per GPU ({unit})" + (", fullest stage" if data.things == "runs" else "")
    value_axis(sheet, scale, lie.first - 3.0, lie.bottom, title, marks=False)
    for i, row in enumerate(rows):
        _bar(sheet, row, scale, lie.at(i), size, unit)
    _columns(sheet, rows, lie, size, unit)
    _limits(sheet, data, rows, scale, lie, size)
    note(sheet, left_out)
    return sheet.finish(_alt(data, rows, size, unit, left_out))


def _total(row: MemoryRow) -> float:
    return max(words.amount(row.total), sum(words.amount(p) for p in row.parts))


def _over(row: MemoryRow) -> float:
    return _total(row) - words.amount(row.capacity) if words.amount(row.capacity) else 0.0


def _bar(sheet: Sheet, row: MemoryRow, scale: Scale, y: float, size: float, unit: str) -> None:
    """The parts up to the capacity; what is beyond it in white and red."""
    bars.name(sheet, row.name, scale.start, y, row.chosen)
    end = _total(row) - max(0.0, _over(row))
    parts, at = [], 0.0
    for part in row.parts:
        parts.append(min(words.amount(part), max(0.0, end - at)) / size)
        at += words.amount(part)
    bars.stack(sheet, KINDS, parts, scale, y, (row.name, unit), 2)
    if _over(row) > 0:
        left, right = scale.at(end / size), scale.at(_total(row) / size)
        tip = (row.name, OVERSHOOT.name, f"{words.rounded(_over(row) / size)}{words.NB}{unit}")
        sheet.rectangle(
            left, y - bars.HIGH / 2, right - left, bars.HIGH, OVERSHOOT.color, edge=FAIL, hatch=OVERSHOOT.hatch, tip=tip
        )


def _limits(
    sheet: Sheet, data: MemoryData, rows: Sequence[MemoryRow], scale: Scale, lie: bars.Rows, size: float
) -> None:
    """The lines of limit and capacity, named above the plot; a mark on each bar where capacities differ."""
    capacities = _capacities(rows)
    if len(capacities) > 1:
        _unlike(sheet, rows, scale, lie, size)
        return
    y, limit = lie.first - 4.6, words.amount(data.limit) / size
    if 0 < limit <= scale.high and not any(math.isclose(limit, c / size, rel_tol=0.005) for c in capacities):
        x, text = scale.at(limit), f"planning limit {_limit_text(limit)}"
        sheet.line([(x, y + 1.8), (x, lie.bottom)], INK, 1.0, dash=(3, 2), z=5)
        written = sheet.text(max(x + 0.4, scale.start + width(text)), y, text, align="right").corners
        sheet.take(written[0][0] - 1.2, y - 1.0, written[1][0] + 1.2, y + 1.0)
    for capacity in capacities:
        x, text = scale.at(capacity / size), f"capacity {_limit_text(capacity / size)}"
        sheet.line([(x, y + 1.8), (x, lie.bottom)], FAIL, 1.2, z=5)
        middle = max(scale.start, min(x - width(text) / 2, scale.end + 6 - width(text)))
        steps = [s * d for d in range(60) for s in (1, -1)]
        sheet.place([(middle + step, y, "left") for step in steps], text, color=FAIL)


def _capacities(rows: Sequence[MemoryRow]) -> set[float]:
    return {words.amount(r.capacity) for r in rows} - {0.0}


def _unlike(sheet: Sheet, rows: Sequence[MemoryRow], scale: Scale, lie: bars.Rows, size: float) -> None:
    """Capacities that differ: a mark on each bar, its value behind the bar, and what the marks are above the plot."""
    for i, row in enumerate(rows):
        capacity, y = words.amount(row.capacity) / size, lie.at(i)
        if capacity:
            x = scale.at(capacity)
            sheet.line([(x, y - 2.2), (x, y + 2.2)], FAIL, 1.2, z=5)
            end = max(x, scale.at(_total(row) / size))
            sheet.text(end + 1.0, y, _limit_text(capacity), color=FAIL, plate=style.WHITE)
    y, said = lie.first - 4.6, "capacity of its GPU"
    sheet.line([(scale.start + 0.6, y - 1.3), (scale.start + 0.6, y + 1.3)], FAIL, 1.2, z=5)
    sheet.text(scale.start + 2.0, y, said, color=FAIL)


def _limit_text(value: float) -> str:
    return words.number(value, 1 if value < 1000 else 0)


def _columns(sheet: Sheet, rows: Sequence[MemoryRow], lie: bars.Rows, size: float, unit: str) -> None:
    """Total, share of the capacity and verdict in columns at the right."""
    total_at, share_at = style.FULL - 26.5, style.FULL - 17.5
    sheet.text(total_at, lie.first - 4.6, unit, color=MUTE, align="right")
    sheet.text(share_at, lie.first - 4.6, "%", color=MUTE, align="right")
    for i, row in enumerate(rows):
        verdict, color = terms.words(row.fits), FITS.get(row.fits, MUTE)
        ink = FAIL if color == FAIL else INK
        sheet.text(total_at, lie.at(i), words.rounded(_total(row) / size), weight=600, color=ink, align="right")
        share = 100 * _total(row) / words.amount(row.capacity) if words.amount(row.capacity) else None
        percent = words.number(share, 0) if share is None or share < 1000 else "> 999"
        sheet.text(share_at, lie.at(i), percent, color=ink, align="right")
        sheet.text(share_at + 2.4, lie.at(i), verdict, color=color, weight=400 if color == MUTE else 600)


def _alt(data: MemoryData, rows: Sequence[MemoryRow], size: float, unit: str, left_out: str) -> str:
    said = []
    for row in rows[:6]:
        said.append(f"{row.name} {words.rounded(_total(row) / size)}{words.NB}{unit}, {terms.words(row.fits)}")
    limits = [("Capacity", words.amount(rows[0].capacity)), ("Planning limit", words.amount(data.limit))]
    stated = [f"{name} {_limit_text(value / size)}{words.NB}{unit}." for name, value in limits if value]
    return f"Memory per GPU: {'; '.join(said)}. {' '.join(stated)} {left_out}".strip()

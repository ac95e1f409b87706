"""Figure: what fills a GPU's memory, one stacked bar per pipeline stage or per run, against its capacity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import words
from reports.figures.frame import OVERSHOOT, WASTE, Kind, legend, legend_rows, note, segment_label, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale, linear
from reports.figures.sheet import Sheet, fitted, width
from reports.style import FAIL, INK, MUTE

NAME = "memory"
MOST = 12  # bars
BAR = 3.2  # mm
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
FITS = {"fits": ("fits", MUTE), "tight": ("tight", style.WARN), "does_not_fit": ("does not fit", FAIL)}
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
    fullest = sorted(sorted(range(len(rows)), key=lambda i: -words.amount(rows[i].total))[:MOST])
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
    return MemoryData(tuple(rows[:MOST]), _limit(points[chosen]), len(rows), "runs") if rows else None


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
    names = [f"Stage {a}" if a == b else f"Stages {a}–{b}" for a, b, _ in runs]
    names = [alone] if len(rows) == 1 else names
    return [MemoryRow(n, r.parts, r.total, r.capacity, r.fits, len(rows) == 1) for n, (_, _, r) in zip(names, runs, strict=True)]


def _limit(point: Mapping[str, Any]) -> float | None:
    """The planning limit: the report's own, else the capacity less the memory kept free."""
    stated = ((point.get("figures") or {}).get("memory_per_gpu") or {}).get("limit")
    stated = stated.get("value") if isinstance(stated, Mapping) else stated
    reserve = words.amount((point.get("settings") or {}).get("memory.reserve"))
    capacity = max((words.amount(s.get("capacity")) for s in point.get("memory") or ()), default=0.0)
    return words.known(stated) or (capacity - reserve if 0 < reserve < capacity else None)


@figure
def draw(data: MemoryData) -> Picture:
    """Stacked bars; dashed planning limit, red capacity; columns GiB, % and verdict at the right."""
    rows = data.rows[:MOST]
    size, unit = words.unit([_total(r) for r in rows] + [words.amount(r.capacity) for r in rows], words.MEMORY)
    kinds = [k for i, k in enumerate(KINDS) if any(words.amount(r.parts[i]) for r in rows)]
    over = any(_over(r) > 0 for r in rows)
    shown = [*kinds, OVERSHOOT] if over else kinds
    which = ", the fullest ones" if data.things == "stages" else ", the chosen one first"
    left_out = words.shown_of(len(rows), max(data.of, len(data.rows)), data.things, which)
    pitch = 5.6 if len(rows) <= 6 else 4.6
    names_at = 6.6 + 4.0 * (legend_rows(shown, style.FULL) - 1)
    first = names_at + 4.6
    bottom = first + pitch * (len(rows) - 1) + 4.2
    sheet = Sheet(NAME, style.FULL, bottom + 9.4 + (4.0 if left_out else 0))
    legend(sheet, shown)
    start = min(46.0, max(16.0, *(width(r.name, weight=600 if r.chosen else 400) for r in rows)) + 2.0)
    scale = linear([v / size for r in rows for v in (_total(r), words.amount(r.capacity))], start,
                   style.FULL - COLUMNS, 1.06)  # fmt: skip
    worst = ", fullest stage" if data.things == "runs" else ""
    value_axis(sheet, scale, first - 3.0, bottom, f"Memory per GPU ({unit}){worst}", marks=False)
    for i, row in enumerate(rows):
        _bar(sheet, row, scale, first + i * pitch, size)
    _limits(sheet, data, rows, scale, names_at, bottom, size)
    _columns(sheet, rows, names_at, first, pitch, size, unit)
    note(sheet, left_out, sheet.height - 2.0)
    return sheet.finish(_alt(data, rows, size, unit, left_out))


def _total(row: MemoryRow) -> float:
    return max(words.amount(row.total), sum(words.amount(p) for p in row.parts))


def _over(row: MemoryRow) -> float:
    return _total(row) - words.amount(row.capacity) if words.amount(row.capacity) else 0.0


def _bar(sheet: Sheet, row: MemoryRow, scale: Scale, y: float, size: float) -> None:
    weight = 600 if row.chosen else 400
    sheet.text(scale.start - 1.2, y, fitted(row.name, scale.start - 1.5, weight=weight), weight=weight, align="right")
    end, at = _total(row) - max(0.0, _over(row)), 0.0
    for kind, part in zip(KINDS, row.parts, strict=True):
        upto = min(at + words.amount(part), end)
        left, wide = scale.at(at / size), scale.at(upto / size) - scale.at(at / size)
        sheet.rectangle(left, y - BAR / 2, wide, BAR, kind.color, edge=kind.outline, line=0.4, hatch=kind.hatch)
        if upto == at + words.amount(part):
            segment_label(sheet, kind, left, wide, y, words.number((upto - at) / size, words.decimals(scale.high, 2)))
        at = max(at, upto)
    if _over(row) > 0:
        left = scale.at(end / size)
        sheet.rectangle(left, y - BAR / 2, scale.at(_total(row) / size) - left, BAR, OVERSHOOT.color, edge=FAIL,
                        hatch=OVERSHOOT.hatch)  # fmt: skip


def _limits(sheet: Sheet, data: MemoryData, rows: Sequence[MemoryRow], scale: Scale, y: float, bottom: float,
            size: float) -> None:  # fmt: skip
    """The lines of limit and capacity, named above the plot; a mark on each bar where capacities differ."""
    capacities = {words.amount(r.capacity) for r in rows} - {0.0}
    right = 0.0
    if len(capacities) == 1 and (limit := words.amount(data.limit)) and scale.at(limit / size) <= scale.end:
        x, text = scale.at(limit / size), f"planning limit {_limit_text(limit / size)}"
        sheet.line([(x, y + 1.8), (x, bottom)], INK, 1.0, dash=(3, 2), z=5)
        box = sheet.text(max(x + 0.4, scale.start + width(text)), y, text, align="right")
        right = box.corners[1][0] + 1.6
    for row, capacity in zip(rows, (words.amount(r.capacity) for r in rows), strict=True):
        x = scale.at(capacity / size)
        if capacity and len(capacities) > 1:
            at = y + 4.6 + rows.index(row) * (5.6 if len(rows) <= 6 else 4.6)
            sheet.line([(x, at - 2.2), (x, at + 2.2)], FAIL, 1.2, z=5)
    if len(capacities) == 1:
        x = scale.at(capacities.pop() / size)
        text = f"capacity {_limit_text(words.amount(rows[0].capacity) / size)}"
        sheet.line([(x, y + 1.8), (x, bottom)], FAIL, 1.2, z=5)
        sheet.text(max(right, min(x - width(text) / 2, scale.end - width(text) + 6)), y, text, color=FAIL)


def _limit_text(value: float) -> str:
    return words.number(value, 1 if value < 1000 else 0)


def _columns(sheet: Sheet, rows: Sequence[MemoryRow], top: float, first: float, pitch: float, size: float, unit: str) -> None:
    columns = (style.FULL - 26.5, style.FULL - 17.5)
    sheet.text(columns[0], top, unit, color=MUTE, align="right")
    sheet.text(columns[1], top, "%", color=MUTE, align="right")
    for i, row in enumerate(rows):
        y, (verdict, color) = first + i * pitch, FITS.get(row.fits, FITS["fits"])
        bold = 400 if row.fits == "fits" else 600
        share = _total(row) / words.amount(row.capacity) if words.amount(row.capacity) else None
        ink = color if row.fits == "does_not_fit" else INK
        sheet.text(columns[0], y, words.rounded(_total(row) / size), weight=600, color=ink, align="right")
        sheet.text(columns[1], y, "–" if share is None else words.number(100 * share, 0) if share < 10 else "> 999", color=ink, align="right")
        sheet.text(columns[1] + 2.4, y, verdict, color=color, weight=bold)


def _alt(data: MemoryData, rows: Sequence[MemoryRow], size: float, unit: str, left_out: str) -> str:
    said = [f"{r.name} {words.rounded(_total(r) / size)}{words.NB}{unit}, {FITS.get(r.fits, FITS['fits'])[0]}" for r in rows[:6]]
    capacity = _limit_text(words.amount(rows[0].capacity) / size)
    limit = f", planning limit {_limit_text(data.limit / size)}{words.NB}{unit}" if words.known(data.limit) and data.limit else ""
    return f"Memory per GPU: {'; '.join(said)}. Capacity {capacity}{words.NB}{unit}{limit}. {left_out}".strip()

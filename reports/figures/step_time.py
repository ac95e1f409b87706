"""Figure: where the time of one optimizer step goes, one stacked bar per run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import words
from reports.figures.frame import WASTE, Kind, legend, legend_rows, note, segment_label, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale
from reports.figures.sheet import Sheet, fitted, width
from reports.style import MUTE

NAME = "step-time"
MOST = 12  # bars
BAR = 3.2  # mm
KINDS = {
    "matmul": Kind("Matrix multiply", style.NAVY),
    "attention": Kind("Attention", style.BLUE),
    "inner": Kind("TP comm.", style.SKY),
    "bubble": Kind("Pipeline bubble", style.STONE, WASTE),
    "outer": Kind("DP, PP comm.", style.GREEN),
    "memory": Kind("Memory-bound", style.AMBER),
    "optimizer": Kind("Optimizer", style.AMBER, "----", style.WHITE),
    "other": Kind("Other", style.RUST),
}


@dataclass(frozen=True)
class StepTimeRow:
    """One run: seconds by kind (keys of KINDS, in order), the step's total and its MFU."""

    name: str
    seconds: tuple[float, ...]
    total: float | None
    mfu: float | None
    chosen: bool = False


@dataclass(frozen=True)
class StepTimeData:
    """The bars, the words after the axis title, and the axes whose communication is within the layers."""

    rows: tuple[StepTimeRow, ...]
    about: str = ""
    inner: str = "TP"
    of: int = 0  # runs there are, where more than the rows


def kind_of(row: Mapping[str, Any]) -> str:
    """The kind of bar segment (a key of KINDS) that a row of the ledger belongs to."""
    if row.get("op") == "bubble":
        return "bubble"
    kind, axis, block = row.get("kind"), row.get("axis"), row.get("block")
    if kind == "collective" or axis:
        return "inner" if axis in ("tensor", "context", "expert") else "outer"
    if kind == "hbm":
        return "optimizer" if block == "optimizer" else "memory"
    return {"gemm": "matmul", "sdpa": "attention"}.get(str(kind), "other")


def from_point(point: Mapping[str, Any], name: str = "This run") -> StepTimeData | None:
    """The figure of one point of the document; None without a ledger."""
    return from_points([point], [name])


def from_points(points: Sequence[Mapping[str, Any]], names: Sequence[str], chosen: int = 0) -> StepTimeData | None:
    """The figure of several points, the chosen one first; points without a ledger are left out."""
    order = sorted(range(len(points)), key=lambda i: i != chosen)
    rows = [_row(points[i], names[i], i == chosen) for i in order if points[i].get("ledger")]
    if not rows:
        return None
    axes = {str(row.get("axis")) for p in points for row in p.get("ledger") or () if words.amount(row.get("exposed"))}
    letters = [short for axis, short in (("tensor", "TP"), ("context", "CP"), ("expert", "EP")) if axis in axes]
    return StepTimeData(tuple(rows[:MOST]), _about(points[chosen]), ", ".join(letters) or "TP", len(rows))


def _row(point: Mapping[str, Any], name: str, chosen: bool) -> StepTimeRow:
    seconds = dict.fromkeys(KINDS, 0.0)
    for row in point["ledger"]:
        seconds[kind_of(row)] += words.amount(row.get("exposed"))
    results = point.get("results") or {}
    total = words.known(results.get("step_time"))
    return StepTimeRow(name, tuple(seconds.values()), total, words.known(results.get("mfu")), chosen)


def _about(point: Mapping[str, Any]) -> str:
    settings = point.get("settings") or {}
    batch, sequence = words.known(settings.get("batch")), words.known(settings.get("sequence"))
    sequence = sequence or words.known(settings.get("model.sequence"))
    gpus, gpu = words.known((point.get("gpus") or {}).get("used")), settings.get("cluster.gpu")
    tokens = [f"{words.quantity(batch * sequence, words.COUNTS)} tokens"] if batch and sequence else []
    part = [f"{words.number(gpus, 0)}{words.NB}×{words.NB}{gpu if isinstance(gpu, str) else 'GPU'}"] if gpus else []
    return ", ".join(tokens + part)


@figure
def draw(data: StepTimeData) -> Picture:
    """Stacked bars; total and MFU follow each bar."""
    rows = tuple(r for r in data.rows[:MOST])
    size, unit = words.unit([_total(r) for r in rows], words.SECONDS)
    kinds = _kinds(data)
    present = [i for i in range(len(KINDS)) if any(words.amount(r.seconds[i]) for r in rows)]
    shown = [kinds[i] for i in present]
    left_out = words.shown_of(len(rows), max(data.of, len(data.rows)), "runs", ", the chosen one first")
    pitch = 5.6 if len(rows) <= 6 else 4.6
    first = 10.6 + 4.0 * (legend_rows(shown, style.FULL) - 1)
    bottom = first + pitch * (len(rows) - 1) + 4.2
    sheet = Sheet(NAME, style.FULL, bottom + 9.4 + (4.0 if left_out else 0))
    legend(sheet, shown)
    start = _start(rows)
    scale = _scale(rows, size, unit, start)
    value_axis(sheet, scale, first - 3.6, bottom, ", ".join(t for t in (f"Time per optimizer step ({unit})", data.about) if t),
               marks=False)  # fmt: skip
    for i, row in enumerate(rows):
        _bar(sheet, row, kinds, scale, first + i * pitch, size, unit)
    note(sheet, left_out, sheet.height - 2.0)
    return sheet.finish(_alt(rows, kinds, size, unit, left_out))


def _kinds(data: StepTimeData) -> list[Kind]:
    kinds = dict(KINDS)
    kinds["inner"] = Kind(f"{data.inner} comm.", style.SKY)
    return list(kinds.values())


def _total(row: StepTimeRow) -> float:
    return max(words.amount(row.total), sum(words.amount(s) for s in row.seconds))


def _start(rows: Sequence[StepTimeRow]) -> float:
    """Where the bars begin: the names fit to their left, up to 46 mm."""
    return min(46.0, max(16.0, *(width(r.name, weight=600 if r.chosen else 400) for r in rows)) + 2.0)


def _ends(row: StepTimeRow, size: float, unit: str) -> tuple[str, str]:
    total = f"{words.rounded(_total(row) / size)}{words.NB}{unit}" if _total(row) or words.known(row.total) == 0 else "–"
    return total, "" if words.known(row.mfu) is None else f"MFU{words.NB}{words.percent(row.mfu)}"


def _end_width(row: StepTimeRow, size: float, unit: str) -> float:
    total, mfu = _ends(row, size, unit)
    return 1.4 + width(total, weight=600) + 2.0 + width(mfu)


def _scale(rows: Sequence[StepTimeRow], size: float, unit: str, start: float) -> Scale:
    """A scale on which every bar leaves room for the words at its end."""
    room = style.FULL - 0.5 - start
    per = min(((room - _end_width(r, size, unit)) * size / _total(r) for r in rows if _total(r) > 0), default=room)
    return Scale(0.0, room / per, start, style.FULL - 0.5)


def _bar(sheet: Sheet, row: StepTimeRow, kinds: Sequence[Kind], scale: Scale, y: float, size: float, unit: str) -> None:
    weight = 600 if row.chosen else 400
    sheet.text(scale.start - 1.2, y, fitted(row.name, scale.start - 1.5, weight=weight), weight=weight, align="right")
    at = 0.0
    for kind, seconds in zip(kinds, row.seconds, strict=True):
        value = words.amount(seconds) / size
        left, wide = scale.at(at), scale.at(at + value) - scale.at(at)
        sheet.rectangle(left, y - BAR / 2, wide, BAR, kind.color, edge=kind.outline, line=0.4, hatch=kind.hatch)
        segment_label(sheet, kind, left, wide, y, words.number(value, words.decimals(scale.high, 3)))
        at += value
    total, mfu = _ends(row, size, unit)
    right = sheet.text(scale.at(_total(row) / size) + 1.4, y, total, weight=600, plate=style.WHITE).corners[1][0]
    if mfu:
        sheet.text(right + 2.0, y, mfu, color=MUTE, plate=style.WHITE)


def _alt(rows: Sequence[StepTimeRow], kinds: Sequence[Kind], size: float, unit: str, left_out: str) -> str:
    first = rows[0]
    parts = [f"{k.name} {words.rounded(s / size)}{words.NB}{unit}" for k, s in zip(kinds, first.seconds, strict=True) if words.amount(s)]
    said = [" ".join(t for t in (r.name, *_ends(r, size, unit)) if t) for r in rows[:6]]
    return f"Time per optimizer step: {'; '.join(said)}. {first.name}: {', '.join(parts)}. {left_out}".strip()

"""Figure: the calendar of a programme, a bar an entry, and beneath it the GPUs in use against those of the cluster."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import bars, words
from reports.figures.frame import Kind, legend, legend_rows, note, value_axis
from reports.figures.picture import Picture, Tip, figure
from reports.figures.scale import Scale
from reports.figures.sheet import Sheet, fitted, width
from reports.style import FAIL, INK, MUTE, RULE

NAME = "calendar"
KINDS = {
    "trials": Kind("Trial runs", style.SKY),
    "training": Kind("Training", style.NAVY),
    "restarts": Kind("Training done again", style.AMBER),
    "evaluation": Kind("Evaluation", style.GREEN),
}
WAIT = Kind("Waits for GPUs", style.STONE, "////")
DAY = 86400.0
LADDER = ((3600.0, "h"), (DAY, "days"), (365 * DAY, "years"))
DEEP = 16.0  # mm, of the profile


@dataclass(frozen=True)
class Row:
    """One entry: when it would have started, starts and ends; seconds by kind; GPUs; its deadline."""

    name: str
    wished: float
    start: float
    parts: tuple[float, ...]  # in the order of KINDS
    gpus: float
    deadline: float | None

    @property
    def end(self) -> float:
        return self.start + sum(self.parts)


@dataclass(frozen=True)
class CalendarData:
    """The entries in their order, levels (from, to, GPUs) over time, the cluster's GPUs and how long it is held."""

    rows: tuple[Row, ...]
    levels: tuple[tuple[float, float, float], ...]
    gpus: float
    held: float
    of: int = 0


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> CalendarData | None:
    """The figure of one portfolio; None where no entry has a place."""
    rows = [_row(e) for e in experiment.get("entries") or () if e.get("placed")]
    if not rows or experiment.get("kind") != "portfolio":
        return None
    levels = tuple((a, b, g) for a, b, g in experiment["profile"])
    return CalendarData(tuple(rows[: bars.MOST]), levels, experiment["gpus"], experiment["held"], len(rows))


def _row(entry: Mapping[str, Any]) -> Row:
    parts = tuple(words.amount(entry["parts"].get(kind)) for kind in KINDS)
    start = words.amount(entry["start"])
    return Row(str(entry["name"]), start - words.amount(entry["delay"]), start, parts, words.amount(entry["gpus"]),
               words.known(entry["deadline"]))  # fmt: skip


@figure
def draw(data: CalendarData) -> Picture:
    """Bars by entry over a common axis of time; a red line marks a deadline, a hatch the wait for GPUs."""
    rows = data.rows[: bars.MOST]
    kinds = [k for i, k in enumerate(KINDS.values()) if any(r.parts[i] for r in rows)]
    kinds += [WAIT] if any(r.start > r.wished for r in rows) else []
    left_out = words.shown_of(len(rows), max(data.of, len(data.rows)), "entries")
    lie = bars.rows(len(rows), 8.4 + 4.0 * (legend_rows(kinds, style.FULL) - 1), left_out, pitch=5.6)
    sheet = Sheet(NAME, style.FULL, lie.height + DEEP + 4.0)
    legend(sheet, kinds)
    last = max([data.held, *(r.end for r in rows), *(r.deadline or 0.0 for r in rows)]) or 1.0
    size, unit = words.unit([last], LADDER)
    left = bars.names_room([r.name for r in rows])
    room = max(width(_gpus(r.gpus)) for r in rows) + 4.0
    scale = Scale(0.0, last / size, left, style.FULL - room)
    bottom = lie.at(len(rows) - 1) + 4.2 + DEEP + 4.0
    value_axis(sheet, scale, lie.first - 3.4, bottom, f"Time from the start of the programme ({unit})")
    for i, row in enumerate(rows):
        _bar(sheet, row, scale, (size, unit), left, lie.at(i))
    _profile(sheet, data, scale, size, (bottom - DEEP, bottom))
    note(sheet, left_out)
    said = "; ".join(f"{r.name} {words.rounded(r.start / size)} to {words.rounded(r.end / size)}" for r in rows[:8])
    return sheet.finish(f"Calendar in {unit}: {said}. {_gpus(data.gpus)} in the cluster. {left_out}".strip())


def _gpus(number: float) -> str:
    return f"{words.number(number, 0)}{words.NB}GPUs"


def _bar(sheet: Sheet, row: Row, scale: Scale, units: tuple[float, str], left: float, y: float) -> None:
    """The segments of one entry, the wait before it, its GPUs behind it and its deadline."""
    size, unit = units
    bars.name(sheet, row.name, left, y, bold=True)
    if row.start > row.wished:
        a, b = scale.at(row.wished / size), scale.at(row.start / size)
        sheet.rectangle(a, y - bars.HIGH / 2, b - a, bars.HIGH, WAIT.color, edge=WAIT.outline, line=0.4,
                        hatch=WAIT.hatch, tip=_tip(row, WAIT, row.start - row.wished, units))  # fmt: skip
    at = row.start
    for kind, seconds in zip(KINDS.values(), row.parts, strict=True):
        a, b = scale.at(at / size), scale.at((at + seconds) / size)
        sheet.rectangle(a, y - bars.HIGH / 2, b - a, bars.HIGH, kind.color, tip=_tip(row, kind, seconds, units))
        at += seconds
    if row.deadline is not None:
        x = scale.at(row.deadline / size)
        said = f"{words.rounded(row.deadline / size)}{words.NB}{unit}"
        sheet.line([(x, y - 2.3), (x, y + 2.3)], FAIL, 1.4, z=5, tip=(row.name, "deadline", said))
    sheet.text(style.FULL - 0.5, y, _gpus(row.gpus), color=MUTE, align="right")


def _tip(row: Row, kind: Kind, seconds: float, units: tuple[float, str]) -> Tip:
    """What a part of an entry says when pointed at: how long it takes."""
    return row.name, kind.name, f"{words.rounded(seconds / units[0])}{words.NB}{units[1]}"


def _profile(sheet: Sheet, data: CalendarData, scale: Scale, size: float, ends: tuple[float, float]) -> None:
    """GPUs in use over time, filled; a line at those of the cluster; hatched what is held idle."""
    top, bottom = ends
    most = max([data.gpus, *(g for _, _, g in data.levels)]) or 1.0
    high = (bottom - top - 3.0) / most
    edge = bottom - data.gpus * high
    sheet.rectangle(scale.at(0.0), edge, scale.at(data.held / size) - scale.at(0.0), bottom - edge, style.STONE,
                    edge=style.HATCH_GREY, line=0.4, hatch="////", z=1)  # fmt: skip
    for start, end, gpus in data.levels:
        a, b = scale.at(start / size), scale.at(end / size)
        sheet.rectangle(a, bottom - gpus * high, b - a, gpus * high, style.BLUE, z=2,
                        tip=("GPUs in use", f"{words.rounded(start / size)} – {words.rounded(end / size)}",
                             _gpus(gpus)))  # fmt: skip
    sheet.line([(scale.at(0.0), edge), (scale.at(data.held / size), edge)], INK, 0.9, z=4)
    sheet.line([(scale.start, bottom), (scale.end, bottom)], RULE, 0.6, z=4)
    label = fitted("GPUs in use", scale.start - 1.5)
    sheet.text(scale.start - 1.2, (edge + bottom) / 2, label, color=MUTE, align="right")
    sheet.text(style.FULL - 0.5, edge, _gpus(data.gpus), align="right")

"""Figure: two results of every feasible point against each other, a marker a series."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import chart as charts
from reports.figures import looks, words
from reports.figures.frame import height_axis, note, value_axis
from reports.figures.looks import LOOKS
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale, labels
from reports.figures.sheet import Sheet, width
from reports.style import WHITE

NAME = "scatter"
HIGH, LEFT = 52.0, 13.0
MOST = 400  # markers


@dataclass(frozen=True)
class Mark:
    """One point: its place, its series by number, whether every requirement holds."""

    x: float
    y: float
    series: int = 0
    met: bool = True


@dataclass(frozen=True)
class ScatterData:
    """Titles of the axes, names of the series, the points, how many there would be."""

    x: str
    y: str
    series: tuple[str, ...]
    marks: tuple[Mark, ...]
    of: int = 0


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> ScatterData | None:
    """The scatter of a table's chart; None where no feasible point has both values."""
    chart = charts.chart_of(experiment, which)
    if chart is None or not chart.get("x") or not chart.get("y"):
        return None
    series = chart.get("series")
    kinds = series.kinds()[: len(LOOKS)] if series else ()
    marks = []
    for i, point in enumerate(chart.points):
        x, y = chart["x"].values[i], chart["y"].values[i]
        kind = series.values[i] if series else None
        if charts.feasible(point) and isinstance(x, float) and isinstance(y, float) and (not kinds or kind in kinds):
            marks.append(Mark(x, y, kinds.index(kind) if kinds else 0, charts.kept(point)))
    names = tuple(f"{series.title} {series.name(k)}" for k in kinds) if series else ()
    x_title, y_title = chart["x"].heading, chart["y"].heading
    return ScatterData(x_title, y_title, names, tuple(marks[:MOST]), len(marks)) if marks else None


@figure
def draw(data: ScatterData) -> Picture:
    """Markers filled where every requirement holds, hollow where one fails."""
    entries: list[tuple[str, Any]] = [(name, LOOKS[i]) for i, name in enumerate(data.series)]
    entries += [("a requirement fails", looks.MEASURED)] if not all(m.met for m in data.marks) else []
    left_out = words.shown_of(len(data.marks), max(data.of, len(data.marks)), "points")
    top = 1.8 + (4.0 * looks.rows(entries, style.HALF) if entries else 0.0)
    bottom = top + HIGH
    sheet = Sheet(NAME, style.HALF, bottom + 9.6 + 4.0 * bool(left_out))
    looks.key(sheet, entries, line=False)
    up = spread([m.y for m in data.marks], bottom, top)
    marks = up.ticks(6)
    left = max(LEFT, 6.4 + max(width(words.printable(t)) for t in labels(marks)))
    across = spread([m.x for m in data.marks], left, style.HALF - 1.0)
    value_axis(sheet, across, top, bottom, data.x, ticks=across.ticks(6))
    height_axis(sheet, up, left, style.HALF - 1.0, data.y, ticks=marks)
    for mark in reversed(data.marks):
        look = LOOKS[mark.series]
        at = across.at(mark.x), up.at(mark.y)
        name = data.series[mark.series] if data.series else ""
        tip = (name, f"{data.x} {words.plain(mark.x)}", f"{data.y} {words.plain(mark.y)}")
        if mark.met:
            sheet.marker(*at, look.marker, look.color, tip=tip)
        else:
            sheet.marker(*at, look.marker, WHITE, 4.2, edge=look.color, line=0.9, tip=tip)
    note(sheet, left_out)
    return sheet.finish(
        f"{data.y} against {data.x}: {len(data.marks)} points, {_range(data.marks)}. {left_out}".strip()
    )


def spread(values: Sequence[float], start: float, end: float, zero: bool = True) -> Scale:
    """A linear scale over all values with room at both ends; from zero where that costs less than half of it."""
    low, high = min(values), max(values)
    space = (high - low) * 0.08 or abs(high) * 0.08 or 0.5
    bottom = 0.0 if zero and 0 <= low < 0.4 * high else low - space
    return Scale(bottom, high + space, start, end)


def _range(marks: Sequence[Mark]) -> str:
    xs, ys = [m.x for m in marks], [m.y for m in marks]
    ends = [words.plain(v) for v in (min(xs), max(xs), min(ys), max(ys))]
    return f"from {ends[0]} to {ends[1]} and from {ends[2]} to {ends[3]}"

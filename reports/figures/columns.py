"""Figure: a result of points as horizontal bars, grouped by a setting; an infeasible point says its reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import bars, words
from reports.figures import chart as charts
from reports.figures.chart import Chart
from reports.figures.frame import WASTE, Kind, legend, legend_rows, note, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale, linear
from reports.figures.sheet import Sheet, fitted, width
from reports.style import HATCH_GREY, INFEASIBLE, MUTE, WHITE

NAME = "columns"
MOST = 24  # bars
PITCH, BETWEEN = 4.4, 1.6  # mm from bar to bar, and more between groups
KINDS = tuple(
    (color, "") for color in (style.NAVY, style.SKY, style.BLUE, style.AMBER, style.RUST, style.GREEN)
)  # neighbors differ on a grey print


@dataclass(frozen=True)
class Bar:
    """One bar: its group and series, its value, a measured one, or why there is none."""

    group: str
    series: str
    value: float | None
    text: str = ""
    measured: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class ColumnsData:
    """The title of the value axis, the title of the groups, the bars in order, how many there would be."""

    title: str
    groups: str
    bars: tuple[Bar, ...]
    of: int = 0
    shared: str = ""


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> ColumnsData | None:
    """The bars of a table's chart; None where no feasible point has a value."""
    chart = charts.chart_of(experiment, which)
    if chart is None or not all(chart.get(a) and chart[a].kinds() for a in ("x", "y")) or not chart["y"].numbers:
        return None
    series = chart.get("series")
    made = [
        bar
        for x in chart["x"].kinds()
        for s in (series.kinds() if series else (None,))
        if (bar := _bar(chart, x, s)) is not None
    ]
    if not made:
        return None
    said = chart.shared("x", "series")
    return ColumnsData(chart["y"].heading, chart["x"].heading, tuple(made[:MOST]), len(made), said)


def _bar(chart: Chart, x: Any, kind: Any) -> Bar | None:
    """The best feasible point of a group and series."""
    measure, series = chart["y"], chart.get("series")
    places = [i for i in chart.places("x", x) if series is None or series.values[i] == kind]
    if not places:
        return None
    group, name = chart["x"].name(x), f"{series.title} {series.name(kind)}" if series else ""
    best = chart.best(places, measure, charts.feasible)
    if best is None:
        return Bar(group, name, None, reason=str(chart.points[places[0]].get("reason") or "infeasible"))
    value = measure.values[best]
    assert isinstance(value, float)
    base = words.known((chart.points[best].get("results") or {}).get(measure.text))
    seen = words.known((chart.points[best].get("measured") or {}).get(measure.text))
    beside = seen * value / base if seen is not None and base else None
    return Bar(group, name, value, measure.show(value), beside)


@figure
def draw(data: ColumnsData) -> Picture:
    """Bars from zero with their values at the end; a hollow mark where a value was measured."""
    series = list(dict.fromkeys(b.series for b in data.bars))
    kinds = [Kind(s, KINDS[i % len(KINDS)][0]) for i, s in enumerate(series) if s]
    left_out = words.shown_of(len(data.bars), max(data.of, len(data.bars)), "bars")
    left_out = " ".join(filter(None, (left_out, data.shared)))
    first = 7.0 + (4.0 * legend_rows(kinds, style.FULL) if kinds else 0.0)
    heights = _heights(data.bars, first)
    bottom = heights[-1] + 4.2
    sheet = Sheet(NAME, style.FULL, bottom + 9.4 + 4.0 * bool(left_out))
    if kinds:
        legend(sheet, kinds)
    scale = _scale(data.bars, bars.names_room([b.group for b in data.bars], bold=False))
    value_axis(sheet, scale, first - 3.0, bottom, data.title, marks=False)
    sheet.text(0.3, first - 4.2, fitted(data.groups, scale.start + 30), color=MUTE)
    for i, (bar, y) in enumerate(zip(data.bars, heights, strict=True)):
        if i == 0 or data.bars[i - 1].group != bar.group:
            bars.name(sheet, bar.group, scale.start, y)
        _draw(sheet, bar, scale, y, KINDS[series.index(bar.series) % len(KINDS)][0])
    note(sheet, left_out)
    said = [f"{b.group} {b.series} {b.text or b.reason}".replace("  ", " ") for b in data.bars[:8]]
    return sheet.finish(f"{data.title}: {'; '.join(said)}. {left_out}".strip())


def _heights(found: Sequence[Bar], first: float) -> list[float]:
    """The center of every bar; groups stand apart where they hold more than one."""
    grouped = len({b.group for b in found}) < len(found)
    heights = [first]
    for before, bar in zip(found, found[1:], strict=False):
        heights.append(heights[-1] + PITCH + (BETWEEN if grouped and before.group != bar.group else 0.0))
    return heights


def _scale(found: Sequence[Bar], left: float) -> Scale:
    """From zero to the largest value, with room for its words; to the lowest where values are negative."""
    known = [v for b in found for v in (b.value, b.measured) if v is not None]
    room = max([width(b.text) for b in found]) + 3.0
    low = min([0.0, *known])
    top = linear(known, left, style.FULL - room).high
    return Scale(low, top if top > low else low + 1.0, left, style.FULL - room)


def _draw(sheet: Sheet, bar: Bar, scale: Scale, y: float, color: str) -> None:
    zero = scale.inside(0.0)
    if bar.value is None:
        wide = min(14.0, scale.end - zero)
        sheet.rectangle(zero, y - bars.HIGH / 2, wide, bars.HIGH, INFEASIBLE, edge=HATCH_GREY, line=0.4, hatch=WASTE,
                        tip=(bar.group, bar.series, bar.reason))  # fmt: skip
        sheet.text(zero + wide + 1.4, y, fitted(bar.reason, scale.end - zero - wide - 2), color=MUTE, plate=WHITE)
        return
    end = scale.at(bar.value)
    bars.plain_bar(sheet, zero, end, y, color, tip=(bar.group, bar.series, bar.text))
    far = max(zero, end)
    if bar.measured is not None:
        at = scale.inside(bar.measured)
        sheet.marker(at, y, "o", WHITE, 5.0, edge=style.INK, line=1.0, z=6,
                     tip=(bar.group, f"{bar.series} measured".strip(), words.rounded(bar.measured)))  # fmt: skip
        far = max(far, at + 1.0)
    sheet.text(far + 1.2, y, bar.text, plate=WHITE)

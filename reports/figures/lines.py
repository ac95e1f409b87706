"""Figure: a result along a setting, one line a series; gaps where nothing is feasible, measured values hollow."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import chart as charts
from reports.figures import looks, panels, words
from reports.figures.chart import Chart, Measure
from reports.figures.frame import height_axis, note, value_axis
from reports.figures.line_ends import names_at_ends
from reports.figures.looks import LOOKS, Look
from reports.figures.panels import Panel
from reports.figures.picture import Picture, Tip, figure
from reports.figures.scale import Scale, labels
from reports.figures.sheet import Sheet, fitted, width
from reports.style import MUTE, WHITE

NAME = "lines"
LEFT = 13.0
HIGH = 46.0  # mm, of one panel
ENDS = 24.0  # mm at the right for the names of lines
POINTS = 200  # of one line


@dataclass(frozen=True)
class Spot:
    """One point of a line: its place (a number, or the place of its word), value, measured value and interval."""

    x: float
    y: float | None
    measured: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Line:
    """One series."""

    name: str
    spots: tuple[Spot, ...]


@dataclass(frozen=True)
class LinesData:
    """Titles of the axes, the names of places where they are words, the panels by name, what is left out."""

    x: str
    y: str
    panels: tuple[tuple[str, tuple[Line, ...]], ...]
    words: tuple[str, ...] = ()
    left_out: str = ""


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> LinesData | None:
    """The lines of a table's chart; None where no feasible point has a value."""
    chart = charts.chart_of(experiment, which)
    if chart is None or not all(chart.get(a) and chart[a].kinds() for a in ("x", "y")) or not chart["y"].numbers:
        return None
    x, facet, series = chart["x"], chart.get("facet"), chart.get("series")
    facets, lines = facet.kinds() if facet else (None,), series.kinds() if series else (None,)
    made = tuple(
        (f"{facet.title} {facet.name(f)}" if facet else "",
         tuple(_line(chart, f, s) for s in lines[: len(LOOKS)]))
        for f in facets[: panels.MOST]
    )  # fmt: skip
    said = (words.shown_of(min(len(lines), len(LOOKS)), len(lines), "lines"),
            words.shown_of(min(len(facets), panels.MOST), len(facets), "panels"),
            chart.shared("x", "series", "facet"))  # fmt: skip
    names = () if x.numeric else tuple(x.name(k) for k in x.kinds())
    return LinesData(x.heading, chart["y"].heading, made, names, " ".join(filter(None, said)))


def _line(chart: Chart, facet: Any, kind: Any) -> Line:
    """The points of one series in order, the best of those that share a place."""
    x, y, series = chart["x"], chart["y"], chart.get("series")
    own = [i for i in chart.places("series", kind) if i in set(chart.places("facet", facet))]
    spots = []
    for n, k in enumerate(x.kinds()[:POINTS]):
        places = [i for i in own if x.values[i] == k]
        best = chart.best(places, y, charts.feasible)
        if places:
            spots.append(_spot(chart, k if isinstance(k, float) and x.numeric else float(n), best, places))
    return Line("" if series is None else f"{series.title} {series.name(kind)}", tuple(spots))


def _spot(chart: Chart, at: float, best: int | None, places: Sequence[int]) -> Spot:
    y, factor = chart["y"], _factor(chart, best)
    if best is None:
        measured = [m for i in places if (m := _known(chart.points[i], "measured", y)) is not None]
        return Spot(at, None, measured[0] * factor if measured else None)
    point, value = chart.points[best], y.values[best]
    measured_value = _known(point, "measured", y)
    low, high = ((point.get("interval") or {}).get(y.text) or (None, None))[:2]
    found = [None if v is None else v * factor for v in (measured_value, words.known(low), words.known(high))]
    assert isinstance(value, float)
    return Spot(at, value, *found)


def _known(point: Mapping[str, Any], part: str, y: Measure) -> float | None:
    return words.known((point.get(part) or {}).get(y.text))


def _factor(chart: Chart, best: int | None) -> float:
    """Shown over base units, from a point that has both."""
    y = chart["y"]
    places = range(len(chart.points)) if best is None else (best,)
    for i in places:
        base, value = words.known((chart.points[i].get("results") or {}).get(y.text)), y.values[i]
        if base and isinstance(value, float):
            return value / base
    return 1.0


@figure
def draw(data: LinesData) -> Picture:
    """Lines with markers; the names at their right ends, or a key above where there are several panels."""
    every = [s for _, lines in data.panels for line in lines for s in line.spots]
    single, named = len(data.panels) == 1, any(line.name for _, lines in data.panels for line in lines)
    wide = style.HALF if single else style.FULL
    entries = _entries(data, every, direct=single)
    top = 1.8 if not entries else 5.0 + 4.0 * (looks.rows(entries, wide) - 1)
    across = min(len(data.panels), 3)
    names = [name for name, _ in data.panels]
    foot, notes = 9.6, 4.0 * bool(data.left_out)
    sheet = Sheet(NAME, wide, panels.height(names, top, HIGH, foot, across) + notes)
    looks.key(sheet, entries)
    right = wide - (min(ENDS, _ends(data)) if single and named else 1.0)
    up = _up(every)
    ticks = [words.printable(t) for t in labels(Scale(*up, HIGH, 0.0).ticks(6))]
    left = max(LEFT, 6.4 + max(map(width, ticks), default=0.0))
    for (name, lines), panel in zip(data.panels, panels.grid(names, left, right, top, HIGH, foot, across), strict=True):
        panels.name(sheet, panel, name)
        _panel(sheet, data, lines, panel, (every, up), single and named)
    note(sheet, data.left_out)
    return sheet.finish(_alt(data))


def _entries(data: LinesData, every: Sequence[Spot], direct: bool) -> list[tuple[str, Look | str]]:
    """The key: series where they are not named at their ends; hollow markers, crosses and bands where there are any."""
    seen = [(line, LOOKS[i]) for _, found in data.panels for i, line in enumerate(found) if line.name]
    lines = {line.name: look for line, look in seen if any(s.y is not None for s in line.spots)}
    made: list[tuple[str, Look | str]] = [] if direct else list(lines.items())
    made += [("measured", looks.MEASURED)] if any(s.measured is not None for s in every) else []
    made += [("infeasible", looks.GAP)] if any(s.y is None for s in every) else []
    return made + ([("interval, four in five", looks.BAND)] if any(s.low is not None for s in every) else [])


def _ends(data: LinesData) -> float:
    return max(width(line.name, weight=600) for _, lines in data.panels for line in lines) + 3.5


def _up(every: Sequence[Spot]) -> tuple[float, float]:
    """The lowest and highest value of the vertical axis: from zero where that costs less than half of the height."""
    found = [v for s in every for v in (s.y, s.measured, s.low, s.high) if v is not None]
    low, high = min(found, default=0.0), max(found, default=1.0)
    if 0 <= low < 0.5 * high or low == high:
        low = min(0.0, low)
    space = (high - low) * 0.06 or abs(high) * 0.06 or 0.5
    return (low if low == 0 else low - space), high + space


def _across(data: LinesData, every: Sequence[Spot], panel: Panel) -> tuple[Scale, list[float], list[str]]:
    """The horizontal scale with its ticks: words at whole places; logarithmic where the values double."""
    places = sorted({s.x for s in every})
    inset = min(5.0, (panel.right - panel.left) * 0.06)
    start, end = panel.left + inset, panel.right - inset
    if data.words:
        shown = list(data.words)
        return Scale(-0.001, max(len(shown) - 1, 1), start, end), [float(i) for i in range(len(shown))], shown
    low, high = places[0], places[-1]
    log = low > 0 and len(places) > 2 and high / low >= 8 and _even(places)
    scale = Scale(low, high if high > low else low + (abs(low) or 1.0), start, end, log)
    ticks = places if log or len(places) <= 8 else list(scale.ticks(6))
    texts = [words.plain(t, 5) for t in ticks] if ticks is places else list(labels(ticks))
    return scale, ticks, texts


def _even(places: Sequence[float]) -> bool:
    """Whether the values grow by about the same factor."""
    steps = [b / a for a, b in zip(places, places[1:], strict=False)]
    return max(steps) <= 2.5 * min(steps) and min(steps) > 1.2


def _panel(sheet: Sheet, data: LinesData, lines: Sequence[Line], panel: Panel,
           scales: tuple[Sequence[Spot], tuple[float, float]], ends: bool) -> None:  # fmt: skip
    """One panel: axes, bands, lines, markers, measured values, crosses at the foot where nothing is feasible."""
    across, ticks, texts = _across(data, scales[0], panel)
    up = Scale(*scales[1], panel.bottom, panel.top)
    title = logarithmic(data.x) if across.log and len(data.panels) == 1 else data.x
    title = title if len(data.panels) == 1 else fitted(title, panel.right - panel.left)
    value_axis(sheet, across, panel.top, panel.bottom, title, ticks=ticks, texts=texts, grid=False)
    sheet.line([(panel.left, panel.bottom), (panel.right, panel.bottom)], style.RULE, 0.6, z=4)
    marks = up.ticks(6)
    height_axis(sheet, up, panel.left, panel.right, data.y if panel.first else "", ticks=marks,
                texts=labels(marks) if panel.first else [""] * len(marks))  # fmt: skip
    drawn = []
    for i, line in reversed(list(enumerate(lines))):
        _draw(sheet, data, line, LOOKS[i], across, up)
        last = next((s for s in reversed(line.spots) if s.y is not None), None)
        if last is not None and last.y is not None and line.name:
            drawn.append((line.name, across.at(last.x), up.at(last.y), LOOKS[i].words))
    if ends:
        names_at_ends(sheet, drawn, panel, sheet.width)


def logarithmic(title: str) -> str:
    """The title of a logarithmic axis: "GPUs (log scale)", "Global batch (sequences, log scale)"."""
    return f"{title[:-1]}, log scale)" if title.endswith(")") else f"{title} (log scale)"


def _draw(sheet: Sheet, data: LinesData, line: Line, look: Look, across: Scale, up: Scale) -> None:
    for run in _runs(line.spots):
        band = [s for s in run if s.low is not None and s.high is not None]
        if len(band) > 1:
            over = [(across.at(s.x), up.at(s.high or 0.0)) for s in band]
            under = [(across.at(s.x), up.at(s.low or 0.0)) for s in reversed(band)]
            sheet.polygon([*over, *under], look.color, z=1.5, opacity=0.14)
        path = [(across.at(s.x), up.at(s.y or 0.0)) for s in run]
        sheet.line(path, look.color, 1.5, dash=look.dash, z=3)
        for (x, y), spot in zip(path, run, strict=True):
            sheet.marker(x, y, look.marker, look.color, tip=_tip(data, line, spot, spot.y))
    for spot in line.spots:
        if spot.measured is not None:
            at = across.at(spot.x), up.at(spot.measured)
            tip = _tip(data, line, spot, spot.measured, "measured")
            sheet.marker(*at, look.marker, WHITE, 5.2, edge=look.color, line=1.1, z=6, tip=tip)
        if spot.y is None:
            tip = _tip(data, line, spot, None)
            sheet.marker(across.at(spot.x), up.start - 1.4, "x", MUTE, 4.0, edge=MUTE, line=1.0, tip=tip)


def _tip(data: LinesData, line: Line, spot: Spot, value: float | None, what: str = "") -> Tip:
    """What a point says when pointed at: its line, its place, its value."""
    place = data.words[int(spot.x)] if 0 <= spot.x < len(data.words) else words.plain(spot.x, 5)
    text = "infeasible" if value is None else words.plain(value, 4)
    return f"{line.name} {what}".strip(), f"{data.x} {place}", text if value is None else f"{data.y} {text}"


def _runs(spots: Sequence[Spot]) -> list[list[Spot]]:
    """The stretches of a line between gaps."""
    runs: list[list[Spot]] = [[]]
    for spot in spots:
        if spot.y is None or not math.isfinite(spot.y):
            runs.append([])
        else:
            runs[-1].append(spot)
    return [run for run in runs if run]


def _alt(data: LinesData) -> str:
    """Each line with its ends."""
    said = []
    for name, lines in data.panels:
        for line in lines:
            known = [s for s in line.spots if s.y is not None]
            if known:
                ends = f"{words.plain(known[0].y)} to {words.plain(known[-1].y)}"
                said.append(" ".join(filter(None, (name, line.name, ends))))
    gaps = sum(s.y is None for _, lines in data.panels for line in lines for s in line.spots)
    more = [f"{gaps} points infeasible."] if gaps else []
    return " ".join([f"{data.y} against {data.x}: {'; '.join(said[:8]) or 'nothing feasible'}.", *more, data.left_out])

"""Figure: a result over two settings, a cell a pair of values; infeasible ones hatched with their reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import chart as charts
from reports.figures import panels, ramp, words
from reports.figures.chart import Chart, Measure
from reports.figures.frame import WASTE, Kind, across_title, along_title, legend, legend_rows, note
from reports.figures.panels import Panel
from reports.figures.picture import Picture, Tip, figure
from reports.figures.sheet import Sheet, fitted, width
from reports.prose import lower_first
from reports.style import CELL, FAIL, HATCH_GREY, INFEASIBLE, MUTE, RUST, VALUE

NAME = "heatmap"
BIG = 8.5  # pt, of a cell's value
GAP = 1.2 / style.MM  # mm between cells
COLUMNS, ROWS = 24, 24  # values of an axis in one figure
INFEASIBLE_KIND = Kind("infeasible, reason", INFEASIBLE, WASTE, HATCH_GREY)


@dataclass(frozen=True)
class Cell:
    """One cell: its value for the color, the two texts in it, a reason where it is infeasible."""

    value: float | None = None
    text: str = ""
    second: str = ""
    reason: str = ""
    infeasible: bool = False
    unmet: bool = False
    chosen: bool = False


@dataclass(frozen=True)
class Grid:
    """One panel: rows of cells."""

    name: str
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class HeatmapData:
    """Names of columns and rows, titles of the axes, what the two texts of a cell are, the panels."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    x: str
    y: str
    value: str
    second: str
    grids: tuple[Grid, ...]
    left_out: str = ""


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> HeatmapData | None:
    """The heat map of a table's chart; None where an axis or the color has no value."""
    chart = charts.chart_of(experiment, which)
    if chart is None or not all(chart.get(a) and chart[a].kinds() for a in ("x", "y")) or not chart.get("color"):
        return None
    color, facet = chart["color"], chart.get("facet")
    second = _second(experiment, chart)
    columns, rows = chart["x"].kinds(), chart["y"].kinds()
    facets = facet.kinds() if facet else (None,)
    chosen = chart.best(range(len(chart.points)), color, charts.kept)
    grids = [
        Grid(f"{facet.title} {facet.name(f)}" if facet else "",
             tuple(tuple(_cell(chart, second, chosen, (x, y, f)) for x in columns[:COLUMNS]) for y in rows[:ROWS]))
        for f in facets[: panels.MOST]
    ]  # fmt: skip
    counts = ((len(columns), COLUMNS, "columns"), (len(rows), ROWS, "rows"), (len(facets), panels.MOST, "panels"))
    said = [words.shown_of(min(n, most), n, what) for n, most, what in counts] + [chart.shared("x", "y", "facet")]
    below = lower_first(second.heading) if second else ""
    return HeatmapData(
        tuple(map(chart["x"].name, columns[:COLUMNS])), tuple(map(chart["y"].name, rows[:ROWS])), chart["x"].heading,
        chart["y"].heading, color.heading, below, tuple(grids), " ".join(filter(None, said)),
    )  # fmt: skip


def _second(experiment: Mapping[str, Any], chart: Chart) -> Measure | None:
    """What stands beneath the value: the first column shown that the chart does not use itself."""
    columns = list(experiment.get("columns") or ())
    used = {m.text for m in chart.axes.values()}
    index = next((i for i, c in enumerate(columns) if c["text"] not in used), None)
    if index is None:
        return None
    stated = charts.shown(experiment, columns, index)
    values = [v if charts.feasible(p) else None for p, v in zip(chart.points, stated["values"], strict=True)]
    return charts.measure({**stated, "values": values})


def _cell(chart: Chart, second: Measure | None, chosen: int | None, at: tuple[Any, Any, Any]) -> Cell:
    """The best feasible point of those that fall on a cell; where none is, the reason of the first."""
    places = [i for i in chart.places("x", at[0]) if chart["y"].values[i] == at[1]]
    places = [i for i in places if chart.get("facet") is None or chart["facet"].values[i] == at[2]]
    best = chart.best(places, chart["color"], charts.kept)
    best = chart.best(places, chart["color"], charts.feasible) if best is None else best
    if best is None:
        reasons = [str(chart.points[i].get("reason") or "") for i in places if not charts.feasible(chart.points[i])]
        return Cell(reason=reasons[0], infeasible=True) if reasons else Cell()
    value = chart["color"].values[best]
    assert isinstance(value, float)
    below = second.show(second.values[best]) if second and second.values[best] is not None else ""
    return Cell(value, chart["color"].show(value), below, unmet=not charts.kept(chart.points[best]),
                chosen=best == chosen)  # fmt: skip


@figure
def draw(data: HeatmapData) -> Picture:
    """Cells from light (low) to dark (high), hatched where infeasible, a corner where a requirement fails."""
    cells = [c for g in data.grids for row in g.rows for c in row]
    kinds = _kinds(data, cells)
    across, wide = _across(data)
    left = 9.0 + min(26.0, max(width(r) for r in data.rows))
    top = 5.6 + 4.0 * (legend_rows(kinds, wide) - 1)
    names = [g.name for g in data.grids]
    high = len(data.rows) * _row_height(len(data.rows))
    scales = ramp.Ramp([c.value for c in cells if c.value is not None])
    shown = _texts(cells, (wide - 0.5 - left - panels.GAP * (across - 1)) / across / len(data.columns),
                   high / len(data.rows))  # fmt: skip
    foot = 9.6
    notes = 4.0 * bool(data.left_out)
    sheet = Sheet(NAME, wide, panels.height(names, top, high, foot, across) + notes + (0.0 if shown else 4.6))
    legend(sheet, kinds)
    for grid, panel in zip(data.grids, panels.grid(names, left, wide - 0.5, top, high, foot, across), strict=True):
        _panel(sheet, data, grid, panel, scales, shown)
    if not shown:
        scales.key(sheet, 0.5, sheet.height - notes - 2.4, data.value)
    note(sheet, data.left_out)
    return sheet.finish(_alt(data, cells))


def _kinds(data: HeatmapData, cells: Sequence[Cell]) -> list[Kind]:
    """The legend: what a cell shows, what hatches, corner and outline mean."""
    value = f"{data.value}, {data.second} below" if data.second else data.value
    extra = (
        (any(c.infeasible for c in cells), INFEASIBLE_KIND),
        (any(c.unmet for c in cells), Kind("a requirement fails", FAIL)),
        (any(c.chosen for c in cells), Kind("best that meets all requirements", style.WHITE, edge=RUST)),
    )
    return [Kind(value, style.BLUE), *(kind for there, kind in extra if there)]


def _across(data: HeatmapData) -> tuple[int, float]:
    """Panels a row, and the width of the canvas: half a page where there is one panel of few columns."""
    columns, facets = len(data.columns), len(data.grids)
    if facets == 1:
        return 1, style.HALF if columns <= 6 else style.FULL
    return max(1, min(facets, 3, int(150 / (9.5 * columns)) or 1)), style.FULL


def _row_height(rows: int) -> float:
    return 12.0 if rows <= 4 else 9.5 if rows <= 6 else 7.6 if rows <= 12 else 4.6


def _texts(cells: Sequence[Cell], wide: float, high: float) -> float:
    """The size of the values, 0 where they do not fit their cells."""
    texts = [t for c in cells for t in (c.text, c.second) if t]
    fitting = (s for s in (BIG, VALUE, CELL)
               if high > s / style.MM + 0.6 and all(width(t, s, 600) <= wide - 1.2 for t in texts))  # fmt: skip
    return next(fitting, 0.0)


def _panel(sheet: Sheet, data: HeatmapData, grid: Grid, panel: Panel, scales: ramp.Ramp, size: float) -> None:
    """One panel with its axes; the outline of the chosen cell over its neighbors."""
    panels.name(sheet, panel, grid.name)
    wide = (panel.right - panel.left) / len(data.columns)
    high = (panel.bottom - panel.top) / len(data.rows)
    for j, row in enumerate(grid.rows):
        y = panel.top + (j + 0.5) * high
        if panel.first:
            sheet.text(panel.left - 1.6, y, fitted(data.rows[j], 26.0), align="right")
        for i, cell in enumerate(row):
            tip = (", ".join(filter(None, (grid.name, data.columns[i]))), data.rows[j], _said(cell))
            _draw_cell(sheet, cell, (panel.left + i * wide, y - high / 2, wide, high), scales, size, tip)
    _columns(sheet, data.columns, panel, wide)
    if panel.first:
        along_title(sheet, panel.top, panel.bottom, data.y)
    title = fitted(data.x, panel.right - panel.left + (0.0 if len(data.grids) > 1 else 20.0))
    across_title(sheet, (panel.left + panel.right) / 2, panel.bottom, title)


def _columns(sheet: Sheet, names: Sequence[str], panel: Panel, wide: float) -> None:
    """The names under the columns: every one, every second … so that none touches the next."""
    widest = max(width(n) for n in names) + 1.2
    every = next((k for k in range(1, len(names) + 1) if widest <= k * wide), len(names))
    for i in range(0, len(names), every):
        at = panel.left + (i + 0.5) * wide
        text = fitted(names[i], max(min(wide * min(every, 2) - 0.8, 2 * at - 0.4), 6.0))
        half = width(text) / 2
        sheet.text(min(at, sheet.width - half), panel.bottom + 3.1, text, align="center")


def _draw_cell(sheet: Sheet, cell: Cell, box: tuple[float, float, float, float], scales: ramp.Ramp,
               size: float, tip: Tip) -> None:  # fmt: skip
    left, top, wide, high = box[0] + GAP / 2, box[1] + GAP / 2, box[2] - GAP, box[3] - GAP
    x, y = left + wide / 2, top + high / 2
    if cell.infeasible:
        sheet.rectangle(left, top, wide, high, INFEASIBLE, edge=HATCH_GREY, line=0.3, hatch=WASTE, tip=tip)
        small = VALUE if width(cell.reason, VALUE) <= wide - 1 else CELL
        if cell.reason and width(cell.reason, small) <= wide - 0.8 and high > 2.6:
            sheet.text(x, y, cell.reason, size=small, color=MUTE, align="center", plate=INFEASIBLE)
        return
    if cell.value is None:
        sheet.text(x, y, "–", color=MUTE, align="center")
        return
    fill = scales.color(cell.value)
    edge, z = (RUST, 4) if cell.chosen else ("", 2)
    sheet.rectangle(left, top, wide, high, fill, edge=edge, line=1.8, z=z, tip=tip)
    if cell.unmet:
        side = min(2.2, wide / 3, high / 3)
        sheet.polygon([(left + wide - side, top), (left + wide, top), (left + wide, top + side)], FAIL, z=5)
    if size:
        _write(sheet, cell, x, y, high, size, ramp.on(fill))


def _said(cell: Cell) -> str:
    """What a cell says when pointed at: its values, or why it has none."""
    if cell.infeasible:
        return cell.reason or "infeasible"
    marks = ("a requirement fails" if cell.unmet else "", "best that meets all requirements" if cell.chosen else "")
    return "; ".join(filter(None, (cell.text, cell.second, *marks)))


def _write(sheet: Sheet, cell: Cell, x: float, y: float, high: float, size: float, color: str) -> None:
    """The value, and beneath it the second one where the cell is high enough."""
    small = min(size, VALUE)
    two = bool(cell.second) and high >= (size + small) / style.MM * 1.12
    step = small / style.MM * 0.58 if two else 0.0
    sheet.text(x, y - step, cell.text, size=size, weight=600, color=color, align="center")
    if two:
        sheet.text(x, y + size / style.MM * 0.58, cell.second, size=small, color=color, align="center")


def _alt(data: HeatmapData, cells: Sequence[Cell]) -> str:
    """Extremes, the chosen cell and the count of infeasible ones."""
    known = [c for c in cells if c.value is not None]
    said = f"{data.value} by {data.x} and {data.y}: {len(cells)} cells"
    if not known:
        return f"{said}, none feasible."
    low, high = min(known, key=lambda c: c.value or 0.0), max(known, key=lambda c: c.value or 0.0)
    chosen = next((f", best that meets all {c.text}" for c in cells if c.chosen), "")
    bad = sum(c.infeasible for c in cells)
    return f"{said}, {bad} infeasible; from {low.text} to {high.text}{chosen}. {data.left_out}".strip()

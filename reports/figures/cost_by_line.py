"""Figure: what the plan costs, line by line; for several runs one stacked bar each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import bars, words
from reports.figures.frame import Kind, legend, legend_rows, note, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale, linear
from reports.figures.sheet import Sheet, width
from reports.prose import capital
from reports.style import MUTE

NAME = "cost-by-line"
LEFT_OUT = "not included"
COLORS = (style.NAVY, style.BLUE, style.SKY, style.GREEN, style.AMBER, style.RUST)  # the last one is "Other"


@dataclass(frozen=True)
class CostRow:
    """One run and its lines: (name, USD), None where a line is not included."""

    name: str
    lines: tuple[tuple[str, float | None], ...]
    chosen: bool = False


@dataclass(frozen=True)
class CostData:
    """The runs; with one of them the bars are its lines."""

    rows: tuple[CostRow, ...]
    of: int = 0


def from_point(point: Mapping[str, Any], name: str = "This run") -> CostData | None:
    """The figure of one point; None where no line of its cost is known."""
    return from_points([point], [name])


def from_points(points: Sequence[Mapping[str, Any]], names: Sequence[str], chosen: int = 0) -> CostData | None:
    """The figure of several points, the chosen one first; points without any known line are left out."""
    order = sorted(range(len(points)), key=lambda i: i != chosen)
    rows = [CostRow(names[i], _lines(points[i]), i == chosen) for i in order]
    rows = [row for row in rows if any(value is not None for _, value in row.lines)]
    return CostData(tuple(rows[: bars.MOST]), len(rows)) if rows else None


def _lines(point: Mapping[str, Any]) -> tuple[tuple[str, float | None], ...]:
    return tuple((capital(str(line.get("line"))), words.known(line.get("usd"))) for line in point.get("cost") or ())


@figure
def draw(data: CostData) -> Picture:
    """Bars by line for one run, stacked bars for several."""
    return _by_line(data.rows[0]) if len(data.rows) == 1 else _by_run(data)


def _total(row: CostRow) -> float:
    return sum(words.amount(value) for _, value in row.lines)


def _by_line(row: CostRow) -> Picture:
    lines = row.lines[: bars.MOST]
    total = _total(row)
    size, unit = words.unit([total], words.MONEY)
    left_out = words.shown_of(len(lines), len(row.lines), "lines")
    lie = bars.Rows(len(lines), 3.0, 4.8, bool(left_out))
    sheet = Sheet(NAME, style.FULL, lie.height)
    start = bars.names_room([name for name, _ in lines], bold=False)
    places = words.decimals(total / size, 4)
    ends = [_end(value, size, unit, total, places) for _, value in lines]
    room = max(width(a, weight=600) + width(b) + 4.0 for a, b in ends)
    scale = linear([words.amount(v) / size for _, v in lines], start, style.FULL - room - 1.0)
    sum_up = f"total {words.number(total / size, places)}{words.NB}{unit}"
    value_axis(sheet, scale, 1.0, lie.bottom, f"Cost ({unit}), {sum_up}", marks=False)
    for i, ((name, value), end) in enumerate(zip(lines, ends, strict=True)):
        bars.name(sheet, name, start, lie.at(i))
        _line_bar(sheet, scale, words.amount(value) / size, lie.at(i), (name, *end))
    note(sheet, left_out)
    said = "; ".join(f"{name} {amount}" for (name, _), (amount, _) in zip(lines, ends, strict=True))
    return sheet.finish(f"Cost of {row.name} by line: {said}; {sum_up}. {left_out}".strip())


def _line_bar(sheet: Sheet, scale: Scale, value: float, y: float, said: tuple[str, str, str]) -> None:
    """The bar of a line with its amount and share; a line that is not included has words instead."""
    name, amount, share = said
    included = amount != LEFT_OUT
    bars.plain_bar(sheet, scale.start, scale.at(value), y, style.NAVY, tip=(name, "", amount))
    box = sheet.text(scale.at(value) + 1.4, y, amount, weight=600 if included else 400, italic=not included,
                     color=style.INK if included else MUTE, plate=style.WHITE)  # fmt: skip
    if share:
        sheet.text(box.corners[1][0] + 2.0, y, share, color=MUTE, plate=style.WHITE)


def _end(value: float | None, size: float, unit: str, total: float, places: int) -> tuple[str, str]:
    if value is None:
        return LEFT_OUT, ""
    share = words.percent(value / total) if total > 0 else ""
    return f"{words.number(value / size, places)}{words.NB}{unit}", share


def _by_run(data: CostData) -> Picture:
    rows = data.rows[: bars.MOST]
    size, unit = words.unit([_total(r) for r in rows], words.MONEY)
    names = _largest(rows)
    kinds = [Kind(name, color) for name, color in zip(names, COLORS, strict=False)]
    left_out = words.shown_of(len(rows), max(data.of, len(data.rows)), "runs", ", the chosen one first")
    lie = bars.rows(len(rows), 7.6 + 4.0 * (legend_rows(kinds, style.FULL) - 1), left_out)
    sheet = Sheet(NAME, style.FULL, lie.height)
    legend(sheet, kinds)
    start = bars.names_room([r.name for r in rows])
    places = words.decimals(max(_total(r) for r in rows) / size, 3)
    ends = [f"{words.number(_total(r) / size, places)}{words.NB}{unit}" for r in rows]
    scale = linear([_total(r) / size for r in rows], start, style.FULL - 2.0 - max(width(e, weight=600) for e in ends))
    value_axis(sheet, scale, lie.first - 3.0, lie.bottom, f"Cost ({unit}), lines that are included", marks=False)
    for i, (row, end) in enumerate(zip(rows, ends, strict=True)):
        _bar(sheet, row, kinds, scale, lie.at(i), size, end, unit)
    note(sheet, left_out)
    said = "; ".join(f"{row.name} {end}" for row, end in zip(rows[:6], ends, strict=False))
    return sheet.finish(f"Cost by run: {said}. {left_out}".strip())


def _largest(rows: Sequence[CostRow]) -> list[str]:
    """The names of the five largest lines, and "Other" for what is left."""
    sums: dict[str, float] = {}
    for name, value in (line for row in rows for line in row.lines):
        sums[name] = sums.get(name, 0.0) + words.amount(value)
    order = [name for name in sorted(sums, key=lambda n: -sums[n]) if sums[name] > 0]
    return order if len(order) <= len(COLORS) else [*order[: len(COLORS) - 1], "Other"]


def _bar(sheet: Sheet, row: CostRow, kinds: Sequence[Kind], scale: Scale, y: float, size: float, end: str,
         unit: str) -> None:  # fmt: skip
    bars.name(sheet, row.name, scale.start, y, row.chosen)
    sums = {kind.name: 0.0 for kind in kinds}
    for name, value in row.lines:
        if words.amount(value):
            sums[name if name in sums else "Other"] += words.amount(value) / size
    at = bars.stack(sheet, kinds, list(sums.values()), scale, y, (row.name, unit))
    sheet.text(scale.at(at) + 1.4, y, end, weight=600, plate=style.WHITE)

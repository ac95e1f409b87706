"""Figure: predictions beside what was measured, with the difference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style, terms
from reports.figures import bars, words
from reports.figures.frame import note, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale, labels
from reports.figures.sheet import Sheet, fitted, width
from reports.locales import marks
from reports.prose import capital
from reports.quantities import Quantity, legible
from reports.style import INK, MUTE

NAME = "measured"
CAP = 2.0  # bars of differences beyond 200 % end there


@dataclass(frozen=True)
class MeasuredRow:
    """One value: its name, both values in print, and predicted over measured minus one."""

    name: str
    predicted: str
    measured: str
    difference: float | None


@dataclass(frozen=True)
class Heads:
    """The words of the figure: over the two columns, at the line at zero, under the axis, of what is left out."""

    predicted: str = "predicted"
    measured: str = "measured"
    zero: str = "as measured"
    axis: str = "Predicted over measured, difference (%)"
    things: str = "measured values"
    name: str = NAME


@dataclass(frozen=True)
class MeasuredData:
    """The rows, and how many there would be."""

    rows: tuple[MeasuredRow, ...]
    of: int = 0
    heads: Heads = Heads()


def from_point(point: Mapping[str, Any]) -> MeasuredData | None:
    """The figure of one point of the document; None where nothing was measured."""
    return from_points([point], [""])


def from_points(points: Sequence[Mapping[str, Any]], names: Sequence[str]) -> MeasuredData | None:
    """The figure of several points, their names before the measured results'; None where nothing was measured."""
    rows = [
        _row(row, name, (point.get("figures") or {}).get(row.get("name")) or {})
        for point, name in zip(points, names, strict=True)
        for row in point.get("measured") or ()
    ]
    return MeasuredData(tuple(rows[: bars.MOST]), len(rows)) if rows else None


def _row(row: Mapping[str, Any], run: str, shown: Mapping[str, Any]) -> MeasuredRow:
    """shown: unit and precision of the result, where the document gives them."""
    measured, predicted = words.known(row.get("value")), words.known(row.get("predicted"))
    difference = predicted / measured - 1 if predicted is not None and measured else None
    label = capital(terms.words(str(row.get("name"))))
    unit, decimals = str(row.get("unit") or shown.get("unit") or ""), shown.get("precision")
    said = [legible(Quantity(value, unit, decimals)).text() for value in (predicted, measured)]
    return MeasuredRow(f"{run}: {label}" if run else label, said[0], said[1], difference)


@figure
def draw(data: MeasuredData) -> Picture:
    """Columns predicted and measured at the left; bars of the signed difference from a line at zero."""
    rows = data.rows[: bars.MOST]
    left_out = words.shown_of(len(rows), max(data.of, len(data.rows)), data.heads.things)
    cut = any((r.difference or 0.0) > CAP for r in rows)
    left_out = " ".join(filter(None, (left_out, f"Bars beyond {100 * CAP:.0f} % are cut." if cut else "")))
    lie = bars.rows(len(rows), 7.4, left_out, 5.2)
    heads = data.heads
    sheet = Sheet(heads.name, style.FULL, lie.height)
    name_room = min(52.0, max(width(r.name, weight=600) for r in rows) + 1.0)
    edges = [name_room]
    columns = ((heads.predicted, [r.predicted for r in rows]), (heads.measured, [r.measured for r in rows]))
    for head, texts in columns:
        edges.append(edges[-1] + 3.5 + min(26.0, max(width(head), *(width(t) for t in texts))))
        sheet.text(edges[-1], 2.2, head, color=MUTE, align="right")
    scale = _scale(rows, edges[-1] + 5.0)
    ticks = scale.ticks(7)
    places = max((len(t.partition(marks().point)[2]) for t in labels(ticks)), default=0)
    value_axis(sheet, scale, lie.first - 3.4, lie.bottom, heads.axis, ticks=ticks,
               texts=[words.number(t, places, signed=True) for t in ticks])  # fmt: skip
    zero = scale.at(0.0)
    sheet.line([(zero, lie.first - 3.4), (zero, lie.bottom)], INK, 0.8, z=5)
    sheet.text(zero, 2.2, heads.zero, color=MUTE, align="center")
    for i, row in enumerate(rows):
        _line(sheet, row, edges, scale, lie.at(i))
    note(sheet, left_out)
    said = [
        f"{r.name}: {heads.predicted} {r.predicted}, {heads.measured} {r.measured}, difference {_signed(r)}"
        for r in rows[:6]
    ]
    title = f"{capital(heads.predicted)} beside {heads.measured}"
    return sheet.finish(f"{title}. {'; '.join(said)}. {left_out}".strip())


def _signed(row: MeasuredRow) -> str:
    return "–" if row.difference is None else words.percent(row.difference, 1, signed=True)


def _scale(rows: Sequence[MeasuredRow], left: float) -> Scale:
    """A scale about zero that shows every difference (to 200 %) and leaves room for its words on either side."""
    room, right = {-1: 4.0, 1: 4.0}, style.FULL - 0.5
    for row in rows:
        if row.difference is not None:
            side = 1 if row.difference >= 0 else -1
            room[side] = max(room[side], width(_signed(row)) + 2.0)
    values = [100 * max(-1.0, min(CAP, r.difference)) for r in rows if r.difference is not None]
    most = max([1.0, *map(abs, values)])
    low, high = min([-0.3 * most, *values]), max([0.3 * most, *values])
    each = (high - low) / (right - left - room[-1] - room[1])  # percent in a mm
    return Scale(low - room[-1] * each, high + room[1] * each, left, right)


def _line(sheet: Sheet, row: MeasuredRow, edges: Sequence[float], scale: Scale, y: float) -> None:
    sheet.text(0.3, y, fitted(row.name, edges[0] - 0.3, weight=600), weight=600)
    sheet.text(edges[1], y, fitted(row.predicted, 26.0), align="right")
    sheet.text(edges[2], y, fitted(row.measured, 26.0), align="right")
    zero = scale.at(0.0)
    if row.difference is None:
        sheet.text(zero + 1.4, y, "–", color=MUTE, plate=style.WHITE)
        return
    capped, value = row.difference > CAP, 100 * max(-1.0, min(CAP, row.difference))
    value = 0.0 if abs(value) < 0.05 else value  # prints as 0.0
    end = scale.at(value)
    bars.plain_bar(sheet, zero, end, y, style.NAVY, tip=(row.name, "difference", _signed(row)))
    if capped:
        bars.cut(sheet, end, y)
    sheet.text(
        end + (1.4 if value >= 0 else -1.4), y, _signed(row), align="left" if value >= 0 else "right", plate=style.WHITE
    )

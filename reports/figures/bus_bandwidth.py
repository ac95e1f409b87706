"""Figure: bus bandwidth expected of each collective against message size, by span, and the value it passes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import words
from reports.figures.frame import height_axis, value_axis
from reports.figures.picture import Picture, Tip, figure
from reports.figures.scale import Scale
from reports.figures.sheet import Sheet, fitted, width
from reports.locales import listed
from reports.style import INK, MUTE

NAME = "bus-bandwidth"
HEIGHT, TOP, BOTTOM, LEFT, BETWEEN = 64.0, 13.0, 52.0, 16.0, 5.0  # mm
PANELS = (("all_reduce", "All-reduce"), ("all_gather", "All-gather"), ("all_to_all", "All-to-all"))
LOOKS = ((style.NAVY, ()), (style.BLUE, (6.0, 2.5)), (style.RUST, (3.0, 1.8)))  # color, dash: innermost span first
MIB, GB = 2.0**20, 1e9
TICKS = (1.0, 16.0, 256.0, 4096.0)  # MiB
TEXTS = ("1 MiB", "16 MiB", "256 MiB", "4 GiB")


@dataclass(frozen=True)
class Span:
    """A span's name with its ranks."""

    name: str
    ranks: float


Points = tuple[tuple[float, float, float | None], ...]
"""Message size in bytes, bytes/s expected, bytes/s from which it passes or None."""


@dataclass(frozen=True)
class Curve:
    """One collective over one span."""

    collective: str
    span: str
    points: Points


@dataclass(frozen=True)
class BusData:
    """The spans, innermost first, and the curves of every collective."""

    spans: tuple[Span, ...]
    curves: tuple[Curve, ...]

    def of(self, collective: str, span: Span) -> Points:
        """The points of one curve."""
        return next((c.points for c in self.curves if (c.collective, c.span) == (collective, span.name)), ())


def from_point(point: Mapping[str, Any]) -> BusData | None:
    """The figure of a point of the document; None where nothing is sent."""
    rows = list(point.get("bus_bandwidth") or ())
    curves = tuple(Curve(row["collective"], row["span"], _points(row["points"])) for row in rows)
    spans = {row["span"]: Span(row["span"], row["ranks"]) for row in rows}
    return BusData(tuple(spans.values()), curves) if any(c.points for c in curves) else None


def _points(given: Sequence[Sequence[float | None]]) -> Points:
    return tuple((size, speed, low) for size, speed, low in given if size and speed and speed > 0)


@figure
def draw(data: BusData) -> Picture:
    """A panel a collective on logarithmic axes; a line a span, and under it a band down to the value it passes from."""
    sheet = Sheet(NAME, style.FULL, HEIGHT)
    wide = (style.FULL - LEFT - (len(PANELS) - 1) * BETWEEN) / len(PANELS)
    _legend(sheet, data)
    up = _up(data)
    for i, (kind, title) in enumerate(PANELS):
        left = LEFT + i * (wide + BETWEEN)
        across = Scale(0.8, 10000.0, left, left + wide, log=True)
        value_axis(sheet, across, TOP, BOTTOM, "Message size (log scale)" if i == 1 else "", ticks=TICKS, texts=TEXTS)
        _heights(sheet, up, left, left + wide, i == 0)
        for span, (color, dash) in zip(data.spans, LOOKS, strict=False):
            found = data.of(kind, span)
            best = f"{words.rounded(max((v for _, v, _ in found), default=0.0) / GB)}{words.NB}GB/s"
            _curve(sheet, found, across, up, color, dash, (title, span.name, f"at most {best}"))
        sheet.text(left + 1.2, TOP - 2.4, title, weight=600)
    return sheet.finish(_alt(data))


def _up(data: BusData) -> Scale:
    """One height for all panels."""
    known = [v / GB for curve in data.curves for row in curve.points for v in row[1:] if v]
    return Scale(min(known) / 1.4, max(known) * 1.4, BOTTOM, TOP, log=True)


def _heights(sheet: Sheet, up: Scale, left: float, right: float, first: bool) -> None:
    """The height axis at the left of the first panel, its grid lines alone in the others."""
    ticks = up.ticks(6)
    if first:
        height_axis(sheet, up, left, right, "Bus bandwidth (GB/s, log scale)", ticks=ticks)
        return
    for tick in ticks:
        sheet.line([(left, up.at(tick)), (right, up.at(tick))], style.HAIRLINE, 0.5, z=1)
    sheet.line([(left, up.start), (left, up.end)], style.RULE, 0.6, z=4)


def _curve(sheet: Sheet, points: Points, across: Scale, up: Scale, color: str,
           dash: tuple[float, ...], tip: Tip) -> None:  # fmt: skip
    """A span's line; small ticks where the sheet has a threshold."""
    line = [(across.at(size / MIB), up.at(speed / GB)) for size, speed, _ in points]
    sheet.line(line, color, 1.5, dash=dash, z=4, tip=tip if points else None)
    lows = [(across.at(size / MIB), up.at(low / GB)) for size, _, low in points if low]
    for x, y in lows:
        sheet.line([(x - 0.9, y), (x + 0.9, y)], color, 1.0, z=4)


def _legend(sheet: Sheet, data: BusData) -> None:
    """A sample of each line with its span, and what the short strokes are."""
    x, y = 0.5, 3.0
    for span, (color, dash) in zip(data.spans, LOOKS, strict=False):
        text = fitted(f"{span.name}, {words.number(span.ranks, 0)}{words.NB}GPUs", 34)
        sheet.line([(x, y), (x + 7, y)], color, 1.5, dash=dash)
        sheet.text(x + 8.2, y, text)
        x += 8.2 + width(text) + 5
    if any(low for curve in data.curves for _, _, low in curve.points):
        sheet.line([(x, y), (x + 1.8, y)], INK, 1.0)
        sheet.text(x + 3, y, "passes from here", color=MUTE)


def _alt(data: BusData) -> str:
    said = []
    for kind, title in PANELS:
        best = [
            f"{span.name} {words.rounded(max(v for _, v, _ in points) / GB)}"
            for span in data.spans
            if (points := data.of(kind, span))
        ]
        said.append(f"{title}: {listed(best)}{words.NB}GB/s at the largest message")
    return f"Expected bus bandwidth against message size. {'; '.join(said)}."

"""What charts have in common: legends above, value axes below, names at the left."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports import style
from reports.figures.scale import Scale, labels, log_labels
from reports.figures.sheet import LINE, Sheet, fitted, width
from reports.style import HAIRLINE, INK, MUTE, RULE

SWATCH, HIGH = 3.4, 2.3  # mm
LEFT, BETWEEN = 0.5, 4.5  # mm: before the first entry of a legend, and between entries


@dataclass(frozen=True)
class Kind:
    """A kind of bar segment: its name in the legend and its look."""

    name: str
    color: str
    hatch: str = ""
    edge: str = ""

    @property
    def outline(self) -> str:
        """The color of edge and hatch; white seams between plain segments."""
        return self.edge or (style.MUTE if self.hatch else style.WHITE)


WASTE = "////"
OVER = "xxxx"
OVERSHOOT = Kind("Over capacity", style.WHITE, OVER, style.FAIL)


def legend(sheet: Sheet, kinds: Sequence[Kind], top: float = 2.0) -> float:
    """Draws the swatches with their names, in as many rows as it takes; returns the center of the last row, mm."""
    rows, gap = _rows(kinds, sheet.width)
    for i, row in enumerate(rows):
        x, y = LEFT, top + i * (LINE + 0.6)
        for kind in row:
            swatch(sheet, kind, x, y)
            sheet.text(x + SWATCH + 1.2, y, fitted(kind.name, sheet.width - x - SWATCH - 1.2))
            x += _entry(kind) + gap
    return top + (len(rows) - 1) * (LINE + 0.6)


def legend_rows(kinds: Sequence[Kind], across: float) -> int:
    """The rows that `legend` will take on a canvas so wide."""
    return len(_rows(kinds, across)[0])


def _entry(kind: Kind) -> float:
    return SWATCH + 1.2 + width(kind.name)


def _rows(kinds: Sequence[Kind], across: float) -> tuple[list[list[Kind]], float]:
    """The entries by row and the gap between them: one row where 2 mm between them suffice."""
    spare = across - 2 * LEFT - sum(_entry(k) for k in kinds)
    if spare >= 2.0 * (len(kinds) - 1):
        return [list(kinds)], min(BETWEEN, spare / max(1, len(kinds) - 1))
    rows: list[list[Kind]] = [[]]
    for kind in kinds:
        if rows[-1] and 2 * LEFT + sum(_entry(k) + BETWEEN for k in (*rows[-1], kind)) - BETWEEN > across:
            rows.append([])
        rows[-1].append(kind)
    return rows, BETWEEN


def swatch(sheet: Sheet, kind: Kind, x: float, y: float) -> None:
    """A small sample of a kind, centered on y."""
    edge = kind.outline if kind.hatch or kind.edge else ""
    sheet.rectangle(x, y - HIGH / 2, SWATCH, HIGH, kind.color, edge=edge, line=0.4, hatch=kind.hatch)


def spread(places: Sequence[tuple[float, str]], log: bool, gap: float = 1.4) -> Sequence[tuple[float, str]]:
    """The labels (x, text) that stand clear of each other: every one, every second …; on a log axis those that can."""
    if log:
        kept = list(places[:1])
        for place in places[1:]:
            if _clear(kept[-1], place, gap):
                kept.append(place)
        return kept
    sets = (places[::every] for every in range(1, len(places) + 1))
    return next((s for s in sets if all(_clear(a, b, gap) for a, b in zip(s, s[1:], strict=False))), [])


def _clear(a: tuple[float, str], b: tuple[float, str], gap: float) -> bool:
    return b[0] - a[0] >= (width(a[1]) + width(b[1])) / 2 + gap


def value_axis(sheet: Sheet, scale: Scale, top: float, bottom: float, title: str, *, ticks: Sequence[float] = (),
               texts: Sequence[str] = (), grid: bool = True, marks: bool = True) -> None:  # fmt: skip
    """Draws the horizontal axis at the bottom: spine, ticks, labels, grid lines up to top, title beneath."""
    ticks = ticks or scale.ticks()
    texts = texts or (log_labels(ticks) if scale.log else labels(ticks))
    held = []  # labels at the ends are held within the canvas
    for tick, text in zip(ticks, texts, strict=True):
        half = width(text) / 2
        held.append((min(max(scale.at(tick), half), sheet.width - half), text))
    shown = spread(held, scale.log)
    for tick, place in zip(ticks, held, strict=True):
        if place in shown:
            x = scale.at(tick)
            if grid:
                sheet.line([(x, top), (x, bottom)], HAIRLINE, 0.5, z=1)
            if marks:
                sheet.line([(x, bottom), (x, bottom + 0.9)], RULE, 0.6, z=4)
            sheet.text(place[0], bottom + 3.1, place[1], align="center")
    sheet.line([(scale.start, bottom), (scale.end, bottom)], RULE, 0.6, z=4)
    across_title(sheet, (scale.start + scale.end) / 2, bottom, title)


def across_title(sheet: Sheet, middle: float, bottom: float, title: str) -> None:
    """Writes the title under a horizontal axis, centered as far as the canvas allows."""
    if title:
        text = fitted(title, sheet.width - 1.0)
        half = width(text) / 2
        sheet.text(min(max(middle, half), sheet.width - half), bottom + 7.2, text, align="center")


def along_title(sheet: Sheet, top: float, bottom: float, title: str) -> None:
    """Writes the title along a vertical axis; without its unit, then cut, where the canvas is too low for it."""
    middle = (top + bottom) / 2
    room = min(2 * min(middle, sheet.height - middle) - 1.0, abs(bottom - top) + 3.0)
    short = title if width(title) <= room else fitted(title.partition(" (")[0], room)
    if short:
        sheet.text(2.8, middle, short, align="center", angle=90)


def height_axis(sheet: Sheet, scale: Scale, left: float, right: float, title: str, *, ticks: Sequence[float] = (),
                texts: Sequence[str] = ()) -> None:  # fmt: skip
    """Draws the vertical axis at the left: spine, ticks, labels, grid lines to the right, title turned beside.

    An empty label or title is left out: panels of one row share them.
    """
    ticks = ticks or scale.ticks()
    texts = texts or (log_labels(ticks) if scale.log else labels(ticks))
    for tick, text in zip(ticks, texts, strict=True):
        y = scale.at(tick)
        sheet.line([(left, y), (right, y)], HAIRLINE, 0.5, z=1)
        sheet.line([(left - 0.9, y), (left, y)], RULE, 0.6, z=4)
        if text:
            sheet.text(left - 1.6, y, text, align="right")
    sheet.line([(left, scale.start), (left, scale.end)], RULE, 0.6, z=4)
    along_title(sheet, scale.start, scale.end, title)


def segment_label(sheet: Sheet, kind: Kind, left: float, wide: float, y: float, text: str) -> None:
    """Writes a value inside a segment where it fits: 3.5 mm at least, 9 mm on a hatch."""
    room = wide - (4.0 if kind.hatch else 1.0)
    if wide < (9.0 if kind.hatch else 3.5) or width(text, style.VALUE) > room:
        return
    plate = kind.color if kind.hatch else ""
    sheet.text(left + wide / 2, y, text, size=style.VALUE, color=style.ON.get(kind.color, INK), align="center",
               plate=plate)  # fmt: skip


def note(sheet: Sheet, text: str) -> None:
    """A sentence in mute at the lower left: what the figure leaves out."""
    if text:
        sheet.text(0.5, sheet.height - 2.0, fitted(text, sheet.width - 1.0), color=MUTE)

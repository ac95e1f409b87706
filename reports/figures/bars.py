"""What the figures made of horizontal bars share: rows, their names at the left, stacked segments."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.figures import words
from reports.figures.frame import Kind, segment_label
from reports.figures.picture import Tip
from reports.figures.scale import Scale
from reports.figures.sheet import Sheet, fitted, width
from reports.style import WHITE

MOST = 12  # bars in one figure
HIGH = 3.2  # mm, of a bar
WIDEST = 46.0  # mm, of the column of names


@dataclass(frozen=True)
class Rows:
    """Where the bars of a figure lie: so many of them, the first one centered on first (mm from the top)."""

    count: int
    first: float
    pitch: float
    note: bool = False  # a sentence beneath the axis

    @property
    def bottom(self) -> float:
        """The axis beneath the bars."""
        return self.first + self.pitch * (self.count - 1) + 4.2

    @property
    def height(self) -> float:
        """The height of the canvas: bars, axis with its title, note."""
        return self.bottom + 9.4 + (4.0 if self.note else 0.0)

    def at(self, index: int) -> float:
        """The center of a bar."""
        return self.first + self.pitch * index


def rows(count: int, first: float, note: str = "", pitch: float = 5.6) -> Rows:
    """Rows of the usual pitch, nearer to each other when there are more than six."""
    return Rows(count, first, pitch if count <= 6 else 4.6, bool(note))


def names_room(names: Sequence[str], bold: bool = True, widest: float = WIDEST) -> float:
    """Where the bars begin so that the names fit to their left, mm."""
    return min(widest, max([14.0, *(width(n, weight=600 if bold else 400) for n in names)]) + 2.0)


def name(sheet: Sheet, text: str, start: float, y: float, bold: bool = False) -> None:
    """Writes the name of a bar that begins at start, cut with an ellipsis where it is too long."""
    weight = 600 if bold else 400
    sheet.text(start - 1.2, y, fitted(text, start - 1.5, weight=weight), weight=weight, align="right")


def stack(
    sheet: Sheet,
    kinds: Sequence[Kind],
    values: Sequence[float],
    scale: Scale,
    y: float,
    of: tuple[str, str],
    digits: int = 3,
) -> float:
    """Draws one bar of segments, each with its value where that fits; returns the sum of the values.

    of: what the bar is of and the unit of its values, for what a segment shows when pointed at.
    """
    at, places = 0.0, words.decimals(scale.high, digits)
    for kind, value in zip(kinds, values, strict=True):
        left, wide = scale.at(at), scale.at(at + value) - scale.at(at)
        tip = (of[0], kind.name, f"{words.rounded(value)}{words.NB}{of[1]}")
        sheet.rectangle(left, y - HIGH / 2, wide, HIGH, kind.color, edge=kind.outline, line=0.4, hatch=kind.hatch,
                        tip=tip)  # fmt: skip
        segment_label(sheet, kind, left, wide, y, words.number(value, places))
        at += value
    return at


def cut(sheet: Sheet, end: float, y: float) -> None:
    """Marks a bar that is longer than drawn: two white strokes across it, before its end."""
    for x in (end - 2.6, end - 1.4):
        sheet.line([(x - 0.6, y + HIGH / 2), (x + 0.6, y - HIGH / 2)], WHITE, 1.4, z=6)


def plain_bar(sheet: Sheet, left: float, right: float, y: float, fill: str, edge: str = "",
              tip: Tip | None = None) -> None:  # fmt: skip
    """Draws one bar from left to right, mm."""
    sheet.rectangle(min(left, right), y - HIGH / 2, abs(right - left), HIGH, fill, edge=edge, line=0.4, tip=tip)

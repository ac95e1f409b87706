"""The key of the roofline: a box at the lower right with number, look, name and share of every operator."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports import style
from reports.figures.sheet import LINE, Sheet, fitted, width
from reports.style import HAIRLINE, VALUE, WHITE

LOOKS = {"gemm": ("o", style.NAVY), "sdpa": ("s", style.BLUE), "hbm": ("D", style.AMBER)}
"""Marker and color of a kind of operator."""


@dataclass(frozen=True)
class Entry:
    """A row of the key; line: the operator is drawn as a dashed line."""

    name: str
    kind: str
    line: bool
    share: str


def height(count: int) -> float:
    """The height of a key with so many rows, mm."""
    return LINE * count + 1.6


def draw(sheet: Sheet, entries: Sequence[Entry], right: float, bottom: float) -> tuple[float, float]:
    """Draws the key with its lower right corner there; returns its upper left corner, mm."""
    names = [fitted(e.name, 26.0, VALUE) for e in entries]
    wide = 12.7 + max(width(n, VALUE) for n in names) + max(width(e.share, VALUE) for e in entries)
    left, top = right - wide, bottom - height(len(entries))
    sheet.rectangle(left, top, wide, bottom - top, WHITE, edge=HAIRLINE, z=4)
    for i, (entry, name) in enumerate(zip(entries, names, strict=True)):
        y = top + 0.8 + LINE * (i + 0.5)
        shape, fill = LOOKS[entry.kind]
        if entry.line:
            sheet.line([(left + 0.9, y), (left + 3.7, y)], fill, 1.4, dash=(3, 2), z=6)
        else:
            sheet.marker(left + 2.2, y, shape, fill, 4.2, z=6)
        sheet.text(left + 6.6, y, str(i + 1), size=VALUE, weight=600, align="right")
        sheet.text(left + 8.2, y, name, size=VALUE)
        sheet.text(right - 1.2, y, entry.share, size=VALUE, align="right")
    sheet.take(left, top, right, bottom)
    return left, top

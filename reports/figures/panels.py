"""Small multiples: where the panels of a figure lie, their names above them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reports import style
from reports.figures.sheet import Sheet, fitted

MOST = 9  # panels in one figure
NAME = 4.2  # mm, for a panel's name
GAP = 5.0


@dataclass(frozen=True)
class Panel:
    """A panel's rectangle, mm from the upper left; first: in the leftmost column, last: in the lowest row."""

    left: float
    top: float
    right: float
    bottom: float
    first: bool = True
    last: bool = True


def grid(names: Sequence[str], left: float, right: float, top: float, high: float, foot: float,
         most: int = 3) -> list[Panel]:  # fmt: skip
    """A panel a name, at most so many a row, each so high; foot: room beneath a row for its axis."""
    across = min(len(names), most)
    wide = (right - left - GAP * (across - 1)) / across
    above = NAME if any(names) else 0.0
    panels = []
    for i in range(len(names)):
        row, column = divmod(i, across)
        x, y = left + column * (wide + GAP), top + above + row * (high + above + foot)
        panels.append(Panel(x, y, x + wide, y + high, column == 0, i + across >= len(names)))
    return panels


def height(names: Sequence[str], top: float, high: float, foot: float, most: int = 3) -> float:
    """The height that so many panels take, from the top of the canvas."""
    rows = math.ceil(len(names) / min(len(names), most))
    return top + rows * (high + foot + (NAME if any(names) else 0.0))


def name(sheet: Sheet, panel: Panel, text: str) -> None:
    """Writes a panel's name above its left edge."""
    if text:
        sheet.text(panel.left, panel.top - 2.2, fitted(text, panel.right - panel.left, weight=600), weight=600,
                   color=style.INK)  # fmt: skip

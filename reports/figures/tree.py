"""A cluster drawn as a tree: a box per element of each tier, at most two below each, GPUs at the bottom."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports import style
from reports.figures import words
from reports.figures.picture import Tip
from reports.figures.sheet import Sheet, fitted, width
from reports.style import MUTE, RULE, VALUE

Column = tuple[float, float]  # left and right edge of an element, mm
BOX = 4.6  # mm high
FILLS = (style.SKY, style.BLUE, style.NAVY, style.GREEN)  # tiers from the innermost outwards


@dataclass(frozen=True)
class Level:
    """A row of the tree: the name in its boxes and a shorter one, their fill and edges, whether there are more."""

    name: str
    short: str
    fill: str
    columns: tuple[Column, ...]
    more: bool = False

    @property
    def edge(self) -> str:
        """GPUs are outlined: their fill is nearly white."""
        return RULE if self.fill == style.STONE else ""


def levels(tiers: Sequence[tuple[str, float]], gpus: float, left: float, right: float) -> list[Level]:
    """The rows from the outermost tier to the GPUs. tiers: (name, GPUs below one element), innermost first."""
    made: list[Level] = []
    columns: tuple[Column, ...] = ((left, right),)
    above = gpus
    for i, (name, span) in reversed(list(enumerate(tiers))):
        below = max(1.0, min(span, gpus))
        number = 1.0 if not made else max(1.0, above / below)
        columns = tuple(c for column in columns for c in _halves(column, number))
        made.append(Level(name, name, FILLS[min(i, len(FILLS) - 1)], columns, number > 2))
        above = below
    inside = words.number(above, 0)
    name = "GPU" if above == 1 else f"{inside}{words.NB}×{words.NB}GPU"
    boxes = tuple((a + min(1.5, (b - a) * 0.06), b - min(1.5, (b - a) * 0.06)) for a, b in columns)
    return [*made, Level(name, inside, style.STONE, boxes)]


def _halves(column: Column, number: float) -> tuple[Column, ...]:
    """The edges of the elements drawn below one: itself alone, or two, apart enough for dots where there are more."""
    left, right = column
    if number <= 1:
        return (column,)
    gap = max(2.2, min(5.5, (right - left) * 0.1)) if number > 2 else max(1.0, (right - left) * 0.06)
    half = (right - left - gap) / 2
    return (left, left + half), (right - half, right)


def draw_level(sheet: Sheet, level: Level, y: float, tip: Tip) -> None:
    """Draws the boxes of a row, with their name where it fits, and dots between two where there are more."""
    for left, right in level.columns:
        sheet.rectangle(left, y - BOX / 2, right - left, BOX, level.fill, edge=level.edge, line=0.6, tip=tip)
        room = right - left - 0.8
        text = fitted(level.name if width(level.name, VALUE) <= room else level.short, room, VALUE)
        if len(text) > 3 or not text.endswith("…"):
            sheet.text((left + right) / 2, y, text, size=VALUE, color=style.ON[level.fill], align="center")
    for (_, left), (right, _) in zip(level.columns[::2], level.columns[1::2], strict=False):
        if level.more:
            _dots(sheet, (left + right) / 2, y, right - left)


def _dots(sheet: Sheet, x: float, y: float, room: float) -> None:
    step = min(0.9, room / 4)
    for i in (-1, 0, 1):
        sheet.rectangle(x + i * step - 0.17, y - 0.17, 0.34, 0.34, MUTE, z=5)


def draw_wires(sheet: Sheet, parents: Sequence[Column], children: Sequence[Column], top: float, bottom: float) -> None:
    """Draws a line from every element to the one above it."""
    each = max(1, len(children) // max(1, len(parents)))
    for i, (left, right) in enumerate(children):
        parent = parents[i // each]
        x, middle = (left + right) / 2, (parent[0] + parent[1]) / 2
        sheet.line([(middle + (x - middle) * 0.5, top), (x, bottom)], RULE, 0.6, z=1)

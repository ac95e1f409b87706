"""The looks of series in one chart: line color, color of its words, dash and marker, told apart without color."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports import style
from reports.figures.frame import BETWEEN, LEFT
from reports.figures.sheet import LINE, Sheet, width
from reports.style import MUTE, WHITE


@dataclass(frozen=True)
class Look:
    """How one series is drawn."""

    color: str
    words: str
    dash: tuple[float, ...]
    marker: str


LOOKS = (
    Look(style.NAVY, style.NAVY, (), "o"),
    Look(style.RUST, style.RUST, (5, 2), "s"),
    Look(style.SKY, style.SKY_TEXT, (2, 1.4), "^"),
    Look(style.BLUE, style.BLUE, (6, 1.6, 1.4, 1.6), "D"),
    Look(style.AMBER, style.WARN, (1.2, 1.2), "v"),
    Look(style.GREEN, style.PASS, (8, 2, 2, 2), "P"),
)
MEASURED, GAP, BAND, IDEAL = "measured", "infeasible", "band", "ideal"


def key(sheet: Sheet, entries: Sequence[tuple[str, Look | str]], top: float = 2.0, line: bool = True) -> float:
    """Draws samples of the series, and of what hollow and crossed marks mean; returns the center of the last row."""
    x, y = LEFT, top
    for text, look in entries:
        wide = _entry(text)
        if x > LEFT and x + wide > sheet.width:
            x, y = LEFT, y + LINE + 0.6
        _sample(sheet, look, x, y, line)
        sheet.text(x + 6.0, y, text)
        x += wide + BETWEEN
    return y


def rows(entries: Sequence[tuple[str, Look | str]], across: float) -> int:
    """The rows that `key` will take on a canvas so wide."""
    x, count = LEFT, 1
    for text, _ in entries:
        if x > LEFT and x + _entry(text) > across:
            x, count = LEFT, count + 1
        x += _entry(text) + BETWEEN
    return count


def _entry(text: str) -> float:
    return 6.0 + width(text)


def _sample(sheet: Sheet, look: Look | str, x: float, y: float, line: bool) -> None:
    if isinstance(look, Look):
        if line:
            sheet.line([(x, y), (x + 5.0, y)], look.color, 1.5, dash=look.dash)
        sheet.marker(x + 2.5, y, look.marker, look.color)
    elif look == MEASURED:
        sheet.marker(x + 2.5, y, "o", WHITE, edge=style.INK, line=1.0)
    elif look == IDEAL:
        sheet.line([(x, y), (x + 5.0, y)], MUTE, 1.0, dash=(4, 2))
    elif look == BAND:
        sheet.rectangle(x, y - 1.2, 5.0, 2.4, style.tint(style.NAVY, 0.2))
    else:
        sheet.marker(x + 2.5, y, "x", MUTE, edge=MUTE, line=1.0)

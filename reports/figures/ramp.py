"""The sequential scale of heat maps: light is low, dark is high."""

from collections.abc import Sequence

from reports import style
from reports.figures import words
from reports.figures.sheet import Sheet, fitted, width
from reports.style import HEAT, INK, WHITE

STEPS = 24  # patches of the key


class Ramp:
    """Colors for the values of one figure."""

    def __init__(self, values: Sequence[float]) -> None:
        self.low, self.high = min(values, default=0.0), max(values, default=1.0)

    def color(self, value: float) -> str:
        """The color of a value, linear between the stops of the scale."""
        span = self.high - self.low
        return mixed((value - self.low) / span if span > 0 else 0.5)

    def key(self, sheet: Sheet, x: float, y: float, name: str) -> None:
        """Draws the scale with its ends: where cells are too small for their values."""
        places = words.decimals(max(abs(self.low), abs(self.high)), 3)
        low, high = words.number(self.low, places), words.number(self.high, places)
        sheet.text(x, y, low)
        x += width(low) + 1.2
        for i in range(STEPS):
            sheet.rectangle(x + i, y - 1.15, 1.02, 2.3, mixed((i + 0.5) / STEPS))
        x += STEPS + 1.2
        sheet.text(x, y, fitted(f"{high} {name}".strip(), sheet.width - x - 0.5))


def mixed(share: float) -> str:
    """The color at a share from 0 (low) to 1 (high)."""
    at = min(max(share, 0.0), 1.0) * (len(HEAT) - 1)
    i = min(int(at), len(HEAT) - 2)
    pairs = zip(_channels(HEAT[i]), _channels(HEAT[i + 1]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * (at - i)):02X}" for a, b in pairs)


def on(color: str) -> str:
    """The color of text that stands out from a fill."""
    return WHITE if style.lightness(color) < 56 else INK


def _channels(color: str) -> list[int]:
    return [int(color[i : i + 2], 16) for i in (1, 3, 5)]

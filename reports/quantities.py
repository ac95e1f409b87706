"""Numbers as a reader sees them: a value in base units, the unit it is shown in, and how many decimals.

Rounding happens here and nowhere else. Digits are grouped as the document's locale has it (reports/locales.py), the
minus is U+2212, number and unit never separate; a missing value is an en dash, never 0.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import escape

from reports import locales
from reports.units import BINARY, Unit, scaled, unit_of

NBSP, MINUS, MISSING, NOT_APPLICABLE = locales.NBSP, "\u2212", "\u2013", "n/a"
SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
RELATIONS = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠", "<": "<", ">": ">"}


def grouped(text: str) -> str:
    """The digits before the point in groups of three, with the marks of the document's locale; U+2212 for a minus."""
    sign, digits = (MINUS, text[1:]) if text.startswith("-") else ("", text)
    whole, point, rest = digits.partition(".")
    return sign + (locales.marked(f"{int(whole):,}{point}{rest}") if whole.isdigit() else digits)


def fixed(value: float, decimals: int) -> str:
    """The value with that many decimals; what rounds to zero has no sign."""
    text = f"{value:.{decimals}f}"
    return grouped(text[1:] if text.startswith("-") and not float(text) else text)


def telling(values: Iterable[float | None], least: int = 0, most: int = 7) -> int:
    """Decimals with which the smallest of the values that are not 0 has two digits; within the bounds given."""
    smallest = min((abs(v) for v in values if v), default=1.0)
    return min(most, max(least, 1 - math.floor(math.log10(smallest))))


def plain(value: float, digits: int = 6) -> str:
    """The value with at most that many significant digits and no trailing zeros; whole numbers up to 10^15 in full."""
    if value == int(value) and abs(value) < 1e15:
        return grouped(str(int(value)))
    exponent = math.floor(math.log10(abs(value)))
    if -5 <= exponent < digits:
        return grouped(f"{value:.{digits - 1 - exponent}f}".rstrip("0").rstrip("."))
    if 0 <= exponent < 15:
        return grouped(f"{value:.0f}")
    mantissa = f"{value / 10.0**exponent:.3f}".rstrip("0").rstrip(".")
    return f"{grouped(mantissa)}{NBSP}×{NBSP}10{str(exponent).translate(SUPERSCRIPT)}"


@dataclass(frozen=True)
class Quantity:
    """A number with its unit, precision, limit and source: everything the page shows of it."""

    value: float | None
    unit: str = ""
    decimals: int | None = None
    limit: float | None = None
    relation: str = ""
    source: str = ""
    signed: bool = False

    @property
    def display(self) -> Unit:
        return unit_of(self.unit)

    @property
    def missing(self) -> bool:
        return self.value is None or not math.isfinite(self.value)

    def _text(self, value: float) -> str:
        shown = value / self.display.factor
        return plain(shown) if self.decimals is None else fixed(shown, self.decimals)

    @property
    def printed(self) -> float:
        """The value in its unit as it is printed: rounded to its decimals."""
        shown = (self.value or 0.0) / self.display.factor
        return shown if self.decimals is None else float(f"{shown:.{self.decimals}f}")

    def number(self) -> str:
        """The number without its unit; an en dash where it is missing, "+" in front where differences are shown."""
        if self.value is None or not math.isfinite(self.value):
            return MISSING
        text = self._text(self.value)
        plus = self.signed and self.value > 0 and any(c in "123456789" for c in text)
        return f"+{text}" if plus else text

    def text(self) -> str:
        """Number and unit, inseparable: "45.6 days", "–"."""
        return (
            self.number()
            if self.missing or not self.display.name
            else f"{self.number()}{NBSP}{self.display.name.replace(' ', NBSP)}"
        )

    def limit_text(self) -> str:
        """The limit in the same unit: "≤ 60.0"; an en dash where there is none."""
        if self.limit is None:
            return MISSING
        sign = RELATIONS.get(self.relation, "")
        return f"{sign}{NBSP}{self._text(self.limit)}" if sign else self._text(self.limit)

    def shown_as(self, unit: str, decimals: int | None = None) -> "Quantity":
        """The same value in another unit."""
        return replace(self, unit=unit, decimals=decimals)

    def __str__(self) -> str:
        return self.text()

    def __html__(self) -> str:
        """What templates print: the text in a span that never breaks."""
        return f'<span class="q">{escape(self.text())}</span>'


def readable(value: float | None, unit: str | None) -> Quantity:
    """A value that comes in base units, in the unit of its scale that suits it: 8e10 B is 80 GB, 2^36 B is 64 GiB."""
    known = unit_of(unit)
    if value is None:
        return Quantity(None, known.name)
    decimal = Quantity(value, scaled(value, known).name)
    if known.name != "B":
        return decimal
    binary = Quantity(value, scaled(value, known, BINARY).name)
    return binary if len(binary.number()) < len(decimal.number()) else decimal


def in_binary(size: float) -> Quantity:
    """Bytes with one decimal in the binary unit that suits them: 9.3e6 B is 8.9 MiB."""
    return Quantity(size, scaled(size, unit_of("B"), BINARY).name, 1)


def as_written(value: float, unit: str | None, written: str | None) -> Quantity:
    """An input in base units, in the unit it was written in, else in the one that suits it."""
    own = unit_of(written)
    fits = bool(written) and own.base == unit_of(unit).base and (own.factor != 1.0 or abs(value) < 1e6)
    return Quantity(value, own.name) if fits else readable(value, unit)


def legible(quantity: Quantity) -> Quantity:
    """The quantity, in a smaller unit of its scale where its own would print a value that is not 0 as 0."""
    value, decimals = quantity.value, quantity.decimals
    if not value or decimals is None or not math.isfinite(value) or round(value / quantity.display.factor, decimals):
        return quantity
    base = unit_of(BASE_NAMES.get(quantity.display.base, ""))
    smaller = scaled(value, base) if base.base == quantity.display.base else quantity.display
    return replace(quantity, unit=smaller.name, decimals=1 if smaller.factor < quantity.display.factor else None)


BASE_NAMES = {
    "s": "s",
    "B": "B",
    "B/s": "B/s",
    "FLOP/s": "FLOP/s",
    "USD": "$",
    "W": "W",
    "J": "J",
    "kg": "kg",
    "GPU s": "GPU-s",
}

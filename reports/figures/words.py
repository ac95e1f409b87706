"""Numbers and names as figures print them: units, thousands, signs, ellipses, characters the font has."""

import math
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from reports import other_fonts
from reports.locales import NBSP, marked, marks

NB = NBSP  # between a value and its unit
MINUS = "\u2212"
SECONDS = ((1e-6, "µs"), (1e-3, "ms"), (1.0, "s"), (3600.0, "h"), (86400.0, "days"))
BYTES = ((1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB"), (1e15, "PB"))
MEMORY = ((1.0, "B"), (2.0**10, "KiB"), (2.0**20, "MiB"), (2.0**30, "GiB"), (2.0**40, "TiB"))
MONEY = ((1.0, "$"), (1e3, "k$"), (1e6, "M$"), (1e9, "G$"))
TIMES = ((1e-3, "ms"), (1.0, "s"), (60.0, "min"), (3600.0, "h"), (86400.0, "days"))
RATES = ((1.0, "B/s"), (1e3, "kB/s"), (1e6, "MB/s"), (1e9, "GB/s"), (1e12, "TB/s"), (1e15, "PB/s"))
TERA = ((1e9, "GFLOP/s"), (1e12, "TFLOP/s"), (1e15, "PFLOP/s"))
COUNTS = ((1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T"))
LETTERS = {"tensor": "TP", "context": "CP", "pipeline": "PP", "data": "DP", "expert": "EP", "expert_tensor": "ETP"}
WITHIN = ("tensor", "context", "expert", "expert_tensor")  # axes whose communication is within the layers
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def known(value: object) -> float | None:
    """The value as a finite float, or None for what is absent, not a number or infinite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def amount(value: object) -> float:
    """The value as a finite float that is not negative, for lengths of bars; absent counts as 0."""
    return max(0.0, known(value) or 0.0)


def limit(point: Mapping[str, Any], name: str) -> float | None:
    """The limit that a point of the document states for a result, in base units."""
    stated = ((point.get("figures") or {}).get(name) or {}).get("limit")
    return known(stated.get("value") if isinstance(stated, Mapping) else stated)


def number(value: float | None, decimals: int = 1, signed: bool = False) -> str:
    """A number with thousands apart, U+2212 as minus, powers of ten where it is too long; "–" when absent."""
    if value is None or not math.isfinite(value):
        return "–"
    text = marked(f"{abs(value):,.{decimals}f}")
    if abs(value) >= 1e9 or (value != 0 and float(f"{abs(value):.{decimals}f}") == 0 and decimals >= 2):
        mantissa, exponent = f"{abs(value):.1e}".split("e")
        text = power(marked(mantissa), int(exponent))
    zero = not any(c in "123456789" for c in text)
    sign = "" if zero else MINUS if value < 0 else "+" if signed else ""
    return sign + text


def power(mantissa: str, exponent: int) -> str:
    """mantissa × 10^exponent: "3.1×10¹²"; "3.1e−9", since the font has no superscript minus."""
    raised = str(exponent).translate(SUPERSCRIPTS)
    return f"{mantissa}×10{raised}" if exponent >= 0 else f"{mantissa}e{MINUS}{-exponent}"


def rounded(value: float | None, digits: int = 3) -> str:
    """A number with so many significant digits and at most so many decimals less one: 0.94, 3.1, 14.5, 128, 4 096."""
    if value is None or not math.isfinite(value):
        return "–"
    before = max(1, math.floor(math.log10(abs(value))) + 1) if value else 1
    return number(value, max(0, digits - before))


def decimals(top: float, digits: int) -> int:
    """The decimals with which a value as large as top shows so many digits, for all the values of one scale."""
    return max(0, min(digits - 1, digits - 1 - math.floor(math.log10(top)))) if top > 0 else 0


def plain(value: float | None, digits: int = 3) -> str:
    """As rounded, without zeros that say nothing: 12, 3.09, 450."""
    text, point = rounded(value, digits), marks().point
    return text.rstrip("0").rstrip(point) if point in text and "×" not in text else text


def percent(share: float | None, decimals: int = 1, signed: bool = False) -> str:
    """A share of 1 as percent, with the sign after a no-break space."""
    value = None if share is None else 100 * share
    return f"{number(value, decimals, signed)}{NB}%"


def unit(values: Iterable[float], ladder: tuple[tuple[float, str], ...]) -> tuple[float, str]:
    """The rung (size, name) of a ladder of units in which the largest value is at least 1.5, else the lowest."""
    top = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    if top == 0:
        return next((rung for rung in ladder if rung[0] == 1.0), ladder[0])
    fitting = [rung for rung in ladder if top >= 1.5 * rung[0] or (rung[0] == 1.0 and top >= 1.0)]
    return fitting[-1] if fitting else ladder[0]


def quantity(value: float | None, ladder: tuple[tuple[float, str], ...], digits: int = 3) -> str:
    """A value in the unit that suits it, with the unit: 26.8 min, 450 GB/s (the ladder names the units)."""
    if value is None or not math.isfinite(value):
        return "–"
    size, name = unit([value], ladder)
    return f"{plain(value / size, digits)}{NB}{name}"


def clean(text: str) -> str:
    """The text as a page would show it: accents composed, runs of spaces and control characters one space."""
    text = unicodedata.normalize("NFC", text)
    kinds = ((c, unicodedata.category(c)) for c in text)
    text = "".join(" " if kind in ("Cc", "Zs") and c != NB else "?" if kind in ("Cs", "Cn") else c for c, kind in kinds)
    return " ".join(part for part in text.split(" ") if part) if text.strip() else ""


def printable(text: str) -> str:
    """The clean text with what no font here can draw as "?": a missing glyph would be a box, in silence."""
    return "".join(c if other_fonts.drawable(c) else "?" for c in clean(text))


def shown_of(shown: int, of: int, things: str, why: str = "") -> str:
    """The sentence that says a figure leaves something out; empty when it does not."""
    return "" if shown >= of else f"Shown: {shown} of {number(of, 0)} {things}{why}."

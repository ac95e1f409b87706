"""Quantities in the reader's words: what the schema's words mean, and the units that people read a dimension in."""

from functools import cache

from dsl.units import BYTE, DOLLAR, FLOP, JOULE, KILOGRAM, NONE, RATE, SECOND, WATT, Dimension, plus, scale

# What the schema's words mean: dimension, tag, and the units a person would use.
HOLDS: dict[str, tuple[Dimension, str, str]] = {
    "number": (NONE, "", ""),
    "share": (NONE, "", "%"),
    "ratio": (NONE, "", ""),
    "bytes": (BYTE, "", "GB, GiB, MB …"),
    "bytes/s": (plus(BYTE, SECOND, -1), "", "GB/s, TB/s or Gb/s"),
    "flop": (FLOP, "", "TFLOP, PFLOP …"),
    "flop/s": (RATE, "", "TFLOPS, PFLOPS …"),
    "seconds": (SECOND, "", "us, ms, s, minutes, hours, days"),
    "gpu-seconds": (SECOND, "gpus", "gpu-hours"),
    "usd": (DOLLAR, "", "$, as in $3k or $12M"),
    "usd/s": (plus(DOLLAR, SECOND, -1), "", "$/hour or $/gpu-hour"),
    "usd/joule": (plus(DOLLAR, JOULE, -1), "", "$/kWh"),
    "watts": (WATT, "", "W, kW, MW"),
    "joules": (JOULE, "", "kWh, MWh"),
    "kg": (KILOGRAM, "", "kg, t"),
    "kg/joule": (plus(KILOGRAM, JOULE, -1), "", "kgCO2/kWh"),
    "gpus": (NONE, "gpus", "gpus"),
    "nodes": (NONE, "nodes", "nodes"),
    "tokens": (NONE, "tokens", "tokens"),
    "sequences": (NONE, "sequences", "sequences"),
    "layers": (NONE, "layers", "layers"),
    "steps": (NONE, "steps", "steps"),
}


_PARTS = {
    "byte": BYTE,
    "flop": FLOP,
    "s": SECOND,
    "second": SECOND,
    "usd": DOLLAR,
    "joule": JOULE,
    "watt": WATT,
    "kg": KILOGRAM,
}


@cache
def dimension(name: str) -> Dimension:
    """The dimension behind a name of the schema or of a result, such as "bytes/s"; counts have none."""
    if name in HOLDS:
        return HOLDS[name][0]
    first, *below = name.split("/")
    total = _part(first)
    for word in below:
        total = plus(total, _part(word), -1)
    return total


def _part(word: str) -> Dimension:
    return _PARTS.get(word) or _PARTS.get(word.removesuffix("s"), NONE)


# How people read a dimension where no unit was written: the usual unit, and those to choose from by size.
_DISPLAY: tuple[tuple[Dimension, str, tuple[str, ...]], ...] = (
    (BYTE, "GB", ("TB", "GB", "MB", "kB", "bytes")),
    (plus(BYTE, SECOND, -1), "GB/s", ("TB/s", "GB/s", "MB/s")),
    (FLOP, "TFLOP", ("EFLOP", "PFLOP", "TFLOP", "GFLOP")),
    (RATE, "TFLOPS", ("PFLOPS", "TFLOPS", "GFLOPS")),
    (SECOND, "s", ("days", "hours", "minutes", "s", "ms", "us")),
    (DOLLAR, "$", ("$M", "$")),
    (plus(DOLLAR, SECOND, -1), "$/hour", ("$/hour",)),
    (plus(DOLLAR, JOULE, -1), "$/kWh", ("$/kWh",)),
    (JOULE, "MWh", ("GWh", "MWh", "kWh", "J")),
    (WATT, "kW", ("MW", "kW", "W")),
    (KILOGRAM, "t", ("t", "kg")),
    (plus(KILOGRAM, JOULE, -1), "kgCO2/kWh", ("kgCO2/kWh",)),
)


def display_unit(dimension: Dimension, value: float | None = None) -> str:
    """The unit to show a value of this dimension in: the largest that gives at least one; "" for plain numbers."""
    for own, usual, units in _DISPLAY:
        if own == dimension:
            return next((u for u in units if abs(value) >= scale(u)), units[-1]) if value else usual
    return ""


def in_words(dimension: Dimension) -> str:
    """A dimension in the reader's words: "bytes per second"."""
    names = ("bytes", "FLOP", "seconds", "dollars", "joules", "kg")
    known = {WATT: "watts", RATE: "FLOP/s", NONE: "a plain number"}
    if dimension in known:
        return known[dimension]
    over = [f"{n}^{e}" if e > 1 else n for n, e in zip(names, dimension, strict=True) if e > 0]
    under = [
        f"{n.rstrip('s')}^{-e}" if e < -1 else n.removesuffix("s")
        for n, e in zip(names, dimension, strict=True)
        if e < 0
    ]
    return " x ".join(over or ["1"]) + "".join(f" per {u}" for u in under)

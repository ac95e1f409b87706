"""From values to millimeters: linear and logarithmic scales with round ticks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reports.figures import words

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    """Values low..high laid on start..end (mm); logarithmic where log."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """The place of a value, in mm; a value outside low..high lies outside start..end."""
        low, high, value = (self._place(v) for v in (self.low, self.high, value))
        return self.start + (self.end - self.start) * (value - low) / (high - low)

    def inside(self, value: float) -> float:
        """The place of a value, held within start..end."""
        return self.at(min(max(value, self.low), self.high))

    def _place(self, value: float) -> float:
        return math.log10(max(value, 1e-300)) if self.log else value

    def ticks(self, most: int = 7) -> tuple[float, ...]:
        """Round values within low..high, at most so many."""
        return decades(self.low, self.high, most) if self.log else steps(self.low, self.high, most)


def steps(low: float, high: float, most: int = 7) -> tuple[float, ...]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten within low..high, at most so many."""
    span = high - low
    power = 10.0 ** math.floor(math.log10(span / most))
    for factor in (*STEPS, 20.0, 25.0, 50.0, 100.0):
        step = factor * power
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            return tuple(i * step for i in range(first, last + 1))
    return (low, high)


def decades(low: float, high: float, most: int = 7) -> tuple[float, ...]:
    """Powers of ten within low..high; 1, 2, 5 times them where they are few, every nth where they are many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for factors in ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,)):
        found = [f * 10.0**e for e in range(first, last + 1) for f in factors]
        found = [v for v in found if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]
        if len(found) <= most:
            return tuple(found)
    every = math.ceil(len(found) / most)
    return tuple(v for v in found if round(math.log10(v)) % every == 0)


def labels(ticks: Sequence[float]) -> tuple[str, ...]:
    """The ticks in print, with the decimals that tell them apart and none more."""
    top = max((abs(t) for t in ticks), default=0.0)
    for decimals in range(4):
        if all(abs(round(t, decimals) - t) <= 1e-6 * max(top, abs(t)) for t in ticks):
            return tuple(words.number(t, decimals) for t in ticks)
    return tuple(words.number(t, 4) for t in ticks)


def log_labels(ticks: Sequence[float]) -> tuple[str, ...]:
    """The ticks of a logarithmic axis: each with its own decimals, as powers of ten far from 1."""
    return tuple(_log_label(t) for t in ticks)


def _log_label(tick: float) -> str:
    power = math.floor(math.log10(tick) + 1e-9)
    if -4 < power < 6:
        return words.number(tick, max(0, -power))
    mantissa = words.plain(tick / 10.0**power)
    return words.power(mantissa, power).removeprefix("1×")


def linear(values: Sequence[float], start: float, end: float, headroom: float = 1.0) -> Scale:
    """A scale from zero to the largest value (times headroom); to 1 where all are zero."""
    top = max((v for v in values if math.isfinite(v)), default=0.0) * headroom
    return Scale(0.0, top if top > 0 else 1.0, start, end)

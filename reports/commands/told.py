"""A value as one would write it in a scenario, for lines on the terminal. Imports no numpy."""

from typing import Any

from dsl.units import scale, shown


def told(value: Any, unit: str) -> str:
    """A value in base units in the unit that it is compared in, to four digits, as one would write it in a scenario."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number:
        return "unknown" if value is None else str(value)
    size = scale(unit)
    return shown(float(f"{value / size:.4g}") * size, unit)

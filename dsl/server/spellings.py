"""The units that one would type after a number, by what a setting holds."""

from functools import cache

from dsl.quantities import HOLDS, dimension, display_unit
from dsl.units import NONE, UNITS, Unit, find

BELOW = ("s", "hour", "gpu-hour", "day", "kWh", "MWh", "token", "Mtoken")  # what people divide by


@cache
def spellings(holds: str) -> list[str]:
    """Units for what the schema calls ``holds``, the usual one first; all units where it says nothing."""
    if not holds:
        return list(UNITS)
    size = dimension(holds)
    tag = HOLDS[holds][1] if holds in HOLDS else ""
    found = [
        s for s, unit in UNITS.items() if fits(unit, holds) or (tag and unit.tag == tag and unit.dimension == size)
    ]
    if size != NONE and not tag:
        found += [f"{a}/{b}" for a in UNITS for b in BELOW if _compound(a, b, holds)]
    usual = display_unit(size)
    return sorted(found, key=lambda s: s != usual)


def fits(unit: Unit, holds: str) -> bool:
    """Whether a plain unit measures what a setting holds."""
    if dimension(holds) == NONE:
        return holds == "share" and unit.scale == 0.01
    return unit.dimension == dimension(holds) and not unit.tag


def _compound(over: str, under: str, holds: str) -> bool:
    unit = find(f"{over}/{under}")
    rate = "s" if UNITS[over].dimension != UNITS["$"].dimension else ""
    return isinstance(unit, Unit) and unit.dimension == dimension(holds) and (not rate or under in ("s", "kWh", "MWh"))

"""The units that one would type after a number, by what a setting holds."""

from functools import cache

from dsl.quantities import HOLDS, dimension, display_unit
from dsl.units import NONE, UNITS

# Units with a slash that people use; any other combination can be typed as well.
COMPOUND = {
    "bytes/s": ("GB/s", "TB/s", "MB/s", "GiB/s", "Gb/s", "Tb/s"),
    "flop/s": ("TFLOP/s",),
    "usd/s": ("$/hour", "$/gpu-hour", "$/day"),
    "usd/joule": ("$/kWh", "$/MWh"),
    "usd/token": ("$/Mtoken", "$/token"),
    "kg/joule": ("kgCO2/kWh", "gCO2/kWh"),
    "tokens/s": ("tokens/s", "ktokens/s", "Mtokens/s"),
}


@cache
def spellings(holds: str) -> tuple[str, ...]:
    """Units for what the schema calls ``holds``, the usual one first; all units where it says nothing."""
    if not holds:
        return (*UNITS, *(s for found in COMPOUND.values() for s in found))
    tag, usual = _tag(holds), display_unit(dimension(holds))
    found = [*COMPOUND.get(holds, ()), *(s for s in UNITS if fits(s, holds))]
    return tuple(sorted(found, key=lambda s: (UNITS[s].tag != tag if s in UNITS else False, s != usual)))


def fits(spelling: str, holds: str) -> bool:
    """Whether a unit of the table measures what a setting holds: shares in %, counts by their tag."""
    unit, size, tag = UNITS[spelling], dimension(holds), _tag(holds)
    if size == NONE and not tag:
        return holds == "share" and spelling == "%"
    return unit.dimension == size and unit.tag in ({tag} if size == NONE else {"", tag})


def _tag(holds: str) -> str:
    """What a setting counts, "" where it counts nothing."""
    return HOLDS[holds][1] if holds in HOLDS else ""

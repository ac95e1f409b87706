"""Display units of the reports: each divides a base value by its factor.

Legend: base units are those of the JSON document (s, B, B/s, FLOP/s, USD, USD/s, J, W, plain ratios, counts).
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Unit:
    """A display unit: shown value = base value / factor."""

    name: str
    factor: float
    base: str


def _rows(base: str, **factors: float) -> tuple[Unit, ...]:
    return tuple(Unit(name.replace("_per_", "/").replace("_", " "), factor, base) for name, factor in factors.items())


HOUR, KWH = 3600.0, 3.6e6
_ALL = (
    Unit("µs", 1e-6, "s"),
    *_rows("s", ms=1e-3, s=1.0, min=60.0, h=HOUR, days=86400.0, years=365 * 86400.0),
    *_rows("B", B=1.0, kB=1e3, MB=1e6, GB=1e9, TB=1e12, PB=1e15, KiB=2.0**10, MiB=2.0**20, GiB=2.0**30, TiB=2.0**40),
    *_rows(
        "B/s",
        B_per_s=1.0,
        MB_per_s=1e6,
        GB_per_s=1e9,
        TB_per_s=1e12,
        GiB_per_s=2.0**30,
        Gb_per_s=1e9 / 8,
        Tb_per_s=1e12 / 8,
    ),
    *_rows("FLOP/s", FLOP_per_s=1.0, GFLOP_per_s=1e9, TFLOP_per_s=1e12, PFLOP_per_s=1e15, EFLOP_per_s=1e18),
    *_rows("FLOP", FLOP=1.0, GFLOP=1e9, TFLOP=1e12, PFLOP=1e15, EFLOP=1e18, ZFLOP=1e21),
    Unit("$", 1.0, "USD"),
    Unit("k$", 1e3, "USD"),
    Unit("M$", 1e6, "USD"),
    Unit("$/M tokens", 1e-6, "USD/token"),
    Unit("$/B tokens", 1e-9, "USD/token"),
    Unit("$/T tokens", 1e-12, "USD/token"),
    Unit("$/h", 1 / HOUR, "USD/s"),
    Unit("$/GPU-h", 1 / HOUR, "USD/s"),
    Unit("$/kWh", 1 / KWH, "USD/J"),
    Unit("$/MWh", 1e-3 / KWH, "USD/J"),
    *_rows("W", W=1.0, kW=1e3, MW=1e6),
    *_rows("J", J=1.0, kWh=KWH, MWh=1e3 * KWH, GWh=1e6 * KWH),
    *_rows("kg", kg=1.0, t=1e3),
    Unit("g/kWh", 1e-3 / KWH, "kg/J"),
    Unit("kg/kWh", 1 / KWH, "kg/J"),
    Unit("", 1.0, "1"),
    Unit("%", 0.01, "1"),
    Unit("points", 0.01, "1"),
    Unit("M", 1e6, "1"),
    Unit("G", 1e9, "1"),
    Unit("×", 1.0, "1"),
    *_rows("parameters", parameters=1.0, M_parameters=1e6, B_parameters=1e9, T_parameters=1e12),
    *_rows("tokens", tokens=1.0, M_tokens=1e6, B_tokens=1e9, T_tokens=1e12),
    *_rows("tokens/s", tokens_per_s=1.0, k_tokens_per_s=1e3, M_tokens_per_s=1e6),
    Unit("GPU-s", 1.0, "GPU s"),
    Unit("GPU-h", HOUR, "GPU s"),
    Unit("k GPU-h", 1e3 * HOUR, "GPU s"),
    Unit("M GPU-h", 1e6 * HOUR, "GPU s"),
    *_rows("gpus", GPUs=1.0),
    *_rows("nodes", nodes=1.0),
    *_rows("sequences", sequences=1.0),
    *_rows("layers", layers=1.0),
    *_rows("steps", steps=1.0),
)
UNITS: dict[str, Unit] = {unit.name: unit for unit in _ALL}

# Spellings of the scenario language and names of dimensions (dsl/kinds.py) for the same units.
ALIASES: dict[str, str] = {
    "bytes": "B",
    "byte": "B",
    "bytes/s": "B/s",
    "flop": "FLOP",
    "flop/s": "FLOP/s",
    "FLOPS": "FLOP/s",
    "GFLOPS": "GFLOP/s",
    "TFLOPS": "TFLOP/s",
    "PFLOPS": "PFLOP/s",
    "seconds": "s",
    "second": "s",
    "us": "µs",
    "minutes": "min",
    "minute": "min",
    "hours": "h",
    "hour": "h",
    "day": "days",
    "d": "days",
    "year": "years",
    "usd": "$",
    "USD": "$",
    "$M": "M$",
    "$k": "k$",
    "$/gpu-hour": "$/GPU-h",
    "usd/gpu-hour": "$/GPU-h",
    "$/hour": "$/h",
    "usd/s": "$/h",
    "USD/s": "$/h",
    "usd/joule": "$/kWh",
    "watts": "W",
    "joules": "J",
    "kg/joule": "g/kWh",
    "share": "%",
    "ratio": "",
    "number": "",
    "gpus": "GPUs",
    "gpu": "GPUs",
    "gpu-hours": "GPU-h",
    "tokens/second": "tokens/s",
    "1": "",
    "$/Mtoken": "$/M tokens",
    "GPU-hours": "GPU-h",
    "sequence": "sequences",
    "layer": "layers",
    "node": "nodes",
}

# Scales to choose from where a value comes in base units and nobody said how to show it, smallest first.
SCALES: dict[str, tuple[str, ...]] = {
    "B": ("B", "kB", "MB", "GB", "TB", "PB"),
    "B/s": ("B/s", "MB/s", "GB/s", "TB/s"),
    "FLOP/s": ("FLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"),
    "FLOP": ("FLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP", "ZFLOP"),
    "s": ("µs", "ms", "s", "min", "h", "days"),
    "USD": ("$", "k$", "M$"),
    "W": ("W", "kW", "MW"),
    "J": ("J", "kWh", "MWh", "GWh"),
    "tokens": ("tokens", "M tokens", "B tokens", "T tokens"),
}


def unit_of(name: str | None) -> Unit:
    """The unit of that name or spelling; an unknown one stands for itself with factor 1."""
    name = name or ""
    known = UNITS.get(ALIASES.get(name, name))
    return known if known else Unit(name, 1.0, name)


BINARY = {"B": ("B", "KiB", "MiB", "GiB", "TiB")}


def scaled(value: float, unit: Unit, scales: Mapping[str, tuple[str, ...]] = SCALES) -> Unit:
    """The largest unit of the same scale in which the value is at least 1."""
    names = scales.get(unit.base, ()) if unit.factor == 1.0 else ()
    fitting = [UNITS[name] for name in names if abs(value) >= UNITS[name].factor]
    return fitting[-1] if fitting else unit

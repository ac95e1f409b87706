"""The unit table: every spelling, what it means in base units, and the spellings that are refused.

Base units are bytes, FLOP, seconds, US dollars, joules and kilograms (of CO2 equivalent). Counts
(GPUs, nodes, tokens, sequences, layers, steps, parameters) have no dimension, only a tag that is checked on
assignment; otherwise gpus x hours x $/gpu-hour would need ceremony.
"""

import re
from functools import cache
from typing import NamedTuple

from dsl.problems import nearest

# Exponents of byte, FLOP, second, dollar, joule, kilogram.
Dimension = tuple[int, int, int, int, int, int]

NONE: Dimension = (0, 0, 0, 0, 0, 0)
BYTE: Dimension = (1, 0, 0, 0, 0, 0)
FLOP: Dimension = (0, 1, 0, 0, 0, 0)
SECOND: Dimension = (0, 0, 1, 0, 0, 0)
DOLLAR: Dimension = (0, 0, 0, 1, 0, 0)
JOULE: Dimension = (0, 0, 0, 0, 1, 0)
KILOGRAM: Dimension = (0, 0, 0, 0, 0, 1)
WATT: Dimension = (0, 0, -1, 0, 1, 0)
RATE: Dimension = (0, 1, -1, 0, 0, 0)

COUNTS = ("gpus", "nodes", "tokens", "sequences", "layers", "steps", "parameters")


class Unit(NamedTuple):
    """``over / under`` base units; ``tag`` counts what, ``per`` for each of what."""

    over: int
    under: int
    dimension: Dimension
    tag: str = ""
    per: str = ""

    @property
    def scale(self) -> float:
        return self.over / self.under


class Refusal(NamedTuple):
    """A spelling that is not a unit, and what to write instead."""

    help: str


def plus(a: Dimension, b: Dimension, sign: int = 1) -> Dimension:
    """The dimension of a product (sign 1) or quotient (sign -1)."""
    return (
        a[0] + sign * b[0],
        a[1] + sign * b[1],
        a[2] + sign * b[2],
        a[3] + sign * b[3],
        a[4] + sign * b[4],
        a[5] + sign * b[5],
    )


_K, _M, _G, _T, _P, _E, _Z = (1000**n for n in range(1, 8))
_HOUR, _DAY = 3600, 86_400

# dimension, {spelling: (over, under)}; one row a spelling, no prefix machinery.
_ROWS: tuple[tuple[Dimension, dict[str, tuple[int, int]]], ...] = (
    (
        BYTE,
        {
            "byte": (1, 1),
            "bytes": (1, 1),
            "kB": (_K, 1),
            "MB": (_M, 1),
            "GB": (_G, 1),
            "TB": (_T, 1),
            "PB": (_P, 1),
            "EB": (_E, 1),
            "KiB": (2**10, 1),
            "MiB": (2**20, 1),
            "GiB": (2**30, 1),
            "TiB": (2**40, 1),
            "PiB": (2**50, 1),
            "bit": (1, 8),
            "bits": (1, 8),
            "Mb": (_M, 8),
            "Gb": (_G, 8),
            "Tb": (_T, 8),
        },
    ),
    (
        FLOP,
        {
            "FLOP": (1, 1),
            "MFLOP": (_M, 1),
            "GFLOP": (_G, 1),
            "TFLOP": (_T, 1),
            "PFLOP": (_P, 1),
            "EFLOP": (_E, 1),
            "ZFLOP": (_Z, 1),
        },
    ),
    (
        RATE,
        {
            "FLOPS": (1, 1),
            "MFLOPS": (_M, 1),
            "GFLOPS": (_G, 1),
            "TFLOPS": (_T, 1),
            "PFLOPS": (_P, 1),
            "EFLOPS": (_E, 1),
            "ZFLOPS": (_Z, 1),
        },
    ),
    (
        SECOND,
        {
            "ns": (1, _G),
            "us": (1, _M),
            "µs": (1, _M),
            "ms": (1, _K),
            "s": (1, 1),
            "second": (1, 1),
            "seconds": (1, 1),
            "min": (60, 1),
            "minute": (60, 1),
            "minutes": (60, 1),
            "h": (_HOUR, 1),
            "hour": (_HOUR, 1),
            "hours": (_HOUR, 1),
            "day": (_DAY, 1),
            "days": (_DAY, 1),
            "week": (7 * _DAY, 1),
            "weeks": (7 * _DAY, 1),
        },
    ),
    (DOLLAR, {"$": (1, 1), "$k": (_K, 1), "$M": (_M, 1), "$B": (_G, 1), "$T": (_T, 1)}),
    (
        JOULE,
        {
            "J": (1, 1),
            "kJ": (_K, 1),
            "MJ": (_M, 1),
            "GJ": (_G, 1),
            "pJ": (1, _T),
            "Wh": (_HOUR, 1),
            "kWh": (_HOUR * _K, 1),
            "MWh": (_HOUR * _M, 1),
            "GWh": (_HOUR * _G, 1),
            "TWh": (_HOUR * _T, 1),
        },
    ),
    (WATT, {"W": (1, 1), "kW": (_K, 1), "MW": (_M, 1), "GW": (_G, 1)}),
    (
        KILOGRAM,
        {
            "g": (1, _K),
            "kg": (1, 1),
            "t": (_K, 1),
            "kt": (_M, 1),
            "gCO2": (1, _K),
            "kgCO2": (1, 1),
            "tCO2": (_K, 1),
            "ktCO2": (_M, 1),
            "gCO2e": (1, _K),
            "kgCO2e": (1, 1),
            "tCO2e": (_K, 1),
            "ktCO2e": (_M, 1),
        },
    ),
    (NONE, {"%": (1, 100)}),
)

# tag, {spelling: size}
_COUNTED: tuple[tuple[str, dict[str, int]], ...] = (
    ("gpus", {"gpu": 1, "gpus": 1, "GPU": 1, "GPUs": 1}),
    ("nodes", {"node": 1, "nodes": 1}),
    (
        "tokens",
        {
            "token": 1,
            "tokens": 1,
            "ktoken": _K,
            "ktokens": _K,
            "Mtoken": _M,
            "Mtokens": _M,
            "Btoken": _G,
            "Btokens": _G,
            "Ttoken": _T,
            "Ttokens": _T,
        },
    ),
    ("sequences", {"sequence": 1, "sequences": 1}),
    ("layers", {"layer": 1, "layers": 1}),
    ("steps", {"step": 1, "steps": 1}),
    ("parameters", {"parameter": 1, "parameters": 1}),
)

_GPU_TIME = {
    f"{gpu}-{time}": scale
    for gpu in ("gpu", "GPU", "node")
    for time, scale in (("second", 1), ("seconds", 1), ("hour", _HOUR), ("hours", _HOUR), ("day", _DAY), ("days", _DAY))
}

UNITS: dict[str, Unit] = {
    **{s: Unit(*scale, dimension) for dimension, spellings in _ROWS for s, scale in spellings.items()},
    **{s: Unit(size, 1, NONE, tag) for tag, spellings in _COUNTED for s, size in spellings.items()},
    **{s: Unit(scale, 1, SECOND, "nodes" if s.startswith("node") else "gpus") for s, scale in _GPU_TIME.items()},
}

_GLUE = "count suffixes touch their number: 15T tokens, 8k, 16Mi tokens"
_CALENDAR = "months and years differ in length: write days or hours (30 days, 365 days)"


def _rows(spellings: str, help: str) -> dict[str, Refusal]:
    return dict.fromkeys(spellings.split(), Refusal(help))


REFUSED: dict[str, Refusal] = {
    "B": Refusal("`B` after a space could be bytes or billions; write `bytes`, or glue it (`80B`) for billions"),
    **_rows("k K M G T P Ki Mi Gi Ti", _GLUE),
    **_rows("gb", "write GB (bytes) or Gb (bits)"),
    **_rows("mb", "write MB (bytes) or Mb (bits)"),
    **_rows("tb", "write TB (bytes) or Tb (bits)"),
    **_rows("kb KB Kb", "write kB (1,000 bytes) or KiB (1,024 bytes)"),
    **_rows("Gib gib", "write GiB (bytes) or Gb (bits)"),
    **_rows("Mib mib", "write MiB (bytes) or Mb (bits)"),
    **_rows("Tib tib", "write TiB (bytes) or Tb (bits)"),
    **_rows("kib Kib", "write KiB"),
    **_rows("b", "write bits or bytes"),
    **_rows("Gbps gbps", "write Gb/s (bits) or GB/s (bytes)"),
    **_rows("Mbps mbps", "write Mb/s (bits) or MB/s (bytes)"),
    **_rows("Tbps tbps", "write Tb/s (bits) or TB/s (bytes)"),
    **_rows("GBps GBPS", "write GB/s"),
    **_rows("MBps MBPS", "write MB/s"),
    **_rows("TBps TBPS", "write TB/s"),
    **_rows("Gbit Gbits gigabit gigabits", "write Gb"),
    **_rows("Tbit Tbits", "write Tb"),
    **_rows("Mbit Mbits", "write Mb"),
    **{
        f"{p}FLOPs": Refusal(f"write {p}FLOPS for a rate (per second) or {p}FLOP for a count")
        for p in ("", "M", "G", "T", "P", "E", "Z")
    },
    **{
        f"{p}FLOPs".lower(): Refusal(f"write {p}FLOPS for a rate (per second) or {p}FLOP for a count")
        for p in ("", "G", "T", "P", "E")
    },
    **{
        f"{p}Flops": Refusal(f"write {p}FLOPS for a rate (per second) or {p}FLOP for a count")
        for p in ("", "G", "T", "P", "E")
    },
    **{
        f"{p}Flop": Refusal(f"write {p}FLOPS for a rate (per second) or {p}FLOP for a count")
        for p in ("", "G", "T", "P", "E")
    },
    **_rows("teraflops teraflop", "write TFLOPS for a rate (per second) or TFLOP for a count"),
    **_rows("petaflops petaflop", "write PFLOPS for a rate (per second) or PFLOP for a count"),
    **_rows("month months mo year years yr yrs", _CALENDAR),
    **_rows("gpu-year gpu-years GPU-year", _CALENDAR),
    **_rows("sec secs S", "write s or seconds"),
    **_rows("mins", "write minutes"),
    **_rows("hr hrs H", "write hours"),
    **_rows("d", "write days"),
    **_rows("msec", "write ms"),
    **_rows("usec", "write us"),
    **_rows("w watt watts Watt Watts", "write W"),
    **_rows("kw KW Kw", "write kW"),
    **_rows("mw mW", "write MW"),
    **_rows("kwh KWh KWH kWH", "write kWh"),
    **_rows("mwh mWh MWH", "write MWh"),
    **_rows("USD usd dollar dollars Dollars", "write the sign before the number: $2.10"),
    **_rows("EUR GBP CNY JPY", "amounts are in US dollars; a report's `currency` and `rate` print another one"),
    **_rows("percent pct", "write %"),
    **_rows("seq seqs samples", "write sequences"),
    **_rows("tok toks", "write tokens"),
    **_rows("ton tons tonne tonnes", "write t (1,000 kg)"),
    **_rows("chips chip accelerators TPUs tpus", "write gpus"),
}


@cache
def find(spelling: str) -> Unit | Refusal:
    """The unit that a spelling such as GB/s or $/gpu-hour means, or why it means none."""
    if spelling in UNITS:
        return UNITS[spelling]
    if spelling in REFUSED:
        return REFUSED[spelling]
    first, *below = spelling.split("/")
    unit = _word(first, spelling)
    for word in below:
        if isinstance(unit, Refusal):
            return unit
        under = _word(word, spelling)
        if isinstance(under, Refusal):
            return under
        per = under.tag or unit.per
        unit = Unit(
            unit.over * under.under, unit.under * under.over, plus(unit.dimension, under.dimension, -1), unit.tag, per
        )
    return unit


def _word(word: str, whole: str) -> Unit | Refusal:
    """The unit of one word of a compound; a refusal speaks of the whole."""
    if word in UNITS:
        return UNITS[word]
    if word in REFUSED:
        meant = re.match(r"write (\S+)", REFUSED[word].help)  # TB/sec is TB/s, not s
        ours = meant.group(1) if meant else ""
        return Refusal(f"write {whole.replace(word, ours)}") if ours in UNITS and word != whole else REFUSED[word]
    first, slash, rest = whole.partition("/")
    near = nearest(word, UNITS, 0.75)
    if near is None and slash and word == rest and first in UNITS:
        return Refusal(f"glued, this is one unit; to divide write `{first} / {rest}`")
    dashed = word.split("-")
    if near is None and len(dashed) > 1 and dashed[0] in UNITS:
        return Refusal(f"glued, this is one unit; to subtract write `{' - '.join(dashed)}`")
    return Refusal(f"did you mean `{whole.replace(word, near)}`?" if near else "")


def scale(unit: str) -> float:
    """How many base units one ``unit`` is; 1 where the spelling is no unit."""
    found = find(unit) if unit else None
    return found.scale if isinstance(found, Unit) else 1.0


def number(value: float) -> str:
    """A number as people write it in a scenario: 24_576, 0.14, 1.5e-07."""
    if abs(value) < 1e15 and value == int(value):
        return f"{int(value):_}"
    return f"{value:.6g}"


def in_prose(value: float) -> str:
    """A number as a sentence has it, a no-break space between thousands."""
    return number(value).replace("_", "\u00a0")


def shown(value: float, unit: str) -> str:
    """A value in base units as text in ``unit``: 78.2 GiB, 35%, $12M."""
    amount = number(value if scale(unit) == 1 else float(f"{value / scale(unit):.6g}"))
    if unit == "%":
        return f"{amount}%"
    if unit.startswith("$"):
        head, slash, below = unit.partition("/")
        return f"${amount}{head[1:]}{slash}{below}".replace("$-", "-$")
    if amount != "1" and f"{unit}s".lower() in COUNTS:
        unit += "s"
    return f"{amount} {unit}".rstrip()

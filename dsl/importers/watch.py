"""Readings of the machine itself: BabelStream's rates, nvidia-smi and rocm-smi tables, ipmitool's power."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from dsl.importers.text import LOOKED, Lines, lines_of
from dsl.limits import LOG_LINE
from dsl.problems import Problem, Span

UNITS = {"MIB": 2.0**20, "GIB": 2.0**30, "KIB": 2.0**10, "B": 1.0, "W": 1.0, "MW": 1e-3, "": 1.0}
FIGURE = r"([0-9]{1,18}(?:\.[0-9]*)?)(?![\w.])"  # one number; a version as 1.2.3 is none
TRIAD = re.compile(rf"^\s*Triad(?!,\d+,\d+,\d+,)[\s,]+{FIGURE}")
COUNTED = re.compile(rf"^\s*Triad,\d+,\d+,\d+,{FIGURE}")  # --csv: times, elements and bytes of one come first
RATE = re.compile(r"\b(M|G)(i?)Bytes/sec|max_(m|g)(i?)bytes_per_sec", re.IGNORECASE)
NODE = re.compile(rf"(Instantaneous power reading|Average power reading[^:]{{0,80}}):\s*{FIGURE}\s*Watts")
# Columns of the tables by what they hold; a reading that is no number ([N/A]) is passed over.
COLUMNS = (
    ("memory_per_gpu", re.compile(r"memory\.used|VRAM Total Used Memory", re.IGNORECASE)),
    ("power_limit", re.compile(r"power\.limit|Max Graphics Package Power", re.IGNORECASE)),
)
CELL = re.compile(rf"^{FIGURE}\s*([A-Za-z]*)$")
UNIT = re.compile(r"[\[(]([A-Za-z]+)[\])]$")
LOWEST = ("power_limit", "triad")  # of several readings the lowest counts; of the others the highest


class Reading(NamedTuple):
    """One reading: of what, in base units, and the line it stands in."""

    test: str
    value: float
    line: int


def detects(text: str) -> bool:
    """Whether a text looks like one of them."""
    lines = text.splitlines()
    return any(p.search(line) for line in lines for p in (TRIAD, COUNTED, NODE)) or bool(header(text))


def header(text: str) -> str:
    """The line of column names of a table, empty where there is none."""
    first = (line[:LOG_LINE] for line in text.splitlines()[:50] if "," in line)
    return next((line for line in first if any(pattern.search(line) for _, pattern in COLUMNS)), "")


def read(data: bytes, name: str) -> tuple[list[Reading], list[Problem]]:
    """The readings of a file: of each kind the one that counts."""
    lines, problems = lines_of(data, name)
    found: dict[str, Reading] = {}
    for reading in (*triads(lines), *nodes(lines), *cells(lines)):
        kept = found.get(reading.test)
        better = min if reading.test in LOWEST else max
        found[reading.test] = reading if kept is None else better(kept, reading, key=lambda r: r.value)
    if not found and not problems:
        problems.append(Problem("E13", f"`{name}` has no reading", Span(name, 1, 1)))
    return list(found.values()), problems


def triads(lines: Lines) -> Iterator[Reading]:
    """Bytes/s of BabelStream's triad, in 10^6 or 2^20 bytes as its heading says."""
    each = 1e6
    for number, line in lines.numbered():
        if (heading := RATE.search(line)) is not None:
            large, binary = (heading[1] or heading[3]).lower() == "g", bool(heading[2] or heading[4])
            each = (2.0**30 if large else 2.0**20) if binary else (1e9 if large else 1e6)
        if (rate := COUNTED.search(line) or TRIAD.search(line)) is not None:
            yield Reading("triad", float(rate[1]) * each, number)


def nodes(lines: Lines) -> Iterator[Reading]:
    """Watts of a node, as `ipmitool dcmi power reading` prints them."""
    for number, line in lines.numbered():
        if (found := NODE.search(line)) is not None:
            yield Reading("node_power", float(found[2]), number)


def cells(lines: Lines) -> Iterator[Reading]:
    """Memory used and power limits of a table with a line a GPU and moment."""
    names = header(lines.text[:LOOKED])
    heads = names.split(",")
    kinds = [next((test for test, pattern in COLUMNS if pattern.search(head)), "") for head in heads]
    below = False
    for number, line in lines.numbered():
        below = below or (bool(names) and line == names)
        for test, head, cell in zip(kinds, heads, line.split(",") if below else (), strict=False):
            if test and (found := CELL.match(cell.strip())) is not None:
                own = UNIT.search(head.strip())
                unit = (found[2] or (own[1] if own else "")).upper()
                if unit in UNITS:
                    yield Reading(test, float(found[1]) * UNITS[unit], number)

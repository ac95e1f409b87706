"""Nsight Systems, as `nsys stats --format csv` prints it: kernels one by one (cuda_gpu_trace), or summed by name
(cuda_gpu_kern_sum, cuda_gpu_mem_time_sum). A kernel of NCCL does not name its group; what it does is kept for later.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from dsl.importers.kernels import NCCL, collective_of, kernel_class, short, too_many
from dsl.importers.kineto import COPIES, Event, Trace
from dsl.importers.text import cells, lines_of
from dsl.limits import RANKS
from dsl.problems import Problem, Span

UNITS = {"ns": 1e-9, "us": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1.0}
COUNT = re.compile(r"^[0-9]{1,15}$")
COLUMN = re.compile(r"^(Start|Duration|Total Time|Max|Avg)\s*\((\w+)\)$")


class Sum(NamedTuple):
    """All calls of one kernel: its class, seconds together, how many, and the longest."""

    kind: str
    name: str
    seconds: float
    calls: int
    longest: float
    collective: str = ""


class Found(NamedTuple):
    """What a file holds: traces by device, or sums."""

    traces: tuple[Trace, ...]
    sums: tuple[Sum, ...]


def detects(text: str) -> bool:
    """Whether a text holds a table of nsys stats."""
    return any(_header(line) is not None for line in text.splitlines())


def read(data: bytes, name: str) -> tuple[Found, list[Problem]]:
    """The kernels of a file: one trace a device where they are listed one by one, else sums."""
    lines, problems = lines_of(data, name)
    events: dict[str, list[Event]] = {}
    sums: list[Sum] = []
    columns: list[str] | None = None
    for number, line in lines.numbered():
        header = _header(line)
        if header is not None:
            columns = header
            continue
        if not line.strip():
            columns = None  # tables of several reports are apart by an empty line
        if columns is None:
            continue
        found = cells(line)
        if len(found) != len(columns) or not _take(dict(zip(columns, found, strict=True)), events, sums):
            problems.append(Problem("E16", f"this row of {name} does not match its header", Span(name, number, 1)))
            break
        if len(events) > RANKS:
            title = f"`{name}` has kernels of more than {RANKS:_} devices"
            problems.append(Problem("E05", title, Span(name, number, 1), "one more", help="export some of the ranks"))
            break
    names = [s.name for s in sums] + [e.name for own in events.values() for e in own]
    problems += [] if problems else too_many(names, name)
    if not problems and not events and not sums:
        problems.append(Problem("E13", f"{name} has no table of GPU kernels", Span(name, 1, 1, 2),
                                help="nsys stats --report cuda_gpu_trace --format csv report.nsys-rep"))  # fmt: skip
    traces = tuple(Trace(i, len(events), (), tuple(own), ()) for i, own in enumerate(events.values()))
    return Found(traces, tuple(sums)), problems


def _header(line: str) -> list[str] | None:
    """The columns of a table of kernels or copies, from its first line."""
    if "Name" not in line and "Operation" not in line:
        return None
    names = [cell.strip() for cell in cells(line)]
    heads = {m[1] for name in names if (m := COLUMN.match(name))}
    named = "Name" in names or "Operation" in names
    return names if named and ({"Start", "Duration"} <= heads or "Total Time" in heads) else None


def _take(row: dict[str, str], events: dict[str, list[Event]], sums: list[Sum]) -> bool:
    """Adds one row; whether it could be read."""
    times = dict(_times(row))
    name = short(row.get("Name") or row.get("Operation") or "")
    copy = "Operation" in row or name.startswith("[CUDA mem")
    kind = ("host" if COPIES.search(name) else "hbm") if copy else "other" if NCCL.search(name) else kernel_class(name)
    collective = collective_of(name)
    if "Duration" in times and "Start" in times:
        own = Event(kind, name, times["Start"], times["Duration"], collective)
        events.setdefault(row.get("Device", ""), []).append(own)
        return True
    calls = row.get("Instances") or row.get("Count") or row.get("Operations") or ""
    if "Total Time" not in times or not COUNT.match(calls):
        return False
    sums.append(Sum(kind, name, times["Total Time"], int(calls), times.get("Max", 0.0), collective))
    return True


def _times(row: dict[str, str]) -> Iterator[tuple[str, float]]:
    """Seconds of every column that holds a time."""
    for column, cell in row.items():
        head = COLUMN.match(column)
        if head is None or head[2] not in UNITS:
            continue
        try:
            value = float(cell.replace(",", ""))
        except ValueError:
            continue
        if 0 <= value < 1e24:
            yield head[1], value * UNITS[head[2]]

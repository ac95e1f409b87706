"""Output of fio in JSON: bytes written and read, and the seconds that took."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from dsl.importers.text import lines_of
from dsl.limits import TABLE
from dsl.problems import Problem, Span

WAYS = ("write", "read")
CLIENTS = "All clients"  # the job that sums those of `fio --client`


class Moved(NamedTuple):
    """What one file's jobs wrote or read together: bytes, and the seconds of the slowest."""

    way: str
    bytes: float
    seconds: float


def detects(text: str) -> bool:
    """Whether a text looks like fio's JSON."""
    return '"fio version"' in text and "{" in text


def read(data: bytes, name: str) -> tuple[list[Moved], list[Problem]]:
    """What was written and what was read; lines that fio prints before its JSON are passed over."""
    lines, problems = lines_of(data, name, TABLE)
    if problems:
        return [], problems
    try:
        whole = json.loads("{" + lines.text.partition("{")[2])
    except (ValueError, RecursionError):
        return [], [wrong(name, "is no whole JSON", "fio writes it with --output-format=json")]
    jobs = [job for key in ("jobs", "client_stats") for job in listed(whole, key)]
    if any(number(job, "error") for job in jobs):
        return [], [wrong(name, "says that a job failed", "its rate counts nothing: run it again")]
    summed = [job for job in jobs if job.get("jobname") == CLIENTS] or jobs
    found = [moved for way in WAYS if (moved := total(summed, way)).bytes > 0 and moved.seconds > 0]
    return found, [] if found else [wrong(name, "has no job that wrote or read", "a job has `write` or `read` bytes")]


def listed(whole: Any, key: str) -> Iterator[dict[str, Any]]:
    """The objects of a list, where the document has one."""
    found = whole.get(key) if isinstance(whole, dict) else None
    yield from (job for job in found if isinstance(job, dict)) if isinstance(found, list) else ()


def total(jobs: list[dict[str, Any]], way: str) -> Moved:
    """Bytes of all jobs, and the seconds of the slowest; fio counts milliseconds."""
    sides = [job[way] for job in jobs if isinstance(job.get(way), dict)]
    seconds = max((number(side, "runtime") for side in sides), default=0.0) / 1e3
    return Moved(way, sum(number(side, "io_bytes") for side in sides), seconds)


def number(side: dict[str, Any], key: str) -> float:
    """A number of an object, 0 where it is none."""
    value = side.get(key)
    return float(value) if isinstance(value, (int, float)) and abs(value) < 1e30 else 0.0


def wrong(name: str, what: str, help: str) -> Problem:
    return Problem("E13", f"`{name}` {what}", Span(name, 1, 1), help=help)

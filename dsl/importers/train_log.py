"""Logs of training frameworks: the time of each step, memory, what was trained, and when.

One pattern a framework finds its step lines; the figures inside are found by name, so that their order does not
matter. Colors of a terminal and marks of a launcher are left out.
"""

import re
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from dsl.importers.text import lines_of
from dsl.problems import Problem, Span

COLORS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
NUMBER = r"([0-9][0-9_,]{0,30}\.?[0-9]{0,30}(?:[eE][+-]?\d{1,4})?)"  # bounded: digits without end are no number
STAMP = re.compile(r"(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})")
SIZES = {"MIB": 2.0**20, "GIB": 2.0**30, "MB": 2.0**20, "GB": 2.0**30}


class Record(NamedTuple):
    """One logged step; what a framework does not log is None. Rates are of one GPU unless they say all."""

    step: int
    seconds: float | None
    tokens_per_gpu: float | None  # a second
    samples_per_second: float | None  # of the whole job
    flops_per_gpu: float | None
    samples: float | None  # trained so far
    batch: float | None  # sequences
    line: int


class Log(NamedTuple):
    """What a log holds."""

    framework: str
    records: tuple[Record, ...]
    allocated: float | None  # bytes, the largest that is logged
    reserved: float | None
    sequence: float | None
    gpus: float | None
    first: str  # days of the first and of the last line that has a time
    last: str
    elapsed: float | None  # seconds between them


class Framework(NamedTuple):
    """How a framework writes its step lines: what marks one, and where its figures are."""

    name: str
    marks: tuple[re.Pattern[str], ...]  # all are in such a line
    step: re.Pattern[str]
    figures: dict[str, tuple[re.Pattern[str], float]]  # name of a Record: pattern, factor to base units


def _at(*names: str) -> re.Pattern[str]:
    """A figure behind one of some names, in a line of small letters: such a pattern is found fast."""
    return re.compile("(?:" + "|".join(names).lower() + r")\s*(?:[:=|]\s*)?" + NUMBER)


FRAMEWORKS = (
    Framework(
        "Megatron-LM", (re.compile("elapsed time per iteration"), re.compile(r"iteration\s+\d+\s*/\s*\d")),
        re.compile(r"iteration\s+(\d+)\s*/"),
        {
            "seconds": (_at(r"elapsed time per iteration \(ms\)"), 1e-3),
            "samples": (_at("consumed samples"), 1.0),
            "batch": (_at("global batch size"), 1.0),
            "flops_per_gpu": (_at(r"throughput per GPU \(TFLOP/s/GPU\)", r"TFLOPs"), 1e12),
        },
    ),
    Framework(
        "NeMo", (re.compile("train_step_timing in s"),), re.compile(r"(?:global_step|iteration)[ =:]+(\d+)"),
        {
            "seconds": (_at("train_step_timing in s"), 1.0),
            "samples": (_at("consumed_samples"), 1.0),
            "batch": (_at("global_batch_size"), 1.0),
            "flops_per_gpu": (_at("TFLOPS_per_GPU", "tflops_per_sec_per_gpu"), 1e12),
        },
    ),
    Framework(
        "TorchTitan", (re.compile(r"step:(?<!\wstep:)\s*\d"), re.compile(r"\b[tw]ps:")),
        re.compile(r"step:(?<!\wstep:)\s*(\d+)"),
        {
            "tokens_per_gpu": (_at(r"\btps", r"\bwps"), 1.0),
            "flops_per_gpu": (_at("tflops"), 1e12),
            "seconds": (_at(r"end_to_end\(s\)", r"time_metrics/end_to_end\(s\)"), 1.0),
        },
    ),
    Framework(
        "DeepSpeed", (re.compile(r"CurrSamplesPerSec=|iter time \(s\):"),),
        re.compile(r"(?:global_step=|steps:\s*)(\d+)"),
        {
            "seconds": (_at(r"iter time \(s\)"), 1.0),
            "samples_per_second": (_at("CurrSamplesPerSec", "samples/sec"), 1.0),
        },
    ),
    Framework(
        "MaxText", (re.compile(r"completed step:\s*\d+,\s*seconds:"),), re.compile(r"completed step:\s*(\d+)"),
        {"seconds": (_at("seconds"), 1.0), "flops_per_gpu": (_at("TFLOP/s/device"), 1e12)},
    ),
)  # fmt: skip
# Memory, by lines of their own or inside the step's: the pattern, and whether it is allocated or reserved.
MEMORY = (
    (re.compile(r"max allocated:\s*" + NUMBER), "allocated", "MB"),
    (re.compile(r"max reserved:\s*" + NUMBER), "reserved", "MB"),
    (re.compile(r"memory:(?<!\wmemory:)\s*" + NUMBER + r"\s*(GiB|MiB)"), "reserved", ""),
    (re.compile(r"MaxMemAllocated=" + NUMBER + r"\s*(GB|MB)"), "allocated", ""),
    (re.compile(r"mem-max-allocated-gigabytes[ =:|]+" + NUMBER), "allocated", "GB"),
    (re.compile(r"mem-max-reserved-gigabytes[ =:|]+" + NUMBER), "reserved", "GB"),
)  # fmt: skip
# Patterns begin with their letters: where these are missing, as in most lines, the search is over at once.
SEQUENCE = re.compile(r"seq_len(?:(?<!\wseq_len)|(?<=\bencoder_seq_len))(?:gth)?\s*[.:=]+\s*(\d+)")
GPUS = re.compile(r"world(?:(?<!\wworld)_|(?<=\busing world) )size[.:=\s]+(\d+)")  # small letters


def detects(text: str) -> bool:
    """Whether a text holds step lines of a framework."""
    plain = COLORS.sub("", text)
    return any(_framework(line) for line in plain.splitlines())


def _framework(line: str) -> Framework | None:
    """Whose step line it is."""
    return next((f for f in FRAMEWORKS if all(mark.search(line) for mark in f.marks)), None)


def read(data: bytes, name: str) -> tuple[Log | None, list[Problem]]:
    """The steps of a log, or why there are none."""
    lines, problems = lines_of(data, name)
    records: list[Record] = []
    framework, memory = "", dict[str, float]()
    said: dict[str, float] = {}
    times: tuple[datetime, datetime] | None = None  # the first and the last that is said
    for number, raw in lines.numbered():
        line = COLORS.sub("", raw)
        if (found := _framework(line)) is not None:
            framework = framework or found.name
            records += _records(found, line, number)
        _beside(line, memory, said)
        if (found_at := STAMP.search(line)) is not None and (stamp := _stamp(found_at)) is not None:
            times = times[0] if times else stamp, stamp
    if problems or not records:
        help = "keep the lines that a framework prints each step: iteration, step, train_step_timing …"
        return None, problems or [Problem("E13", f"{name} has no steps", Span(name, 1, 1, 2), "none found", help=help)]
    elapsed = (times[1] - times[0]).total_seconds() if times else None
    begun, ended = (t.date().isoformat() for t in times) if times else ("", "")
    own = (memory.get("allocated"), memory.get("reserved"), said.get("sequence"), said.get("gpus"))
    return Log(framework, tuple(records), *own, begun, ended, elapsed), []


def _records(framework: Framework, line: str, number: int) -> list[Record]:
    """The step of one line."""
    step = framework.step.search(line)
    values: dict[str, float | None] = dict.fromkeys(Record._fields[1:-1])
    small = line.lower()
    for name, (pattern, factor) in framework.figures.items():
        if (found := pattern.search(small)) is not None and (value := _number(found[1])) is not None:
            values[name] = value * factor
    if not any(values[n] for n in ("seconds", "tokens_per_gpu", "samples_per_second")):
        return []
    return [Record(int(step[1][:15]) if step else number, line=number, **values)]


def _number(text: str) -> float | None:
    value = float(text.replace(",", "").replace("_", ""))
    return value if value < 1e18 else None


def _beside(line: str, memory: dict[str, float], said: dict[str, float]) -> None:
    """Memory, sequence length and number of GPUs that a line says."""
    for pattern, kind, unit in MEMORY:
        if (found := pattern.search(line)) is not None and (value := _number(found[1])) is not None:
            size = value * SIZES[(unit or found[2]).upper()]
            memory[kind] = max(memory.get(kind, 0.0), size)
    for name, pattern, text in (("sequence", SEQUENCE, line), ("gpus", GPUS, line.lower())):
        if name not in said and (found := pattern.search(text)) is not None and len(found[1]) < 12:
            said[name] = float(found[1])


def _stamp(found: re.Match[str]) -> datetime | None:
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2]}")
    except ValueError:
        return None


class Steady(NamedTuple):
    """The steady part of a log: how many records, and how many before them are warm-up."""

    records: tuple[Record, ...]
    warm_up: int


def steady(records: tuple[Record, ...]) -> Steady:
    """The records without their warm-up: the first tenth, at least one and at most twenty, where there are enough."""
    skipped = 0 if len(records) < 3 else max(1, min(20, len(records) // 10))
    return Steady(records[skipped:], skipped)


def median_of(records: tuple[Record, ...], what: Callable[[Record], float | None]) -> float | None:
    """The median of a figure over the records that have it."""
    values = sorted(v for r in records if (v := what(r)) is not None)
    if not values:
        return None
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2

"""Seconds of steps from a training log: Megatron and NeMo, TorchTitan, DeepSpeed, MaxText."""

import re
import statistics
from typing import NamedTuple

from dsl.importers.text import lines_of
from dsl.problems import Problem, Span

# A step's line by framework; the factor makes seconds of its figure, none marks tokens a second and GPU.
PATTERNS: tuple[tuple[str, re.Pattern[str], float | None], ...] = (
    ("Megatron", re.compile(r"iteration\s+(\d+)/.*elapsed time per iteration \(ms\):\s*([\d.]+)"), 1e-3),
    ("NeMo", re.compile(r"(?:global_step|iteration)\D*(\d+).*train_step_timing in s\D*([\d.]+)"), 1.0),
    ("MaxText", re.compile(r"completed step:\s*(\d+),\s*seconds:\s*([\d.]+)"), 1.0),
    ("TorchTitan", re.compile(r"step:\s*(\d+).*?\btps:\s*([\d,.]+)"), None),
    ("DeepSpeed", re.compile(r"steps?:\s*(\d+).*\biter time \(s\):\s*([\d.]+)"), 1.0),
)
COLOR = re.compile(r"\x1b\[[0-9;]*m")
FIRST = 10  # steps that warm up: caches fill, the allocator grows, kernels are tuned


class Steps(NamedTuple):
    """The framework, how many steps count, and the median of their seconds, or of their tokens a second and GPU."""

    framework: str
    counted: int
    seconds: float | None
    tokens_per_second: float | None
    line: int


def detects(text: str) -> bool:
    """Whether a text has lines of steps."""
    plain = COLOR.sub("", text)
    return any(pattern.search(plain) for _, pattern, _ in PATTERNS)


def read(data: bytes, name: str) -> tuple[Steps | None, list[Problem]]:
    """The median step of a log without its first ten, or without its first half where it has under twenty."""
    lines, problems = lines_of(data, name)
    found: dict[str, list[tuple[float, int]]] = {}
    for number, line in lines.numbered():
        plain = COLOR.sub("", line)
        for framework, pattern, _ in PATTERNS:
            if (step := pattern.search(plain)) is not None and (value := figure(step[2])) > 0:
                found.setdefault(framework, []).append((value, number))
    if problems or not found:
        none = Problem("E13", f"`{name}` has no line with the time of a step", Span(name, 1, 1))
        return None, problems or [none]
    framework, times = max(found.items(), key=lambda item: len(item[1]))
    counted = times[min(FIRST, len(times) // 2) :]
    middle, factor = statistics.median(t for t, _ in counted), next(f for n, _, f in PATTERNS if n == framework)
    seconds, rate = (None, middle) if factor is None else (middle * factor, None)
    return Steps(framework, len(counted), seconds, rate, counted[0][1]), []


def figure(text: str) -> float:
    """A figure of a log; a full stop at its end is the sentence's. 0 where it is none."""
    try:
        return float(text.replace(",", "").rstrip("."))
    except ValueError:
        return 0.0

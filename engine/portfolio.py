"""Runs on a calendar that share a cluster: when each starts, how many GPUs are busy, what was wanted beyond them.

An entry takes its GPUs for as long as it lasts. It starts at the earliest moment at which its own start has come, the
entries it waits for have ended, and its GPUs are free; entries are placed in their order, so that an earlier one is
never moved by a later one (serial schedule generation: Kolisch 1996, European Journal of Operational Research 90).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Entry:
    """GPUs for some seconds, not before ``start``, and after the entries named."""

    name: str
    gpus: float
    seconds: float
    start: float = 0.0
    after: tuple[str, ...] = ()


class Span(NamedTuple):
    """When an entry runs."""

    start: float
    end: float


class Level(NamedTuple):
    """GPUs in use from one moment to the next."""

    start: float
    end: float
    gpus: float


def wished(entries: Sequence[Entry]) -> dict[str, Span]:
    """When each would run if no entry had to wait for GPUs."""
    return placed(entries, float("inf"))


def placed(entries: Sequence[Entry], gpus: float) -> dict[str, Span]:
    """When each runs on a cluster of so many GPUs; entries larger than the cluster, and what waits for them, never."""
    named = {entry.name: entry for entry in entries}
    spans: dict[str, Span] = {}
    for entry in entries:
        _place(entry, named, gpus, spans)
    return {entry.name: spans[entry.name] for entry in entries if entry.name in spans}


def _place(entry: Entry, named: Mapping[str, Entry], gpus: float, spans: dict[str, Span]) -> None:
    """Places an entry after those that it waits for."""
    if entry.name in spans or entry.gpus > gpus:
        return
    for name in entry.after:
        if name in named:
            _place(named[name], named, gpus, spans)
        if name not in spans:
            return
    earliest = max([entry.start, *(spans[name].end for name in entry.after)])
    moments = sorted({earliest, *(span.end for span in spans.values() if span.end > earliest)})
    busy = [(spans[name], named[name].gpus) for name in spans]
    start = next(t for t in moments if _peak(busy, Span(t, t + entry.seconds)) + entry.gpus <= gpus)
    spans[entry.name] = Span(start, start + entry.seconds)


def _peak(busy: Sequence[tuple[Span, float]], during: Span) -> float:
    """Most GPUs in use at once during a span."""
    within = [(span, gpus) for span, gpus in busy if span.start < during.end and span.end > during.start]
    moments = [during.start, *(span.start for span, _ in within if span.start > during.start)]
    return max((sum(g for span, g in within if span.start <= t < span.end) for t in moments), default=0.0)


def profile(entries: Sequence[Entry], spans: Mapping[str, Span]) -> list[Level]:
    """GPUs in use over time, from 0 to the end of the last entry; a new level wherever their number changes."""
    there = [(spans[entry.name], entry.gpus) for entry in entries if entry.name in spans]
    moments = sorted({0.0, *(t for span, _ in there for t in span)})
    levels = [
        Level(a, b, sum(gpus for span, gpus in there if span.start <= a < span.end))
        for a, b in zip(moments, moments[1:], strict=False)
    ]
    merged: list[Level] = []
    for level in levels:
        if merged and merged[-1].gpus == level.gpus:
            merged[-1] = Level(merged[-1].start, level.end, level.gpus)
        else:
            merged.append(level)
    return merged


def busy(levels: Sequence[Level]) -> float:
    """GPU-seconds of a profile: the sum of GPUs x seconds."""
    return sum(level.gpus * (level.end - level.start) for level in levels)


def beyond(levels: Sequence[Level], gpus: float) -> float:
    """GPU-seconds that a profile wants beyond so many GPUs."""
    return sum(max(0.0, level.gpus - gpus) * (level.end - level.start) for level in levels)


def peak(levels: Sequence[Level]) -> float:
    """Most GPUs in use at once."""
    return max((level.gpus for level in levels), default=0.0)

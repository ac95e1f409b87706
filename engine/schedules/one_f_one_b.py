"""1F1B with a flush: fill, then one forward and one backward in turn (PipeDream-Flush, Narayanan et al. 2021).

Symbols: engine/schedules/passes.py. One chunk a rank; the default schedule.
Source: Narayanan et al. 2021 section 2.2; sends by simulation.
"""

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from engine.columns import ONE, ZERO, Column
from engine.schedules.gpipe import chunk_times, partners, rules, share, upstream
from engine.schedules.passes import TWO, Pass, StageTimes, added, kinds, largest, round_trips, so_often

__all__ = [
    "bubble",
    "chunk_times",
    "exposed_sends",
    "in_flight",
    "partners",
    "passes",
    "rules",
    "share",
    "steady",
    "total",
    "upstream",
]


def passes(stage: int, stages: int, micro_batches: int, virtual_stages: int = 1) -> list[Pass]:
    """p-1-i forwards to fill the pipe, then F and B in turn, then the backwards that are left."""
    warm = min(stages - stage - 1, micro_batches)
    order = [Pass("F", i) for i in range(warm)]
    for i in range(micro_batches - warm):
        order += [Pass("F", warm + i), Pass("B", i)]
    return order + [Pass("B", i) for i in range(micro_batches - warm, micro_batches)]


def in_flight(stage: int, stages: int, micro_batches: Column, virtual_stages: int = 1) -> Column:
    """min(m, p-i): the first stage holds most."""
    return np.minimum(micro_batches, float(stages - stage))


def bubble(
    stages: int,
    micro_batches: Column,
    virtual_stages: int = 1,
    forward: Column = ONE,
    backward: Column = TWO,
    weight: Column = ONE,
) -> Column:
    """(p-1)/m, idle over useful time (Narayanan et al. 2021, section 2.2)."""
    return (stages - 1) / micro_batches


def exposed_sends(times: StageTimes, micro_batches: Column, virtual_stages: int, send: Column) -> Column:
    """2 c (p-1) to fill and drain, and what going round a stretch of n stages costs beyond the slowest stage's pace:
    the largest of (m-1)(mean t - max t) + 2 c floor((m-1)(n-1)/n) over all stretches of neighboring stages.

    The n micro-batches in flight in a stretch go round it together: n t + 2 (n-1) c for each n of them, the mean cycle
    of the schedule's event graph. Equal stages: 2 c [(p-1) + floor((m-1)(p-1)/p)], about two sends a micro-batch;
    where the last stage is slower than the rest by more than the sends, they hide behind it.
    """
    later, pace = micro_batches - 1.0, largest(times.whole)
    differing, ahead = list(kinds(times.whole).values()), stages_ahead(times.whole)
    around = ZERO * send
    for n in range(2, times.stages + 1):
        slowest = reduce(np.maximum, [so_often(differing, counts) for counts in stretches(ahead, n)])
        around = np.maximum(around, later * (slowest / n - pace) + 2.0 * send * round_trips(n, micro_batches))
    return 2.0 * send * (times.stages - 1) + around


def stages_ahead(whole: Sequence[Column]) -> NDArray[np.int64]:
    """How many stages of each kind stand before every stage, and before the end: [p + 1, kinds]."""
    places = {own: place for place, own in enumerate(kinds(whole))}
    found = np.zeros((len(whole) + 1, len(places)), dtype=np.int64)
    found[range(1, len(whole) + 1), [places[id(stage)] for stage in whole]] = 1
    return found.cumsum(axis=0)


def stretches(ahead: NDArray[np.int64], n: int) -> list[tuple[int, ...]]:
    """Of every n neighboring stages how many are of each kind; stretches that hold the same count once."""
    return sorted(set(map(tuple, (ahead[n:] - ahead[:-n]).tolist())))


def steady(times: StageTimes, micro_batches: Column, virtual_stages: int) -> Column:
    """sum t + (m-1) max t.

    Exact where the slowest stage is the last one (or all are alike); otherwise an upper bound, up to
    12 % high for stages that differ by +-20 % and 21 % for +-50 %, most where p is large and m small.
    """
    return added(times.whole) + (micro_batches - 1.0) * largest(times.whole)


def total(times: StageTimes, micro_batches: Column, virtual_stages: int, send: Column) -> Column:
    """The schedule with its exposed sends."""
    return steady(times, micro_batches, virtual_stages) + exposed_sends(times, micro_batches, virtual_stages, send)

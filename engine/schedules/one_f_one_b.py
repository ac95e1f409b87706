"""1F1B with a flush: fill, then one forward and one backward in turn (PipeDream-Flush, Narayanan et al. 2021).

Symbols: engine/schedules/passes.py. One chunk a rank; the default schedule.
Source: Narayanan et al. 2021 section 2.2; sends by simulation.
"""

import numpy as np

from engine.columns import ONE, ZERO, Column
from engine.schedules.gpipe import chunk_times, partners, rules, share, upstream
from engine.schedules.passes import TWO, Pass, StageTimes, added, largest, round_trips

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
    around = ZERO * send
    for n in range(2, times.stages + 1):
        slowest = largest([added(stretch) for stretch in stretches(times.whole, n)])
        around = np.maximum(around, later * (slowest / n - pace) + 2.0 * send * round_trips(n, micro_batches))
    return 2.0 * send * (times.stages - 1) + around


def stretches(whole: tuple[Column, ...], n: int) -> list[tuple[Column, ...]]:
    """Every n neighboring stages; of stretches that hold as many of each kind of stage one."""
    places = {own: place for place, own in enumerate(dict.fromkeys(map(id, whole)))}
    kind, counts = [places[id(stage)] for stage in whole], [0] * len(places)
    for own in kind[:n]:
        counts[own] += 1
    found = {tuple(counts): whole[:n]}
    for first in range(1, len(whole) - n + 1):
        counts[kind[first - 1]] -= 1
        counts[kind[first + n - 1]] += 1
        if (key := tuple(counts)) not in found:
            found[key] = whole[first : first + n]
    return list(found.values())


def steady(times: StageTimes, micro_batches: Column, virtual_stages: int) -> Column:
    """sum t + (m-1) max t.

    Exact where the slowest stage is the last one (or all are alike); otherwise an upper bound, up to
    12 % high for stages that differ by +-20 % and 21 % for +-50 %, most where p is large and m small.
    """
    return added(times.whole) + (micro_batches - 1.0) * largest(times.whole)


def total(times: StageTimes, micro_batches: Column, virtual_stages: int, send: Column) -> Column:
    """The schedule with its exposed sends."""
    return steady(times, micro_batches, virtual_stages) + exposed_sends(times, micro_batches, virtual_stages, send)

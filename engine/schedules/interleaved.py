"""Interleaved 1F1B: v model chunks on each rank (Narayanan et al. 2021, section 2.2). Symbols: passes.py.

Micro-batches go through the chunks in groups. Groups of p are the published case; where p does not divide m
the groups are floor(m/p) nearly equal ones, none smaller than p, so that a group is always long enough for its
first micro-batch to come back from the last stage: no stall, no deadlock, and the same bubble for every m >= p.
(Older frameworks refuse m that is no multiple of p; groups of p with a short last one do deadlock.)
With m < p there is one group of m, and each chunk waits for the pipe.
Source: Narayanan et al. 2021 section 2.2, Korthikanti et al. 2022 section 4.2.3; sends by simulation.
"""

from collections.abc import Sequence

import numpy as np

from engine.columns import ONE, Column
from engine.schedules.gpipe import partners
from engine.schedules.passes import TWO, Pass, Rule, StageTimes, added, largest, smallest, whole_number

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


def rules(stages: int, micro_batches: Column, virtual_stages: int = 1) -> tuple[Rule, ...]:
    """v of at least two (with one chunk it is 1F1B, and the formulas do not hold), p of at least two, whole m."""
    fits = np.full(micro_batches.shape, virtual_stages >= 2 and stages >= 2)
    return (
        Rule(whole_number(micro_batches) & (micro_batches >= 1), "needs at least one whole micro-batch"),
        Rule(fits, "interleaving needs at least two stages and two virtual stages"),
    )


def upstream(stage: int, stages: int, chunk: int) -> tuple[int, int] | None:
    """The rank before; the first rank's later chunks follow the last rank's chunk before."""
    if stage:
        return stage - 1, chunk
    return (stages - 1, chunk - 1) if chunk else None


def chunk_times(times: Sequence[float], virtual_stages: int = 1) -> list[list[float]]:
    """v equal chunks a stage."""
    return [[t / virtual_stages] * virtual_stages for t in times]


def share(virtual_stages: int = 1) -> float:
    """1/v: a chunk is a v-th of a stage."""
    return 1.0 / virtual_stages


def groups(stages: int, micro_batches: int) -> list[range]:
    """The micro-batches that go through one chunk together, largest groups first."""
    count = max(1, micro_batches // stages)
    size, extra = divmod(micro_batches, count)
    starts = [k * size + min(k, extra) for k in range(count + 1)]
    return [range(a, b) for a, b in zip(starts, starts[1:], strict=False)]


def passes(stage: int, stages: int, micro_batches: int, virtual_stages: int = 1) -> list[Pass]:
    """2(p-i-1) + (v-1) g forwards (g = first group), then F and B in turn; backwards take the chunks in reverse."""
    parts = groups(stages, micro_batches)
    visits = [(i, chunk) for part in parts for chunk in range(virtual_stages) for i in part]
    forward = [Pass("F", i, chunk) for i, chunk in visits]
    backward = [Pass("B", i, virtual_stages - 1 - chunk) for i, chunk in visits]
    warm = min(len(visits), 2 * (stages - stage - 1) + (virtual_stages - 1) * len(parts[0]))
    turns = [p for pair in zip(forward[warm:], backward, strict=False) for p in pair]
    return forward[:warm] + turns + backward[len(visits) - warm :]


def in_flight(stage: int, stages: int, micro_batches: Column, virtual_stages: int = 1) -> Column:
    """min(m v, 2(p-i-1) + (v-1) g + 1) chunks of 1/v of a stage, g = ceil(m / floor(m/p)) = p where p divides m.

    Korthikanti et al. 2022 section 4.2.3 for g = p.
    """
    group = np.ceil(micro_batches / np.maximum(1.0, np.floor(micro_batches / stages)))
    chunks = 2.0 * (stages - stage - 1) + (virtual_stages - 1) * group + 1.0
    return np.minimum(micro_batches * virtual_stages, chunks) / virtual_stages


def bubble(
    stages: int,
    micro_batches: Column,
    virtual_stages: int = 1,
    forward: Column = ONE,
    backward: Column = TWO,
    weight: Column = ONE,
) -> Column:
    """[(p-1) + (v-1) max(0, p-m)] / (v m): (p-1)/(v m) for every m >= p, whether p divides m or not."""
    short = np.maximum(0.0, stages - micro_batches)
    return ((stages - 1) + (virtual_stages - 1) * short) / (virtual_stages * micro_batches)


def exposed_sends(times: StageTimes, micro_batches: Column, virtual_stages: int, send: Column) -> Column:
    """2 (p-1) c + (v-1) [max(0, p c - (g - p) f/v) + max(0, p c - (g' - p) b/v)], g the first, g' the last group.

    Where p divides m, or m < p, this is 2 (p v - 1) c and equal to the simulation while a send is
    shorter than any chunk's forward and backward; groups longer than p hide the sends back to the first rank.
    A longer send stalls the steady phase too: + (v-1)(m-p) [max(0, c - min(f, b)/v) + max(0, c - t/2v)].
    """
    stages = times.stages
    forward, backward = smallest(times.forward) / virtual_stages, smallest(times.backward) / virtual_stages
    count = np.maximum(1.0, np.floor(micro_batches / stages))
    first = np.maximum(0.0, np.ceil(micro_batches / count) - stages)
    last = np.maximum(0.0, np.floor(micro_batches / count) - stages)
    back = np.maximum(0.0, stages * send - first * forward) + np.maximum(0.0, stages * send - last * backward)
    stall = np.maximum(0.0, send - np.minimum(forward, backward))
    stall = stall + np.maximum(0.0, send - 0.5 * (forward + backward))
    wrapped: Column = back + np.maximum(0.0, micro_batches - stages) * stall
    return 2.0 * (stages - 1) * send + (virtual_stages - 1) * wrapped


def steady(times: StageTimes, micro_batches: Column, virtual_stages: int) -> Column:
    """[(v-1) (max(sum f, m F) + max(sum b, m B)) + sum t + (m-1)(F + B)] / v, F = max f, B = max b.

    For equal stages and m >= p this is m t + (p-1) t / v. Where stages differ it is an upper bound: never below
    the simulation, up to 13 % high for stages that differ by +-20 % with m >= p.
    """

    def waves(parts: tuple[Column, ...]) -> Column:
        once, pace = added(parts), largest(parts)
        longest: Column = np.maximum(once, micro_batches * pace)
        return (virtual_stages - 1) * longest + once + (micro_batches - 1.0) * pace

    return (waves(times.forward) + waves(times.backward)) / virtual_stages


def total(times: StageTimes, micro_batches: Column, virtual_stages: int, send: Column) -> Column:
    """The schedule with its exposed sends."""
    return steady(times, micro_batches, virtual_stages) + exposed_sends(times, micro_batches, virtual_stages, send)

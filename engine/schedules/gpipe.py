"""GPipe: every forward, then every backward (Huang et al. 2018). Symbols: engine/schedules/passes.py.

One chunk a rank. The bubble is that of 1F1B; what it costs is memory, since all m micro-batches are in flight.
Source: Huang et al. 2018 section 2.3.
"""

from collections.abc import Sequence

import numpy as np

from engine.columns import ONE, Column
from engine.schedules.passes import TWO, Pass, Rule, StageTimes, added, largest, whole_number


def rules(stages: int, micro_batches: Column, virtual_stages: int = 1) -> tuple[Rule, ...]:
    """Any number of stages; m a whole number of at least one."""
    return (Rule(whole_number(micro_batches) & (micro_batches >= 1), "needs at least one whole micro-batch"),)


def upstream(stage: int, stages: int, chunk: int) -> tuple[int, int] | None:
    """The stage before this one."""
    return (stage - 1, 0) if stage else None


def chunk_times(times: Sequence[float], virtual_stages: int = 1) -> list[list[float]]:
    """One chunk is the whole stage."""
    return [[t] for t in times]


def partners(stage: int, stages: int) -> tuple[int, ...]:
    """A rank holds one stage."""
    return (stage,)


def share(virtual_stages: int = 1) -> float:
    """1: a chunk is a whole stage."""
    return 1.0


def passes(stage: int, stages: int, micro_batches: int, virtual_stages: int = 1) -> list[Pass]:
    """All forwards, then all backwards, in the order of the micro-batches."""
    return [Pass(kind, i) for kind in "FB" for i in range(micro_batches)]


def in_flight(stage: int, stages: int, micro_batches: Column, virtual_stages: int = 1) -> Column:
    """m on every stage."""
    return micro_batches + 0.0


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
    """2 (p-1) c: the pipe is filled and drained once; all other sends hide."""
    return np.multiply(2.0 * (times.stages - 1), send)


def steady(times: StageTimes, micro_batches: Column, virtual_stages: int) -> Column:
    """sum t + (m-1)(max f + max b), exact for any stages: both phases are flow shops of equal jobs."""
    pace = largest(times.forward) + largest(times.backward)
    return added(times.whole) + (micro_batches - 1.0) * pace


def total(times: StageTimes, micro_batches: Column, virtual_stages: int, send: Column) -> Column:
    """The schedule with its exposed sends."""
    return steady(times, micro_batches, virtual_stages) + exposed_sends(times, micro_batches, virtual_stages, send)

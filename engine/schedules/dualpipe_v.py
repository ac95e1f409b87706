"""DualPipe-V: DualPipe cut in half and folded, so that one copy of the model is enough (Sea AI Lab, DeepSeek 2025).

Symbols: passes.py. Rank i of p holds the two half-size stages i and 2p-1-i of a model cut in 2p; a micro-batch
goes down the ranks through the first halves and back up through the second.
Source: DualPipe repository, DeepSeek 2025 (DualPipeV); sends by simulation.
"""

from collections.abc import Sequence

import numpy as np

from engine.columns import ONE, Column
from engine.schedules.dualpipe import two_way
from engine.schedules.gpipe import partners
from engine.schedules.passes import TWO, Pass, Rule, StageTimes, each, largest, whole_number

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
    """m at least 2 p."""
    enough = whole_number(micro_batches) & (micro_batches >= 2.0 * stages)
    return (Rule(enough, "DualPipe-V needs at least two whole micro-batches a stage"),)


def upstream(stage: int, stages: int, chunk: int) -> tuple[int, int] | None:
    """Chunk 0 flows down the ranks, turns round on the last one and flows back as chunk 1."""
    if chunk == 0:
        return (stage - 1, 0) if stage else None
    return (stage + 1, 1) if stage < stages - 1 else (stage, 0)


def chunk_times(times: Sequence[float], virtual_stages: int = 1) -> list[list[float]]:
    """Two equal halves of the rank's time."""
    return [[0.5 * t, 0.5 * t] for t in times]


def share(virtual_stages: int = 1) -> float:
    """1/2: a chunk is half of what a rank holds."""
    return 0.5


def passes(stage: int, stages: int, micro_batches: int, virtual_stages: int = 1) -> list[Pass]:
    """DualPipe's order of a pipe twice as deep, with both entries on rank 0."""
    return two_way(stages, stage, micro_batches - 2 * stages + stage + 1, near=0)


def in_flight(stage: int, stages: int, micro_batches: Column, virtual_stages: int = 1) -> Column:
    """p + 1/2 on every rank: 2p + 1 half-size stages."""
    return np.minimum(micro_batches, stages + 0.5)


def bubble(
    stages: int,
    micro_batches: Column,
    virtual_stages: int = 1,
    forward: Column = ONE,
    backward: Column = TWO,
    weight: Column = ONE,
) -> Column:
    """(p-1)(F&B + b - 3w) / (2 m (f + b)) with F&B = f + b, all of a whole rank."""
    return (stages - 1) * (forward + 2.0 * backward - 3.0 * weight) / (2.0 * micro_batches * (forward + backward))


def exposed_sends(times: StageTimes, micro_batches: Column, virtual_stages: int, send: Column) -> Column:
    """[2 m (p-1)/p + max(0, 4p - 6)] c: an upper bound found by simulation, at most 4 p c high, for c up to a pass."""
    stages = times.stages
    return (micro_batches * (2.0 * (stages - 1) / stages) + max(0.0, 4.0 * stages - 6.0)) * send


def steady(times: StageTimes, micro_batches: Column, virtual_stages: int) -> Column:
    """m T - (m - p - 1/2)(T - F&B) + (p-1)/2 (F&B + b - 3w), T = f + b of the busiest rank.

    Exact for equal stages with f = w = b/2, else within 10 % of the simulation for f, w and b - w up to three times
    apart, and an upper bound where stages differ in proportion.
    """
    stages = times.stages
    pace, pair = largest(times.whole), largest(times.pairs)
    idle = largest(each(lambda p, b, w: p + b - 3.0 * w, times.pairs, times.backward, times.weights))
    run = micro_batches * pace - (micro_batches - stages - 0.5) * (pace - pair)
    return run + 0.5 * (stages - 1) * idle


def total(times: StageTimes, micro_batches: Column, virtual_stages: int, send: Column) -> Column:
    """The schedule with its exposed sends."""
    return steady(times, micro_batches, virtual_stages) + exposed_sends(times, micro_batches, virtual_stages, send)

"""DualPipe: micro-batches enter at both ends of the pipe, and forwards overlap backwards (DeepSeek-V3, 2024).

Symbols: passes.py. Every rank holds two stages, i and p-1-i, hence two copies of the model; half of the m
micro-batches run each way. F&B is the time of an overlapped pair of one forward and one backward.
Source: DeepSeek-V3 technical report 2024, section 3.2.1; sends by simulation.
"""

from collections.abc import Sequence

import numpy as np

from engine.columns import ONE, Column
from engine.schedules.passes import TWO, Pass, Rule, StageTimes, each, largest


def rules(stages: int, micro_batches: Column, virtual_stages: int = 1) -> tuple[Rule, ...]:
    """p even, m even and at least 2 p (DeepSeek's own implementation asks for the same)."""
    return (
        Rule(np.full(micro_batches.shape, stages % 2 == 0), "DualPipe needs an even number of stages"),
        Rule(micro_batches % 2.0 == 0.0, "DualPipe needs an even number of micro-batches"),
        Rule(micro_batches >= 2.0 * stages, "DualPipe needs at least two micro-batches a stage"),
    )


def upstream(stage: int, stages: int, chunk: int) -> tuple[int, int] | None:
    """Chunk 0 flows from rank 0 up, chunk 1 from the last rank down."""
    if chunk == 0:
        return (stage - 1, 0) if stage else None
    return (stage + 1, 1) if stage < stages - 1 else None


def chunk_times(times: Sequence[float], virtual_stages: int = 1) -> list[list[float]]:
    """Stage i and stage p-1-i of the model on rank i."""
    return [[t, times[len(times) - 1 - i]] for i, t in enumerate(times)]


def partners(stage: int, stages: int) -> tuple[int, ...]:
    """A rank holds stages i and p-1-i, and half of the micro-batches goes through each: two copies of the model."""
    return (stage, stages - 1 - stage)


def share(virtual_stages: int = 1) -> float:
    """1: a chunk is a whole stage."""
    return 1.0


def two_way(depth: int, distance: int, pairs: int, near: int) -> list[Pass]:
    """The order of a rank in a pipe that is fed from two sides.

    ``depth``: ranks from the middle to an entry; ``distance``: of this rank from its nearer entry; ``pairs``:
    rounds of the steady phase; ``near``: the chunk fed by that entry. Forwards of the near chunk fill the pipe,
    then both chunks; the steady phase runs the forward of one with the backward of the other; the last backwards
    are split and their weight gradients fill the drain.
    """
    order: list[Pass] = []
    started, ended = {0: 0, 1: 0}, {0: 0, 1: 0}
    late: list[Pass] = []
    far, inner = 1 - near, depth - distance - 1

    def forward(chunk: int, paired: bool = False) -> None:
        order.append(Pass("F", started[chunk], chunk, paired=paired))
        started[chunk] += 1

    def backward(chunk: int, split: bool = False) -> None:
        order.append(Pass("B", ended[chunk], chunk, split=split))
        late.extend([Pass("W", ended[chunk], chunk)] if split else [])
        ended[chunk] += 1

    def overlapped(ahead: int, behind: int, together: bool = True) -> None:
        forward(ahead, paired=together)
        backward(behind)

    for _ in range(2 * inner):
        forward(near)
    for _ in range(distance + 1):
        forward(near)
        forward(far)
    for _ in range(inner):
        backward(far, split=True)
        order.append(late.pop(0))
        forward(far)
    for k in range(pairs):
        overlapped(near, far, together=k > 0 or inner > 0)  # the middle ranks have nothing to overlap yet
        overlapped(far, near)
    for _ in range(inner):
        backward(far)
        overlapped(far, near)
    for k in range(distance + 1):
        backward(far, split=2 * k >= distance + 1)
        backward(near, split=2 * k + 1 >= distance + 1)
    for _ in range(inner):
        order.append(late.pop(0))
        backward(near, split=True)
    return order + late


def passes(stage: int, stages: int, micro_batches: int, virtual_stages: int = 1) -> list[Pass]:
    """Both halves of the ranks mirror each other; the second half of the micro-batches is chunk 1's."""
    distance = min(stage, stages - 1 - stage)
    near, each = 0 if stage < stages // 2 else 1, micro_batches // 2
    order = two_way(stages // 2, distance, each - stages + distance + 1, near)
    return [work._replace(micro_batch=work.micro_batch + each * work.chunk) for work in order]


def in_flight(stage: int, stages: int, micro_batches: Column, virtual_stages: int = 1) -> Column:
    """p + 1 on every rank."""
    return np.minimum(micro_batches, stages + 1.0)


def bubble(
    stages: int,
    micro_batches: Column,
    virtual_stages: int = 1,
    forward: Column = ONE,
    backward: Column = TWO,
    weight: Column = ONE,
) -> Column:
    """(p/2 - 1)(F&B + b - 3w) / (m (f + b)) with F&B = f + b (DeepSeek-V3, table 2)."""
    return (stages / 2.0 - 1.0) * (forward + 2.0 * backward - 3.0 * weight) / (micro_batches * (forward + backward))


def exposed_sends(times: StageTimes, micro_batches: Column, virtual_stages: int, send: Column) -> Column:
    """[m (p-1)/p + 2p - 3] c: an upper bound found by simulation, at most 2 p c high, for c up to a pass."""
    stages = times.stages
    return (micro_batches * ((stages - 1) / stages) + (2.0 * stages - 3.0)) * send


def ranks(columns: Sequence[Column]) -> tuple[Column, ...]:
    """The mean of the two stages that a rank holds."""
    return each(lambda a, b: 0.5 * (a + b), tuple(columns), tuple(reversed(columns)))


def steady(times: StageTimes, micro_batches: Column, virtual_stages: int) -> Column:
    """m T - (m - p - 1)(T - F&B) + (p/2 - 1)(F&B + b - 3w), T = f + b of the busiest rank.

    All but p + 1 of the forwards run overlapped with a backward. Exact for equal stages with f = w = b/2, else within
    10 % of the simulation for f, w and b - w up to three times apart; stages that differ by +-20 % add 5 %.
    """
    stages = times.stages
    pace, pair = largest(ranks(times.whole)), largest(ranks(times.pairs))
    idle = largest(each(lambda p, b, w: p + b - 3.0 * w, times.pairs, times.backward, times.weights))
    run = micro_batches * pace - (micro_batches - stages - 1.0) * (pace - pair)
    return run + (stages / 2.0 - 1.0) * idle


def total(times: StageTimes, micro_batches: Column, virtual_stages: int, send: Column) -> Column:
    """The schedule with its exposed sends."""
    return steady(times, micro_batches, virtual_stages) + exposed_sends(times, micro_batches, virtual_stages, send)

"""What every pipeline schedule is made of: passes, stage times, rules, and the shape of a schedule module.

p    pipeline stages (ranks of one pipeline)      v    virtual stages: model chunks on each rank
m    micro-batches of one step and pipeline       c    seconds that one send to the next stage takes
f,b  seconds of one micro-batch's forward and whole backward on a stage
w    the part of b that makes weight gradients    t    f + b
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple, Protocol

import numpy as np

from engine.columns import ONE, Column, Flags, column

TWO = column(2.0)


class Pass(NamedTuple):
    """One piece of work of a stage: F forward, B backward, W the weight gradients of a backward that was split."""

    kind: str
    micro_batch: int
    chunk: int = 0
    split: bool = False  # B: stops after the input gradients; a W pass makes the weight gradients later
    paired: bool = False  # F: runs overlapped with the B that follows it, and both end together


class Rule(NamedTuple):
    """Where a schedule can run at all (one flag a design point), and the reason where it cannot."""

    holds: Flags
    reason: str


@dataclass(frozen=True)
class StageTimes:
    """Seconds of one micro-batch on each stage: every exposed row of the ledger, sends left out (p columns each)."""

    forward: tuple[Column, ...]
    backward: tuple[Column, ...]
    weight: tuple[Column, ...] | None = None  # half of the backward when absent
    pair: tuple[Column, ...] | None = None  # an overlapped forward and backward; their sum when absent

    @property
    def stages(self) -> int:
        return len(self.forward)

    @cached_property
    def whole(self) -> tuple[Column, ...]:
        """f + b of each stage."""
        return each(np.add, self.forward, self.backward)

    @cached_property
    def weights(self) -> tuple[Column, ...]:
        return self.weight if self.weight is not None else each(lambda b: 0.5 * b, self.backward)

    @property
    def pairs(self) -> tuple[Column, ...]:
        return self.pair if self.pair is not None else self.whole


def equal_stages(stages: int, forward: Column, backward: Column, weight: Column | None = None) -> StageTimes:
    """``StageTimes`` of a pipeline whose stages are all alike."""
    return StageTimes((forward,) * stages, (backward,) * stages, None if weight is None else (weight,) * stages)


def kinds(columns: Sequence[Column]) -> dict[int, Column]:
    """The columns that differ: stages that hold the same layers share one."""
    return {id(column): column for column in columns}


def each(make: Callable[..., Column], *parts: tuple[Column, ...]) -> tuple[Column, ...]:
    """``make`` of every stage's columns, once for stages that share them all."""
    made: dict[tuple[int, ...], Column] = {}
    result = []
    for own in zip(*parts, strict=True):
        key = tuple(map(id, own))
        if key not in made:
            made[key] = make(*own)
        result.append(made[key])
    return tuple(result)


def largest(columns: Sequence[Column]) -> Column:
    """The largest of several columns, row by row."""
    return reduce(np.maximum, kinds(columns).values())


def smallest(columns: Sequence[Column]) -> Column:
    """The smallest of several columns, row by row."""
    return reduce(np.minimum, kinds(columns).values())


def added(columns: Sequence[Column]) -> Column:
    """The sum of several columns, row by row: of those that stages share, as often as they do."""
    times, differing = Counter(map(id, columns)), kinds(columns)
    return so_often(list(differing.values()), [times[own] for own in differing])


def so_often(columns: Sequence[Column], counts: Sequence[int]) -> Column:
    """The sum of columns, each as often as it counts; one that does not is left out."""
    found = [c if of_kind == 1 else of_kind * c for c, of_kind in zip(columns, counts, strict=True) if of_kind]
    return reduce(np.add, found)


def round_trips(stages: int, micro_batches: Column) -> Column:
    """Sends of one direction that 1F1B exposes beyond filling and draining: floor((m-1)(p-1)/p).

    The p micro-batches in flight go round the pipeline together; each round waits for p-1 sends each way.
    Found by simulation (equal for p 2-8, m 1-26).
    """
    later = micro_batches - 1.0
    return later - np.ceil(later / stages)


def whole_number(micro_batches: Column) -> Flags:
    """Where m is a whole number."""
    return np.equal(micro_batches, np.floor(micro_batches))


class PipelineSchedule(Protocol):
    """The functions of one schedule's module."""

    def rules(self, stages: int, micro_batches: Column, virtual_stages: int = 1) -> tuple[Rule, ...]:
        """Where the schedule can run."""

    def upstream(self, stage: int, stages: int, chunk: int) -> tuple[int, int] | None:
        """(stage, chunk) whose forward feeds this one; None where the model begins."""

    def chunk_times(self, times: Sequence[float], virtual_stages: int = 1) -> list[list[float]]:
        """Seconds of each chunk [stage][chunk] from the seconds of whole stages."""

    def partners(self, stage: int, stages: int) -> tuple[int, ...]:
        """The stages that the rank of ``stage`` holds, each for an equal part of the micro-batches."""

    def share(self, virtual_stages: int = 1) -> float:
        """What one chunk keeps for its backward, in units of one micro-batch on one stage (1/p of the model)."""

    def passes(self, stage: int, stages: int, micro_batches: int, virtual_stages: int = 1) -> list[Pass]:
        """The passes of one stage, in order."""

    def in_flight(self, stage: int, stages: int, micro_batches: Column, virtual_stages: int = 1) -> Column:
        """Peak of what a stage keeps, in micro-batches times one stage's share of the model."""

    def bubble(
        self,
        stages: int,
        micro_batches: Column,
        virtual_stages: int = 1,
        forward: Column = ONE,
        backward: Column = TWO,
        weight: Column = ONE,
    ) -> Column:
        """Idle over useful time where all stages are alike, sends left out."""

    def exposed_sends(self, times: StageTimes, micro_batches: Column, virtual_stages: int, send: Column) -> Column:
        """Seconds that sends between stages add to the schedule."""

    def steady(self, times: StageTimes, micro_batches: Column, virtual_stages: int) -> Column:
        """Seconds from the first forward to the last backward, sends left out."""

    def total(self, times: StageTimes, micro_batches: Column, virtual_stages: int, send: Column) -> Column:
        """Seconds from the first forward to the last backward, sends included."""

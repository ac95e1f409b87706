"""Several files in one call: one after the other, over processes, or over the workers of a scheduler."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from reports.commands.outcome import Job, Outcome
from reports.commands.stamps import unchanged


class Tick(Protocol):
    """Told whenever a file is finished, and of the points of its tables."""

    def __call__(self, outcome: Outcome) -> None: ...
    def points(self, table: str, done: int, total: int) -> None: ...


@dataclass(frozen=True)
class Call:
    """How files are worked through: over so many processes or a scheduler, with bars or without."""

    jobs: int = 1
    scheduler: str | None = None
    bars: bool = False


def performed(work: Sequence[Job], call: Call) -> list[Outcome]:
    """What came of the files, in their order; those that nothing has changed for are left as they are."""
    known = {job.file: outcome for job in work if (outcome := unchanged(job))}
    left = [job for job in work if job.file not in known]
    with progress(len(left), call.bars) as tick:
        made = done(left, call.jobs, call.scheduler, tick) if left else []
    known |= {job.file: outcome for job, outcome in zip(left, made, strict=True)}
    return [known[job.file] for job in work]


def done(work: list[Job], jobs: int, scheduler: str | None, tick: Tick) -> list[Outcome]:
    """What came of the files: rendered one after the other, over processes, or over a scheduler's workers."""
    if len(work) == 1 or (jobs == 1 and scheduler is None):
        return in_turn(work, tick)
    if scheduler is None:
        from reports.commands.processes import side_by_side

        return side_by_side(work, jobs, tick)
    from reports.commands.scheduled import scheduled

    return scheduled(work, scheduler, tick)


def in_turn(work: list[Job], tick: Tick) -> list[Outcome]:
    """The files one after the other in this process: one start-up for all."""
    from reports.commands.job import perform

    outcomes = []
    for job in work:
        outcomes.append(perform(job, tick.points))
        tick(outcomes[-1])
    return outcomes


@contextmanager
def progress(total: int, shown: bool) -> Iterator[Tick]:
    """Bars on standard error, where that is a terminal: of files, and of the points of a table with their rate."""
    if not shown:
        yield Quiet()
        return
    from reports.commands.bars import Bars

    with Bars(total) as bars:
        yield bars


class Quiet:
    """Says nothing."""

    def __call__(self, outcome: Outcome) -> None: ...
    def points(self, table: str, done: int, total: int) -> None: ...

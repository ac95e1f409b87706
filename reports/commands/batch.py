"""Several files in one call: one after the other, over processes, or over the workers of a scheduler."""

import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from typing import Protocol

from reports.commands import shell
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
        return side_by_side(work, jobs, tick)
    from reports.commands.scheduled import scheduled

    return scheduled(work, scheduler, tick)


def failed(job: Job, error: BaseException) -> Outcome:
    """The outcome of a file on which a worker itself died, as when memory runs out."""
    return Outcome(str(job.file), shell.INTERNAL, problems=f"{job.file}: {shell.internal(error)}")


def in_turn(work: list[Job], tick: Tick) -> list[Outcome]:
    """The files one after the other in this process: one start-up for all."""
    from reports.commands.job import perform

    outcomes = []
    for job in work:
        outcomes.append(perform(job, tick.points))
        tick(outcomes[-1])
    return outcomes


def side_by_side(work: list[Job], jobs: int, tick: Tick) -> list[Outcome]:
    """The files over ``jobs`` processes; spawned, so that each is as fresh as a call of its own."""
    from reports.commands.job import perform

    pool = ProcessPoolExecutor(min(jobs, len(work)), mp_context=get_context("spawn"))
    try:
        with deaf_to_ctrl_c():
            futures = {pool.submit(perform, job): job for job in work}
        done = {futures[future].file: result(future, futures[future], tick) for future in as_completed(futures)}
    except KeyboardInterrupt:
        for worker in active_children():  # what they write is renamed when it is whole
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return [done[job.file] for job in work]


def result(future: Future[Outcome], job: Job, tick: Tick) -> Outcome:
    """What a worker gave for ``job``."""
    try:
        outcome = future.result()
    except BrokenProcessPool as error:
        outcome = failed(job, error)
    tick(outcome)
    return outcome


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    """Processes started meanwhile do not hear Ctrl-C, which a terminal sends to all; this one stops them."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


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

"""Whole files over the workers of a dask scheduler, which see the same folders as this machine."""

from collections.abc import Callable
from dataclasses import replace

from reports.commands import shell
from reports.commands.job import perform
from reports.commands.outcome import Job, Outcome
from reports.experiments.pools import NoDask, Scheduler


def scheduled(work: list[Job], address: str, tick: Callable[[Outcome], None]) -> list[Outcome]:
    """The files, each rendered by some worker; one whose worker dies is rendered by another."""
    try:
        pool = Scheduler(address)
    except NoDask as error:
        said = [f"error: {error}"] + [""] * len(work)  # once, not for every file
        return [Outcome(str(job.file), shell.CANNOT_WRITE, verdict="Not rendered", problems=text)
                for job, text in zip(work, said, strict=False)]  # fmt: skip
    try:
        asked = [(job, pool.submit(perform, away(job))) for job in work]
        outcomes = []
        for job, answer in asked:
            outcomes.append(back(job, answer.result()))
            tick(outcomes[-1])
        return outcomes
    finally:
        pool.close()


def away(job: Job) -> Job:
    """The job for a process that stands in another folder."""
    out = None if job.out is None else job.out.absolute()
    own = None if job.templates is None else job.templates.absolute()
    return replace(job, file=job.file.absolute(), out=out, scheduler=None, templates=own)


def back(job: Job, outcome: Outcome) -> Outcome:
    """What came of it, by the paths that were asked for."""
    written = tuple(job.out / path.name if job.out else path for path in outcome.written)
    problems = outcome.problems
    for place in filter(None, (job.file, job.templates)):
        problems = problems.replace(str(place.absolute()), str(place))
    return replace(outcome, file=str(job.file), written=written, problems=problems)

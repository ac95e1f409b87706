"""Files over several processes. One that dies, as when memory runs out, takes no file with it but the one at fault."""

import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context

from reports.commands import shell
from reports.commands.outcome import Job, Outcome
from reports.experiments.pools import end_with_parent

DIED = (
    "error: {file}: the process that rendered it was killed, most likely as memory ran out; "
    "render it alone, or with fewer --jobs"
)


def side_by_side(work: Sequence[Job], jobs: int, told: Callable[[Outcome], None]) -> list[Outcome]:
    """What came of the files, in their order; those at work when a process dies are done again, each by its own."""
    done: dict[object, Outcome] = {}

    def take(job: Job, outcome: Outcome) -> None:
        done[job.file] = outcome
        told(outcome)

    left = deque(work)
    while left:
        for job in until_one_dies(left, jobs, take):
            if until_one_dies(deque([job]), 1, take):
                said = DIED.format(file=job.file)
                take(job, Outcome(str(job.file), shell.CANNOT_WRITE, verdict="Not rendered", problems=said))
    return [done[job.file] for job in work]


def until_one_dies(left: deque[Job], jobs: int, take: Callable[[Job, Outcome], None]) -> list[Job]:
    """Takes files from ``left`` and their outcomes in, over ``jobs`` processes; what was at work when one of them dies.

    The processes are spawned, so that each is as fresh as a call of its own.
    """
    from reports.commands.job import perform

    pool = ProcessPoolExecutor(min(jobs, len(left)), get_context("spawn"), end_with_parent)
    at_work: dict[Future[Outcome], Job] = {}
    try:
        while left or at_work:
            with deaf_to_ctrl_c():
                while left and len(at_work) < jobs:
                    at_work[pool.submit(perform, left[0])] = left[0]
                    left.popleft()
            for future in wait(at_work, return_when=FIRST_COMPLETED).done:
                outcome = future.result()
                take(at_work.pop(future), outcome)
    except BrokenProcessPool:
        return list(at_work.values()) or [left.popleft()]
    except KeyboardInterrupt:
        for worker in active_children():  # what they write is renamed when it is whole
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return []


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    """Processes started meanwhile do not hear Ctrl-C, which a terminal sends to all; this one stops them."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

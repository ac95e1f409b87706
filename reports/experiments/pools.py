"""Workers for the points of large tables: processes of this machine, or a dask scheduler's."""

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from typing import Any

from reports.experiments.evaluation import Found
from reports.experiments.work import Task, perform

TRIES = 3  # times that processes are started; then this one does what is left
AHEAD = 3  # tasks a worker that are handed out before the first result is taken

Submit = Callable[[Task], "Future[list[Found]]"]


def in_order(submit: Submit, tasks: Sequence[Task], most: int) -> Iterator[list[Found]]:
    """Results in the order of the tasks, ``most`` of which are out at a time."""
    waiting: deque[Future[list[Found]]] = deque()
    left = iter(tasks)
    for task in left:
        waiting.append(submit(task))
        if len(waiting) == most:
            break
    while waiting:
        found = waiting.popleft().result()
        for task in left:
            waiting.append(submit(task))
            break
        yield found


def deaf() -> None:
    """A worker does not hear Ctrl-C, which a terminal sends to all; whoever started it stops it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """A worker whose parent is killed would wait for work for ever."""
    parent = parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


class Processes:
    """Processes that are started when a table is large enough to need them, and serve all tables of a call."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.executor: ProcessPoolExecutor | None = None

    def __call__(self, tasks: Sequence[Task]) -> Iterator[list[Found]]:
        done = 0
        for _ in range(TRIES):
            try:
                for found in in_order(self.submit, tasks[done:], AHEAD * self.count):
                    yield found
                    done += 1
                return
            except BrokenProcessPool:  # one was killed, and the others with it
                self.close()
        yield from map(perform, tasks[done:])

    def submit(self, task: Task) -> "Future[list[Found]]":
        """A task handed to the processes, which are started by the first one."""
        if self.executor is None:
            self.executor = ProcessPoolExecutor(self.count, mp_context=get_context("spawn"), initializer=deaf)
        return self.executor.submit(perform, task)

    def close(self) -> None:
        """Ends the processes; what they still work on is not waited for."""
        if self.executor is not None:
            for worker in list((self.executor._processes or {}).values()):
                worker.terminate()
            self.executor.shutdown(wait=False, cancel_futures=True)
            self.executor = None


class Scheduler:
    """The workers of a dask scheduler: a part that a lost worker had is evaluated again by another one."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            raise NoDask("--scheduler needs dask.distributed: pip install 'tonnage[dask]'") from error
        try:
            self.client: Any = Client(address, timeout="10s", set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise NoDask(f"no scheduler answers at {address}: {error or type(error).__name__}") from error

    def __call__(self, tasks: Sequence[Task]) -> Iterator[list[Found]]:
        workers = max(1, len(self.client.scheduler_info()["workers"]))
        return in_order(lambda task: self.submit(perform, task), tasks, AHEAD * workers)

    def submit(self, function: Callable[..., Any], *given: Any) -> Any:
        """A task handed to the scheduler: it is done again where a worker dies, and never merged with an equal one."""
        return self.client.submit(function, *given, pure=False, retries=3)

    def close(self) -> None:
        """Leaves the scheduler as it is."""
        self.client.close()


class NoDask(Exception):
    """There is no scheduler to hand work to; the message says why."""


@contextmanager
def workers(jobs: int, scheduler: str | None) -> Iterator[Processes | Scheduler | None]:
    """Whoever evaluates large tables; None where this process does."""
    pool = Scheduler(scheduler) if scheduler else Processes(jobs) if jobs > 1 else None
    try:
        yield pool
    finally:
        if pool is not None:
            pool.close()

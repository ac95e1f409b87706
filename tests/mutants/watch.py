"""Plugins of pytest in the processes of `make mutants`: one notes what each test calls, one runs chosen tests."""

import os
import signal
import sys
import time
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

HANGS = 9  # the exit code of a process whose test took far longer than it does
MUTED = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # packages are imported before pytest sees them


class Noted:
    """Which functions each test calls, and how long it takes."""

    def __init__(self, tree: Path, rooms: tuple[str, ...]) -> None:
        self.tree, self.rooms = f"{tree}/", rooms
        self.known: dict[Any, str] = {}
        self.calls: set[str] = set()
        self.outside: set[str] = set()  # called on import and by fixtures
        self.tests: dict[str, dict[str, Any]] = {}
        self.failed: set[str] = set()
        sys.settrace(self.called)

    def called(self, frame: FrameType, event: str, _: object) -> None:
        """Takes down the function that is entered; its lines are not followed."""
        code = frame.f_code
        name = self.known.get(code)
        if name is None:
            file = code.co_filename.removeprefix(self.tree)
            inside = file.split("/", 1)[0] in self.rooms and file != code.co_filename
            name = self.known[code] = f"{file}:{_plain(code.co_qualname)}" if inside else ""
        if name:
            self.calls.add(name)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """The test itself; hypothesis takes the tracer away, so it is set anew."""
        self.outside |= self.calls
        self.calls = set()
        sys.settrace(self.called)
        yield
        self.tests[item.nodeid] = {"calls": sorted(self.calls)}
        self.calls = set()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, None, None]:
        """All of a test: the processor's time, since the clock's says what else the machine does."""
        start = time.process_time()
        yield
        row = self.tests.setdefault(item.nodeid, {"calls": []})
        row["seconds"] = round(time.process_time() - start, 4)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Whether it passes as the tree stands."""
        if report.outcome != "passed":
            self.failed.add(report.nodeid)

    def to_json(self) -> dict[str, Any]:
        """The tests that pass, with what they call."""
        passed = {name: row for name, row in self.tests.items() if name not in self.failed}
        return {"outside": sorted(self.outside | self.calls), "tests": passed, "failed": sorted(self.failed)}


def _plain(name: str) -> str:
    """A function's name without what is defined in it."""
    return name.split(".<locals>", 1)[0].removesuffix(".<lambda>")


class Chosen:
    """Runs the chosen tests in their order, each within a limit, all within another."""

    def __init__(self, seconds: Mapping[str, float], budget: float) -> None:
        self.order = {name: i for i, name in enumerate(seconds)}
        self.seconds, self.budget = seconds, budget
        self.start = time.process_time()
        self.done = 0
        self.failed = ""
        signal.signal(signal.SIGPROF, lambda *_: os._exit(HANGS))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leaves the chosen ones."""
        items[:] = sorted((i for i in items if i.nodeid in self.order), key=lambda item: self.order[item.nodeid])

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, None, None]:
        """One test; none is begun behind the budget."""
        if time.process_time() - self.start > self.budget:
            item.session.shouldstop = "the budget is spent"
        signal.setitimer(signal.ITIMER_PROF, 20 + 10 * self.seconds[item.nodeid])
        yield
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.done += 1

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """The first test that fails."""
        if report.failed and not self.failed:
            self.failed = report.nodeid


def options(files: Iterable[str], *more: str) -> list[str]:
    """How pytest is called."""
    return ["-q", "-x", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", *MUTED, *more, *files]

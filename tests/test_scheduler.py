"""A dask scheduler with two workers on this machine, one of which dies: the same bytes as without them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from reports.commands.job import perform
from reports.commands.outcome import Job
from reports.commands.scheduled import scheduled
from reports.commands.source import read
from reports.document import TABLES
from reports.experiments import work as module
from reports.experiments.pools import Scheduler, workers
from reports.experiments.work import Work, working
from tests.test_work import TEXT

pytest.importorskip("distributed", reason="dask.distributed is not installed: pip install 'tonnage[dask]'")
pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[1]


def start(role: str, *given: str) -> "subprocess.Popen[bytes]":
    """One of dask's commands, on loopback and without its web page."""
    code = f"import sys; from distributed.cli.dask_{role} import main; sys.exit(main())"
    command = [sys.executable, "-W", "ignore", "-c", code, "--no-dashboard", "--host", "127.0.0.1", *given]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list["subprocess.Popen[bytes]"]]]:
    """The address of a scheduler, and its two workers."""
    told = folder / "scheduler.json"
    started = [start("scheduler", "--port", "0", "--scheduler-file", str(told))]
    try:
        for _ in range(600):
            if told.exists() and told.read_text("utf-8").strip():
                break
            time.sleep(0.1)
        address = json.loads(told.read_text("utf-8"))["address"]
        own = [start("worker", address, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder / str(i)))
               for i in range(2)]  # fmt: skip
        started += own
        yield address, own
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_dies_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGE", 0)
    monkeypatch.setattr(module, "TOGETHER", 1)
    path = tmp_path / "long.scn"
    path.write_text(TEXT, "utf-8")
    source = read(path)
    tables = source.scenario.tables
    alone = json.dumps(TABLES["optimize"](tables[1]))
    with cluster(tmp_path) as (address, own), workers(1, address) as pool:
        assert isinstance(pool, Scheduler)
        pool.client.wait_for_workers(2, timeout=60)
        killed: list[int] = []

        def told(table: str, done: int, total: int) -> None:
            if not killed:
                killed.append(done)
                os.kill(own[0].pid, signal.SIGKILL)

        with working(Work(source.recipe, tables, pool, told)):
            found = json.dumps(TABLES["optimize"](tables[1]))
        assert found == alone and 0 < killed[0] < 144
        jobs = [Job(path, tmp_path / "out", ("json",)), Job(tmp_path / "none.scn", tmp_path / "out", ("json",))]
        outcomes = scheduled(jobs, address, lambda outcome: None)
        here = [perform(replace(job, out=tmp_path / "here")) for job in jobs]
        assert [(o.code, o.verdict, o.problems) for o in outcomes] == [(o.code, o.verdict, o.problems) for o in here]
        assert outcomes[0].written == (tmp_path / "out" / "long.json",)
    assert (tmp_path / "out" / "long.json").read_bytes() == (tmp_path / "here" / "long.json").read_bytes()

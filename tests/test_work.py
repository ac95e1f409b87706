"""Long work: Ctrl-C leaves a part that goes on bit for bit, changed inputs do not go on, processes give the same."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from reports.commands.job import partial, perform
from reports.commands.outcome import Job
from reports.commands.source import Source, read
from reports.document import TABLES
from reports.experiments import work as module
from reports.experiments.pools import NoDask, Processes, in_order, workers
from reports.experiments.work import Task, Work, working
from reports.program import ROOMS
from reports.recipe import Recipe
from tests.point_tables import HEAD

TEXT = HEAD + """
sweep prices {
 base = dense
 vary { layout.tensor = [1, 2, 4, 8], cluster.price = $1/gpu-hour..$2/gpu-hour step $0.01/gpu-hour }
}
optimize best {
 base = dense
 vary { layout.tensor = [1, 2, 4, 8], layout.pipeline = [1, 2, 4], layout.micro_batch = 1..6 sequences, layout.recompute = [none, full] }
 where layout.tensor * layout.pipeline >= 4
 minimize = cost
}
"""  # noqa: E501


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Source:
    """A sweep and a search in many small parts."""
    monkeypatch.setattr(module, "CHUNK", 50)
    monkeypatch.setattr(module, "LARGE", 0)
    path = tmp_path / "long.scn"
    path.write_text(TEXT, "utf-8")
    return read(path)


def evaluated(source: Source, number: int, **how: Any) -> Any:
    tables = source.scenario.tables
    with working(Work(source.recipe, tables, **how)):
        return TABLES[tables[number].kind](tables[number])


def stopping(after: int) -> Any:
    """Presses Ctrl-C when so many points are done, heard even where the tests run in the background of a shell."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def told(table: str, done: int, total: int) -> None:
        if done >= after:
            os.kill(os.getpid(), signal.SIGINT)

    return told


@pytest.mark.parametrize("number", [0, 1])
def test_what_ctrl_c_stopped_goes_on_bit_for_bit(source: Source, number: int, tmp_path: Path) -> None:
    fresh = evaluated(source, number)
    stopped = evaluated(source, number, told=stopping(100), kept=tmp_path)
    assert stopped["counts"]["partial"] and 100 <= stopped["counts"]["points"] < fresh["counts"]["points"]
    assert partial({"experiments": [stopped]})[0].endswith("the same call with --resume goes on")
    (place,) = tmp_path.glob(".long.*.partial")
    done: list[int] = []
    again = evaluated(source, number, kept=tmp_path, resume=True, told=lambda table, n, total: done.append(n))
    assert json.dumps(again) == json.dumps(fresh) and done[0] > 100
    assert not place.exists()


def test_what_was_put_aside_for_other_inputs_is_not_used(source: Source, tmp_path: Path) -> None:
    evaluated(source, 1, told=stopping(60), kept=tmp_path)
    source.file.write_text(TEXT.replace("minimize = cost", "minimize = step_time"), "utf-8")
    other = read(source.file)
    done: list[int] = []
    found = evaluated(other, 1, kept=tmp_path, resume=True, told=lambda table, n, total: done.append(n))
    assert done[0] <= 50 and json.dumps(found) == json.dumps(evaluated(other, 1))


def test_the_program_is_all_that_an_evaluation_runs() -> None:
    """Every module of this repository that a new process loads for a table lies in a room that is counted."""
    code = ("import sys, reports.commands.job, reports.document; from reports.experiments import work; "
            "print(*(f for m in sys.modules.values() if (f := getattr(m, '__file__', None))))")  # fmt: skip
    root = Path(module.__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    own = [Path(f) for f in done.stdout.split() if Path(f).is_relative_to(root) and ".venv" not in f]
    rooms = {file.relative_to(root).parts[0] for file in own}
    assert {"dsl", "engine", "reports"} <= rooms <= {*ROOMS}
    assert root / "reports" / "intervals.py" in own


def test_a_file_that_is_no_state_is_not_used(source: Source, tmp_path: Path) -> None:
    (tmp_path / ".long.sweep.prices.partial").write_text("{", "utf-8")
    assert evaluated(source, 0, kept=tmp_path, resume=True)["counts"]["points"] == 404


@pytest.mark.slow
def test_processes_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGE", 0)
    path = tmp_path / "long.scn"
    path.write_text(TEXT, "utf-8")
    source = read(path)
    alone = [json.dumps(evaluated(source, i)) for i in (0, 1)]
    with workers(2, None) as pool:
        assert isinstance(pool, Processes)
        path.unlink()  # a worker has the texts
        assert [json.dumps(evaluated(source, i, pool=pool)) for i in (0, 1)] == alone


def test_a_file_that_was_stopped_is_rendered_as_far_as_it_went(source: Source, tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcome = perform(Job(source.file, out, ("json",)), stopping(100))
    assert outcome.code == 130 and "sweep `prices`" in outcome.problems
    document = json.loads((out / "long.json").read_text("utf-8"))
    (sweep,) = [e for e in document["experiments"] if e["kind"] == "sweep"]
    assert sweep["counts"]["partial"] and sweep["counts"]["points"] < 404
    outcome = perform(Job(source.file, out, ("json",), resume=True))
    assert outcome.code == 0 and sorted(p.name for p in out.iterdir()) == ["long.json"]
    fresh = perform(Job(source.file, tmp_path / "fresh", ("json",)))
    assert (tmp_path / "fresh" / "long.json").read_bytes() == (out / "long.json").read_bytes() and fresh.code == 0


def test_results_are_taken_in_the_order_of_the_tasks() -> None:
    out: list[Task] = []

    def submit(task: Task) -> Future[Any]:
        out.append(task)
        done: Future[Any] = Future()
        done.set_result([task.first])
        return done

    tasks = [Task(Recipe("", (), (), ()), 0, i, i + 1, None) for i in range(7)]
    found: Any = in_order(submit, tasks, 3)
    assert next(found) == [0] and len(out) == 4
    assert [own for (own,) in found] == [1, 2, 3, 4, 5, 6]


def test_a_scheduler_that_is_not_there_is_told(source: Source) -> None:
    with pytest.raises(NoDask, match="no scheduler answers|pip install"), workers(1, "tcp://127.0.0.1:9"):
        pass
    outcome = perform(Job(source.file, None, ("json",), scheduler="tcp://127.0.0.1:9"))
    assert outcome.code == 3 and outcome.problems.startswith("error: ")

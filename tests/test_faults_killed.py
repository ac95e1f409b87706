"""Calls that are killed at any moment, beside each other, or by their workers: every file is an old or a new one.

`make faults` kills 200 times; the tests that always run kill a few times.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reports.commands.source import read
from reports.document import TABLES
from reports.experiments import work as module
from reports.experiments.pools import Processes, workers
from reports.experiments.work import Work, working
from tests.faults import ROOT, answer, python, snapshot
from tests.test_render import FAILS, HOLDS, put
from tests.test_streams import TEXT

KILLS = int(os.environ.get("TONNAGE_KILLS", "12"))
FORKED = """
import json, os, random, signal, sys, time, warnings
warnings.simplefilter("ignore")
from pathlib import Path
from reports.commands.job import perform
from reports.commands.outcome import Job
from reports.experiments import work
from tests.faults import snapshot
kills, rng = int(sys.argv[1]), random.Random(7)
def render(name, out, **more):
    return perform(Job(Path(name), Path(out), ("json", "csv"), **more)).code
def forked(*given, **more):
    number = os.fork()
    if number == 0:
        os._exit(render(*given, **more))
    return number
def ended(number):
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
def killed(*given, **more):
    number = forked(*given, **more)
    time.sleep(rng.uniform(0, 1.2) * took)
    os.kill(number, signal.SIGKILL)
    return ended(number)
"""


def test_killed_at_any_moment_every_file_is_the_old_or_the_new_one(tmp_path: Path) -> None:
    for name, text in (("one", HOLDS), ("two", HOLDS.replace("1B tokens", "2B tokens")), ("both", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.scn").write_text(text)
    code = FORKED + """
render("one/a.scn", "first"); start = time.monotonic(); render("two/a.scn", "second"); took = time.monotonic() - start
whole = [snapshot(Path("first")), snapshot(Path("second"))]
halves, codes = [], []
for n in range(kills):
    codes.append(killed(f"{'two' if n % 2 else 'one'}/a.scn", "out"))
    found = snapshot(Path("out")) if os.path.exists("out") else {}
    halves += [name for name, data in found.items() if ".part/" not in name
               and data not in (whole[0].get(name), whole[1].get(name))]
after = ended(forked("one/a.scn", "out"))
left = set(os.listdir("out")) ^ set(whole[0])
print(json.dumps([halves, after, snapshot(Path("out")) == whole[0], sorted(left), codes.count(-9)]))
"""
    halves, after, same, left, count = answer(python(code, tmp_path, KILLS))
    assert (halves, after, same, left) == ([], 0, True, []) and count >= KILLS // 3


def test_what_was_killed_and_is_gone_on_with_equals_a_fresh_run(tmp_path: Path) -> None:
    put(tmp_path, long=TEXT)
    code = FORKED + """
work.CHUNK, work.STREAMED, work.SAVED = 60, 100, 0.0
render("long.scn", "fresh"); start = time.monotonic(); render("long.scn", "fresh"); took = time.monotonic() - start
fresh, wrong, begun = snapshot(Path("fresh")), [], 0
for n in range(kills):
    killed("long.scn", "out", resume=True)
    names = os.listdir("out") if os.path.exists("out") else []
    begun += any(name.endswith(".partial") for name in names)
    wrong += [x for x, d in snapshot(Path("out")).items() if not x.startswith(".") and d != fresh.get(x)]
    if n % 3 == 2:
        wrong += [ended(forked("long.scn", "out", resume=True))] if n % 2 else [ended(forked("long.scn", "out"))]
        wrong += sorted(set(os.listdir("out")) ^ set(fresh)) + [snapshot(Path("out")) == fresh]
print(json.dumps([begun, wrong]))
"""
    begun, wrong = answer(python(code, tmp_path, max(6, KILLS // 4)))
    assert [x for x in wrong if x not in (0, True)] == [] and begun > 0


def test_calls_that_write_into_one_folder_at_once_leave_whole_files(tmp_path: Path) -> None:
    put(tmp_path, long=TEXT)
    code = FORKED + """
work.CHUNK, work.STREAMED, work.SAVED = 60, 100, 0.0
render("long.scn", "fresh")
codes = [ended(n) for n in [forked("long.scn", "out") for _ in range(3)]]
print(json.dumps([codes, snapshot(Path("out")) == snapshot(Path("fresh")), os.listdir("out")]))
"""
    codes, same, names = answer(python(code, tmp_path, 0))
    assert codes == [0] * 3 and same and not [name for name in names if name.startswith(".")]


def test_a_worker_that_dies_takes_no_other_file_with_it(tmp_path: Path) -> None:
    files = put(tmp_path, a=HOLDS, b=HOLDS, c=FAILS)
    (tmp_path / "deadly.py").write_text(
        "import os, signal\nimport reports.commands.job as job\nbuild = job.build\n"
        "def accident(scenario):\n"
        "    if scenario.file == 'b.scn': os.kill(os.getpid(), signal.SIGKILL)\n    return build(scenario)\n"
        "job.build = accident\n"
    )
    code = (
        "import sys; sys.path.insert(0, '.')\nimport deadly\nfrom reports.commands.render import main\n"
        "if __name__ == '__main__': main()"
    )
    (tmp_path / "main.py").write_text(code)  # spawned workers run it again, so that b kills them, too
    done = subprocess.run(
        [sys.executable, "main.py", *files, "--jobs", "2", "--format", "json,html"], cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 3 and "Traceback" not in done.stderr
    assert done.stderr.startswith("error: b.scn: the process that rendered it was killed")
    assert set(snapshot(tmp_path / "out")) == {"a.html", "a.json", "c.html", "c.json", "index.html"}
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert "was killed" in page and 'href="a.html"' in page and 'href="b.html"' not in page


def test_points_of_a_worker_that_dies_are_evaluated_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGE", 0)
    monkeypatch.setattr(module, "TOGETHER", 1)
    (tmp_path / "long.scn").write_text(TEXT)
    source = read(tmp_path / "long.scn")
    (table,) = source.scenario.tables
    alone = json.dumps(TABLES["sweep"](table))
    died: list[int] = []
    with workers(2, None) as pool:
        assert isinstance(pool, Processes)
        submit = pool.submit

        def deadly(task: module.Task) -> object:
            future = submit(task)
            if not died and pool.executor is not None:
                died.extend(pool.executor._processes)
                os.kill(died[0], signal.SIGKILL)
            return future

        monkeypatch.setattr(pool, "submit", deadly)
        with working(Work(source.recipe, source.scenario.tables, pool)):
            assert json.dumps(TABLES["sweep"](table)) == alone
    assert died


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "import os, signal, time\nfrom multiprocessing import get_context\n"
        "from concurrent.futures import ProcessPoolExecutor\nfrom reports.experiments.pools import deaf\n"
        "if __name__ == '__main__':\n"
        "    pool = ProcessPoolExecutor(1, get_context('spawn'), deaf)\n"
        "    print(pool.submit(os.getpid).result(), flush=True)\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    given = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, env=given, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL)  # fmt: skip
    worker = Path("/proc") / done.stdout.strip()
    assert worker.name.isdigit()
    ended = False
    for _ in range(300):
        ended = not worker.exists() or "State:\tZ" in (worker / "status").read_text()
        if ended:
            break
        time.sleep(0.1)
    assert ended, "the worker is still there"

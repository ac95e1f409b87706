"""A process that runs pytest in a copy of the tree: forked, so that numpy and its like are imported once."""

import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

HEAVY = ("numpy", "pandas", "matplotlib.pyplot", "lark", "hypothesis", "pytest", "weasyprint", "pypdf", "click",
         "jinja2", "rich.console", "pygments.lexers", "platformdirs", "distributed")  # fmt: skip


def warm() -> None:
    """Imports of other people's packages, before any fork; none of the tree's own."""
    for name in HEAVY:
        try:
            __import__(name)
        except ImportError:  # an extra that is not installed
            continue
    assert not any(name.split(".")[0] in ("dsl", "engine", "reports") for name in sys.modules)


def forked(tree: Path, work: Callable[[], dict[str, Any]], limit: float, cache: Path) -> tuple[int, dict[str, Any]]:
    """The exit code of ``work`` in a process of its own, with ``tree`` as its folder, and what it hands back."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        pid = os.fork()
        if pid == 0:
            _child(tree, work, answer, cache)
        code = _waited(pid, limit)
        return code, json.loads(answer.read_text()) if answer.is_file() else {}


def _child(tree: Path, work: Callable[[], dict[str, Any]], answer: Path, cache: Path) -> None:
    """Never returns: the parent's stack is none of the child's business."""
    code = 3
    try:
        os.setsid()
        os.chdir(tree)
        os.environ.update(PYTHONPATH=str(tree), TONNAGE_CACHE=str(cache), TMPDIR=str(answer.parent))
        tempfile.tempdir = None
        _only(tree)
        quiet = os.open(os.environ.get("MUTANTS_LOG", os.devnull), os.O_RDWR | os.O_CREAT | os.O_APPEND)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        result = work()
        code = int(result["code"])
        answer.write_text(json.dumps(result))
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        raise
    finally:
        os._exit(code)


def _only(tree: Path) -> None:
    """The tree's own modules come from ``tree`` and nowhere else."""
    own = ("dsl", "engine", "reports", "templates", "scenarios", "tests", "tools", "bench")
    for name in [name for name in sys.modules if name.split(".")[0] in own]:
        del sys.modules[name]
    sys.path[:] = [str(tree), *(p for p in sys.path if p and not (Path(p) / "dsl").is_dir())]
    sys.path_importer_cache.clear()


def _waited(pid: int, limit: float) -> int:
    """The exit code; past the limit the whole group is stopped, which is told as a negative one."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return -int(signal.SIGKILL)

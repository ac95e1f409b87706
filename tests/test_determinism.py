"""The same input gives the same bytes: in any folder, time zone, language and order of hashes, whenever, and by any
number of processes. The clock of the other world is ten years ahead, and ends a process of ours that reads it.
"""

import hashlib
import os
import shutil
import stat
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.test_render import HEAD, call

CLOCK = Path(__file__).parent / "clock"
TINY = HEAD + """cluster box { gpu = h100-sxm, nodes = 1, price = 2 $/gpu-hour, tier node { bandwidth = 450 GB/s } }
run tiny {
  model = llama-3-8b, cluster = box, tokens = 1B tokens, batch = 64 sequences
  layout { tensor = 8, recompute = full }
}
"""
TABLES = TINY + """sweep splits { base = tiny, vary { layout.tensor = [1, 2, 4, 8], batch = [32, 64] sequences } }
sensitivity doubts {
  base = tiny, samples = 200, seed = 7
  vary { tokens = 0.8B..1.2B tokens, cluster.price = normal(2 $/gpu-hour, 0.1 $/gpu-hour) }
}
"""
LEAF = 'report { kind = one_page, document = "TN-1" }\n'
FORMATS = "html,pdf,json,csv" + (",parquet" if find_spec("pyarrow") else "")


def put(folder: Path) -> Path:
    """The scenarios in a folder."""
    folder.mkdir(parents=True)
    for name, text in {"plan": TABLES, "leaf": TINY + LEAF, "later": TINY.replace("1B", "2B")}.items():
        (folder / f"{name}.scn").write_text(text, "utf-8")
        os.utime(folder / f"{name}.scn", (len(str(folder)), 10**9))
    return folder


def other_world(folder: Path) -> dict[str, str]:
    """An environment that differs in everything a document must not show."""
    path = os.pathsep.join(filter(None, (str(CLOCK), os.environ.get("PYTHONPATH"))))
    return {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "LANG": "C", "PYTHONHASHSEED": "7", "PYTHONPATH": path,
            "TONNAGE_CACHE": str(folder / "cache"), "COLUMNS": "40", "TERM": "dumb"}  # fmt: skip


HERE = {"TZ": "America/Los_Angeles", "PYTHONHASHSEED": "1"}


def rendered(folder: Path, *arguments: str, **environment: str) -> dict[str, str]:
    """The digest of every document that a call leaves."""
    done = call("render", *arguments, "--quiet", cwd=folder, **environment)
    assert (done.code, done.err) == (0, "")
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted((folder / "out").iterdir())}


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """The same scenarios in two folders."""
    return put(tmp_path / "here"), put(tmp_path / "elsewhere" / "deep er")


def test_tables_and_their_files_are_the_same_by_one_process_and_by_two(two: tuple[Path, Path]) -> None:
    here, elsewhere = two
    first = rendered(here, "plan.scn", "--format", "json,csv", **HERE)
    assert first == rendered(elsewhere, "plan.scn", "--format", "json,csv", "--jobs", "2", **other_world(elsewhere))
    assert {"plan.json", "plan.sweep-splits.csv", "plan.tiny.megatron.args"} <= set(first) and len(first) > 20
    for place in sorted((here / "out").iterdir()):
        assert str(here).encode() not in place.read_bytes(), place.name


@pytest.mark.slow
def test_documents_are_the_same_everywhere_and_whenever(two: tuple[Path, Path]) -> None:
    here, elsewhere = two
    asked = ("plan.scn", "leaf.scn", "--format", FORMATS)
    first = rendered(here, *asked, **HERE)
    before = os.umask(0o077)
    try:
        second = rendered(elsewhere, *asked, "--jobs", "2", **other_world(elsewhere))
    finally:
        os.umask(before)
    assert second == first
    assert {"index.html", "plan.html", "plan.pdf", "plan.json", "leaf.html", "leaf.pdf"} <= set(first)
    assert stat.S_IMODE((elsewhere / "out" / "plan.pdf").stat().st_mode) == 0o600
    for page in ("index.html", "plan.html", "leaf.html"):
        assert str(here) not in (here / "out" / page).read_text("utf-8")


@pytest.mark.slow
def test_documents_of_what_changed_are_the_same(two: tuple[Path, Path]) -> None:
    here, elsewhere = two
    asked = ("--diff", "leaf.scn", "later.scn", "--format", "html,pdf,json,csv")
    assert rendered(here, *asked, **HERE) == rendered(elsewhere, *asked, **other_world(elsewhere))


@pytest.mark.slow
def test_reports_of_validation_are_the_same(two: tuple[Path, Path], root: Path) -> None:
    found = []
    for folder, environment in zip(two, (HERE, other_world(two[1])), strict=True):
        shutil.copy(root / "tests/data/fit_runs.csv", folder / "runs.csv")
        done = call("scn", "validate", "runs.csv", "--where", "framework=MaxText (JAX/XLA GPU)", cwd=folder,
                    **environment)  # fmt: skip
        assert (done.code, done.err) == (0, "")
        found.append({p.name: p.read_bytes() for p in (folder / "out").iterdir()})
    assert {"validation.html", "validation.pdf", "validation.json"} <= set(found[0])
    assert [name for name in found[0] if found[0][name] != found[1].get(name)] == [] and len(found[0]) == len(found[1])


@pytest.mark.parametrize("asks", ["time.time", "time.localtime", "date.today", "datetime.now"])
def test_the_clock_of_the_other_world_ends_what_reads_it(asks: str, tmp_path: Path) -> None:
    code = f"import time; from datetime import date, datetime; __name__ = 'reports.sections.front'; {asks}()"
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | other_world(tmp_path), capture_output=True)
    assert done.returncode == 70 and b"reads the clock" in done.stderr

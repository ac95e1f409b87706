"""One change tried: the copy of the tree gets it, the tests run, the copy is put back."""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from tests.mutants.child import forked
from tests.mutants.covered import Covered
from tests.mutants.sites import Site
from tests.mutants.watch import HANGS, Chosen, options

LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "out", "dist", "build", ".*_cache", ".hypothesis", "fuzz-out")


@dataclass(frozen=True)
class Tried:
    """What came of a change: caught, hangs, survived, reached by no test; by which test, after how many of all."""

    site: Site
    fate: str
    by: str = ""
    ran: int = 0
    of: int = 0

    @property
    def caught(self) -> bool:
        return self.fate in ("caught", "hangs")


def copied(root: Path, to: Path) -> Path:
    """The tree that changes are made in; the checkout itself is only read."""
    shutil.copytree(root, to, ignore=LEFT_OUT, symlinks=True)
    return to


def difference(root: Path, site: Site) -> str:
    """The change as a diff."""
    text = (root / site.file).read_bytes()
    old, new = (t.decode().splitlines() for t in (text, site.applied(text)))
    return "\n".join(list(unified_diff(old, new, site.file, site.file, n=1, lineterm=""))[2:])


def tried(tree: Path, site: Site, tests: Covered, cache: Path, budget: float) -> Tried:
    """Whether a test notices the change within ``budget`` seconds of processor time."""
    chosen = _within(tests.tests(site), budget)
    if not chosen:
        return Tried(site, "reached by no test")
    path = tree / site.file
    old, times = path.read_bytes(), path.stat()
    try:
        path.write_bytes(site.applied(old))
        compile(path.read_bytes(), site.file, "exec")
        code, answer = forked(tree, lambda: _ran(chosen, budget), 60 + 8 * budget, _own(cache, site))
    finally:
        path.write_bytes(old)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    return _fate(site, code, answer, len(chosen))


def _within(tests: Mapping[str, float], budget: float) -> dict[str, float]:
    """The first tests, as far as they are done within the budget."""
    chosen, total = dict[str, float](), 0.0
    for name, seconds in tests.items():
        total += seconds
        if total > budget and chosen:
            break
        chosen[name] = seconds
    return chosen


def _own(cache: Path, site: Site) -> Path:
    """The folder of kept files: an empty one for a changed language, whose reader must read anew."""
    if site.file.startswith("engine/"):
        return cache
    own = cache.with_name("cache-of-a-change")
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir()
    for file in cache.glob("grammar-*"):
        shutil.copy(file, own)
    return own


def _ran(chosen: Mapping[str, float], budget: float) -> dict[str, Any]:
    import pytest

    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    plugin = Chosen(chosen, 2 * budget)
    code = pytest.main(options(dict.fromkeys(name.split("::")[0] for name in chosen)), plugins=[plugin])
    return {"code": int(code), "by": plugin.failed, "ran": plugin.done}


def _fate(site: Site, code: int, answer: Mapping[str, Any], of: int) -> Tried:
    """The exit code of pytest in words: 1 a test failed, 2 and 3 the tree cannot even be imported, 5 nothing ran."""
    if code == HANGS or code < 0:
        return Tried(site, "hangs", "", answer.get("ran", 0), of)
    fate = {0: "survived", 5: "reached by no test"}.get(code, "caught")
    if code == 2 and not answer.get("by") and answer.get("ran"):
        fate = "survived"  # stopped at the end of the budget
    return Tried(site, fate, answer.get("by", "") or ("import" if fate == "caught" else ""), answer.get("ran", 0), of)

"""`make mutants`: where a file can be changed, what a change makes of it, and a tree whose tests notice one of two."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants.sites import changed, sites

SOURCE = b'''"""A docstring with 1 + 1."""
LIMIT = 3


def least(a: "int | None" = None, b=2.0):
    """The smaller of 2 values."""
    assert b > 1
    if a is None or not b <= LIMIT:  # 1 < 2
        return "x" + "y"
    return min(a * 2, -b) if a else [True]
'''


def texts(source: bytes) -> dict[bytes, str]:
    """What each change makes of its line, and the function it stands in."""
    return {s.applied(source).split(b"\n")[s.line - 1].strip(): s.function for s in sites("a.py", source)}


def test_each_change_is_one_that_does_something_else() -> None:
    found = texts(SOURCE)
    for line, function in {
        b"LIMIT = 4": "",
        b'def least(a: "int | None" = None, b=2.2):': "least",
        b"if a is not None or not b <= LIMIT:  # 1 < 2": "least",
        b"if a is None and not b <= LIMIT:  # 1 < 2": "least",
        b"if a is None or b <= LIMIT:  # 1 < 2": "least",
        b"if a is None or not b < LIMIT:  # 1 < 2": "least",
        b"return max(a * 2, -b) if a else [True]": "least",
        b"return min(a / 2, -b) if a else [True]": "least",
        b"return min(a * 3, -b) if a else [True]": "least",
        b"return min(a * 2, b) if a else [True]": "least",
        b"return min(a * 2, -b) if not (a) else [True]": "least",
        b"return min(a * 2, -b) if a else [False]": "least",
    }.items():
        assert found.pop(line) == function
    assert not found  # nothing in docstrings, comments, asserts, annotations, joined texts


def test_every_change_of_the_tree_can_be_read(root: Path) -> None:
    for file in ("engine/kernels.py", "dsl/lexer.py"):
        text = (root / file).read_bytes()
        for site in sites(file, text):
            compile(site.applied(text), file, "exec")
            assert site.applied(text) != text


def test_that_lengths_are_equal_is_an_assertion() -> None:
    assert texts(b"x = list(zip(a, b, strict=True))\ny = parse(a, lax=True)\n") == {b"y = parse(a, lax=False)": ""}


def test_what_a_function_defines_goes_by_the_functions_name() -> None:
    source = b"class A:\n    def f(self):\n        def g():\n            return 1\n        return lambda: 2\n"
    assert texts(source) == {b"return 2": "A.f", b"return lambda: 3": "A.f"}


@pytest.mark.parametrize(("value", "new"), [(True, "False"), (0, "1"), (7, "8"), (0.0, "1.0"), (2.0, "2.2")])
def test_constants_change_to_others(value: float, new: str) -> None:
    assert changed(value) == new


@pytest.mark.slow
def test_the_command_tells_changes_that_no_test_notices(root: Path, tmp_path: Path) -> None:
    call = [sys.executable, "-m", "tests.mutants", "--count", "3", "--seed", "2", "--out", str(tmp_path)]
    files = [path for room in ("dsl", "engine") for path in (root / room).rglob("*.py")]
    before = {path: path.stat().st_mtime_ns for path in files}
    made = subprocess.run([*call, "tests/test_units.py"], cwd=root, env=os.environ | {"PYTHONPATH": str(root)},
                          capture_output=True, text=True, timeout=600, check=False)  # fmt: skip
    assert made.returncode in (0, 1), made.stderr
    assert "seed 2: 3 changes:" in (tmp_path / "mutants.txt").read_text()
    assert before == {path: path.stat().st_mtime_ns for path in files}

"""Every number that the product is held to has a test: the rows of tests/data/oracles.csv, claimed by `oracle` marks.

Claims are read from the tests' source, not from a pytest run, so that the answer is the same for one test, for a
selection and under several workers.
"""

import ast
import csv
from pathlib import Path

TESTS = Path(__file__).resolve().parent


def rows() -> set[str]:
    """The id of each oracle."""
    with (TESTS / "data" / "oracles.csv").open(encoding="utf-8", newline="") as file:
        return {row["id"] for row in csv.DictReader(file)}


def is_oracle_mark(node: ast.AST) -> bool:
    """Whether ``node`` calls `pytest.mark.oracle` (or `mark.oracle`)."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "oracle":
        return False
    mark = node.func.value
    return (mark.attr if isinstance(mark, ast.Attribute) else getattr(mark, "id", "")) == "mark"


def claims(source: str) -> set[str]:
    """The ids that the marks in one file's text claim; an id that is not written out is an error."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and is_oracle_mark(node):
            ids = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            assert len(ids) == len(node.args) > 0, f"line {node.lineno}: an oracle mark takes ids as plain strings"
            found.update(ids)
    return found


def all_claims() -> dict[str, set[str]]:
    """The ids that each test file claims."""
    return {p.name: claims(p.read_text("utf-8")) for p in sorted(TESTS.rglob("test_*.py"))}


def test_every_row_is_claimed() -> None:
    claimed = set().union(*all_claims().values())
    assert sorted(rows() - claimed) == []


def test_no_test_claims_a_row_that_does_not_exist() -> None:
    known = rows()
    assert {name: ids - known for name, ids in all_claims().items() if ids - known} == {}


def test_marks_are_found_wherever_they_stand() -> None:
    text = (
        "import pytest\npytestmark = pytest.mark.oracle('a')\n"
        "@pytest.mark.parametrize('x', [pytest.param(1, marks=pytest.mark.oracle('b', 'c'))])\n"
        "class T:\n    @pytest.mark.oracle('d')\n    def test(self): ...\n"
        "other.oracle('e')\n"
    )
    assert claims(text) == {"a", "b", "c", "d"}

"""Every engine row of tests/data/cases.csv has a test: claimed by a `case` mark in a test_cases_ file."""

import ast
from pathlib import Path

from tests.cases import CASES
from tests.test_oracles import claims

ENGINE = "MFCLKT"  # memory, FLOPs, collectives, layout, checkpoint, days; R rows are about the report


def claimed() -> set[str]:
    """The ids that the marks of the case files claim."""
    found: set[str] = set()
    for path in sorted(Path(__file__).parent.glob("test_cases_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "case":
                found.update(str(arg.value) for arg in node.args if isinstance(arg, ast.Constant))
    return found


def test_every_engine_row_has_a_test() -> None:
    wanted = {id for id in CASES if id[0] in ENGINE}
    assert len(wanted) == 56 and sorted(wanted - claimed()) == []


def test_no_test_claims_a_row_that_does_not_exist() -> None:
    assert sorted(claimed() - CASES.keys()) == []


def test_a_missing_claim_would_be_seen() -> None:
    """The reader of marks finds none in a text without any."""
    assert claims("def test() -> None: ...\n") == set() and "R01" not in claimed()

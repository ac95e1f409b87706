"""Where a plain number comes from: the literal, constant, setting or count that an expression stands for."""

import ast
import sys
from types import FrameType
from typing import Any

import numpy as np
import pytest

from engine import cost, goodput, memory
from engine.columns import ONE, ZERO, column
from engine.provenance import naming
from engine.provenance.graph import Node, Record
from engine.provenance.origin import (
    ENGINE,
    assignments,
    comment,
    defined,
    function_of,
    node_of,
    operand_nodes,
    place_of,
)
from tests.test_traced import leaf, node

FILE = str(ENGINE / "memory.py")
SOURCE = """

def formula(d, wide, nic, near, table, missing):
    return sys._getframe()
"""


class Degrees:
    """Degrees of a layout as a formula holds them."""

    pp, vp = 4, 3


def frame_of(**given: Any) -> FrameType:
    """A frame of a formula that stands in the third line of memory.py, with constants and names of its own."""
    made: dict[str, Any] = {
        "sys": sys, "__file__": FILE, "np": np, "RISK": 0.08, "GATHERED_UNITS": memory.GATHERED_UNITS, "ONE": ONE,
        "ZERO": ZERO, "PAIR": (2.5, 9.5), "WORDS": "words", "CALLED": len, "lower": 5.0, "BOX": column(6.0),
    }  # fmt: skip
    exec(compile(SOURCE, FILE, "exec"), made)
    own: dict[str, Any] = {"d": Degrees(), "wide": True, "nic": made["BOX"], "near": column([6.0, 7.0]), "table": {},
                           "missing": made["ONE"]}  # fmt: skip
    frame = made["formula"](**(own | given))
    assert isinstance(frame, FrameType)
    return frame


@pytest.fixture(autouse=True)
def places(monkeypatch: pytest.MonkeyPatch) -> None:
    """PAIR, BOX and the rest are defined nowhere in the engine: their place is a made one."""
    known = defined
    own = {"PAIR": "engine/memory.py:90", "BOX": "engine/memory.py:91"}
    monkeypatch.setattr("engine.provenance.origin.defined", lambda name, file: own.get(name) or known(name, file))


def seen(text: str, value: float, record: Record | None = None, **given: Any) -> tuple[str, float, str]:
    """The kind, the value and the text of the node that an expression stands for."""
    made = record or Record()
    made.setting("layout.pipeline", 4.0)
    made.setting("layout.schedule.virtual_stages", 3.0)
    made.setting("model.mtp", 2.0)
    found = node_of(made, value, ast.parse(text, mode="eval").body, frame_of(**given))
    return found.op, found.value, found.text


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("8", 8.0, ("number", 8.0, "")),
        ("RISK", 0.08, ("constant", 0.08, "RISK")),
        ("PAIR[1]", 9.5, ("constant", 9.5, "PAIR[1]")),
        ("PAIR", 2.5, ("constant", 2.5, "PAIR")),
        ("ONE", 1.0, ("number", 1.0, "")),
        ("ZERO", 0.0, ("number", 0.0, "")),
        ("d.pp", 4.0, ("setting", 4.0, "layout.pipeline")),
        ("d.vp", 3.0, ("setting", 3.0, "layout.schedule.virtual_stages")),
        ("run.model.mtp", 2.0, ("setting", 2.0, "model.mtp")),
        ("float(d.pp)", 4.0, ("setting", 4.0, "layout.pipeline")),
        ("column(RISK)", 0.08, ("constant", 0.08, "RISK")),
        ("float()", 5.0, ("counted", 5.0, "float()")),
        ("len(d.pp)", 4.0, ("counted", 4.0, "len(d.pp)")),
        ("nic", 6.0, ("constant", 6.0, "BOX")),  # the variable that was set to BOX
        ("near", 6.0, ("counted", 6.0, "near")),  # more than one number
        ("wide", 5.0, ("counted", 5.0, "wide")),  # no array
        ("missing", 5.0, ("counted", 5.0, "missing")),  # ONE is no constant worth a name
        ("missing", 1.0, ("number", 1.0, "")),
        ("lower", 5.0, ("counted", 5.0, "lower")),  # not in capitals
        ("OTHER", 5.0, ("counted", 5.0, "OTHER")),  # not of this module
        ("WORDS", 5.0, ("counted", 5.0, "WORDS")),  # no number
        ("PAIR[2]", 5.0, ("counted", 5.0, "PAIR[2]")),  # nothing there
        ("'text'", 5.0, ("number", 5.0, "")),
        ("d.pp", 5.0, ("counted", 5.0, "d.pp")),  # not what it was worth
        ("d.pp", 0.0, ("number", 0.0, "")),
        ("d.pp", 1.0, ("number", 1.0, "")),
        ("d.pp", float("inf"), ("number", float("inf"), "")),
        ("other", 2.0, ("counted", 2.0, "other")),
        ("d.pp if wide else 3", 4.0, ("setting", 4.0, "layout.pipeline")),
        ("8 if not wide else 3", 3.0, ("number", 3.0, "")),
        ("8 if not wide else 3 if wide else d.pp", 3.0, ("number", 3.0, "")),
        ("8 if unknown else 3", 3.0, ("counted", 3.0, "8 if unknown else 3")),
        ("8 if d.unknown else 3", 3.0, ("counted", 3.0, "8 if d.unknown else 3")),
        ("-d.pp", -4.0, ("counted", -4.0, "-d.pp")),
        ("d.pp % 3", 9.0, ("counted", 9.0, "d.pp % 3")),
        ("'a' + 5", 5.0, ("counted", 5.0, "'a' + 5")),
    ],
)
def test_what_an_expression_stands_for(text: str, value: float, expected: tuple[str, float, str]) -> None:
    assert seen(text, value) == expected


def test_an_array_that_only_equals_a_constant_is_not_that_constant() -> None:
    assert seen("nic", 6.0, nic=column(6.0)) == ("counted", 6.0, "nic")


@pytest.mark.parametrize(
    ("text", "value", "op", "sides"),
    [
        ("d.pp - 1", 3.0, "subtract", (4.0, 1.0)),
        ("d.pp + d.vp", 7.0, "add", (4.0, 3.0)),
        ("2 * d.vp", 6.0, "multiply", (2.0, 3.0)),
        ("d.vp / d.pp", 0.75, "divide", (3.0, 4.0)),
    ],
)
def test_arithmetic_with_settings_is_an_operation(text: str, value: float, op: str, sides: tuple[float, float]) -> None:
    record = Record()
    assert seen(text, value, record) == (op, value, "")
    (made,) = (n for n in record.nodes.values() if n.op == op)
    assert tuple(n.value for n in made.args) == sides


def test_a_count_says_where_its_formula_stands() -> None:
    found = node_of(Record(), 5.0, ast.parse("len(layers)", mode="eval").body, frame_of())
    assert (found.op, found.where) == ("counted", "engine/memory.py:3")
    constant = node_of(Record(), 0.08, ast.parse("RISK", mode="eval").body, frame_of())
    assert constant.where == f"engine/memory.py:{line_of('RISK =')}"


def line_of(start: str) -> int:
    """The line of memory.py that begins so."""
    lines = (ENGINE / "memory.py").read_text("utf-8").splitlines()
    return next(i for i, text in enumerate(lines, 1) if text.startswith(start))


@pytest.mark.parametrize("frame", [None, "here"])
@pytest.mark.parametrize("text", [None, "len(layers)"])
def test_without_an_expression_or_a_frame_a_number_is_a_number(frame: str | None, text: str | None) -> None:
    e = None if text is None else ast.parse(text, mode="eval").body
    found = node_of(Record(), 5.0, e, frame_of() if frame else None)
    assert found.op == ("counted" if frame and text else "number")


def test_a_formula_of_the_engine_names_what_it_computes_with() -> None:
    """A test's own formula is none of the engine's: its 3 is a number."""
    r = Record()
    assert [n.op for n in node(leaf(r, "a", 7.0) * 3.0).args] == ["setting", "number"]
    seconds = cost.time_to_train(leaf(r, "tokens", 15e12), leaf(r, "rate", 2e6), leaf(r, "share", 0.9))
    assert seconds[0] == pytest.approx(15e12 / (2e6 * 0.9), rel=1e-15)
    assert {n.text for n in leaves(node(seconds))} == {"tokens", "rate", "share"}


def test_constants_in_a_formula_of_the_engine_go_by_their_names() -> None:
    """A rate a year is divided by the seconds of a Julian year, YEAR."""
    made = node(goodput.per_gpu_year(leaf(Record(), "rate", 3.0)))  # type: ignore[arg-type]
    assert (made.op, [(n.op, n.text, n.value) for n in made.args]) == (
        "divide", [("setting", "rate", 3.0), ("constant", "YEAR", 8766 * 3600.0)])  # fmt: skip
    assert made.args[1].where.startswith("engine/goodput.py:")


def leaves(n: Node) -> set[Node]:
    return {n} if n.leaf else set().union(*(leaves(a) for a in n.args))


def test_a_plain_array_of_a_record_has_the_node_it_was_given() -> None:
    """One that is known by its identity, every element; another array of the same value is none."""
    r = Record()
    call = column([5.0, 5.0])
    known = r.given("constant", 5.0, "CALL", "engine/x.py:1")
    r.plain[id(call)] = (call, known)
    assert list(operand_nodes(r, call, 0)) == [known, known]
    assert [n.op for n in operand_nodes(r, column(5.0), 0)] == ["number"]
    assert [n.value for n in operand_nodes(r, 5.0, 1)] == [5.0]


def test_functions_go_by_module_and_name() -> None:
    assert function_of(goodput.best.__code__) == "goodput.best"
    assert function_of(test_functions_go_by_module_and_name.__code__) == ""
    assert function_of(naming.naming.__wrapped__.__code__) == ""  # type: ignore[attr-defined]
    line = cost.time_to_train.__code__.co_firstlineno
    assert place_of(cost.time_to_train.__code__) == f"engine/cost.py:{line}"


@pytest.mark.parametrize(
    ("lines", "first", "last", "expected"),
    [
        (["A = 1  # one"], 1, 1, "one"),
        (["# above", "A = 1"], 2, 2, "above"),
        (["# first", "# second", "A = 1"], 3, 3, "first second"),
        (["x = 0", "# near", "A = 1"], 3, 3, "near"),
        (["A = 1"], 1, 1, ""),
        (["# above", "A = 1  # after"], 2, 2, "after"),
        (["A = [  # begins", "]"], 1, 2, "begins"),
        (["A = [  # begins", "]  # ends"], 1, 2, "ends"),
        (["# above", "A = [", "]  # fmt: skip"], 2, 3, "above"),
        (["A = [  # begins", "]  # fmt: skip"], 1, 2, "begins"),
    ],
)
def test_the_comment_of_a_constant(lines: list[str], first: int, last: int, expected: str) -> None:
    assert comment(lines, first, last) == expected


def test_constants_of_a_file(tmp_path: Any) -> None:
    file = tmp_path / "made.py"
    text = "# eleven\nA = 11\nlower = 2\nB: float = 3.0  # three\nC, D = 4, 5  # both\nB.x = 7\n"
    file.write_text(text + "E = [  # begins\n  6,\n]  # ends\n", "utf-8")
    assert assignments(str(file)) == {
        "A": (2, "eleven"), "B": (4, "three"), "C": (5, "both"), "D": (5, "both"), "E": (7, "ends")}  # fmt: skip


def test_a_constant_is_defined_where_it_was_first_written() -> None:
    """Names that a module imports are found in the module that has them."""
    line = line_of("GATHERED_UNITS")
    assert defined("GATHERED_UNITS", FILE) == f"engine/memory.py:{line}"
    assert defined("GATHERED_UNITS", str(ENGINE / "cost.py")) == f"engine/memory.py:{line}"

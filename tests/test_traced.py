"""Columns that remember: what is recorded of an operation, and what a formula made from it says."""

import ast
import importlib
import inspect
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import engine
from engine import goodput
from engine.columns import ONE, ZERO, column
from engine.provenance.formula import Writer
from engine.provenance.graph import Node, Record
from engine.provenance.naming import naming
from engine.provenance.origin import assignments
from engine.provenance.quantities import COUNTED, PLAIN, QUANTITIES, SOLVED
from engine.provenance.traced import Traced, traced
from tests.formulas import worked_out

ROOM = Path(engine.__file__).parent


def leaf(record: Record, name: str, value: float) -> Traced:
    nodes = np.empty(1, dtype=object)
    nodes[0] = record.setting(name, value)
    return traced(record, np.array([value]), nodes)


def node(value: Any) -> Node:
    assert isinstance(value, Traced) and value.nodes is not None
    found = value.nodes.reshape(-1)[0]
    assert isinstance(found, Node)
    return found


def formula(value: Any) -> str:
    return Writer(lambda n: False, lambda n: n.text, lambda n: False).formula(node(value)).text


def test_formulas_read_as_arithmetic() -> None:
    r = Record()
    a, b, c = leaf(r, "a", 2.0), leaf(r, "b", 3.0), leaf(r, "c", 4.0)
    assert formula(a * b / (a + c)) == "a × b / (a + c)"
    assert formula(a - (b - c)) == "a - b + c"
    assert formula((a + b) * c**2) == "(a + b) × c^2"
    assert formula(a / (b * c)) == "a / (b × c)"
    assert formula(np.sqrt(2 * a * b) - np.expm1(-c)) == "sqrt(2 × a × b) - expm1(-c)"
    assert formula(np.ceil(a / b) * np.log2(c)) == "ceil(a / b) × log2(c)"


def test_what_changes_nothing_is_left_out_and_equal_terms_come_together() -> None:
    r = Record()
    a, b = leaf(r, "a", 2.0), leaf(r, "b", 3.0)
    assert formula(ZERO + a * ONE + ZERO * b) == "a"
    assert formula(a + b + a + a) == "3 × a + b"
    assert node(a + ZERO) is node(a)
    assert node(a * b) is node(a * b)


def test_of_a_choice_only_the_side_taken_is_kept() -> None:
    r = Record()
    a, b = leaf(r, "a", 2.0), leaf(r, "b", 3.0)
    assert node(np.where(a > b, a, b)) is node(b)
    assert formula(np.maximum(a, b)) == "max(a, b)"
    parts = [leaf(r, f"stage_{i}", float(i % 5)) for i in range(7)]
    stacked = np.stack(np.broadcast_arrays(*parts))
    written = Writer(lambda n: False, lambda n: n.text, lambda n: False).formula(node(np.max(stacked, axis=0)))
    assert (written.text, written.note) == ("stage_4", "the largest of 7")


def test_moving_elements_moves_their_past() -> None:
    r = Record()
    a, b = leaf(r, "a", 2.0), leaf(r, "b", 3.0)
    stacked = np.stack([a, b])
    fullest = np.argmax(stacked, axis=0)
    assert node(np.take_along_axis(stacked, fullest[None, :], axis=0)[0]) is node(b)
    assert node(stacked[0]) is node(a)
    assert node(np.clip(a, 0.0, 1.0)).value == 1.0


def test_values_are_those_of_plain_columns_and_questions_are_not_recorded() -> None:
    r = Record()
    a = leaf(r, "a", 0.1)
    assert (a * 3 + 0.2).view(np.ndarray).tobytes() == (column(0.1) * 3 + 0.2).tobytes()
    assert type(np.isnan(a)) is np.ndarray and np.any(a > 0) and int(leaf(r, "n", 8.0)) == 8
    assert not isinstance(a.astype(int), Traced)
    divided = np.divide(a, a - 0.1, out=np.full_like(a, np.nan), where=a > 1)
    assert type(divided) is np.ndarray and np.isnan(divided[0])


NUMBERS = st.floats(0.1, 1e6)


@given(st.data())
def test_a_printed_formula_gives_the_value_back(data: st.DataObject) -> None:
    r = Record()
    made: list[Any] = [leaf(r, name, data.draw(NUMBERS)) for name in "abcd"]
    parts = {name: float(x[0]) for name, x in zip("abcd", made, strict=True)}
    for _ in range(data.draw(st.integers(1, 12))):
        left, right = data.draw(st.sampled_from(made)), data.draw(st.sampled_from(made))
        op = data.draw(st.sampled_from([np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum]))
        if op is np.divide and float(right[0]) == 0.0:
            continue
        made.append(op(left, right))
    found = formula(made[-1])
    scale = max(abs(float(x[0])) for x in made) if "-" in found else abs(float(made[-1][0]))
    assert worked_out(found, parts) == pytest.approx(float(made[-1][0]), rel=1e-9, abs=1e-9 * scale)


def test_the_best_interval_is_the_root_of_its_equation() -> None:
    r = Record()
    pause, mtbf = leaf(r, "pause", 30.0), leaf(r, "mtbf", 43200.0)
    with naming(r):
        best = goodput.best(pause, mtbf)
    text = formula(best)
    assert text == "root(x + expm1(-(pause / mtbf) - x)) × mtbf"
    assert worked_out(text, {"pause": 30.0, "mtbf": 43200.0}) == pytest.approx(float(best[0]), rel=1e-13)
    assert r.names[node(best)].label == QUANTITIES["goodput.best"].label


def test_a_profile_that_was_running_runs_on() -> None:
    import sys

    def own(frame: Any, event: str, arg: Any) -> None: ...

    sys.setprofile(own)
    try:
        with naming(Record()):
            pass
        assert sys.getprofile() is own
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("key", [*QUANTITIES, *PLAIN, *SOLVED])
def test_every_named_quantity_is_one_of_the_engine(key: str) -> None:
    """A row for a function or field that is gone would name nothing."""
    path, _, variable = key.partition(":")
    parts = path.partition("[")[0].split(".")
    module, found = next(
        (importlib.import_module(f"engine.{'.'.join(parts[:n])}"), parts[n:])
        for n in range(len(parts) - 1, 0, -1)
        if (ROOM / Path(*parts[:n])).with_suffix(".py").exists() or (ROOM / Path(*parts[:n])).is_dir()
    )
    held: Any = module
    for i, part in enumerate(found):
        fields = getattr(held, "__dataclass_fields__", {})
        if part in fields:
            assert i == len(found) - 1
            return
        held = getattr(held, part)
    function: Any = held.fget if isinstance(held, property) else getattr(held, "func", held)  # or a cached property
    assert function.__module__.startswith("engine")
    if variable:
        code = inspect.unwrap(function).__code__
        assert variable in (*code.co_varnames, *code.co_cellvars), key


@cache
def expressions() -> set[str]:
    """Every expression of the engine's source as Python writes it."""
    return {
        ast.unparse(e)
        for file in ROOM.rglob("*.py")
        if "provenance" not in file.parts
        for e in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(e, ast.expr)
    }


@pytest.mark.parametrize("text", COUNTED)
def test_every_counted_number_is_counted_somewhere(text: str) -> None:
    assert text in expressions()


def test_constants_are_told_with_their_comments() -> None:
    found = assignments(str(ROOM / "memory.py"))
    assert found["GATHERED_UNITS"][1] == "FSDP holds the layer it computes and the one it prefetches"
    assert "Bytes of logits per token" in assignments(str(ROOM / "operators" / "head.py"))["LOGIT_BYTES"][1]
    assert "Tiles of a GEMM kernel" in assignments(str(ROOM / "kernels.py"))["TILES"][1]

"""How formulas are written: what binds more tightly, what is left out, and what numbers and settings are called."""

from typing import Any

import numpy as np
import pytest

from engine.provenance.formula import Part, Writer, leaf_symbol, literal, numbered
from engine.provenance.graph import Node, Record
from engine.provenance.quantities import COUNTED
from tests.test_traced import formula, leaf, node

R = Record()
A, B, C, Z = leaf(R, "a", 2.0), leaf(R, "b", 3.0), leaf(R, "c", 4.0), leaf(R, "z", 0.0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (A - B, "a - b"),
        (-A + B, "-a + b"),
        (A - A + B, "b"),
        (A + B - A - A, "-a + b"),
        (A - 2 * (B + C), "a - 2 × (b + c)"),
        (A / (B / C), "a / (b / c)"),
        (A * (B / C), "a × b / c"),
        ((A / B) ** C, "(a / b)^c"),
        (A ** (B + C), "a^(b + c)"),
        (np.square(A + B), "(a + b)^2"),
        (-(A + B) * C, "-(a + b) × c"),
        (A + 1.0 + B + 2.0, "a + 3 + b"),
        (A + 1.0 - 3.0, "a - 2"),
        (A - 5.0, "a - 5"),
        (1.0 - A, "1 - a"),
        ((A > B) * C + A, "a"),
        ((A < B) * A * B, "a × b"),
        (np.maximum(A, np.maximum(B, C)), "max(a, b, c)"),
        (np.minimum(np.minimum(A, B), np.maximum(B, C)), "min(a, b, max(b, c))"),
        (np.fmin(A, B) + np.fmax(A, B), "min(a, b) + max(a, b)"),
        (np.rint(A / B) + np.remainder(A, B) + np.absolute(C), "round(a / b) + mod(a, b) + abs(c)"),
        (A + Z, "a + z"),
        (A + B + Z, "a + b + z"),
        (A + B + C + Z, "a + b + c"),  # of more than three what is 0 is left out
    ],
)
def test_a_formula_is_written(value: Any, text: str) -> None:
    assert formula(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (2.0, "2"), (-3.0, "-3"), (0.5, "0.5"), (999999999999999.0, "999999999999999"),
     (1e15, "1000000000000000.0"),
     (1e16, "1e+16")],
)  # fmt: skip
def test_a_number_is_written(value: float, text: str) -> None:
    assert literal(value) == text


def test_a_negative_number_stands_in_parentheses_where_it_must() -> None:
    assert formula(A ** np.negative(2.0)) == "a^(-2)"


@pytest.mark.parametrize(
    ("made", "symbol"),
    [
        (Node("setting", (), 1.0, "cluster.gpu.peak.bf16"), "gpu.peak.bf16"),
        (Node("setting", (), 1.0, "run batch"), "run_batch"),
        (Node("setting", (), 1.0, "batch", "late"), "late.batch"),
        (Node("constant", (), 1.0, "HIDDEN[0]"), "HIDDEN"),
        (Node("counted", (), 1.0, "len(self.stages)"), "stages"),
        (Node("counted", (), 1.0, "2 + 3"), "counted"),
        *((Node("counted", (), 1.0, text), row[0]) for text, row in list(COUNTED.items())[:3]),
    ],
)
def test_what_has_no_name_is_called_by_what_it_is(made: Node, symbol: str) -> None:
    assert leaf_symbol(made) == symbol


def test_equal_symbols_are_numbered() -> None:
    nodes = [node(x) for x in (A, B, C)]
    assert numbered(zip(("x", "y", "x"), nodes, strict=True)) == (
        Part("x", nodes[0]), Part("y", nodes[1]), Part("x_2", nodes[2]))  # fmt: skip
    same = Writer(lambda n: False, lambda n: "q", lambda n: False).formula(node(A * B + C))
    assert (same.text, [p.symbol for p in same.parts]) == ("q × q_2 + q_3", ["q", "q_2", "q_3"])


@pytest.mark.parametrize(("count", "text"), [(8, " + ".join(f"p{i}" for i in range(8))), (9, "sum of 9 parts")])
def test_a_long_sum_is_counted(count: int, text: str) -> None:
    parts = [leaf(R, f"p{i}", 1.0 + i) for i in range(count)]
    found = Writer(lambda n: False, lambda n: n.text, lambda n: False).formula(node(sum(parts[1:], parts[0])))
    assert (found.text, len(found.parts)) == (text, count)


def test_a_long_difference_is_written_out() -> None:
    parts = [leaf(R, f"p{i}", 1.0 + i) for i in range(9)]
    assert formula(sum(parts[1:8], parts[0]) - parts[8]) == " + ".join(f"p{i}" for i in range(8)) + " - p8"


@pytest.mark.parametrize(("count", "text", "note"), [(3, "max(m0, m1, m2)", ""), (4, "m3", "the largest of 4")])
def test_of_many_that_are_compared_the_one_taken_is_written(count: int, text: str, note: str) -> None:
    parts = [leaf(R, f"m{i}", 1.0 + i) for i in range(count)]
    found = Writer(lambda n: False, lambda n: n.text, lambda n: False).formula(
        node(np.max(np.stack(np.broadcast_arrays(*parts)), axis=0)))  # fmt: skip
    assert (found.text, found.note) == (text, note)

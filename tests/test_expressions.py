"""Expressions: values, columns, operands and what is missing."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.expressions import Compiled
from dsl.parse import parse
from dsl.scenario import Rule, Run
from dsl.syntax import Let, written
from tests.language import START, problems_of, scenario_of


def run_with(*lines: str) -> Run:
    """The run of START with more lines."""
    body = "\n  ".join(lines)
    return scenario_of(START + f"run r from base {{\n  {body}\n}}\n").runs[-1]


@cache
def let(expression: str) -> Compiled:
    """An expression as a let of a run."""
    return run_with(f"let x = {expression}").lets["x"]


@cache
def rule(expression: str) -> Rule:
    """A require of a run."""
    return run_with(f"require {expression}").requires[0]


VALUES: dict[str, Any] = {
    "mfu": 0.4,
    "memory_per_gpu": 70e9,
    "step_time": 3.0,
    "cost": 12e6,
    "mtbf": 1e5,
    "bubble": 0.1,
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("2 ^ 3 ^ 2", 512),
        ("-2 ^ 2", -4),
        ("7 - 2 - 1", 4),
        ("8 / 2 / 2", 2),
        ("10% * 50", 5),
        ("80 GB - 8 GB", 72e9),
        ("400 Gb/s", 50e9),
        ("12 hours / 30 minutes", 24),
        ("2 GB / 1 s", 2e9),
        ("$2.10/gpu-hour * 1 hour", 2.10),
        ("min(3, 1, 2)", 1),
        ("max(1 GB, 2 GiB)", 2.0**31),
        ("ceil(2.1)", 3),
        ("floor(2.9)", 2),
        ("round(2.6)", 3),
        ("abs(-3)", 3),
        ("sqrt(16)", 4),
        ("log2(8)", 3),
        ("min(5)", 5),
        ("if 1 < 2 then 3 else 4", 3),
        ("cluster.gpus / layout.tensor", 128),
        ("batch * sequence", 2048 * 8192),
        ("mfu * step_time", 1.2),
        ("cluster.gpu.memory / 1 GB", 80),
        ("7:1", 7),
        ("1 TFLOP / 1 s", 1e12),
    ],
)
def test_expressions_have_values(expression: str, value: float) -> None:
    run = run_with(f"let x = {expression}")
    assert run.lets["x"]({**run.plain(), **VALUES}) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        ("8 divides 64", True),
        ("7 divides 64", False),
        ("0 divides 64", False),
        ("1 <= 4 <= 8", True),
        ("1 <= 9 <= 8", False),
        ("layout.recompute == none", True),
        ("layout.recompute != none", False),
        ("layout.recompute in [selective, full]", False),
        ("layout.tensor in [1, 2, 4]", True),
        ("cluster.gpu == h", True),
        ("model == small", True),
        ("cluster == hopper and true", True),
        ("not (mfu > 35% and cost < $10M)", True),
        ("memory_per_gpu <= 90% * cluster.gpu.memory", True),
        ("kernels.flash", True),
        ("mtbf < cluster.mtbf", True),
        ("step_time < 2 s or bubble >= 10%", True),
    ],
)
def test_conditions_hold_or_do_not(expression: str, holds: bool) -> None:
    run = run_with(f"require {expression}")
    assert run.requires[0].holds({**run.plain(), **VALUES}) is holds


def test_a_name_that_is_both_is_the_result_bare_and_the_setting_qualified() -> None:
    both = rule("mtbf == cluster.mtbf")
    assert both.holds({"mtbf": 1.0, "cluster.mtbf": 2.0}) is False
    assert both.compute.needs == {"mtbf", "cluster.mtbf"}


def test_what_is_missing_leaves_a_condition_open() -> None:
    dear = rule("cost / tokens <= $3/Mtoken and mfu > 1%")
    assert dear.holds({"mfu": 0.4, "tokens": 1e12}) is None
    assert dear.missing({"mfu": 0.4, "tokens": 1e12}) == ["cost"]
    assert dear.holds({"mfu": 0.4, "tokens": 1e12, "cost": None}) is None


@pytest.mark.parametrize(
    "expression", ["mfu / (bubble - bubble)", "sqrt(-mfu)", "log2(mfu - mfu)", "10 ^ 400 * mfu", "(-mfu) ^ 0.5"]
)
def test_arithmetic_without_a_result_is_none(expression: str) -> None:
    assert let(expression)({"mfu": 0.4, "bubble": 0.1}) is None


def test_a_failed_condition_shows_its_operands_in_their_units() -> None:
    run = run_with("require memory_per_gpu <= 90% * cluster.gpu.memory - 2 GiB")
    shown = [(o.text, o.value, o.unit) for o in run.requires[0].operands({**run.plain(), "memory_per_gpu": 75e9})]
    assert shown == [
        ("memory_per_gpu", 75e9, "GB"),
        ("90% * cluster.gpu.memory - 2 GiB", 72e9 - 2 * 2**30, "GB"),
        ("cluster.gpu.memory", 80e9, "GB"),
    ]


def test_an_operand_takes_the_unit_of_what_it_is_compared_with() -> None:
    units = {o.text: o.unit for o in rule("step_time < 400 ms and cost <= $12M and mfu >= 35%").operands(VALUES)}
    assert units == {"step_time": "ms", "cost": "$M", "mfu": "%"}


def test_lets_are_operands_and_read_settings_late() -> None:
    text = (
        START
        + """run a from base {
  let groups = cluster.gpus / layout.tensor
  require groups <= 64
}
run b from a { layout.tensor = 4 }
"""
    )
    first, second = scenario_of(text).runs[1:]
    assert (first.lets["groups"](first.plain()), second.lets["groups"](second.plain())) == (128, 32)
    assert (first.requires[0].holds(first.plain()), second.requires[0].holds(second.plain())) == (False, True)
    assert (second.requires[0].origin, first.requires[0].origin) == ("a", "")
    assert [(o.text, o.value) for o in first.requires[0].operands(first.plain())] == [("groups", 128)]


def test_lets_that_build_on_each_other_are_worked_out_once() -> None:
    lines = ["let a0 = mfu"] + [f"let a{i} = a{i - 1} + a{i - 1}" for i in range(1, 40)]
    run = run_with(*lines)
    assert run.lets["a39"]({"mfu": 1.0}) == 2.0**39


COLUMN = st.lists(st.floats(0.01, 100), min_size=1, max_size=8).map(np.array)
EXPRESSIONS = [
    "mfu + bubble * 3 - 1",
    "min(mfu, bubble, 0.5)",
    "max(mfu, 2)",
    "ceil(mfu) + floor(bubble)",
    "sqrt(mfu) * log2(bubble)",
    "abs(mfu - bubble)",
    "if mfu > bubble then mfu else bubble * 2",
    "mfu ^ 2 / bubble",
    "round(mfu)",
]
CONDITIONS = [
    "mfu > bubble and bubble < 5_000% or mfu == 300%",
    "not (mfu <= bubble)",
    "1 <= mfu <= 5_000%",
    "2 divides floor(mfu)",
    "floor(mfu) in [1, 2, 3]",
    "floor(mfu) divides 12",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
@given(values=COLUMN, other=st.floats(0.01, 100))
def test_a_column_gives_what_its_rows_give(expression: str, values: Any, other: float) -> None:
    function = let(expression)
    column = function({"mfu": values, "bubble": np.full(len(values), other)})
    rows = [function({"mfu": float(v), "bubble": other}) for v in values]
    np.testing.assert_allclose(column, rows, rtol=1e-12)


@pytest.mark.parametrize("expression", CONDITIONS)
@given(values=COLUMN, other=st.floats(0.01, 100))
def test_a_column_of_conditions_holds_where_its_rows_hold(expression: str, values: Any, other: float) -> None:
    condition = rule(expression)
    column = condition.holds({"mfu": values, "bubble": np.full(len(values), other)})
    assert list(column) == [condition.holds({"mfu": float(v), "bubble": other}) for v in values]


def test_choices_compare_as_columns() -> None:
    column = rule("layout.recompute == full or layout.schedule in [gpipe, interleaved]").holds(
        {"layout.recompute": np.array(["full", "none"]), "layout.schedule": np.array(["one_f_one_b", "gpipe"])}
    )
    assert list(column) == [True, True]


@given(
    st.recursive(
        st.sampled_from(["a", "2", "b.c", "3 GB"]),
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from([" + ", " - ", " * ", " / ", " ^ "]), inner).map(
                lambda t: f"({t[0]}){t[1]}({t[2]})"
            ),
            inner.map(lambda e: f"-({e})"),
            inner.map(lambda e: f"max({e}, 1)"),
        ),
        max_leaves=8,
    )
)
def test_an_expression_written_back_means_the_same(text: str) -> None:
    def tree(source: str) -> Let:
        (statement,), problems = parse(f"let x = {source}", "x.scn")
        assert not problems and isinstance(statement, Let)
        return statement

    once = written(tree(text).value)
    assert written(tree(once).value) == once
    names = {"a": 1.3, "c": 0.7}
    python = [s.replace("^", "**").replace("b.c", "c").replace("3 GB", "3e9") for s in (text, once)]
    values = []
    for source in python:
        try:
            values.append(eval(source, {"max": max}, names))
        except (ArithmeticError, TypeError):
            values.append(None)
    if None not in values and not any(isinstance(v, complex) for v in values):
        assert values[0] == values[1] or (math.isnan(values[0]) and math.isnan(values[1]))


def test_the_root_of_zero_is_zero_and_its_logarithm_is_none() -> None:
    scenario_of(START + "run r from base { memory.reserve = sqrt(0) * 1 GB }\n")
    (problem,) = problems_of(START + "run r from base { memory.reserve = log2(0) * 1 GB }\n")
    assert problem.code == "E24"


OPERANDS = [  # a condition, what is shown of it and in which unit
    ("step_time < 400 ms", [("step_time", "ms")]),
    ("400 ms > step_time", [("step_time", "ms")]),
    ("step_time * 2 < 400 ms", [("step_time * 2", "ms"), ("step_time", "s")]),
    ("step_time + 1 s < 400 ms", [("step_time + 1 s", "ms"), ("step_time", "ms")]),
    ("step_time < cost / (1 $/s)", [("step_time", "s"), ("cost / 1 $/s", "days"), ("cost", "$M")]),
    ("not step_time > 400 ms", [("step_time", "ms")]),
    ("-step_time > -400 ms", [("-step_time", "s"), ("step_time", "s")]),
    ("max(step_time, 1 s) < 5 minutes", [("max(step_time, 1 s)", "minutes"), ("step_time", "minutes")]),
    ("bubble ^ 2 < 5%", [("bubble ^ 2", "%"), ("bubble", "%")]),
    ("if mfu > 30% then step_time < 400 ms else cost < $9M", [("mfu", "%"), ("step_time", "ms"), ("cost", "$M")]),
]


@pytest.mark.parametrize(("condition", "shown"), OPERANDS, ids=[condition for condition, _ in OPERANDS])
def test_operands_and_the_units_they_are_shown_in(condition: str, shown: list[tuple[str, str]]) -> None:
    assert [(o.text, o.unit) for o in rule(condition).operands(VALUES)] == shown


def test_a_list_with_a_unit_is_a_list_of_quantities() -> None:
    held = rule("memory_per_gpu in [70, 80] GB")
    assert [held.holds({"memory_per_gpu": x}) for x in (70e9, 80e9, 75e9, 70.0)] == [True, True, False, False]

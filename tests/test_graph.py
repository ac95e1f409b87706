"""The record of a calculation: what is one node, what leaves a value as it is, and what counts stay."""

from math import inf, nan

import pytest

from engine.provenance.graph import Name, Node, Record

R = Record()
A, B = R.setting("a", 7.0), R.setting("b", 3.0)
ZERO, ONE, TWO = (R.number(x) for x in (0.0, 1.0, 2.0))
HOLDS, FAILS = R.operation("greater", (A, B), 1.0), R.operation("less", (A, B), 0.0)
LIMIT = R.given("constant", 1.0, "LIMIT", "engine/x.py:5")  # a one with a name is no literal
NOTHING = R.given("constant", 0.0, "NOTHING", "engine/x.py:6")


@pytest.mark.parametrize(
    ("op", "args", "value", "same"),
    [
        ("add", (A, ZERO), 7.0, A),
        ("add", (ZERO, A), 7.0, A),
        ("add", (A, NOTHING), 7.0, None),
        ("add", (A, ONE), 8.0, None),
        ("subtract", (A, ZERO), 7.0, A),
        ("subtract", (ZERO, A), -7.0, None),
        ("multiply", (A, ONE), 7.0, A),
        ("multiply", (ONE, A), 7.0, A),
        ("multiply", (A, LIMIT), 7.0, None),
        ("multiply", (A, ZERO), 0.0, ZERO),
        ("multiply", (ZERO, A), 0.0, ZERO),
        ("multiply", (A, ZERO), nan, None),  # infinity times 0 is no 0
        ("multiply", (A, NOTHING), 0.0, None),
        ("multiply", (A, TWO), 14.0, None),
        ("multiply", (HOLDS, A), 7.0, A),
        ("multiply", (A, HOLDS), 7.0, A),
        ("multiply", (FAILS, A), 0.0, None),
        ("multiply", (HOLDS, FAILS), 0.0, None),  # one condition does not hand on the other
        ("divide", (A, ONE), 7.0, A),
        ("divide", (ONE, A), 1 / 7, None),
        ("divide", (ZERO, A), 0.0, ZERO),
        ("divide", (A, ZERO), inf, None),
        ("power", (A, ONE), 7.0, None),
        ("power", (ZERO, A), 0.0, None),
        ("power", (A, ZERO), 1.0, None),
        ("minimum", (A, R.number(inf)), 7.0, A),
        ("minimum", (R.number(inf), A), 7.0, A),
        ("fmin", (A, R.number(nan)), 7.0, A),
        ("fmin", (A, TWO), 2.0, None),
        ("minimum", (A, R.given("constant", inf, "FAR", "engine/x.py:7")), 7.0, None),
        ("maximum", (A, R.number(inf)), inf, None),
    ],
)
def test_what_leaves_a_value_as_it_is_is_not_recorded(
    op: str, args: tuple[Node, Node], value: float, same: Node | None
) -> None:
    made = R.operation(op, args, value, by="f")
    if same is not None:
        assert made is same
    else:
        assert (made.op, made.args, made.leaf) == (op, args, False) and made not in args
        assert made.value == value or value != value
        assert R.makers[made] == "f"


def test_equal_operations_of_one_function_are_one_node() -> None:
    r = Record()
    a, b = r.setting("a", 7.0), r.setting("b", 3.0)
    made = r.operation("add", (a, b), 10.0, by="f")
    assert r.operation("add", (a, b), 10.0, by="f") is made
    others = [r.operation("add", (b, a), 10.0, by="f"), r.operation("add", (a, b), 10.0, by="g"),
              r.operation("add", (a, b), 10.0, "text", by="f"), r.operation("subtract", (a, b), 4.0, by="f"),
              ]  # fmt: skip
    assert len({made, *others}) == 5
    assert (others[2].text, made.text) == ("text", "")


def test_literals_are_added_to_a_literal_and_counts_stay_counted() -> None:
    r = Record()
    two, five = r.number(2.0), r.number(5.0)
    layers = r.given("counted", 40.0, "len(layers)", "engine/x.py:9")
    added = r.operation("add", (two, five), 7.0)
    assert (added.op, added.value, added.leaf) == ("number", 7.0, True) and added is r.number(7.0)
    for args in ((two, layers), (layers, two)):
        counted = r.operation("add", args, 42.0)
        assert (counted.op, counted.value, counted.text, counted.where) == (
            "counted", 42.0, "len(layers)", "engine/x.py:9")  # fmt: skip
    setting = r.setting("a", 3.0)
    assert r.operation("add", (two, setting), 5.0).args == (two, setting)
    assert r.operation("multiply", (two, five), 10.0).args == (two, five)
    assert r.operation("multiply", (two, layers), 80.0).args == (two, layers)


def test_settings_are_told_apart_by_their_owner() -> None:
    r = Record()
    own, late = r.setting("batch", 64.0), r.setting("batch", 32.0, "late")
    assert own is not late and r.setting("batch", 64.0) is own
    assert (own.op, own.value, own.text, own.where, own.args) == ("setting", 64.0, "batch", "", ())
    assert (late.value, late.where) == (32.0, "late")
    assert r.setting_of("batch") is own and r.setting_of("layers") is None


def test_a_place_of_its_own_has_its_name() -> None:
    r = Record()
    a = r.setting("a", 7.0)
    first, second = [1], [1]
    one = Name("key", "compute", "s", "compute", "group", "engine/x.py:3", "f")
    made = r.apart(a, one, first)
    assert (made.op, made.args, made.value, made.text) == ("apart", (a,), 7.0, "compute")
    assert r.names[made] is one and (one.weak, one.open) == (False, False)
    assert r.apart(a, one, first) is made and r.apart(a, one, second) is not made
    assert r.owners == {id(first): first, id(second): second}

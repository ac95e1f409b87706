"""The tree of a result: items, subtotals of long sums, and symbols that tell them apart."""

import pytest

from engine.metrics import BY_NAME
from engine.provenance.graph import Name, Node, Record
from engine.provenance.tree import Item, Trees


def called(key: str, symbol: str, group: str = "", unit: str = "s", opened: bool = False) -> Name:
    return Name(key, f"the {symbol}", unit, symbol, group, "engine/x.py:5", "x.f", open=opened)


def product(record: Record, name: str, value: float) -> Node:
    """A product of two settings, without a name."""
    return record.operation("multiply", (record.setting(name, value / 2), record.setting(f"{name}_2", 2.0)), value)


def row(record: Record, symbol: str, value: float, group: str = "") -> Node:
    """A named place of its own, as a row of the ledger has."""
    return record.apart(product(record, f"{symbol}_{value}", value), called(symbol, symbol, group), object())


def added(record: Record, nodes: list[Node]) -> Node:
    total = nodes[0]
    for node in nodes[1:]:
        total = record.operation("add", (total, node), total.value + node.value)
    return total


def tree_of(record: Record, node: Node, **others: Node) -> Item:
    """The tree of the step time, which is this node."""
    record.names[node] = called("result.step_time", "step_time")
    return Trees(record, {"step_time": node, **others}).of("step_time")


def parts(item: Item) -> list[tuple[str, str, float]]:
    return [(symbol, part.kind, part.value) for symbol, part in item.parts]


def test_a_result_with_settings_below_it() -> None:
    r = Record()
    a, b = r.setting("a", 7.0), r.given("constant", 3.0, "B", "engine/x.py:9")
    item = tree_of(r, r.operation("multiply", (a, b), 21.0))
    assert (item.kind, item.symbol, item.label, item.value, item.unit, item.formula) == (
        "result", "step_time", "the step_time", 21.0, "s", "a × B")  # fmt: skip
    assert (item.where, item.by, item.note) == ("engine/x.py:5", "x.f", "")
    assert parts(item) == [("a", "setting", 7.0), ("B", "constant", 3.0)]
    leaf = item.parts[1][1]
    assert (leaf.text, leaf.where, leaf.formula, leaf.parts) == ("B", "engine/x.py:9", "", [])


def test_a_quantity_in_two_places_is_one_item() -> None:
    r = Record()
    x = product(r, "x", 6.0)
    r.names[x] = called("kernels.x", "x")
    share, root = r.operation("divide", (x, r.setting("a", 3.0)), 2.0), r.operation("sqrt", (x,), 6**0.5)
    item = tree_of(r, added(r, [share, root]))
    assert item.formula == "x / a + sqrt(x)" and [s for s, _ in item.parts] == ["x", "a"]
    assert item.parts[0][1].kind == "quantity" and item.parts[0][1].formula == "x × x_2"


@pytest.mark.parametrize("name", ["a setting", "another result", "a number"])
def test_a_result_that_is_something_else_says_so(name: str) -> None:
    r = Record()
    node = {"a setting": r.setting("a", 7.0), "a number": r.number(7.0), "another result": product(r, "x", 7.0)}[name]
    if name == "another result":
        r.names[node] = called("result.compute_time", "compute_time")
    item = Trees(r, {"step_time": node}).of("step_time")
    metric = BY_NAME["step_time"]
    assert (item.kind, item.symbol, item.label, item.value, item.unit) == (
        "result", "step_time", metric.doc, 7.0, metric.unit)  # fmt: skip
    expected = {"a setting": ("a", ["setting"]), "a number": ("7", []), "another result": ("compute_time", ["result"])}
    assert (item.formula, [part.kind for _, part in item.parts]) == expected[name]


def rows(record: Record, count: int, groups: int = 1) -> list[Node]:
    """So many rows in groups taken in turn: values 1, 2, 3 ..."""
    return [row(record, f"r{i}", 1.0 + i, f"g{i % groups}") for i in range(count)]


@pytest.mark.parametrize(("count", "formula"), [(3, "r0 + r1 + r2"), (12, "sum of 12 parts")])
def test_a_sum_of_up_to_twelve_is_not_grouped(count: int, formula: str) -> None:
    r = Record()
    item = tree_of(r, added(r, rows(r, count, 3)))
    assert item.formula == formula
    assert parts(item) == [(f"r{i}", "quantity", 1.0 + i) for i in range(count)]


def test_a_longer_sum_has_a_subtotal_for_each_group() -> None:
    """1 + 4 + 7 + 10 + 13 of 13 rows, 2 + 5 + 8 + 11 and 3 + 6 + 9 + 12."""
    r = Record()
    item = tree_of(r, added(r, rows(r, 13, 3)))
    assert item.formula == "g0 + g1 + g2"
    assert parts(item) == [("g0", "subtotal", 35.0), ("g1", "subtotal", 26.0), ("g2", "subtotal", 30.0)]
    first = item.parts[0][1]
    assert (first.label, first.unit, first.formula) == ("g0: 5 rows", "s", "sum of 5 parts")
    assert [s for s, _ in first.parts] == ["r0", "r3", "r6", "r9", "r12"]


def test_one_group_alone_is_no_subtotal() -> None:
    r = Record()
    item = tree_of(r, added(r, rows(r, 13)))
    assert item.formula == "sum of 13 parts" and [k for _, k, _ in parts(item)] == ["quantity"] * 13


def test_a_row_alone_in_its_group_and_rows_of_none_stand_for_themselves() -> None:
    r = Record()
    each = [*(row(r, f"a{i}", 1.0 + i, "all others") for i in range(10)), row(r, "b", 20.0, "other"),
            row(r, "c", 30.0), row(r, "c", 40.0)]  # fmt: skip
    item = tree_of(r, added(r, each))
    assert item.formula == "all_others + b + c + c_2"
    assert parts(item) == [("all_others", "subtotal", 55.0), ("b", "quantity", 20.0), ("c", "quantity", 30.0),
                           ("c_2", "quantity", 40.0)]  # fmt: skip


def test_results_that_cover_rows_come_before_the_groups() -> None:
    """The rows that another result adds up are that result; what is left is one group, a subtotal beside it."""
    r = Record()
    each = rows(r, 13)
    compute = added(r, each[3::-1])
    r.names[compute] = called("result.compute_time", "compute_time")
    empty = row(r, "none", 0.0)
    item = tree_of(r, added(r, [*each, empty]), compute_time=compute, bubble_time=empty)
    assert item.formula == "compute_time + g0"
    assert parts(item) == [("compute_time", "result", 10.0), ("g0", "subtotal", 81.0)]


def test_a_result_that_is_added_itself_is_listed_once() -> None:
    """1 + 2 + 3 + 4 as one part, the other 13 rows beside it."""
    r = Record()
    each = rows(r, 17)
    compute = added(r, each[:4])
    r.names[compute] = called("result.compute_time", "compute_time")
    item = tree_of(r, added(r, each), compute_time=compute)
    assert parts(item) == [("compute_time", "result", 10.0), ("g0", "subtotal", 143.0)] and item.value == 153.0


def test_a_result_of_other_rows_or_of_all_of_them_covers_nothing() -> None:
    r = Record()
    each = rows(r, 13, 3)
    other = added(r, [each[0], row(r, "elsewhere", 5.0)])
    every = added(r, each[::-1])
    item = tree_of(r, added(r, each), compute_time=other, bubble_time=every, launch_time=product(r, "p", 5.0))
    assert [s for s, _ in item.parts] == ["g0", "g1", "g2"]


def test_many_groups_are_counted() -> None:
    """13 groups of two rows each."""
    r = Record()
    item = tree_of(r, added(r, rows(r, 26, 13)))
    assert item.formula == "sum of 13 parts" and len(item.parts) == 13
    twelve = Record()
    item = tree_of(twelve, added(twelve, rows(twelve, 24, 12)))
    assert item.formula == " + ".join(f"g{i}" for i in range(12))


def test_the_rows_of_a_result() -> None:
    r = Record()
    each = rows(r, 3)
    zero = row(r, "zero", 0.0)
    trees = Trees(r, {})
    assert trees.terms(each[0]) == {each[0]}
    assert trees.terms(added(r, [*each, zero])) == {*each, zero}  # those of 0 too
    assert trees.terms(added(r, [*each, r.setting("a", 7.0)])) == frozenset()
    assert trees.terms(product(r, "x", 6.0)) == frozenset()


def test_a_long_sum_without_a_name_is_rows_together() -> None:
    r = Record()
    total = added(r, rows(r, 9))
    item = tree_of(r, r.operation("multiply", (total, r.setting("a", 2.0)), 90.0))
    assert item.formula == "rows × a"
    made = item.parts[0][1]
    assert (made.kind, made.symbol, made.label) == ("subtotal", "rows", "rows together")
    assert (made.value, made.unit) == (45.0, "s")


def test_an_open_sum_is_taken_apart_by_a_longer_one() -> None:
    for opened, formula in ((True, "r0 + r1 + r2"), (False, "rest + r2")):
        r = Record()
        each = rows(r, 3)
        rest = added(r, each[:2])
        r.names[rest] = called("entries.rest", "rest", opened=opened)
        assert tree_of(r, added(r, [rest, each[2]])).formula == formula


def test_equal_symbols_are_numbered() -> None:
    items = [Item("quantity", s, "", 1.0, "") for s in ("x", "y", "x", "x")]
    found = Trees(Record(), {}).labelled(items)
    assert [s for s, _ in found] == ["x", "y", "x_2", "x_3"] and [i for _, i in found] == items

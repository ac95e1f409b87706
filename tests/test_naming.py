"""Names of what a calculation passes through: which returns and fields get one, and how its words are filled."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine import collectives, goodput, ledger
from engine.collectives.terms import Terms
from engine.columns import ONE, column
from engine.ledger import Entry, Row
from engine.operators import work
from engine.provenance.graph import Name, Record
from engine.provenance.naming import (
    Namer,
    name,
    named_fields,
    one_node,
    shown,
    solve,
    symbol_of,
    whole,
    words,
)
from engine.provenance.origin import ENGINE
from engine.provenance.quantities import QUANTITIES, Quantity
from engine.provenance.traced import Traced, traced
from tests.test_traced import leaf, node


def made(record: Record, value: float = 6.0, text: str = "a") -> Traced:
    """A product, which has no name yet."""
    found = leaf(record, text, value / 2.0) * 2.0
    assert isinstance(found, Traced)
    return found


def frame(code: Callable[..., Any], **given: Any) -> Any:
    """A frame of a function of the engine as the interpreter hands it on."""
    return SimpleNamespace(f_code=code.__code__, f_locals=given, f_lineno=5)


@pytest.mark.parametrize(
    ("template", "given", "text"),
    [
        ("the {axis} group", {"axis": "data"}, "the data group"),
        ("{self.axis}  over  {index}", {"self": SimpleNamespace(axis="data"), "index": 3}, "data over 3"),
        ("{gone}", {}, "other"),
        ("{self.gone}", {"self": 3}, "other"),
        ("{x[3]}", {"x": (5,)}, "other"),
        ("", {}, ""),
    ],
)
def test_templates_are_filled_or_stand_for_themselves(template: str, given: dict[str, Any], text: str) -> None:
    assert words(template, given, "other") == text


def test_symbols_and_places() -> None:
    assert [symbol_of(k) for k in ("kernels.wave", "kernels.gemm_seconds[0]", "a.all_to_all._slower")] == [
        "wave", "gemm_seconds", "slower"]  # fmt: skip
    assert (whole("power.of.<locals>.each"), whole("power.of")) == ("power.of", "power.of")
    assert shown(str(ENGINE / "operators" / "mlp.py")) == "engine/operators/mlp.py"
    assert shown("/elsewhere/x.py") == "x.py"


def test_the_node_of_one_number() -> None:
    r = Record()
    a = leaf(r, "a", 7.0)
    assert one_node(r, a) is node(a)
    assert (one_node(r, column(5.0)).op, one_node(r, column(5.0)).value) == ("number", 5.0)


def test_a_name_says_what_where_and_by_what() -> None:
    r = Record()
    x = made(r)
    own = Quantity("the {axis} of {index}", "s", "t {axis}", "group {axis}", open=True)
    name(r, x, "kernels.wave[0]", own, {"axis": "data"}, "engine/kernels.py:9", "kernels.wave")
    assert r.names[node(x)] == Name("kernels.wave[0]", "the data of 0", "s", "t_data", "group data",
                                    "engine/kernels.py:9", "kernels.wave", False, True)  # fmt: skip
    y = made(r, 8.0, "b")
    name(r, y, "kernels.wave[0]", Quantity("{gone}", group="{gone}"), {}, "", "")
    assert r.names[node(y)] == Name("kernels.wave[0]", "kernels.wave[0]", "", "wave", "", "", "")


def test_a_setting_keeps_what_it_is_and_the_first_name_stays_but_a_weak_one() -> None:
    r = Record()
    a, x = leaf(r, "a", 7.0), made(r)
    for key in ("first", "second"):
        name(r, a, key, Quantity(key), {}, "", "")
        name(r, x, key, Quantity(key), {}, "", "")
    assert {n.label for n in r.names.values()} == {"first"} and node(a) not in r.names
    weak = made(r, 9.0, "c")
    name(r, weak, "first", Quantity("first", weak=True), {}, "", "")
    name(r, weak, "second", Quantity("second"), {}, "", "")
    assert r.names[node(weak)].label == "second"
    bare = x.view(np.ndarray).view(Traced)
    name(r, bare, "first", Quantity("first"), {}, "", "")
    assert bare.nodes is None


def test_a_place_of_its_own_is_another_node_each_time() -> None:
    r = Record()
    x = made(r)
    before, owner = node(x), object()
    name(r, x, "key", Quantity("own", apart=True), {"self": owner}, "", "")
    first = node(x)
    assert (first.op, first.args, r.names[first].label) == ("apart", (before,), "own")
    name(r, x, "key", Quantity("again", apart=True), {"self": owner}, "", "")
    assert node(x).args == (first,)


def test_each_of_several_numbers_has_its_index() -> None:
    r = Record()
    nodes = np.empty(2, dtype=object)
    nodes[:] = [node(made(r, 6.0, "a")), node(made(r, 8.0, "b"))]
    x = traced(r, np.array([6.0, 8.0]), nodes)
    name(r, x, "key", Quantity("number {index}"), {}, "", "")
    assert [r.names[n].label for n in nodes] == ["number 0", "number 1"]


def test_the_equation_stands_in_the_place_of_its_iteration() -> None:
    r = Record()
    pause, mtbf = leaf(r, "pause", 3.0), leaf(r, "mtbf", 70.0)
    x = made(r)
    before = node(x)
    solve(r, x, "root(x) of pause, mtbf", {"pause": pause, "mtbf": column(70.0)})  # one has no past
    assert node(x) is before
    solve(r, x, "root(x) of pause, mtbf", {"pause": pause, "mtbf": mtbf})
    found = node(x)
    assert (found.op, found.args, found.value, found.text) == (
        "solved", (node(pause), node(mtbf)), 6.0, "root(x) of pause, mtbf")  # fmt: skip
    wide = x + np.array([1.0, 2.0])
    kept = list(wide.nodes)
    solve(r, wide, "root(x) of pause, mtbf", {"pause": pause, "mtbf": mtbf})
    assert list(wide.nodes) == kept


# What the interpreter tells


def test_only_returns_of_named_functions_are_looked_at() -> None:
    r = Record()
    namer, x, y = Namer(r), made(r), made(r, 8.0, "b")
    namer.seen(frame(goodput.young), "call", x)
    assert r.names == {}
    namer.seen(frame(goodput.plan), "return", y)
    assert (node(y) in r.names) == ("goodput.plan" in QUANTITIES)
    namer.seen(frame(ledger.total), "return", x)
    line = ledger.total.__code__.co_firstlineno
    assert r.names[node(x)] == Name("ledger.total", QUANTITIES["ledger.total"].label, "s", "rows", "",
                                    f"engine/ledger.py:{line}", "ledger.total", True, False)  # fmt: skip
    assert namer.known[ledger.total.__code__] == "ledger.total"


def test_the_columns_of_a_tuple_are_named_one_by_one() -> None:
    r = Record()
    key = next(k.partition("[")[0] for k in QUANTITIES if k.endswith("[0]"))
    parts = (made(r), made(r, 8.0, "b"))
    Namer(r).returned(key, frame(ledger.total), parts)
    assert [r.names[node(p)].key for p in parts if node(p) in r.names] == [
        f"{key}[{i}]" for i in (0, 1) if f"{key}[{i}]" in QUANTITIES]  # fmt: skip


def test_a_variable_of_a_function_is_named() -> None:
    r = Record()
    x = made(r)
    Namer(r).returned("entries.overheads", frame(ledger.total, rest=x), None)
    assert (r.names[node(x)].key, r.names[node(x)].open) == ("entries.overheads:rest", True)


def test_fields_of_a_record_of_the_engine() -> None:
    assert named_fields(Entry) == {"count": "ledger.Entry.count"}
    assert named_fields(collectives.terms.Terms).keys() >= {"call", "across"}
    assert named_fields(SimpleNamespace) == named_fields(Name) == {}


def row(seconds: Any, op: str = "norm") -> Row:
    return Row("layer", op, "forward", "hbm", ONE, ONE, None, None, None, seconds, seconds, None, ONE)


def of_rows(record: Record, *each: tuple[float, float]) -> tuple[list[Entry], Traced]:
    """Entries of so many executions of so many seconds, and their sum as the ledger adds it."""
    entries = []
    for i, (n, s) in enumerate(each):
        entries.append(Entry(row(leaf(record, f"s{i}", s), f"op{i}"), leaf(record, f"n{i}", n)))
    total = ledger.exposed(entries)
    assert isinstance(total, Traced)
    return entries, total


def test_a_sum_of_rows_is_taken_apart_row_by_row() -> None:
    r = Record()
    entries, total = of_rows(r, (3.0, 5.0), (7.0, 11.0), (2.0, 13.0))
    Namer(r).row_by_row(total, entries, "engine/ledger.py:9")
    last = node(total)
    assert (last.op, last.value) == ("add", 3 * 5 + 7 * 11 + 2 * 13)
    first_two, third = last.args
    assert (first_two.op, first_two.value) == ("add", 92.0)
    rows = [*first_two.args, third]
    assert [(n.op, n.value) for n in rows] == [("apart", 15.0), ("apart", 77.0), ("apart", 26.0)]
    assert [n.args[0].op for n in rows] == ["multiply"] * 3
    assert r.names[rows[1]] == Name("ledger.Entry.exposed", "layer: op1, forward", "s", "op1_forward", "layer",
                                    "engine/ledger.py:9", "ledger.exposed")  # fmt: skip
    assert all(r.makers[n] == "ledger.exposed" for n in (last, first_two, rows[0].args[0]))


def test_one_row_is_itself_and_no_row_changes_nothing() -> None:
    r = Record()
    entries, total = of_rows(r, (3.0, 5.0))
    Namer(r).row_by_row(total, entries, "")
    assert (node(total).op, node(total).value) == ("apart", 15.0)
    x = made(r)
    before = node(x)
    Namer(r).row_by_row(x, [], "")
    assert node(x) is before


@pytest.mark.parametrize(("off", "taken"), [(0.0, True), (0.9e-13, True), (1.4e-13, False), (-1.4e-13, False)])
def test_two_orders_of_a_sum_agree_to_the_last_digits(off: float, taken: bool) -> None:
    r = Record()
    entries, _ = of_rows(r, (3.0, 5.0), (7.0, 11.0))
    x = leaf(r, "sum", 92.0 * (1 + off))
    Namer(r).row_by_row(x, entries, "")
    assert (node(x).op == "add") is taken
    assert node(x).value == x[0]


def test_a_row_without_a_past_is_a_number_without_a_name() -> None:
    r = Record()
    entries = [Entry(row(column(0.0)), column(3.0)), Entry(row(leaf(r, "s", 5.0)), leaf(r, "n", 3.0))]
    x = leaf(r, "sum", 15.0)
    Namer(r).row_by_row(x, entries, "")
    assert node(x).op == "apart" and len(r.names) == 1


def fill(namer: Namer, made: Any) -> None:
    """As a formula of the engine, at the fifth line of ledger.py, fills a record object."""
    here = {"namer": namer, "frame": SimpleNamespace(f_locals={"self": made})}
    exec(compile("\n" * 4 + "namer.filled(frame)", str(ENGINE / "ledger.py"), "exec"), here)


def test_a_record_that_a_formula_fills_names_its_columns() -> None:
    """One that is filled elsewhere, in a test or by dataclasses.replace, keeps the names that it has."""
    r = Record()
    namer, count = Namer(r), made(r)
    entry = Entry(row(ONE), count)
    namer.filled(frame(ledger.price_block, self=entry))
    assert node(count) not in r.names and namer.fields[Entry] == {"count": "ledger.Entry.count"}
    fill(namer, entry)
    called = r.names[node(count)]
    assert (called.key, called.label, called.where) == ("ledger.Entry.count", "executions a step", "engine/ledger.py:5")


@dataclass
class Other:
    """A record object that is none of the engine's."""

    count: Any


def test_a_record_of_no_formula_has_no_names() -> None:
    r = Record()
    namer, other = Namer(r), Other(made(r))
    fill(namer, other)
    assert namer.fields == {Other: {}} and r.names == {} and named_fields(Namer) == {}


def test_the_numbers_of_a_tuple_are_named_with_their_place() -> None:
    r = Record()
    key = "network.Group.members"
    first, second = made(r), made(r, 8.0, "b")
    own = SimpleNamespace(members=(first, second), axis="data", size=column(5.0))
    namer = Namer(r)
    namer.fields[SimpleNamespace] = {"members": key, "size": "network.Group.size"}
    fill(namer, own)
    for i, x in enumerate((first, second)):
        assert r.names[node(x)].label == f"ranks of the data group in one element of tier {i}"
    assert len(r.names) == 2  # a plain size has no past


def test_what_is_kept_is_a_place_of_its_own_and_the_array_of_others_stays() -> None:
    r = Record()
    size = made(r)
    before = node(size)
    kept = work.Kept("norm", "input", size)
    fill(Namer(r), kept)
    assert node(size) is before and before not in r.names
    mine = node(kept.bytes)
    assert (mine.op, mine.args, r.names[mine].label) == ("apart", (before,), "input, kept for the backward pass")
    bare = work.Kept("norm", "input", column(5.0))
    fill(Namer(r), bare)
    assert type(bare.bytes) is np.ndarray


def test_a_plain_constant_in_a_record_is_known_by_its_array() -> None:
    r = Record()
    call, across = column(5.0), leaf(r, "across", 3.0)
    made_of = Terms.__new__(Terms)
    for field in fields(Terms):
        object.__setattr__(made_of, field.name, {"call": call, "across": across}.get(field.name))
    fill(Namer(r), made_of)
    kept, found = r.plain[id(call)]
    assert kept is call and (found.op, found.value, found.text) == ("constant", 5.0, "CALL")
    assert found.where.startswith("engine/collectives/terms.py:") and list(r.plain) == [id(call)]


@pytest.mark.parametrize(
    ("file", "function", "looked_at"),
    [("<string>", "__init__", True), ("<string>", "other", False), ("elsewhere", "__init__", False)],
)
def test_records_are_filled_by_their_own_init(file: str, function: str, looked_at: bool) -> None:
    namer = Namer(Record())
    code = compile("pass", file, "exec").replace(co_name=function)
    namer.seen(SimpleNamespace(f_code=code, f_locals={"self": Other(3)}), "return", None)  # type: ignore[arg-type]
    assert (Other in namer.fields) is looked_at

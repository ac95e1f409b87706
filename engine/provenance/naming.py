"""Names for what a calculation passes through: the engine's own functions and fields, as they return and are filled.

While a run is evaluated under record, every return of a function of the engine and every new record object (a row, a
group, the degrees of a layout) is looked up in quantities.py; what stands there gets its name. The formulas themselves
know nothing of it.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

from engine.provenance.graph import Name, Node, Record
from engine.provenance.origin import ENGINE, defined, formula, function_of
from engine.provenance.quantities import PLAIN, QUANTITIES, SOLVED, VARIABLES, Quantity
from engine.provenance.traced import Traced, nodes_of, traced

GENERATED = "<string>"  # the file of a dataclass's own __init__
LEDGER, ROW = "ledger.exposed", "ledger.Entry.exposed"
CLOSE = 1e-13  # two orders of the same sum
NAMED = {LEDGER} | {key.partition("[")[0].partition(":")[0] for key in QUANTITIES} | SOLVED.keys()
SYMBOL = re.compile(r"\W+")


@contextmanager
def naming(record: Record) -> Iterator[None]:
    """While this is open, what the engine returns and what its records are filled with gets its name."""
    before = sys.getprofile()
    sys.setprofile(Namer(record).seen)
    try:
        yield
    finally:
        sys.setprofile(before if callable(before) else None)


class Namer:
    """Names the nodes of one record; it keeps what each function is called, and which fields of a record have names."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.known: dict[CodeType, str] = {}
        self.fields: dict[type, dict[str, str]] = {}

    def seen(self, frame: FrameType, event: str, value: Any) -> None:
        """Called by the interpreter for every call and return."""
        if event != "return":
            return
        code = frame.f_code
        if code.co_filename == GENERATED:
            if code.co_name == "__init__":
                self.filled(frame)
            return
        key = self.known.get(code)
        if key is None:
            key = self.known[code] = function_of(frame.f_code)
        if key in NAMED:
            self.returned(key, frame, value)

    def returned(self, key: str, frame: FrameType, value: Any) -> None:
        """Names what a function returns: a column, or the columns of a tuple, which are called "key[0]" …"""
        where = f"{shown(frame.f_code.co_filename)}:{frame.f_code.co_firstlineno}"
        for variable in VARIABLES.get(key, ()):
            self.name(f"{key}:{variable}", frame.f_locals.get(variable), frame.f_locals, where, key)
        if key in SOLVED and isinstance(value, Traced):
            solve(self.record, value, SOLVED[key], frame.f_locals)
        if key == LEDGER and isinstance(value, Traced):
            self.row_by_row(value, frame.f_locals["entries"], where)
        for i, part in enumerate(value) if isinstance(value, tuple) else [(None, value)]:
            self.name(key if i is None else f"{key}[{i}]", part, frame.f_locals, where, key)

    def row_by_row(self, value: Traced, entries: Iterable[Any], where: str) -> None:
        """Puts the sum of all rows' own seconds in the place of one that adds rows before it multiplies them."""
        own, record, last = QUANTITIES[ROW], self.record, None
        for entry in entries:
            count, exposed = (one_node(record, x) for x in (entry.count, entry.row.exposed))
            each = record.operation("multiply", (count, exposed), count.value * exposed.value, by=LEDGER)
            if not each.leaf:
                given = {"self": entry}
                label, symbol = words(own.label, given, ROW), SYMBOL.sub("_", words(own.symbol, given, "row"))
                called = Name(ROW, label, own.unit, symbol, words(own.group, given, ""), where, LEDGER)
                each = record.apart(each, called, entry)
            last = each if last is None else record.operation("add", (last, each), last.value + each.value, by=LEDGER)
        if last is not None and value.size == 1 and abs(last.value - value.item()) <= CLOSE * abs(last.value):
            if last.op == "add":
                last.value = float(value.item())
            made = np.empty(value.shape, dtype=object)
            made[...] = last
            value.nodes = made

    def name(self, key: str, value: Any, given: Mapping[str, Any], where: str, by: str) -> None:
        """Names one column as the table has it; what is not in it, or no column, is left alone."""
        own = QUANTITIES.get(key)
        if own is not None and isinstance(value, Traced):
            name(self.record, value, key, own, given, where, by)

    def filled(self, frame: FrameType) -> None:
        """Names the columns that a record object of the engine was just filled with."""
        made = frame.f_locals.get("self")
        known = self.fields.get(type(made))
        if known is None:
            known = self.fields[type(made)] = named_fields(type(made))
        caller = formula() if known else None  # not dataclasses.replace
        if caller is None:
            return
        where, by = f"{shown(caller.f_code.co_filename)}:{caller.f_lineno}", whole(function_of(caller.f_code))
        given = vars(made)
        for field, key in known.items():
            value = given[field]
            if key in PLAIN and type(value) is np.ndarray:
                place = defined(PLAIN[key], str(sys.modules[type(made).__module__].__file__))
                self.record.plain[id(value)] = (value, self.record.given("constant", value.item(), PLAIN[key], place))
            elif key in QUANTITIES and QUANTITIES[key].apart and isinstance(value, Traced) and value.nodes is not None:
                own = traced(value.record, value.view(np.ndarray), value.nodes)  # others use the same array
                self.name(key, own, given, where, by)
                object.__setattr__(made, field, own)
            elif key in QUANTITIES:
                for i, part in enumerate(value if isinstance(value, tuple) else (value,)):
                    self.name(key, part, {"index": i, **given}, where, by)


def named_fields(kind: type) -> dict[str, str]:
    """The fields of one of the engine's records that have a name, with their keys."""
    if not is_dataclass(kind) or not kind.__module__.startswith("engine."):
        return {}
    base = f"{kind.__module__.removeprefix('engine.')}.{kind.__qualname__}"
    keys = {f.name: f"{base}.{f.name}" for f in fields(kind)}
    return {name: key for name, key in keys.items() if key in QUANTITIES or key in PLAIN}


def whole(function: str) -> str:
    """A function by name; what stands inside one is part of it."""
    return function.partition(".<locals>")[0]


def one_node(record: Record, value: Any) -> Node:
    """The node of a column of one element; a number where it has no past."""
    nodes = nodes_of(value)
    found = record.number(float(value.item())) if nodes is None else nodes.ravel()[0]
    assert isinstance(found, Node)
    return found


def shown(file: str) -> str:
    """A file of the engine as it is named in a tree."""
    path = Path(file)
    return f"engine/{path.relative_to(ENGINE).as_posix()}" if path.is_relative_to(ENGINE) else path.name


def name(
    record: Record, value: Traced, key: str, own: Quantity, given: Mapping[str, Any], where: str, by: str
) -> None:
    """Names the nodes of an array; one that has a name, or is a setting or a number, keeps what it is."""
    if value.nodes is None:
        return
    made = value.nodes.copy()
    for index, node in np.ndenumerate(value.nodes):
        before = record.names.get(node)
        if node.leaf or (before is not None and not before.weak and not own.apart):
            continue
        at = {"index": index[0], **given}
        symbol = SYMBOL.sub("_", words(own.symbol, at, "")) or symbol_of(key)
        label, group = words(own.label, at, key), words(own.group, at, "")
        called = Name(key, label, own.unit, symbol, group, where, by, own.weak, own.open)
        if own.apart:
            made[index] = record.apart(node, called, given.get("self"))
        else:
            record.names[node] = called
    value.nodes = made


def symbol_of(key: str) -> str:
    """What a formula calls a quantity: the last part of its key."""
    return key.rpartition(".")[2].partition("[")[0].strip("_")


def words(template: str, given: Mapping[str, Any], otherwise: str) -> str:
    """A template filled with the names of a function or a record; what cannot be filled stands for itself."""
    try:
        return " ".join(template.format_map(given).split())
    except (KeyError, AttributeError, IndexError):
        return otherwise


def solve(record: Record, value: Traced, formula: str, given: Mapping[str, Any]) -> None:
    """Puts the equation that an iteration solves in the place of its steps."""
    names = formula.partition(" of ")[2].split(", ")
    nodes = [nodes.ravel()[0] for n in names if (nodes := nodes_of(given.get(n))) is not None]
    if len(nodes) != len(names) or value.nodes is None or value.size != 1:
        return
    made = np.empty(value.nodes.shape, dtype=object)
    made[...] = record.operation("solved", tuple(nodes), float(value.item()), formula)
    value.nodes = made

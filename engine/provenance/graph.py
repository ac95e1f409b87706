"""The record of a calculation: nodes for settings, numbers and operations, each made once.

A node is a number with the operation that gave it. Equal operations of one function on the same nodes are one node, so
that a quantity used in many places is one place in the record. What leaves a value exactly as it is (adding 0,
multiplying by 1) is not recorded.
"""

import math
from dataclasses import dataclass

COMPARED = ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal", "bitwise_and", "bitwise_or")
SIMPLE = frozenset(("number", *COMPARED))  # what an operation may hand on its other argument beside


@dataclass(frozen=True)
class Name:
    """What a node is called: its key in quantities.py, its words and unit, where and by what it is worked out."""

    key: str
    label: str
    unit: str
    symbol: str
    group: str
    where: str
    by: str  # the function that works it out, "kernels.wave"
    weak: bool = False
    open: bool = False


class Node:
    """A number and how it was made; two nodes are equal only where they are the same one.

    op: the name of a ufunc, or "largest"; "solved" (text is the equation and the names of its arguments); "apart" (its
    argument in a place of its own); without arguments "setting" (text is its path), "constant" (text is its name in
    the engine, where its place), "counted" (text is the expression that counted it) or "number" (a literal).
    """

    __slots__ = ("args", "op", "text", "value", "where")

    def __init__(self, op: str, args: "tuple[Node, ...]", value: float, text: str = "", where: str = "") -> None:
        self.op, self.args, self.value, self.text, self.where = op, args, value, text, where

    @property
    def leaf(self) -> bool:
        return not self.args


class Record:
    """All nodes of one calculation, and what the named ones among them are called."""

    def __init__(self) -> None:
        self.nodes: dict[tuple[object, ...], Node] = {}
        self.names: dict[Node, Name] = {}
        self.makers: dict[Node, object] = {}  # the code, or the name, of what an operation was first made by
        self.owners: dict[int, object] = {}  # kept, so that no other gets their id
        self.plain: dict[int, tuple[object, Node]] = {}  # plain arrays that a record object was filled with, by id

    def setting(self, path: str, value: float, owner: str = "") -> Node:
        """The node of a setting; ``owner`` tells a phase's own value from the run's."""
        return self._kept(("setting", path, owner), Node("setting", (), value, path, owner))

    def setting_of(self, path: str) -> Node | None:
        """The node of the run's own setting, or None where it has no number there."""
        return self.nodes.get(("setting", path, ""))

    def number(self, value: float) -> Node:
        """A number without a name."""
        return self._kept(("number", value), Node("number", (), value))

    def given(self, op: str, value: float, text: str, where: str) -> Node:
        """A constant of the engine, or a number that it counted from the structure of the layout."""
        return self._kept((op, value, text, where), Node(op, (), value, text, where))

    def operation(self, op: str, args: tuple[Node, ...], value: float, text: str = "", by: object = None) -> Node:
        """The node of an operation on nodes ``by`` a function; one of them where it leaves that one as it is."""
        key = (op, text, by, *map(id, args))
        if key in self.nodes:
            return self.nodes[key]
        same = _unchanged(op, args, value) if any(map(SIMPLE.__contains__, [a.op for a in args])) else None
        if same is not None:
            return same
        if op == "add" and all(a.op in ("number", "counted") for a in args):
            first = next((a for a in args if a.op == "counted"), None)
            return self.number(value) if first is None else self.given("counted", value, first.text, first.where)
        made = self.nodes[key] = Node(op, args, value, text)
        self.makers[made] = by
        return made

    def apart(self, node: Node, name: Name, owner: object) -> Node:
        """The node once more in a place of its own, under a name that only this place of its owner has."""
        self.owners[id(owner)] = owner
        made = self._kept(("apart", name.label, id(node), id(owner)), Node("apart", (node,), node.value, name.label))
        self.names[made] = name
        return made

    def _kept(self, key: tuple[object, ...], node: Node) -> Node:
        return self.nodes.setdefault(key, node)


def _is(node: Node, value: float) -> bool:
    """Whether a node is that number, a literal or what has no name."""
    return node.op == "number" and node.value == value


def _last(value: float) -> bool:
    """Whether a number is never the smaller one: infinity, and what is no number."""
    return not value < math.inf


def _unchanged(op: str, args: tuple[Node, ...], value: float) -> Node | None:
    """The argument that an operation hands on, bit for bit; None where it makes something new."""
    if op in ("add", "subtract") and _is(args[1], 0.0):
        return args[0]
    if op == "add" and _is(args[0], 0.0):
        return args[1]
    if op in ("multiply", "divide") and _is(args[1], 1.0):
        return args[0]
    if op == "divide" and _is(args[0], 0.0):
        return args[0]
    if op in ("minimum", "fmin"):
        return next((other for one, other in (args, args[::-1]) if one.op == "number" and _last(one.value)), None)
    return _one_of(args, value) if op == "multiply" else None


def _one_of(args: tuple[Node, ...], value: float) -> Node | None:
    """The factor that a product is equal to: beside a 1 or a condition that holds, or a literal 0."""
    for one, other in (args, args[::-1]):
        if _is(one, 1.0) or (one.op in COMPARED and one.value == 1.0 and other.op not in COMPARED):
            return other
        if value == 0 and _is(one, 0.0):
            return one
    return None

"""Formulas in words and signs: what a node is worked out from, in the names of the nodes below it.

A formula reads as arithmetic: + - × / ^, comparisons that are 1 or 0, and max, min, sqrt, exp, expm1, log, log2, ceil,
floor, round, mod, abs. ``root(...)`` is the x between 0 and 1 at which the expression in x is 0. "sum of 14 parts" adds
everything below. Of many that are compared only the one that is taken is written out.
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from engine.provenance.graph import COMPARED, Node
from engine.provenance.quantities import COUNTED

SIGNS = dict(zip(COMPARED, (">", ">=", "<", "<=", "=", "!=", "and", "or"), strict=True))
FUNCTIONS = {"maximum": "max", "minimum": "min", "largest": "max", "rint": "round", "remainder": "mod",
             "absolute": "abs"}  # fmt: skip
COMPARING = {"maximum": max, "largest": max, "fmax": max, "minimum": min, "fmin": min}
SHOWN = 3  # of what is compared, where the rest is as long as this
LENGTH = 100  # characters of a comparison that is written out
PARTS = 8  # a longer sum of named parts is "sum of 9 parts"
PYTHON = ("self", "made", "float", "len", "sum", "int", "max", "min", "for", "in", "if", "else", "and", "or", "not")
SUM, PRODUCT, UNARY, POWER, ATOM = range(5)


class Part(NamedTuple):
    """What a formula names: its symbol there, and the node (or a subtotal of a long sum)."""

    symbol: str
    node: Node


class Formula(NamedTuple):
    """A formula with the nodes that it names, in its order; ``note`` says what is left out."""

    text: str
    parts: tuple[Part, ...]
    note: str = ""


class Writer:
    """Writes one formula. ``named`` tells where it stops, ``symbol`` what it calls a
    node there, ``through`` which named sums a longer sum takes apart.
    """

    def __init__(
        self, named: Callable[[Node], bool], symbol: Callable[[Node], str], through: Callable[[Node], bool]
    ) -> None:
        self.named, self.symbol, self.through = named, symbol, through
        self.symbols: dict[Node, str] = {}
        self.notes: list[str] = []
        self.long: dict[Node, bool] = {}

    def formula(self, node: Node) -> Formula:
        """The formula of a node, whatever its own name."""
        body = inner(node)
        terms = self.terms(body)
        if len(terms) > PARTS and all(sign > 0 and self.stops(t) for sign, t in terms):
            return Formula(f"sum of {len(terms)} parts", numbered((self.symbol(t), t) for _, t in terms))
        text = self.written(body, SUM, top=True)
        used = tuple(Part(symbol, n) for n, symbol in self.symbols.items())
        return Formula(text, used, "; ".join(dict.fromkeys(self.notes)))

    def stops(self, node: Node) -> bool:
        """Whether a formula names this node instead of writing it out."""
        return self.bounds(node) or self.rows(node)

    def bounds(self, node: Node) -> bool:
        """The same without long sums."""
        return node.op == "apart" or self.named(node) or (node.leaf and node.op != "number")

    def rows(self, node: Node) -> bool:
        """Whether a node without a name is a long sum of named ones, which gets a place of its own."""
        if node.op != "add":
            return False
        if node not in self.long:
            self.long[node] = False  # while its own terms are taken apart
            terms = self.terms(node)
            self.long[node] = len(terms) > PARTS and all(sign > 0 and self.stops(t) for sign, t in terms)
        return self.long[node]

    def symbol_of(self, node: Node) -> str:
        """The symbol of a node in this formula; a second one of that name is numbered."""
        if node not in self.symbols:
            base, taken = self.symbol(node), set(self.symbols.values())
            free = (base if i == 1 else f"{base}_{i}" for i in range(1, len(taken) + 2))
            self.symbols[node] = next(s for s in free if s not in taken)
        return self.symbols[node]

    def written(self, node: Node, around: int, top: bool = False) -> str:
        """An expression, in parentheses where what stands around it binds more tightly."""
        if not top and self.stops(node):
            return self.symbol_of(node)
        if node.op == "apart":
            return self.written(inner(node), around, top=True)
        if node.op in ("add", "subtract"):
            left = self.terms(node)
            if len(left) == 1 and left[0][0] > 0:
                return self.written(left[0][1], around)
        own, text = self.operation(node)
        return f"({text})" if own < around else text

    def operation(self, node: Node) -> tuple[int, str]:
        """How tightly an operation binds, and its text."""
        if node.leaf:
            return (UNARY if node.value < 0 else ATOM), literal(node.value) if node.op == "number" else self.symbol_of(
                node
            )
        if node.op in ("add", "subtract"):
            return SUM, self.sum(node)
        if node.op in ("multiply", "divide"):
            return PRODUCT, self.product(node)
        if node.op == "negative":
            return UNARY, "-" + self.written(node.args[0], UNARY)
        if node.op in ("square", "power"):
            exponent = "2" if node.op == "square" else self.written(node.args[1], ATOM)
            return POWER, f"{self.written(node.args[0], ATOM)}^{exponent}"
        if node.op in SIGNS:
            return -1, f" {SIGNS[node.op]} ".join(self.written(a, SUM) for a in node.args)
        if node.op == "solved":
            return PRODUCT, self.equation(node)
        if node.op in COMPARING:
            return self.comparison(node)
        return ATOM, f"{FUNCTIONS.get(node.op, node.op)}({', '.join(self.written(a, SUM) for a in node.args)})"

    def terms(self, node: Node) -> list[tuple[int, Node]]:
        """What a sum adds and takes away, parts of more than three that are 0 left out."""
        found = self.added(node)
        moving = [(sign, t) for sign, t in found if t.value != 0 or (len(found) <= SHOWN and self.kept(t))]
        return moving or found[:1]

    def added(self, node: Node) -> list[tuple[int, Node]]:
        """All that a sum adds and takes away, in its order."""
        found: list[tuple[int, Node]] = []
        pending = [(1, node)]
        while pending:
            sign, at = pending.pop()
            if at.op in ("add", "subtract") and (at is node or not self.bounds(at) or self.through(at)):
                pending += [(sign if at.op == "add" else -sign, at.args[1]), (sign, at.args[0])]
            else:
                found.append((sign, at))
        return found

    def kept(self, term: Node) -> bool:
        """Whether a part that is 0 is shown in a short sum: what has a name is, a comparison is not."""
        return term.op == "apart" or self.named(term) or term.leaf

    def sum(self, node: Node) -> str:
        """a + 2 × b - c; literals come together, and so does what is added more than once."""
        counted: dict[Node, int] = {}
        number, text = 0.0, ""
        for sign, term in self.terms(node):
            if term.op == "number" or (term.op in COMPARED and term.leaf):
                number += sign * term.value
            counted[term] = counted.get(term, 0) + sign
        numbers = [t for t in counted if t.op == "number"]
        for term, times in counted.items():
            if term.op == "number" and term is not numbers[0]:
                continue
            if term.op == "number":
                own, times = literal(abs(number)), int(number > 0) - int(number < 0)
            else:
                own = self.written(term, PRODUCT)
                own = own if abs(times) == 1 else f"{abs(times)} × {own}"
            if times:
                text += (" + " if times > 0 else " - ") + own if text else own if times > 0 else f"-{own}"
        return text or "0"

    def product(self, node: Node) -> str:
        """a × b / c."""
        left, right = node.args
        if node.op == "multiply":
            return f"{self.written(left, PRODUCT)} × {self.written(right, PRODUCT)}"
        return f"{self.written(left, PRODUCT)} / {self.written(right, UNARY)}"

    def comparison(self, node: Node) -> tuple[int, str]:
        """max(a, b); of many, or of long ones, the one that is taken."""
        sides = list(self.compared(node, node.op))
        kept = dict(self.symbols)
        texts = [self.written(s, SUM) for s in sides]
        if len(sides) <= SHOWN and sum(map(len, texts)) <= LENGTH and len(sides) > 1:
            word = "max" if COMPARING[node.op] is max else "min"
            return ATOM, f"{word}({', '.join(texts)})"
        self.symbols = kept
        taken = next(s for s in sides if s.value == node.value)
        if len(sides) > 1:
            word = "largest" if COMPARING[node.op] is max else "smallest"
            self.notes.append(f"the {word} of {len(sides)}")
        if self.stops(taken):
            return ATOM, self.symbol_of(taken)
        return self.operation(taken)

    def compared(self, node: Node, op: str) -> Iterable[Node]:
        """What is compared, each once, in its order."""
        found: dict[Node, None] = {}
        pending = list(reversed(node.args))
        while pending:
            at = pending.pop()
            if COMPARING.get(at.op) is COMPARING[op] and not self.stops(at):
                pending += reversed(at.args)
            else:
                found[at] = None
        return found

    def equation(self, node: Node) -> str:
        """An equation with the symbols of what it is solved from."""
        text, _, names = node.text.partition(" of ")
        for name, arg in zip(names.split(", "), node.args, strict=True):
            text = re.sub(rf"\b{name}\b", self.written(arg, ATOM), text)
        return text


def inner(node: Node) -> Node:
    """The node behind a place of its own."""
    while node.op == "apart":
        node = node.args[0]
    return node


def literal(value: float) -> str:
    """A number as formulas write it."""
    return str(int(value)) if abs(value) < 1e15 and value == int(value) else repr(value)


def leaf_symbol(node: Node) -> str:
    """What a formula calls a setting, a constant or a counted number."""
    if node.op == "setting":
        path = node.text.replace("cluster.gpu.", "gpu.")
        return re.sub(r"[^\w.]", "_", f"{node.where}.{path}" if node.where else path)
    if node.op == "counted" and node.text in COUNTED:
        return COUNTED[node.text][0]
    words = re.findall(r"[A-Za-z_]\w*", node.text)
    return next((w for w in words if w not in PYTHON), "counted")


def numbered(parts: Iterable[tuple[str, Node]]) -> tuple[Part, ...]:
    """Parts with symbols that tell them apart: a, a_2, a_3."""
    found: list[Part] = []
    times: dict[str, int] = {}
    for symbol, node in parts:
        times[symbol] = n = times.get(symbol, 0) + 1
        found.append(Part(symbol if n == 1 else f"{symbol}_{n}", node))
    return tuple(found)

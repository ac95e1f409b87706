"""From the parser's reductions to the tuples of syntax.py, while it parses."""

from typing import Any

from lark import Token, Transformer

from dsl.limits import DIGITS
from dsl.problems import Span
from dsl.syntax import (
    Argument,
    Assign,
    Block,
    Call,
    Chain,
    Compare,
    Edition,
    Expression,
    Flag,
    If,
    Import,
    Let,
    List,
    Name,
    Not,
    Number,
    Power,
    Range,
    Ratio,
    Require,
    Shown,
    Sign,
    Statement,
    Text,
    Where,
    joined,
)

SUFFIXES = {
    "k": 10**3,
    "M": 10**6,
    "B": 10**9,
    "T": 10**12,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
}
ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\"}


class OutOfRange(Exception):
    """A literal no float can hold; never leaves parse.py."""

    def __init__(self, token: Token) -> None:
        super().__init__("number out of range")
        self.token = token


def exact(text: str) -> tuple[int, int] | None:
    """A literal such as 2.5e3 or 16.8M as a fraction of whole numbers, or None where it is out of range."""
    digits = text.replace("_", "")
    scale = next((s for s in ("Ki", "Mi", "Gi", "Ti", "k", "M", "B", "T") if digits.endswith(s)), "")
    digits, _, exponent = digits.removesuffix(scale).lower().partition("e")
    whole, _, part = digits.partition(".")
    if len(whole) + len(part) > DIGITS or len(exponent) > 4 or abs(int(exponent or 0)) > 300:
        return None
    over, power = int(whole + part) * SUFFIXES.get(scale, 1), int(exponent or 0) - len(part)
    if power >= 0:
        return (over * 10**power, 1) if over * 10**power <= 10**308 else None
    return over, 10**-power


def unescaped(token: str) -> str:
    """The text of a string token."""
    inner = token[1:-1]
    if "\\" not in inner:
        return inner
    pieces = inner.split("\\\\")
    for code, meant in ESCAPES.items():
        if code != "\\\\":
            pieces = [piece.replace(code, meant) for piece in pieces]
    return "\\".join(pieces)


class Build(Transformer[Token, tuple[Statement, ...]]):
    """One method a rule of the grammar; ``file`` is the file that the spans are in."""

    file = ""

    def _span(self, token: Token) -> Span:
        assert token.line is not None and token.column is not None and token.end_column is not None
        return Span(self.file, token.line, token.column, token.end_column)

    def start(self, c: list[Any]) -> tuple[Statement, ...]:
        return tuple(c)

    # statements

    def edition(self, c: list[Any]) -> Edition:
        return Edition(self.number([c[1], None]), self._span(c[0]))

    def import_(self, c: list[Any]) -> Import:
        alias = self._span(c[2] if c[2] is not None else c[1])
        return Import(self.text([c[1]]), str(c[2] or ""), self._span(c[0]), alias)

    def let(self, c: list[Any]) -> Let:
        return Let(str(c[1]), c[2], self._span(c[1]))

    def assign(self, c: list[Any]) -> Assign:
        return Assign(c[0], c[1], joined(c[0].span, c[1].span))

    def where(self, c: list[Any]) -> Where:
        return Where(c[1], joined(self._span(c[0]), c[1].span))

    def require(self, c: list[Any]) -> Require:
        return Require(c[1], unescaped(c[3]) if c[3] is not None else "", joined(self._span(c[0]), c[1].span))

    def block(self, c: list[Any]) -> Block:
        kind, name, title, base, *body = c
        span = self._span(kind)
        name_span = self._span(name) if name is not None else span
        return Block(
            str(kind),
            str(name or ""),
            unescaped(title) if title is not None else "",
            base,
            (),
            tuple(body),
            span,
            name_span,
            self._span(title) if title is not None else name_span,
        )

    def block_at(self, c: list[Any]) -> Block:
        points = tuple(Assign(*x) for x in c if isinstance(x, Point))
        span = self._span(c[0])
        return Block(str(c[0]), "", "", None, points, tuple(c[1 + len(points) :]), span, span, span)

    def point(self, c: list[Any]) -> "Point":
        return Point(c[0], c[1], joined(c[0].span, c[1].span))

    # values

    def shown(self, c: list[Any]) -> Shown:
        called = unescaped(c[3]) if c[2] is not None else ""
        unit = self._span(c[1])
        return Shown(c[0], str(c[1]), called, joined(c[0].span, unit), unit)

    def called(self, c: list[Any]) -> Shown:
        return Shown(c[0], "", unescaped(c[2]), joined(c[0].span, self._span(c[2])), c[0].span)

    def range(self, c: list[Any]) -> Range:
        return Range(c[0], c[1], False, None, joined(c[0].span, c[1].span))

    def range_doubling(self, c: list[Any]) -> Range:
        return Range(c[0], c[1], True, None, joined(c[0].span, c[1].span))

    def range_step(self, c: list[Any]) -> Range:
        return Range(c[0], c[1], False, c[2], joined(c[0].span, c[2].span))

    def if_(self, c: list[Any]) -> If:
        return If(c[1], c[2], c[3], joined(self._span(c[0]), c[3].span))

    def either(self, c: list[Any]) -> Chain:
        return Chain(c[0], tuple(("or", x) for x in c[1:]), joined(c[0].span, c[-1].span))

    def both(self, c: list[Any]) -> Chain:
        return Chain(c[0], tuple(("and", x) for x in c[1:]), joined(c[0].span, c[-1].span))

    def negation(self, c: list[Any]) -> Not:
        return Not(c[1], joined(self._span(c[0]), c[1].span))

    def compared(self, c: list[Any]) -> Compare:
        return Compare(c[0], _pairs(c), joined(c[0].span, c[-1].span))

    def sum(self, c: list[Any]) -> Chain:
        return Chain(c[0], _pairs(c), joined(c[0].span, c[-1].span))

    def product(self, c: list[Any]) -> Chain:
        return Chain(c[0], _pairs(c), joined(c[0].span, c[-1].span))

    def sign(self, c: list[Any]) -> Sign:
        return Sign(str(c[0]), c[1], joined(self._span(c[0]), c[1].span))

    def power(self, c: list[Any]) -> Power:
        return Power(c[0], c[1], joined(c[0].span, c[1].span))

    # atoms

    def number(self, c: list[Any]) -> Number:
        digits, unit = c
        value = exact(digits)
        if value is None:
            raise OutOfRange(digits)
        span = self._span(digits)
        if unit is None:
            return Number(*value, "", str(digits), span, span)
        where = self._span(unit)
        name = str(unit).replace("μ", "µ")
        return Number(*value, name, f"{digits}{'' if name == '%' else ' '}{name}", joined(span, where), where)

    def money(self, c: list[Any]) -> Number:
        amount, slash, below = str(c[0])[1:].partition("/")
        digits = amount.rstrip("kMBT")  # $12M is 12 of the unit $M
        value = exact(digits)
        if value is None:
            raise OutOfRange(c[0])
        span = self._span(c[0])
        return Number(*value, f"${amount[len(digits) :]}{slash}{below}", str(c[0]), span, span)

    def ratio(self, c: list[Any]) -> Ratio:
        if len(c[0]) > DIGITS:
            raise OutOfRange(c[0])
        down, _, up = str(c[0]).partition(":")
        return Ratio(float(down), float(up), str(c[0]), self._span(c[0]))

    def text(self, c: list[Any]) -> Text:
        return Text(unescaped(c[0]), self._span(c[0]))

    def flag(self, c: list[Any]) -> Flag:
        return Flag(c[0] == "true", self._span(c[0]))

    def path(self, c: list[Any]) -> Name:
        return Name(tuple(map(str, c)), joined(self._span(c[0]), self._span(c[-1])))

    def call(self, c: list[Any]) -> Call:
        arguments = tuple(a for a in c[1:-1] if a is not None)
        return Call(str(c[0]), arguments, joined(self._span(c[0]), self._span(c[-1])))

    def argument(self, c: list[Any]) -> Argument:
        span = c[1].span if c[0] is None else joined(self._span(c[0]), c[1].span)
        return Argument(str(c[0] or ""), c[1], span)

    def list_(self, c: list[Any]) -> List:
        unit, closing = c[-1], c[-2]
        span = joined(self._span(c[0]), self._span(closing if unit is None else unit))
        return List(
            tuple(x for x in c[1:-2] if x is not None),
            str(unit or "").replace("μ", "µ"),
            span,
            span if unit is None else self._span(unit),
        )

    def grouped(self, c: list[Any]) -> Expression:
        wider: Expression = c[1]._replace(span=joined(self._span(c[0]), self._span(c[2])))
        return wider


class Point(Assign):
    """An assignment in a block's header (measured at batch = 1); becomes a plain one in the tree."""


def _pairs(c: list[Any]) -> tuple[tuple[str, Expression], ...]:
    return tuple((str(c[i]), c[i + 1]) for i in range(1, len(c), 2))

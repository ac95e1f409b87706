"""The tree of a scenario file: one small frozen tuple a construct, each with its place in the text.

Tuples, because they are cheap to build, to compare and to keep in the cache of parsed files.
"""

from typing import NamedTuple, TypeAlias

from dsl.problems import Span

UNREAD = "__unread__"  # the kind of a block whose first line could not be read; nobody looks into it


class Number(NamedTuple):
    """A literal ``over / under`` (whole numbers, so that nothing is rounded twice) with its unit as written."""

    over: int
    under: int
    unit: str
    text: str
    span: Span
    unit_span: Span

    @property
    def value(self) -> float:
        return self.over / self.under


class Ratio(NamedTuple):
    """down : up, as in an oversubscription of 7:1."""

    down: float
    up: float
    text: str
    span: Span


class Text(NamedTuple):
    value: str
    span: Span


class Flag(NamedTuple):
    value: bool
    span: Span


class Name(NamedTuple):
    """A name or a dotted path: cluster.gpu.memory."""

    parts: tuple[str, ...]
    span: Span

    @property
    def path(self) -> str:
        return ".".join(self.parts)


class Argument(NamedTuple):
    name: str
    value: "Expression"
    span: Span


class Call(NamedTuple):
    """A function, or a choice with arguments: interleaved(virtual_stages = 8)."""

    name: str
    arguments: tuple[Argument, ...]
    span: Span


class List(NamedTuple):
    """[1, 2, 4] sequences"""

    items: tuple["Expression", ...]
    unit: str
    span: Span
    unit_span: Span


class Sign(NamedTuple):
    """+x or -x"""

    operator: str
    operand: "Expression"
    span: Span


class Not(NamedTuple):
    operand: "Expression"
    span: Span


class Chain(NamedTuple):
    """first op x op y … of one precedence (sums, products, and, or), flat so that long sums stay shallow."""

    first: "Expression"
    rest: tuple[tuple[str, "Expression"], ...]
    span: Span


class Power(NamedTuple):
    base: "Expression"
    exponent: "Expression"
    span: Span


class Compare(NamedTuple):
    """a < b <= c: every neighboring pair must hold."""

    first: "Expression"
    rest: tuple[tuple[str, "Expression"], ...]
    span: Span


class If(NamedTuple):
    condition: "Expression"
    then: "Expression"
    otherwise: "Expression"
    span: Span


class Shown(NamedTuple):
    """x as GiB called "Peak memory" """

    expression: "Expression"
    unit: str
    called: str
    span: Span
    unit_span: Span


class Range(NamedTuple):
    """low..high, with "doubling" or a step; both ends belong to it."""

    low: "Expression"
    high: "Expression"
    doubling: bool
    step: "Expression | None"
    span: Span


Expression: TypeAlias = (
    Number | Ratio | Text | Flag | Name | Call | List | Sign | Not | Chain | Power | Compare | If | Shown | Range
)


class Edition(NamedTuple):
    year: Number
    span: Span


class Import(NamedTuple):
    path: Text
    alias: str
    span: Span
    alias_span: Span


class Let(NamedTuple):
    name: str
    value: Expression
    span: Span


class Assign(NamedTuple):
    """path = value"""

    path: Name
    value: Expression
    span: Span


class Where(NamedTuple):
    condition: Expression
    span: Span


class Require(NamedTuple):
    condition: Expression
    because: str
    span: Span


class Block(NamedTuple):
    """kind name "Title" from base at path = value { body }"""

    kind: str
    name: str
    title: str
    base: Name | None
    at: tuple[Assign, ...]
    body: tuple["Statement", ...]
    span: Span  # of the kind's word
    name_span: Span  # of the name, else of the kind's word
    title_span: Span


Statement: TypeAlias = Edition | Import | Let | Assign | Where | Require | Block


def joined(first: Span, last: Span) -> Span:
    """From the start of one place to the end of another; several lines are marked up to the first line's end."""
    return Span(first.file, first.line, first.column, last.end if last.line == first.line else 0)


# How tightly the constructs bind, loosest first.
_LEVELS = {"or": 1, "and": 2, "not": 3, "compare": 4, "+": 5, "-": 5, "*": 6, "/": 6, "sign": 7, "^": 8, "atom": 9}


def written(expression: Expression) -> str:
    """The expression as one line of text in the language's own spacing."""
    return _written(expression)[0]


def _inside(expression: Expression, level: int) -> str:
    text, own = _written(expression)
    return text if own >= level else f"({text})"


def _chain(first: Expression, rest: tuple[tuple[str, Expression], ...], level: int) -> tuple[str, int]:
    pieces = [_inside(first, level)]
    for operator, operand in rest:
        pieces.append(f"{operator} {_inside(operand, level + 1)}")
    return " ".join(pieces), level


def _written(e: Expression) -> tuple[str, int]:
    atom = _LEVELS["atom"]
    match e:
        case Number() | Ratio():
            return e.text, atom
        case Text():
            return f'"{e.value}"', atom
        case Flag():
            return ("true" if e.value else "false"), atom
        case Name():
            return e.path, atom
        case Call():
            inner = ", ".join((f"{a.name} = " if a.name else "") + written(a.value) for a in e.arguments)
            return f"{e.name}({inner})", atom
        case List():
            return f"[{', '.join(written(i) for i in e.items)}]" + (f" {e.unit}" if e.unit else ""), atom
        case Sign():
            return e.operator + _inside(e.operand, _LEVELS["sign"]), _LEVELS["sign"]
        case Not():
            return "not " + _inside(e.operand, _LEVELS["not"]), _LEVELS["not"]
        case Chain():
            return _chain(e.first, e.rest, _LEVELS[e.rest[0][0]])
        case Compare():
            return _chain(e.first, e.rest, _LEVELS["compare"])
        case Power():
            return f"{_inside(e.base, atom)} ^ {_inside(e.exponent, _LEVELS['sign'])}", _LEVELS["^"]
        case If():
            return f"if {written(e.condition)} then {written(e.then)} else {written(e.otherwise)}", 0
        case Shown():
            unit = f" as {e.unit}" if e.unit else ""
            return written(e.expression) + unit + (f' called "{e.called}"' if e.called else ""), 0
        case Range():
            end = " doubling" if e.doubling else f" step {written(e.step)}" if e.step else ""
            return f"{written(e.low)}..{written(e.high)}{end}", 0

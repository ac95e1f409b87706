"""From a checked expression to a function of named values: numbers, or columns with one element a design point."""

import math
import operator
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, NamedTuple

from dsl.algebra import Meaning, Names, Type
from dsl.dimensions import check, choice_of
from dsl.problems import Problem
from dsl.quantities import display_unit
from dsl.syntax import (
    Call,
    Chain,
    Compare,
    Expression,
    Flag,
    If,
    List,
    Name,
    Not,
    Number,
    Power,
    Range,
    Ratio,
    Shown,
    Sign,
    Text,
    written,
)
from dsl.units import NONE, Dimension, Unit, find, scale

Values = Mapping[str, Any]
Function = Callable[[Values], Any]


class Compiled(NamedTuple):
    """An expression ready to evaluate: ``needs`` are the keys it reads; ``lets`` are worked out first, in order."""

    expression: Expression
    body: Function
    needs: frozenset[str]
    lets: tuple[tuple[str, Function], ...]
    type: Type
    names: Names

    def __call__(self, values: Values) -> Any:
        """The value in base units, or None where a value that it needs is missing or the arithmetic has no result."""
        if any(values.get(key) is None for key in self.needs):
            return None
        scope = dict(values)
        try:
            for key, function in self.lets:
                scope[key] = function(scope)
            return self.body(scope)
        except (ArithmeticError, ValueError):
            return None

    def missing(self, values: Values) -> list[str]:
        """The names that it needs and ``values`` lacks."""
        return sorted(key for key in self.needs if values.get(key) is None)


class Operand(NamedTuple):
    """One part of a condition as shown to people: its text, its value in base units, and the unit to show it in."""

    text: str
    value: Any
    unit: str


class _Reader:
    """What compiling one expression gathers."""

    def __init__(self) -> None:
        self.needs: set[str] = set()
        self.lets: dict[str, Function] = {}


def compiled(e: Expression, names: Names, problems: list[Problem]) -> Compiled | None:
    """The expression checked and compiled; None where there are problems."""
    before = len(problems)
    own = check(e, names, problems)
    if len(problems) > before or own.form == "any":
        return None
    return built(e, names, own)


def built(e: Expression, names: Names, own: Type) -> Compiled:
    """The function of an expression that has been checked."""
    reader = _Reader()
    body = _compile(e, names, reader)
    return Compiled(e, body, frozenset(reader.needs), tuple(reader.lets.items()), own, names)


def _compile(e: Expression, names: Names, reader: _Reader) -> Function:
    match e:
        case Number():
            unit = find(e.unit) if e.unit else Unit(1, 1, NONE)
            assert isinstance(unit, Unit)
            return _constant(_quotient(e.over * unit.over, e.under * unit.under))
        case Ratio():
            return _constant(e.down / e.up)
        case Text() | Flag():
            return _constant(e.value)
        case Name():
            return _name(e, names, reader)
        case Call():
            return _call(e, names, reader)
        case List():
            return _list(e, names, reader)
        case Sign():
            operand = _compile(e.operand, names, reader)
            return (lambda v: -operand(v)) if e.operator == "-" else operand
        case Not():
            negated = _compile(e.operand, names, reader)
            return lambda v: _not(negated(v))
        case Chain():
            return _chain(e, names, reader)
        case Power():
            base, exponent = _compile(e.base, names, reader), _compile(e.exponent, names, reader)
            return lambda v: _power(base(v), exponent(v))
        case Compare():
            return _compare(e, names, reader)
        case If():
            return _if(e, names, reader)
        case Shown():
            return _compile(e.expression, names, reader)
        case Range():
            raise AssertionError("ranges are refused by check")


def _quotient(over: int, under: int) -> float:
    """The quotient as a float; infinity where it is beyond one, which is told where the value is used."""
    try:
        return over / under
    except OverflowError:
        return math.inf


def _constant(value: Any) -> Function:
    return lambda v: value


def _name(e: Name, names: Names, reader: _Reader) -> Function:
    meaning = names.find(e, None)
    assert meaning is not None, "names are checked before"
    return _meant(meaning, reader)


def _meant(meaning: Meaning, reader: _Reader) -> Function:
    key = meaning.key
    if meaning.let is not None:
        if key not in reader.lets:
            function = _compile(meaning.let.expression, meaning.let.names, reader)
            reader.lets[key] = function
        return lambda v: v[key]
    if meaning.constant is not None:
        return _constant(meaning.constant.value)
    reader.needs.add(key)
    return lambda v: v[key]


def is_column(*values: Any) -> bool:
    """Whether any of the values is an array."""
    return any(hasattr(value, "shape") for value in values)


def _library(*values: Any) -> Any:
    """The array library that the columns among ``values`` belong to; this room imports none."""
    return next(value for value in values if is_column(value)).__array_namespace__()


def _not(value: Any) -> Any:
    return ~value if is_column(value) else not value


def _power(base: Any, exponent: Any) -> Any:
    result = base**exponent
    if isinstance(result, complex):
        raise ValueError("the root of a negative number")
    return result


def _and(a: Any, b: Any) -> Any:
    return a & b if is_column(a, b) else a and b


def _or(a: Any, b: Any) -> Any:
    return a | b if is_column(a, b) else a or b


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "and": _and,
    "or": _or,
}


def _chain(e: Chain, names: Names, reader: _Reader) -> Function:
    first = _compile(e.first, names, reader)
    rest = [(BINARY[sign], _compile(x, names, reader)) for sign, x in e.rest]
    return lambda v: reduce(lambda total, step: step[0](total, step[1](v)), rest, first(v))


def _divides(a: Any, b: Any) -> Any:
    if is_column(a, b):
        safe = _library(a, b).where(a == 0, 1, a)
        return (a != 0) & (b % safe == 0)
    return a != 0 and b % a == 0


def _in(a: Any, items: Any) -> Any:
    return reduce(_or, [a == item for item in items], False)


COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "divides": _divides,
    "in": _in,
}


def _compare(e: Compare, names: Names, reader: _Reader) -> Function:
    sides = [e.first, *(x for _, x in e.rest)]
    words = any(choice_of(side, names) for side in sides)
    functions = [_word(side, names, reader) if words else _compile(side, names, reader) for side in sides]
    signs = [COMPARED[sign] for sign, _ in e.rest]

    def compare(v: Values) -> Any:
        values = [function(v) for function in functions]
        return reduce(_and, [sign(a, b) for sign, a, b in zip(signs, values, values[1:], strict=False)])

    return compare


def _word(e: Expression, names: Names, reader: _Reader) -> Function:
    """A side of a comparison of choices: ``full`` is a word there, not a name."""
    if isinstance(e, List):
        return _constant([item.path if isinstance(item, Name) else getattr(item, "value", None) for item in e.items])
    if isinstance(e, Name) and choice_of(e, names) is None:
        return _constant(e.path)
    return _compile(e, names, reader)


def _if(e: If, names: Names, reader: _Reader) -> Function:
    condition, then, otherwise = (_compile(x, names, reader) for x in (e.condition, e.then, e.otherwise))

    def choose(v: Values) -> Any:
        holds = condition(v)
        if is_column(holds):
            return _library(holds).where(holds, then(v), otherwise(v))
        return then(v) if holds else otherwise(v)

    return choose


def _list(e: List, names: Names, reader: _Reader) -> Function:
    items = [_compile(item, names, reader) for item in e.items]
    factor = scale(e.unit)
    return lambda v: [item(v) * factor if e.unit else item(v) for item in items]


def _call(e: Call, names: Names, reader: _Reader) -> Function:
    arguments = [_compile(a.value, names, reader) for a in e.arguments]
    plain, columns = FUNCTIONS[e.name]

    def call(v: Values) -> Any:
        values = [argument(v) for argument in arguments]
        if not is_column(*values):
            return plain(*values)
        function = getattr(_library(*values), columns)
        return reduce(function, values) if e.name in ("min", "max") else function(*values)

    return call


FUNCTIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "min": (lambda *values: min(values), "minimum"),
    "max": (lambda *values: max(values), "maximum"),
    "ceil": (math.ceil, "ceil"),
    "floor": (math.floor, "floor"),
    "round": (round, "round"),
    "abs": (abs, "abs"),
    "sqrt": (math.sqrt, "sqrt"),
    "log2": (math.log2, "log2"),
}


def operands(expression: Compiled, values: Values) -> list[Operand]:
    """What a condition was judged on: each name in it and each side of its comparisons that is not a literal."""
    found: dict[str, Operand] = {}
    for part, unit in _parts(expression.expression, ""):
        text = written(part)
        if text in found:
            continue
        problems: list[Problem] = []
        own = compiled(part, expression.names, problems)
        if own is not None and own.type.form in ("number", "choice"):
            value = own(values)
            found[text] = Operand(text, value, _unit(own.type, unit, value))
    return list(found.values())


def _unit(own: Type, other: str, value: Any) -> str:
    """The unit to show an operand in: that of what it is compared with, else as it was written, else a usual one."""
    for unit in (other, own.unit):
        if unit and _fits(unit, own.dimension):
            return unit
    amount = float(value) if isinstance(value, (int, float)) else None
    return display_unit(own.dimension, amount) or (own.tag if not own.tag.startswith("/") else "")


def _fits(unit: str, dimension: Dimension) -> bool:
    found = find(unit)
    return isinstance(found, Unit) and found.dimension == dimension


def _parts(e: Expression, unit: str) -> list[tuple[Expression, str]]:
    """The parts of an expression worth showing, each with the unit of what it is compared with."""
    match e:
        case Name():
            return [(e, unit)]
        case Compare():
            sides = [e.first, *(x for _, x in e.rest)]
            units = [s.unit if isinstance(s, Number) else "" for s in sides]
            own = next((u for u in units if u), "")
            return [part for side in sides for part in _side(side, own)]
        case Chain():
            return [
                part
                for x in (e.first, *(x for _, x in e.rest))
                for part in _parts(x, unit if e.rest[0][0] in "+-" else "")
            ]
        case Not() | Sign():
            return _parts(e.operand, unit)
        case If():
            return [part for x in (e.condition, e.then, e.otherwise) for part in _parts(x, unit)]
        case Power():
            return _parts(e.base, "") + _parts(e.exponent, "")
        case Call():
            return [part for a in e.arguments for part in _parts(a.value, unit)]
        case Shown():
            return _parts(e.expression, e.unit or unit)
        case _:
            return []


def _side(e: Expression, unit: str) -> list[tuple[Expression, str]]:
    """One side of a comparison: itself where it is worked out from names, then the names."""
    inner = _parts(e, unit)
    return inner if isinstance(e, Name) or not inner else [(e, unit), *inner]

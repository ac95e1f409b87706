"""Why an expression has no result: a divisor of zero, the root of a negative number, a product that is too large."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from dsl.algebra import Names
from dsl.dimensions import check
from dsl.expressions import built
from dsl.problems import Label, Problem
from dsl.syntax import Call, Chain, Compare, Expression, If, Name, Not, Power, Shown, Sign, written
from dsl.units import number

POSITIVE, NEVER_ZERO = "take it of a positive number", "divide by a value that is never zero"


def without_result(e: Expression, names: Names, get: Callable[[str], Any]) -> Problem:
    """The problem of an expression whose arithmetic gives no number, marked at the part that is to blame."""
    found = _blamed(e, names, get)
    if found is not None:
        return found
    large = _too_large(e, names, get) or e
    notes = ("a computer holds no larger ones",)
    help = "check the units and the factors"
    return Problem("E24", "this is too large a number", large.span, "more than 1.8e308", (), notes, help)


def _blamed(e: Expression, names: Names, get: Callable[[str], Any]) -> Problem | None:
    """The innermost part that has no result, in the lets that are named as well."""
    for part in _inside(e):
        meaning = names.find(part, None) if isinstance(part, Name) else None
        found = _wrong(part, names, get)
        if meaning is not None and meaning.let is not None:
            inner = _blamed(meaning.let.expression, meaning.let.names, get)
            found = inner._replace(labels=(*inner.labels, Label(part.span, "used here"))) if inner else None
        if found is not None:
            return found
    return None


def _wrong(part: Expression, names: Names, get: Callable[[str], Any]) -> Problem | None:
    """The problem of one operation, or None."""
    match part:
        case Chain():
            by = next((x for sign, x in part.rest if sign == "/" and _value(x, names, get) == 0), None)
            notes = () if by is None or _plain(by) else (f"`{written(by)}` comes to 0",)
            return by and Problem("E24", "a division by zero", by.span, "is zero", (), notes, NEVER_ZERO)
        case Call() if part.name in ("sqrt", "log2") and part.arguments:
            own = part.arguments[0].value
            value = _value(own, names, get)
            if value is not None and (value < 0 or value == 0 and part.name == "log2"):
                title = f"{part.name}( ) of a number that is not positive"
                return Problem("E24", title, own.span, f"reads as {number(float(value))}", help=POSITIVE)
        case Power():
            value = _value(part.base, names, get)
            if value is None or value > 0 or _value(part, names, get) is not None:
                return None
            if value == 0:
                return Problem("E24", "a division by zero", part.base.span, "is zero", (), (), NEVER_ZERO)
            label = f"reads as {number(float(value))}"
            return Problem("E24", "a root of a negative number", part.base.span, label, help=POSITIVE)
    return None


def _plain(e: Expression) -> bool:
    return not list(_below(e))


def _value(e: Expression, names: Names, get: Callable[[str], Any]) -> Any:
    """The value of a part, or None."""
    own = check(e, names, [])
    if own.form != "number":
        return None
    function = built(e, names, own)
    return function({key: get(key) for key in function.needs})


def _too_large(e: Expression, names: Names, get: Callable[[str], Any]) -> Expression | None:
    """The innermost part that is beyond what a float holds."""
    for part in _inside(e):
        value = _value(part, names, get)
        if isinstance(value, float) and not math.isfinite(value):
            return part
    return None


def _inside(e: Expression) -> Iterator[Expression]:
    """The parts of an expression from the innermost outwards."""
    for part in _below(e):
        yield from _inside(part)
    yield e


def _below(e: Expression) -> tuple[Expression, ...]:
    match e:
        case Chain() | Compare():
            return (e.first, *(operand for _, operand in e.rest))
        case Sign() | Not():
            return (e.operand,)
        case Power():
            return (e.base, e.exponent)
        case Call():
            return tuple(a.value for a in e.arguments)
        case If():
            return (e.condition, e.then, e.otherwise)
        case Shown():
            return (e.expression,)
        case _:
            return ()

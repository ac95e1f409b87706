"""Types of expressions and how they combine: dimensions multiply, tags are kept where they mean something."""

from typing import Any, NamedTuple, Protocol

from dsl.mending import meant_unit, unread_unit
from dsl.problems import Label, Problem, Span
from dsl.quantities import display_unit, in_words
from dsl.syntax import Expression, Name, Number, Ratio
from dsl.units import NONE, Dimension, Refusal, Unit, find, number, plus, scale, shown


class Type(NamedTuple):
    """``form`` is number, flag, text, choice, list or any (any: a problem was told already)."""

    form: str
    dimension: Dimension = NONE
    tag: str = ""  # gpus, tokens … ; "/gpus" for each GPU; "*" a product of several counts
    choices: tuple[str, ...] = ()
    unit: str = ""  # as written, for showing values


ANY = Type("any")


FLAG = Type("flag")


PLAIN = Type("number")


FORMS = {"flag": "a condition", "text": "a text", "choice": "a choice", "list": "a list", "number": "a number"}


class Definition(Protocol):
    """A let: its expression and the names that it is read with."""

    @property
    def expression(self) -> Expression: ...

    @property
    def names(self) -> "Names": ...


class Meaning(NamedTuple):
    """What a name stands for: a value under ``key``, a let, or a setting of a named block that is known already."""

    key: str
    type: Type
    let: Definition | None = None
    constant: Any = None  # a Value of scenario.py


class Names(Protocol):
    """The names that an expression may use."""

    def find(self, name: Name, problems: list[Problem] | None) -> Meaning | None:
        """What the name means; where it means nothing a problem is added, unless None is given for them."""
        ...


def unit_of(spelling: str, span: Span, problems: list[Problem]) -> Unit | None:
    """The unit, or None with a problem."""
    unit = find(spelling)
    if isinstance(unit, Unit):
        return unit
    problems.append(
        Problem(
            "E17",
            f"`{spelling}` is not a unit",
            span,
            "unknown unit",
            help=unit.help if isinstance(unit, Refusal) else "",
        )
    )
    return None


def number_type(e: Number, problems: list[Problem]) -> Type:
    if not e.unit:
        return PLAIN
    unit = find(e.unit)
    if isinstance(unit, Refusal):
        problems.append(unread_unit(e, unit))
        return ANY
    return typed(unit, e.unit)


def ratio_type(e: Ratio, problems: list[Problem]) -> Type:
    if e.up == 0 or e.down == 0:
        problems.append(
            Problem(
                "E24",
                f"{e.text} is not a ratio",
                e.span,
                "divides by zero" if e.up == 0 else "is nothing",
                (),
                ("a ratio is downlink:uplink, both of them more than zero",),
            )  # fmt: skip
        )
        return ANY
    if e.down < e.up:
        notes = (
            f"the ratio is downlink:uplink, so {_turned(e)} means {_part(e)} of the bandwidth leaves",
            f"some papers write the same fabric as {e.text}",
        )
        problems.append(
            Problem(
                "E20",
                "oversubscription below one",
                e.span,
                f"reads as {e.down / e.up:.2g}",
                (),
                notes,
                f"did you mean {_turned(e)}?",
            )
        )
        return ANY
    return PLAIN


def _turned(e: Ratio) -> str:
    down, _, up = e.text.partition(":")
    return f"{up}:{down}"


def _part(e: Ratio) -> str:
    words = ("half", "third", "quarter", "fifth", "sixth", "seventh", "eighth")
    named = {float(n): f"one {word}" for n, word in enumerate(words, 2)}
    return named.get(e.up / e.down, f"{100 * e.down / e.up:.0f}%")


def typed(unit: Unit, spelling: str) -> Type:
    return Type("number", unit.dimension, unit.tag or (f"/{unit.per}" if unit.per else ""), (), spelling)


def product(a: Type, b: Type, sign: int) -> Type:
    if "any" in (a.form, b.form):
        return ANY
    tag = a.tag if not b.tag else "*" if a.tag and sign == 1 else b.tag if sign == 1 else ""
    dimension = plus(a.dimension, b.dimension, sign)
    unit = a.unit if not any(b.dimension) and a.unit != "%" else b.unit if not any(a.dimension) and sign == 1 else ""
    return Type("number", dimension, tag, (), unit if unit != "%" and dimension != NONE else "")


def is_zero(e: Expression) -> bool:
    return isinstance(e, Number) and e.over == 0 and not e.unit


def alike(a: Expression, at: Type, b: Expression, bt: Type, problems: list[Problem], verb: str) -> Type:
    """The common type of two numbers that are added or compared; different dimensions are a problem."""
    if "any" in (at.form, bt.form):
        return ANY
    if at.dimension != bt.dimension and not is_zero(a) and not is_zero(b):
        problems.append(_unlike(a, at, b, bt, verb))
        return ANY
    tag = at.tag if at.tag == bt.tag or not bt.tag else bt.tag if not at.tag else ""
    return Type("number", bt.dimension if is_zero(a) else at.dimension, tag, (), at.unit or bt.unit)


def _unlike(a: Expression, at: Type, b: Expression, bt: Type, verb: str) -> Problem:
    for bare, other, kind in ((a, b, bt), (b, a, at)):
        if isinstance(bare, Number) and not bare.unit:
            unit = (kind.unit if isinstance(other, Number) else "") or display_unit(kind.dimension)
            text = number(bare.value)
            return Problem(
                "E19",
                f"{text} what?",
                bare.span,
                "needs a unit",
                (Label(other.span, f"in {in_words(kind.dimension)}"),),
                help=f"write {shown(bare.value * scale(unit), unit)}" if unit else "",
            )
    mend = plus(at.dimension, bt.dimension, -1)
    meant = meant_unit(b, at.dimension)
    return Problem(
        "E18",
        f"{in_words(at.dimension)} and {in_words(bt.dimension)} cannot be {verb}",
        b.span,
        in_words(bt.dimension),
        (Label(a.span, in_words(at.dimension)),),
        (f"they differ by {in_words(mend)}",),
        f"write {meant}" if meant else "",
    )


def one_of(kind: Type) -> str:
    """One of the unit that a value is in: 1 GB, $1."""
    unit = kind.unit or display_unit(kind.dimension)
    return shown(scale(unit), unit)

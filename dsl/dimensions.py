"""What an expression is: a number of some dimension, a condition, a choice; checked once, before any value is known."""

from collections.abc import Sequence

from dsl.algebra import (
    ANY,
    FLAG,
    FORMS,
    PLAIN,
    Names,
    Type,
    alike,
    is_zero,
    number_type,
    one_of,
    product,
    ratio_type,
    typed,
    unit_of,
)
from dsl.problems import Label, Problem, did_you_mean
from dsl.quantities import display_unit, in_words
from dsl.synonyms import chosen
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
from dsl.units import BYTE, DOLLAR, JOULE, NONE, SECOND, WATT, number, plus

FUNCTIONS = ("min", "max", "ceil", "floor", "round", "abs", "sqrt", "log2")
OF_SEVERAL = ("min", "max")  # the others take one value
DISTRIBUTIONS = {"normal": 2, "triangular": 3, "uniform": 2, "lognormal": 2}


def check(e: Expression, names: Names, problems: list[Problem]) -> Type:
    """The type of an expression; what is wrong with it is added to ``problems``."""
    match e:
        case Number():
            return number_type(e, problems)
        case Ratio():
            return ratio_type(e, problems)
        case Text():
            return Type("text")
        case Flag():
            return FLAG
        case Name():
            meaning = names.find(e, problems)
            return meaning.type if meaning else ANY
        case Call():
            return _call(e, names, problems)
        case List():
            return _list(e, names, problems)
        case Sign():
            return _numeric(e.operand, names, problems)
        case Not():
            return _flag(e.operand, names, problems)
        case Chain():
            return _chain(e, names, problems)
        case Power():
            return _power(e, names, problems)
        case Compare():
            return _compare(e, names, problems)
        case If():
            return _if(e, names, problems)
        case Shown():
            return _shown(e, names, problems)
        case Range():
            problems.append(
                Problem(
                    "E16", "a range only stands where a setting varies", e.span, help="write it in a vary { } block"
                )
            )
            return ANY


def _numeric(e: Expression, names: Names, problems: list[Problem]) -> Type:
    """The type of a number; anything else is a problem."""
    own = check(e, names, problems)
    if own.form in ("number", "any"):
        return own
    problems.append(Problem("E16", "a number belongs here", e.span, f"this is {FORMS[own.form]}"))
    return ANY


def condition(e: Expression, names: Names, problems: list[Problem]) -> Type:
    """The type of a condition; anything else is a problem."""
    return _flag(e, names, problems)


def _flag(e: Expression, names: Names, problems: list[Problem]) -> Type:
    own = check(e, names, problems)
    if own.form in ("flag", "any"):
        return own
    example = f"compare it: {written(e)} {_limit(own)}" if own.form == "number" else "compare it: mfu >= 35%"
    problems.append(Problem("E16", "a condition belongs here", e.span, f"this is {FORMS[own.form]}", help=example))
    return ANY


def _limit(own: Type) -> str:
    """A limit that a number of this dimension may be held to, as an example."""
    by = {BYTE: "<= 72 GB", SECOND: "<= 30 days", DOLLAR: "<= $10M", WATT: "<= 2 MW", JOULE: "<= 500 MWh"}
    return by.get(own.dimension, ">= 35%" if own.unit == "%" else f"<= {one_of(own)}" if any(own.dimension) else "<= 8")


def _chain(e: Chain, names: Names, problems: list[Problem]) -> Type:
    operator = e.rest[0][0]
    if operator in ("and", "or"):
        sides = [_flag(operand, names, problems) for operand in (e.first, *(x for _, x in e.rest))]
        return FLAG if all(side.form == "flag" for side in sides) else ANY
    total = _numeric(e.first, names, problems)
    left = e.first
    for sign, operand in e.rest:
        own = _numeric(operand, names, problems)
        if sign in "+-":
            total = alike(left, total, operand, own, problems, "added" if sign == "+" else "subtracted")
        elif sign == "/" and isinstance(operand, Number) and operand.over == 0:
            help = "divide by a value that is never zero"
            problems.append(Problem("E24", "a division by zero", operand.span, "is zero", help=help))
            total = ANY
        else:
            total = product(total, own, 1 if sign == "*" else -1)
        left = left if is_zero(operand) else operand
    return total


def _power(e: Power, names: Names, problems: list[Problem]) -> Type:
    base, exponent = _numeric(e.base, names, problems), _numeric(e.exponent, names, problems)
    if "any" in (base.form, exponent.form):
        return ANY
    if any(exponent.dimension):
        problems.append(Problem("E18", "an exponent is a plain number", e.exponent.span, in_words(exponent.dimension)))
        return ANY
    if not any(base.dimension):
        return PLAIN
    if not (isinstance(e.exponent, Number) and e.exponent.under == 1 and not e.exponent.unit and e.exponent.over <= 9):
        problems.append(
            Problem(
                "E18",
                "a quantity is only raised to a whole number",
                e.exponent.span,
                help="divide by a unit first: (x / 1 GB) ^ 0.5",
            )
        )
        return ANY
    dimension = NONE
    for _ in range(e.exponent.over):
        dimension = plus(dimension, base.dimension)
    return Type("number", dimension)


def _compare(e: Compare, names: Names, problems: list[Problem]) -> Type:
    left, known = e.first, True
    for operator, right in e.rest:
        known = _pair(left, operator, right, names, problems) and known
        left = right
    return FLAG if known else ANY


def _pair(a: Expression, operator: str, b: Expression, names: Names, problems: list[Problem]) -> bool:
    """Whether both sides are known; what does not compare is a problem."""
    for one, other in ((a, b), (b, a)):
        chosen = choice_of(one, names)
        if chosen is not None:
            _chosen(chosen, one, operator, other, problems)
            return True
    at, bt = check(a, names, problems), check(b, names, problems)
    if "any" in (at.form, bt.form):
        return False
    if operator == "in":
        if bt.form != "list":
            problems.append(
                Problem(
                    "E16", "`in` looks in a list", b.span, f"this is {FORMS[bt.form]}", help=f"write [{written(b)}]"
                )
            )
            return False
        bt = bt._replace(form=at.form if at.form == "number" else "text")
    if at.form != bt.form or (operator not in ("==", "!=", "in") and at.form != "number"):
        problems.append(
            Problem(
                "E16",
                f"`{operator}` cannot compare these",
                b.span,
                f"this is {FORMS[bt.form]}",
                (Label(a.span, f"this is {FORMS[at.form]}"),),
            )
        )
    elif at.form == "number":
        _share(a, at, b, problems)
        _share(b, bt, a, problems)
        alike(a, at, b, bt, problems, "divided evenly" if operator == "divides" else "compared")
    return True


def _share(e: Expression, own: Type, other: Expression, problems: list[Problem]) -> None:
    """mfu >= 38: a share held against a whole number is a problem, a percent sign is missing."""
    if own.unit != "%" or not isinstance(e, Name) or not isinstance(other, Number) or other.unit or other.value <= 1:
        return
    title, notes = f"`{e.path}` is a share", (f"{other.text} would be {number(other.value * 100)}%",)
    problems.append(Problem("E19", title, other.span, f"{other.text} what?", (), notes, f"write {other.text}%"))


def choice_of(e: Expression, names: Names) -> Type | None:
    """The type of a name that stands for a choice or a reference, else None; tells no problem."""
    if not isinstance(e, Name):
        return None
    meaning = names.find(e, None)
    return meaning.type if meaning is not None and meaning.type.form == "choice" else None


def _chosen(kind: Type, name: Expression, operator: str, other: Expression, problems: list[Problem]) -> None:
    """Whether ``layout.recompute == full`` compares with words that the setting has."""
    if operator not in ("==", "!=", "in"):
        problems.append(
            Problem(
                "E16",
                f"`{operator}` cannot compare choices",
                other.span,
                labels=(Label(name.span, "a choice"),),
                help="use ==, != or in [ ]",
            )
        )
        return
    for item in other.items if isinstance(other, List) else (other,):
        word = item.path if isinstance(item, Name) else item.value if isinstance(item, Text) else None
        if word is None:
            problems.append(
                Problem(
                    "E16",
                    f"`{written(name)}` is a choice",
                    item.span,
                    "not a word",
                    (Label(name.span, "a choice"),),
                    (f"choices: {', '.join(kind.choices)}",),
                    "compare it with one of them",
                )
            )
        elif kind.choices and word not in kind.choices:
            problems.append(
                Problem(
                    "E21",
                    f"`{word}` is not a choice of `{written(name)}`",
                    item.span,
                    "not one of them",
                    notes=(f"choices: {', '.join(kind.choices)}",),
                    help=chosen(word, kind.choices),
                )
            )


def _if(e: If, names: Names, problems: list[Problem]) -> Type:
    holds = _flag(e.condition, names, problems)
    a, b = check(e.then, names, problems), check(e.otherwise, names, problems)
    if holds.form == "any":
        return ANY
    if a.form == b.form == "number":
        return alike(e.then, a, e.otherwise, b, problems, "alternatives")
    if "any" not in (a.form, b.form) and a.form != b.form:
        problems.append(
            Problem(
                "E16",
                "the two alternatives are of different kinds",
                e.otherwise.span,
                FORMS[b.form],
                (Label(e.then.span, FORMS[a.form]),),
            )
        )
    return a if a.form == b.form else ANY


def _list(e: List, names: Names, problems: list[Problem]) -> Type:
    types = [check(item, names, problems) for item in e.items]
    if any(own.form == "any" for own in types):
        return ANY
    if e.unit:
        unit = unit_of(e.unit, e.unit_span, problems)
        if unit is None:
            return ANY
        for item, own in zip(e.items, types, strict=True):
            if own.form == "number" and own.unit:
                problems.append(
                    Problem(
                        "E18",
                        "this item has a unit, and so has its list",
                        item.span,
                        "has a unit",
                        (Label(e.unit_span, "for all items"),),
                        help="give one of the two",
                    )
                )
        return typed(unit, e.unit)._replace(form="list")
    if not types or any(own.form != "number" for own in types):
        return Type("list")
    own = _common(e.items, types, problems, "in one list")
    return own if own.form == "any" else own._replace(form="list")


def _common(items: Sequence[Expression], types: Sequence[Type], problems: list[Problem], verb: str) -> Type:
    """The type that several numbers share; a bare 0 goes with any."""
    common, left = types[0], items[0]
    for item, own in zip(items[1:], types[1:], strict=True):
        common = alike(left, common, item, own, problems, verb)
        left = item if is_zero(left) else left
    return common


def _shown(e: Shown, names: Names, problems: list[Problem]) -> Type:
    own = check(e.expression, names, problems)
    if not e.unit:
        return own
    unit = unit_of(e.unit, e.unit_span, problems)
    if own.form == "any" or unit is None:
        return ANY
    if own.form != "number" or own.dimension != unit.dimension:
        shown_in = "%" if own.unit == "%" else display_unit(own.dimension) if own.form == "number" else ""
        is_in = in_words(own.dimension) if own.form == "number" else FORMS[own.form]
        problems.append(
            Problem(
                "E18",
                f"`{e.unit}` cannot show this",
                e.unit_span,
                f"for {in_words(unit.dimension)}",
                (Label(e.expression.span, is_in),),
                help=f"write {shown_in}" if shown_in else "leave the unit out",
            )
        )
        return ANY
    return own._replace(unit=e.unit)


def _call(e: Call, names: Names, problems: list[Problem]) -> Type:
    if e.name == "range" and len(e.arguments) > 1:
        low, high = written(e.arguments[0].value), written(e.arguments[1].value)
        notes = ("both ends are part of it; doubling and step 2 may follow",)
        problems.append(
            Problem("E15", "a range is written with two dots", e.span, "no function", (), notes, f"write {low}..{high}")
        )
        return ANY
    if e.name not in FUNCTIONS:
        problems.append(
            Problem(
                "E15",
                f"there is no function `{e.name}`",
                e.span._replace(end=e.span.column + len(e.name)),
                "not found",
                notes=(f"functions: {', '.join(FUNCTIONS)}",),
                help=did_you_mean(e.name, FUNCTIONS),
            )
        )
        return ANY
    several = e.name in OF_SEVERAL
    if not e.arguments or (len(e.arguments) > 1 and not several) or any(a.name for a in e.arguments):
        count = "one value or more" if several else "one value"
        problems.append(Problem("E16", f"{e.name}( ) takes {count}, without names", e.span))
        return ANY
    types = [_numeric(a.value, names, problems) for a in e.arguments]
    return _applied(e, types, problems)


def _applied(e: Call, types: list[Type], problems: list[Problem]) -> Type:
    first = types[0]
    if e.name in OF_SEVERAL:
        return _common([a.value for a in e.arguments], types, problems, "compared")
    if first.form == "any" or e.name == "abs":
        return first
    if e.name == "sqrt" and not any(x % 2 for x in first.dimension):
        a, b, c, d, f, g = (x // 2 for x in first.dimension)
        return Type("number", (a, b, c, d, f, g))
    if any(first.dimension):
        one = one_of(first)
        problems.append(
            Problem(
                "E18",
                f"{e.name}( ) of {in_words(first.dimension)} depends on the unit",
                e.arguments[0].span,
                in_words(first.dimension),
                help=f"divide by a unit: {e.name}({written(e.arguments[0].value)} / {one})" if one != "1" else "",
            )
        )
        return ANY
    return first._replace(unit="")

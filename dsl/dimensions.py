"""What an expression is: a number of some dimension, a condition, a choice; checked once, before any value is known."""

from dsl.algebra import (
    ANY,
    FLAG,
    FORMS,
    PLAIN,
    Names,
    Type,
    alike,
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

FUNCTIONS = {
    "min": (1, 99),
    "max": (1, 99),
    "ceil": (1, 1),
    "floor": (1, 1),
    "round": (1, 1),
    "abs": (1, 1),
    "sqrt": (1, 1),
    "log2": (1, 1),
}
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
        left = operand
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
    elif at.form == "number" and not _share(a, at, b, problems) and not _share(b, bt, a, problems):
        alike(a, at, b, bt, problems, "divided evenly" if operator == "divides" else "compared")
    return True


def _share(e: Expression, own: Type, other: Expression, problems: list[Problem]) -> bool:
    """mfu >= 38: a share held against a whole number is a problem, a percent sign is missing."""
    if own.unit != "%" or not isinstance(e, Name) or not isinstance(other, Number) or other.unit or other.value <= 1:
        return False
    title, notes = f"`{e.path}` is a share", (f"{other.text} would be {number(other.value * 100)}%",)
    problems.append(Problem("E19", title, other.span, f"{other.text} what?", (), notes, f"write {other.text}%"))
    return True


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
    for item, own in zip(e.items[1:], types[1:], strict=True):
        if own.form == types[0].form == "number":
            alike(e.items[0], types[0], item, own, problems, "in one list")
    return types[0]._replace(form="list") if types and types[0].form == "number" else Type("list")


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
    least, most = FUNCTIONS[e.name]
    if not least <= len(e.arguments) <= most or any(a.name for a in e.arguments):
        count = "one value" if most == 1 else "one value or more"
        problems.append(Problem("E16", f"{e.name}( ) takes {count}, without names", e.span))
        return ANY
    types = [_numeric(a.value, names, problems) for a in e.arguments]
    if any(t.form == "any" for t in types):
        return ANY
    return _applied(e, types, problems)


def _applied(e: Call, types: list[Type], problems: list[Problem]) -> Type:
    first = types[0]
    if e.name in ("min", "max"):
        for argument, own in zip(e.arguments[1:], types[1:], strict=True):
            first = alike(e.arguments[0].value, types[0], argument.value, own, problems, "compared")
        return first
    if e.name == "abs":
        return first
    if e.name == "sqrt" and not any(x % 2 for x in first.dimension):
        a, b, c, d, f, g = (x // 2 for x in first.dimension)
        return Type("number", (a, b, c, d, f, g))
    if any(first.dimension):
        problems.append(
            Problem(
                "E18",
                f"{e.name}( ) of {in_words(first.dimension)} depends on the unit",
                e.arguments[0].span,
                in_words(first.dimension),
                help=f"divide by a unit: {e.name}({written(e.arguments[0].value)} / {one_of(first)})",
            )
        )
        return ANY
    return first._replace(unit="")

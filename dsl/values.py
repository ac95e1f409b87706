"""From an expression to the value of one setting: form, unit, bounds, choices."""

import re
from collections.abc import Callable, Container
from typing import Any, NamedTuple

from dsl.algebra import FORMS, Names, Type, is_zero
from dsl.arithmetic import without_result
from dsl.dimensions import check, condition
from dsl.expressions import built
from dsl.fitting import fits, mended, not_a_number, not_one_number
from dsl.kinds import Setting
from dsl.limits import HUGE, TINY
from dsl.problems import Problem
from dsl.quantities import HOLDS, display_unit
from dsl.schema import REFERENCES, item_row
from dsl.scope import Defined, Scope
from dsl.synonyms import NOTHING, TRUTHS, chosen, suggested
from dsl.syntax import Call, Chain, Expression, Flag, If, List, Name, Number, Range, Shown, Sign, Text, written
from dsl.units import number, shown

WHOLE = frozenset({"gpus", "nodes", "sequences", "layers", "steps"})


class Settled(NamedTuple):
    """A value in base units and the unit it was written in; ``arguments`` of a choice are left to the caller."""

    value: Any
    unit: str = ""
    tag: str = ""
    arguments: Call | None = None


class Context(NamedTuple):
    """Where a value stands: the setting, its path, the names it may use and how to get their values."""

    row: Setting
    path: str
    names: Names
    get: Callable[[str], Any]
    scope: Scope
    problems: list[Problem]
    stated: Container[str] = ()  # paths that are stated somewhere: where one has no value, that has been told

    def wrong(
        self, code: str, title: str, e: Expression, label: str = "here", help: str = "", notes: tuple[str, ...] = ()
    ) -> None:
        self.problems.append(Problem(code, title, e.span, label, (), notes, help))


def settle(e: Expression, at: Context) -> Settled | None:
    """The value of a setting, or None with a problem."""
    holds = at.row.holds
    if isinstance(e, If) and holds not in HOLDS:
        return _either(e, at)
    if isinstance(e, Name) and e.path in at.row.choices:
        return Settled(e.path)
    if holds == "choice":
        return _choice(e, at)
    if holds in ("text", "date", "file"):
        return _text(e, at)
    if holds == "flag":
        return _flag(e, at)
    if holds in REFERENCES:
        return _reference(e, at)
    if holds.startswith("list of "):
        return _list(e, at)
    return _number(e, at)


def _either(e: If, at: Context) -> Settled | None:
    """if … then … else between texts or choices."""
    before = len(at.problems)
    own = condition(e.condition, at.names, at.problems)
    a, b = settle(e.then, at), settle(e.otherwise, at)
    if len(at.problems) > before:
        return None
    holds = _worked_out(e.condition, own, at)
    return None if holds is None else a if holds else b


def _worked_out(e: Expression, own: Type, at: Context) -> Any:
    """The value of a checked expression from the settings it names."""
    function = built(e, at.names, own)
    value = function({key: at.get(key) for key in function.needs})
    if value is None:
        missing = [key for key in function.needs if at.get(key) is None]
        if missing and missing[0] in at.stated:
            return None
        if missing:
            at.wrong("E13", f"`{at.path}` needs {missing[0]}", e, f"`{missing[0]}` is not set")
        else:
            at.problems.append(without_result(e, at.names, at.get))
    return value


def _choice(e: Expression, at: Context) -> Settled | None:
    word = e.name if isinstance(e, Call) else e.value if isinstance(e, Text) else written(e).replace(" ", "")
    if word in at.row.choices:
        return Settled(word, arguments=e if isinstance(e, Call) else None)
    notes = (f"choices: {', '.join(at.row.choices)}",)
    if isinstance(e, (List, Chain, If)):
        example = f"for example: {at.row.choices[0]}"
        at.wrong("E16", f"`{at.path}` is one of several words", e, "not a word", example, notes)
    else:
        help = chosen(word, at.row.choices)
        at.wrong("E21", f"`{word}` is not a choice of `{at.path}`", e, "not one of them", help, notes)
    return None


def _text(e: Expression, at: Context) -> Settled | None:
    if not isinstance(e, Text):
        what, meant = ("date", written(e).replace(" ", "")) if at.row.holds == "date" else ("text", written(e))
        at.wrong("E16", f"`{at.path}` is a {what} in double quotes", e, "not a text", f'write "{meant}"')
        return None
    if at.row.holds == "date" and not _is_date(e.value):
        notes = ("dates are written year-month-day",)
        at.wrong("E16", f"`{e.value}` is not a date", e, "not a date", f'write "{_turned(e.value)}"', notes)
        return None
    return Settled(e.value)


def _turned(text: str) -> str:
    """31.03.2026 and 2026/3/31 as 2026-03-31; another date as an example where it cannot be read."""
    found = re.fullmatch(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", text)
    day, month, year = found.groups() if found else ("", "", "")
    found = re.fullmatch(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", text)
    year, month, day = found.groups() if found else (year, month, day)
    meant = f"{year}-{month:0>2}-{day:0>2}"
    return meant if _is_date(meant) else "2026-03-31"


def _is_date(text: str) -> bool:
    from datetime import date  # dates are rare, and importing it takes a while

    try:
        return len(text) == 10 and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _flag(e: Expression, at: Context) -> Settled | None:
    if isinstance(e, Flag):
        return Settled(e.value)
    title, word = f"`{at.path}` is true or false", TRUTHS.get(written(e).lower().strip('"'))
    if word and isinstance(e, (Name, Text)):
        at.wrong("E16", title, e, "another word", f"write {word}")
        return None
    before = len(at.problems)
    own = check(e, at.names, at.problems)
    if len(at.problems) > before or own.form != "flag":
        if len(at.problems) == before:
            help = "write false" if is_zero(e) else "write true"
            at.wrong("E16", title, e, f"this is {FORMS.get(own.form, own.form)}", help)
        return None
    value = _worked_out(e, own, at)
    return None if value is None else Settled(bool(value))


def _reference(e: Expression, at: Context) -> Settled | None:
    found = referred(e, at)
    return Settled(found.name) if found else None


def referred(e: Expression, at: Context) -> Defined | None:
    """The block that a reference setting names; a problem where there is none."""
    kind = at.row.holds
    if isinstance(e, Name):
        return at.scope.find(kind, e, at.problems)
    known = at.scope.known(kind)
    text = e.value if isinstance(e, Text) else written(e)
    near = suggested(re.split(r"\s*/\s*", text)[-1].replace(" ", ""), known)
    notes = ("names stand without quotes; those of a hub have no owner before them here",)
    help = f"write {near}" if near else f"for example: {known[0]}" if known else ""
    at.wrong("E16", f"`{at.path}` names a {kind}", e, "not a name", help, notes)
    return None


def _list(e: Expression, at: Context) -> Settled | None:
    row = item_row(at.row)
    if not isinstance(e, List):
        at.wrong("E16", f"`{at.path}` is a list", e, "not a list", f"write [{written(e)}]")
        return None
    items = e.items
    if e.unit:
        items = tuple(
            item._replace(unit=e.unit, unit_span=e.unit_span) if isinstance(item, Number) and not item.unit else item
            for item in items
        )
    if row.holds == "text":
        items = tuple(Text(item.path, item.span) if isinstance(item, Name) else item for item in items)
    found = [settle(item, at._replace(row=row)) for item in items]
    if any(item is None for item in found):
        return None
    return Settled(tuple(item.value for item in found if item is not None), e.unit)


def _number(e: Expression, at: Context) -> Settled | None:
    before = len(at.problems)
    if isinstance(e, (Range, List)) or isinstance(e, Name) and e.path.lower() in NOTHING:
        not_one_number(e, at)
        return None
    own = check(e, at.names, at.problems)
    if len(at.problems) > before or own.form == "any":
        at.problems[before:] = [mended(e, problem, at) for problem in at.problems[before:]]
        return None
    if own.form != "number":
        not_a_number(e, own, at)
        return None
    if not fits(e, own, at):
        return None
    value = _worked_out(e, own, at)
    if value is None:
        return None
    _warned(e, at)
    value, unit = float(value), own.unit
    if isinstance(e, Shown):
        unit = e.unit or unit
    if not bounded(e, value, unit, at) or not _whole(e, value, own, at):
        return None
    return Settled(value, unit, own.tag)


def counted(path: str, holds: str) -> bool:
    """Whether a setting is a whole number: what is counted, and every degree of the layout."""
    return holds in WHOLE or path.startswith("layout.") and holds == "number"


def _whole(e: Expression, value: float, own: Type, at: Context) -> bool:
    """Whether a count is whole; a batch in tokens is converted later."""
    if not counted(at.path, at.row.holds) or own.tag == "tokens" or value == int(value):
        return True
    at.wrong("E20", f"`{at.path}` is a whole number", e, f"reads as {number(value)}", f"write {number(round(value))}")
    return False


# Counts that are gone through one by one; nobody has more, by path or by what a setting holds.
LARGEST = {"gpus_per_node": 10_000, "gpus": 10_000_000, "nodes": 1_000_000, "layers": 10_000, "pipeline": 1_000,
           "samples": 1_000_000}  # fmt: skip


def bounded(e: Expression, value: float, unit: str, at: Context) -> bool:
    """Whether a value is within the bounds of its setting."""
    if value != value or value in (float("inf"), float("-inf")):
        at.problems.append(without_result(e, at.names, at.get))
        return False
    most = LARGEST.get(at.row.path) or LARGEST.get(at.row.holds)
    if most is not None and value > most:
        help = f"write {number(most)} or less"
        at.wrong("E20", f"`{at.path}` is at most {number(most)}", e, f"reads as {_said(value, unit, at)}", help)
        return False
    if not (value == 0 or TINY <= abs(value) <= HUGE):
        title = f"`{at.path}` is {'closer to zero' if abs(value) < TINY else 'larger'} than any quantity"
        at.wrong("E20", title, e, f"reads as {_said(value, unit, at)}", f"write a value between {TINY:g} and {HUGE:g}")
        return False
    if not at.row.bounds:
        if value < 0 and at.row.holds in HOLDS:
            help = f"write {written(e.operand)}" if isinstance(e, Sign) else "write a value of zero or more"
            at.wrong("E20", f"`{at.path}` is below zero", e, f"reads as {_said(value, unit, at)}", help)
            return False
        return True
    sign, _, limit = at.row.bounds.partition(" ")
    if (value > float(limit)) if sign == ">" else (value >= float(limit)):
        return True
    words = "more than" if sign == ">" else "at least"
    help = f"write {limit} or more" if sign != ">" else ""
    if isinstance(e, Chain) and value < 0 and len(e.rest) == 1 and {type(e.first), type(e.rest[0][1])} == {Number}:
        help = f"write {written(e.first)}..{written(e.rest[0][1])}, if a range is meant"
    at.wrong("E20", f"`{at.path}` is {words} {limit}", e, f"reads as {_said(value, unit, at)}", help, (at.row.doc,))
    return False


def _said(value: float, unit: str, at: Context) -> str:
    return shown(value, unit or display_unit(HOLDS[at.row.holds][0], value))


def _warned(e: Expression, at: Context) -> None:
    """8k is 8,000: rarely what a sequence or a vocabulary is."""
    if at.row.path in ("sequence", "vocabulary") and isinstance(e, Number) and "k" in e.text.split(" ")[0]:
        digits = e.text.split("k")[0]
        notes = ("k is 1,000, Ki is 1,024",)
        unit = f" {e.unit}" if e.unit else ""
        help = f"write {digits}Ki{unit} for {number(float(digits.replace('_', '')) * 1024)}"
        at.problems.append(
            Problem("W01", f"{digits}k is {number(e.value)}", e.span, "a round number", (), notes, help, "warning")
        )

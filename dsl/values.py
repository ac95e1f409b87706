"""From an expression to the value of one setting: form, unit, bounds, choices."""

from collections.abc import Callable, Container
from typing import Any, NamedTuple

from dsl.algebra import FORMS, Names, Type, is_zero
from dsl.dimensions import check, condition
from dsl.expressions import built
from dsl.kinds import Setting
from dsl.problems import Problem, did_you_mean
from dsl.quantities import HOLDS, display_unit, in_words
from dsl.schema import REFERENCES, item_row
from dsl.scope import Defined, Scope
from dsl.syntax import Call, Expression, Flag, If, List, Name, Number, Shown, Text, written
from dsl.units import number, shown

WHOLE = frozenset({"gpus", "nodes", "sequences", "layers", "steps"})
TAGGED = frozenset({"tokens", "sequences"})  # counts that a bare number does not name: 2048 what?
PER_GPU = frozenset({"price", "spare_price", "rent"})  # usd/s settings that are per GPU


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
            at.wrong("E24", "this has no result", e, "a division by zero, or a number out of range")
    return value


def _choice(e: Expression, at: Context) -> Settled | None:
    word = (
        e.path if isinstance(e, Name) else e.name if isinstance(e, Call) else e.value if isinstance(e, Text) else None
    )
    if word in at.row.choices:
        return Settled(word, arguments=e if isinstance(e, Call) else None)
    notes = (f"choices: {', '.join(at.row.choices)}",)
    if word is None:
        at.wrong(
            "E16",
            f"`{at.path}` is one of several words",
            e,
            "not a word",
            f"write: {at.path} = {at.row.choices[0]}",
            notes,
        )
    else:
        at.wrong(
            "E21",
            f"`{word}` is not a choice of `{at.path}`",
            e,
            "not one of them",
            did_you_mean(word, at.row.choices),
            notes,
        )
    return None


def _text(e: Expression, at: Context) -> Settled | None:
    if not isinstance(e, Text):
        meant = written(e).replace(" ", "") if at.row.holds == "date" else written(e)
        help = f'write: {at.path} = "{meant}"'
        at.wrong(
            "E16",
            f"`{at.path}` is a {'date' if at.row.holds == 'date' else 'text'} in double quotes",
            e,
            "not a text",
            help,
        )
        return None
    if at.row.holds == "date" and not _is_date(e.value):
        at.wrong("E16", f"`{e.value}` is not a date", e, "not a date", "write year-month-day: 2026-03-31")
        return None
    return Settled(e.value)


def _is_date(text: str) -> bool:
    from datetime import date  # dates are rare, and importing it takes a while

    try:
        return len(text) == 10 and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _flag(e: Expression, at: Context) -> Settled | None:
    if isinstance(e, Flag):
        return Settled(e.value)
    before = len(at.problems)
    own = check(e, at.names, at.problems)
    if len(at.problems) > before or own.form != "flag":
        if len(at.problems) == before:
            at.wrong(
                "E16",
                f"`{at.path}` is true or false",
                e,
                f"this is {FORMS.get(own.form, own.form)}",
                f"write: {at.path} = true",
            )
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
    help = f"write: {at.path} = {known[0]}" if known else ""
    at.wrong("E16", f"`{at.path}` names a {kind}", e, "not a name", help)
    return None


def _list(e: Expression, at: Context) -> Settled | None:
    row = item_row(at.row)
    if not isinstance(e, List):
        at.wrong("E16", f"`{at.path}` is a list", e, "not a list", f"write: {at.path} = [{written(e)}]")
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
    own = check(e, at.names, at.problems)
    if len(at.problems) > before or own.form == "any":
        return None
    if own.form != "number":
        _not_a_number(e, own, at)
        return None
    if not _fits(e, own, at):
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


def _not_a_number(e: Expression, own: Type, at: Context) -> None:
    units = HOLDS[at.row.holds][2]
    what = f"a number with a unit: {units}" if units and units != "%" else "a number"
    notes = (f"or one of: {', '.join(at.row.choices)}",) if at.row.choices else ()
    at.wrong("E16", f"`{at.path}` is {what}", e, f"this is {FORMS.get(own.form, own.form)}", notes=notes)


def _fits(e: Expression, own: Type, at: Context) -> bool:
    """Whether dimension and tag are those of the setting."""
    dimension, tag, units = HOLDS[at.row.holds]
    holds = at.row.holds
    if own.dimension != dimension:
        if not any(own.dimension) and not own.tag and own.unit != "%":
            if is_zero(e):
                return True
            return _bare(e, units, at)
        at.wrong(
            "E18",
            f"`{at.path}` is in {in_words(dimension)}" if any(dimension) else f"`{at.path}` is {_counted(tag)}",
            e,
            f"this is in {in_words(own.dimension)}" if any(own.dimension) else f"this is {_counted(own.tag)}",
            f"units: {units}" if units else "",
        )
        return False
    if holds in TAGGED and not own.tag and not is_zero(e) and not built(e, at.names, own).needs:
        return _bare(e, units, at)
    if holds == "share" and own.unit != "%" and isinstance(e, Number) and not 0 <= e.value <= 1:
        at.wrong("E19", f"`{at.path}` is a share", e, f"{e.text} what?", f"write {e.text}%")
        return False
    return _tagged(e, own, tag, at)


def _counted(tag: str) -> str:
    return f"a number of {tag.lstrip('/')}" if tag else "a plain number"


def _bare(e: Expression, units: str, at: Context) -> bool:
    """A number without a unit where one is needed."""
    text = written(e)
    one = "" if text != "1" else text  # 1 sequence, 2 sequences
    if at.row.holds == "sequences":
        help = "write 1 sequence" if one else f"write {text} sequences, or {text} tokens"
    elif at.row.path in PER_GPU:
        help = f"write ${text}/gpu-hour"
    elif at.row.holds in ("usd", "usd/s", "usd/joule"):
        help = f"write ${text}{units[1:] if '/' in units else ''}".split(" or ")[0].split(",")[0]
    else:
        help = f"units: {units}" if "," in units else f"write {text} {units.split(' or ')[0]}"
    at.wrong("E19", f"`{at.path}` needs a unit", e, f"{text} what?", help)
    return False


def _tagged(e: Expression, own: Type, tag: str, at: Context) -> bool:
    """Counts: 15T sequences is no number of tokens; $/hour is no price of a GPU."""
    path, holds = at.row.path, at.row.holds
    if path in PER_GPU or holds == "usd/s":
        if path in PER_GPU and own.tag != "/gpus" and isinstance(e, Number) and e.over:
            at.wrong(
                "E19", f"`{at.path}` is for each GPU", e, "for how many?", f"write {e.text.split('/')[0]}/gpu-hour"
            )
            return False
        if path not in PER_GPU and own.tag.startswith("/"):
            at.wrong(
                "E18",
                f"`{at.path}` is for the whole cluster",
                e,
                f"this is for each of its {own.tag[1:]}",
                "write it in $/hour",
            )
            return False
        return True
    if any(own.dimension) and own.tag != "gpus":
        return True
    allowed = {"", "*", tag}
    if holds == "sequences":
        allowed.add("tokens")
    if path == "mtbf":
        allowed.add("gpus")
    if own.tag in allowed or (not tag and not any(own.dimension) and own.unit == "%"):
        return _percent(e, own, at)
    if own.tag == "gpus" and holds == "seconds":
        at.wrong("E18", f"`{at.path}` is a time", e, "this is a number of GPU-hours", "write it in hours")
    else:
        at.wrong(
            "E18",
            f"`{at.path}` is {_counted(tag)}",
            e,
            f"this is {_counted(own.tag)}",
            f"write it in {tag}" if tag else "leave the unit out",
        )
    return False


def _percent(e: Expression, own: Type, at: Context) -> bool:
    if own.unit == "%" and at.row.holds not in ("share", "ratio"):
        at.wrong("E18", f"`{at.path}` is {_counted(HOLDS[at.row.holds][1])}", e, "this is a share")
        return False
    return True


def _whole(e: Expression, value: float, own: Type, at: Context) -> bool:
    """Whether a count is whole; a batch in tokens is converted later."""
    counted = at.row.holds in WHOLE or at.path.startswith("layout.") and at.row.holds == "number"
    if not counted or own.tag == "tokens" or value == int(value):
        return True
    at.wrong("E20", f"`{at.path}` is a whole number", e, f"reads as {number(value)}", f"write {number(round(value))}")
    return False


def bounded(e: Expression, value: float, unit: str, at: Context) -> bool:
    """Whether a value is within the bounds of its setting."""
    if value != value or value in (float("inf"), float("-inf")):
        at.wrong("E24", "this has no result", e, "not a number")
        return False
    if not at.row.bounds:
        if value < 0 and at.row.holds in HOLDS:
            at.wrong(
                "E20",
                f"`{at.path}` is below zero",
                e,
                f"reads as {_said(value, unit, at)}",
                "write a value of zero or more",
            )
            return False
        return True
    sign, _, limit = at.row.bounds.partition(" ")
    if (value > float(limit)) if sign == ">" else (value >= float(limit)):
        return True
    words = "more than" if sign == ">" else "at least"
    at.wrong("E20", f"`{at.path}` is {words} {limit}", e, f"reads as {_said(value, unit, at)}", "")
    return False


def _said(value: float, unit: str, at: Context) -> str:
    return shown(value, unit or display_unit(HOLDS[at.row.holds][0], value))


def _warned(e: Expression, at: Context) -> None:
    """8k is 8,000: rarely what a sequence or a vocabulary is."""
    if at.row.path in ("sequence", "vocabulary") and isinstance(e, Number) and "k" in e.text.split(" ")[0]:
        digits = e.text.split("k")[0]
        notes = ("k is 1,000, Ki is 1,024",)
        help = f"write {digits}Ki for {number(float(digits.replace('_', '')) * 1024)}"
        at.problems.append(
            Problem("W01", f"{digits}k is {number(e.value)}", e.span, "a round thousand", (), notes, help, "warning")
        )

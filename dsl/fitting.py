"""Whether a number fits its setting: its dimension, its tag, its unit; and what to write where it does not."""

import re
from typing import TYPE_CHECKING

from dsl.algebra import FORMS, Type, is_zero
from dsl.expressions import built
from dsl.mending import glued, meant_unit, narrowed
from dsl.problems import Problem, did_you_mean
from dsl.quantities import HOLDS, in_words
from dsl.syntax import Expression, List, Name, Number, Text, written
from dsl.units import UNITS

if TYPE_CHECKING:
    from dsl.kind import Setting
    from dsl.values import Context

TAGGED = frozenset({"tokens", "sequences"})  # counts that a bare number does not name: 2048 what?
PER_GPU = frozenset({"price", "spare_price", "rent"})  # usd/s settings that are per GPU


def shown_in(row: "Setting") -> str:
    """The unit that a setting's values are shown in: prices of a GPU are per GPU-hour, all else by its dimension."""
    return "usd/gpu-hour" if row.path in PER_GPU else row.holds


def not_a_number(e: Expression, own: Type, at: "Context") -> None:
    """The problem of a condition, a text, a choice where a number belongs."""
    units = HOLDS[at.row.holds][2]
    what = f"a number with a unit: {units}" if units and units != "%" and not HOLDS[at.row.holds][1] else "a number"
    notes = (f"or one of: {', '.join(at.row.choices)}",) if at.row.choices else (at.row.doc,)
    number = isinstance(e, Text) and re.match(r"[\d$]", e.value)
    help = f"write {e.value}" if number and isinstance(e, Text) else did_you_mean(written(e), at.row.choices)
    at.wrong("E16", f"`{at.path}` is {what}", e, f"this is {FORMS.get(own.form, own.form)}", help, notes)


def not_one_number(e: Expression, at: "Context") -> None:
    """The problem of a range, a list or a word for nothing where one number belongs."""
    if isinstance(e, Name):
        at.wrong("E16", f"`{at.path}` is a number", e, "not a number", "leave the line out where there is none",
                 (at.row.doc,))  # fmt: skip
        return
    what = "list" if isinstance(e, List) else "range"
    full = getattr(at.names, "prefix", "") + at.path
    notes = ("several values stand in the vary of a sweep, optimize, scale or sensitivity",)
    help = f"in a sweep: vary {{ {full} = {written(e)} }}"
    at.wrong("E16", f"`{at.path}` is one value", e, f"this is a {what}", help, notes)


def mended(e: Expression, problem: Problem, at: "Context") -> Problem:
    """A problem of a unit, said with what its setting can hold."""
    dimension = HOLDS[at.row.holds][0]
    return narrowed(e, problem, dimension) if any(dimension) else glued(e, problem)


def fits(e: Expression, own: Type, at: "Context") -> bool:
    """Whether dimension and tag are those of the setting."""
    dimension, tag, units = HOLDS[at.row.holds]
    holds = at.row.holds
    if own.dimension != dimension:
        if not any(own.dimension) and not own.tag and own.unit != "%":
            if is_zero(e):
                return True
            return _bare(e, units, at)
        meant = meant_unit(e, dimension)
        at.wrong(
            "E18",
            f"`{at.path}` is in {in_words(dimension)}" if any(dimension) else f"`{at.path}` is {_counted(tag)}",
            e,
            f"this is in {in_words(own.dimension)}" if any(own.dimension) else f"this is {_counted(own.tag)}",
            f"write {meant}" if meant else f"units: {units}" if units else "",
            (at.row.doc,),
        )
        return False
    if holds in TAGGED and not own.tag and own.unit != "%" and not is_zero(e) and not built(e, at.names, own).needs:
        return _bare(e, units, at)
    if holds == "share" and own.unit != "%" and isinstance(e, Number) and not 0 <= e.value <= 1:
        at.wrong("E19", f"`{at.path}` is a share", e, f"{e.text} what?", f"write {e.text}%")
        return False
    return _tagged(e, own, tag, at)


def _counted(tag: str) -> str:
    return f"a number of {tag.lstrip('/')}" if tag else "a plain number"


def _bare(e: Expression, units: str, at: "Context") -> bool:
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
        help = _with_unit(text, units, at)
    at.wrong("E19", f"`{at.path}` needs a unit", e, f"{text} what?", help, (at.row.doc,))
    return False


def _with_unit(text: str, units: str, at: "Context") -> str:
    """A bare number with the unit that the setting's default has, or the usual one where there is only one."""
    if at.row.holds == "bytes/s":
        return f"write {text} GB/s, or {text} Gb/s for bits"
    given = at.row.default.partition(" ")[2]
    usual = given if given in UNITS else units.split(" or ")[0].split(",")[0] if at.row.holds != "seconds" else ""
    if not usual:
        return f"units: {units}"
    return f"write {text} {usual}, or another unit: {units}" if "," in units else f"write {text} {usual}"


def _tagged(e: Expression, own: Type, tag: str, at: "Context") -> bool:
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
        label, notes = "this is a number of GPU-hours", (at.row.doc,)
        at.wrong("E18", f"`{at.path}` is a time", e, label, "write it in hours", notes)
    elif path in ("nodes", "gpus") and own.tag in ("nodes", "gpus"):
        help = f"write: {own.tag} = {written(e)}"
        at.wrong("E18", f"`{path}` is {_counted(tag)}", e, f"this is {_counted(own.tag)}", help, (at.row.doc,))
    else:
        at.wrong(
            "E18",
            f"`{at.path}` is {_counted(tag)}",
            e,
            f"this is {_counted(own.tag)}",
            f"write it in {tag}" if tag else "leave the unit out",
            (at.row.doc,),
        )
    return False


def _percent(e: Expression, own: Type, at: "Context") -> bool:
    if own.unit == "%" and at.row.holds not in ("share", "ratio"):
        at.wrong("E18", f"`{at.path}` is {_counted(HOLDS[at.row.holds][1])}", e, "this is a share", "leave the % out")
        return False
    return True

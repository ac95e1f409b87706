"""Numbers with a unit that is none, or not the one that belongs there: what was probably meant."""

from dsl.problems import Problem
from dsl.syntax import Expression, Number
from dsl.units import Dimension, Refusal, Unit, find, number

DAYS = {"month": 30, "months": 30, "mo": 30, "year": 365, "years": 365, "yr": 365, "yrs": 365}
GPU_YEARS = ("gpu-year", "gpu-years", "GPU-year")
DOLLARS = ("USD", "usd", "dollar", "dollars", "Dollars")
SUFFIXES = {"k": "k", "K": "k", "m": "M", "M": "M", "b": "B", "B": "B", "G": "B", "T": "T", "t": "T"}
SUFFIXES |= {unit: unit for unit in ("Ki", "Mi", "Gi", "Ti")}


def digits(e: Number) -> str:
    """The number of a quantity as it was written, without its unit."""
    return e.text if e.text.startswith("$") else e.text.removesuffix(e.unit).rstrip()


def unread_unit(e: Number, refusal: Refusal) -> Problem:
    """The problem of a number whose unit is none, with what to write for the whole where that is known."""
    first, slash, below = e.unit.partition("/")
    title, label = f"`{e.unit}` is not a unit", "unknown unit"
    if e.unit in DAYS:
        note = "months and years differ in length"
        return Problem("E17", title, e.span, label, (), (note,), f"write {number(e.value * DAYS[e.unit])} days")
    if e.unit in GPU_YEARS:
        return Problem("E17", title, e.span, label, (), ("a year has 8,760 hours",),
                       f"write {number(e.value * 8760)} gpu-hours")  # fmt: skip
    if first in DOLLARS:
        return Problem("E17", title, e.span, label, (), (), f"write ${digits(e)}{slash}{below}")
    help = refusal.help
    if e.text.startswith("$") and help.startswith("write $/"):
        help = f"write {e.text.partition('/')[0]}{help.removeprefix('write $')}"
    return Problem("E17", title, e.unit_span, label, (), (), help)


def glued(e: Expression, problem: Problem) -> Problem:
    """The problem of a plain number with a spaced or misspelled suffix: 13 B, 13b."""
    if problem.code != "E17" or not isinstance(e, Number) or e.unit not in SUFFIXES:
        return problem
    note = "count suffixes touch their number: k, M, B, T"
    return problem._replace(span=e.span, notes=(note,), help=f"write {digits(e)}{SUFFIXES[e.unit]}")


def narrowed(e: Expression, problem: Problem, dimension: Dimension) -> Problem:
    """The problem of a unit that may have been two, with the one that fits the dimension wanted."""
    if problem.code != "E17" or not isinstance(e, Number) or " or " not in problem.help:
        return problem
    words = [word.strip("(),;") for word in problem.help.split()]
    fitting = [w for w in words if isinstance(unit := find(w), Unit) and unit.dimension == dimension]
    return problem._replace(help=f"write {fitting[0]}") if len(set(fitting)) == 1 else problem


def meant_unit(e: Expression, dimension: Dimension) -> str:
    """A quantity in the unit of that dimension which its own unit differs from by one letter: 450 GB as 450 GB/s."""
    if not isinstance(e, Number) or not e.unit or e.text.startswith("$"):
        return ""
    for unit in (f"{e.unit}S", f"{e.unit}/s", e.unit.removesuffix("/s"), e.unit.removesuffix("S")):
        found = find(unit)
        if unit != e.unit and isinstance(found, Unit) and found.dimension == dimension:
            return f"{digits(e)} {unit}"
    return ""

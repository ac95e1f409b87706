"""What a `sensitivity` varies: numbers with a range or a distribution each, every one an axis of one value."""

from collections.abc import Sequence

from dsl.blocks import Body, Entry, Part
from dsl.dimensions import DISTRIBUTIONS
from dsl.kinds import Setting
from dsl.problems import Problem
from dsl.quantities import HOLDS
from dsl.runs import World
from dsl.scenario import Axis
from dsl.schema import run_row
from dsl.syntax import Argument, Call, Expression, Number, Range, written

RANGE = "uniform"  # how a range a..b is drawn
HELP = {
    "normal": "write normal(mean, deviation), such as normal(80, 5)",
    "lognormal": "write lognormal(median, factor), such as lognormal(80, 1.2)",
}


def uncertain(world: World, body: Body) -> Body:
    """The block with each range a..b read as a uniform distribution; a problem for what is neither."""
    return body._replace(parts=tuple(_part(world, p) if p.kind.name == "vary" else p for p in body.parts))


def _part(world: World, part: Part) -> Part:
    entries = {path: _entry(world, entry) for path, entry in part.body.entries.items()}
    return part._replace(body=part.body._replace(entries={p: e for p, e in entries.items() if e is not None}))


def _entry(world: World, entry: Entry) -> Entry | None:
    """One uncertain setting."""
    row, value = run_row(entry.path), entry.value
    if row is None:
        return entry  # told by the axes
    if row.holds not in HOLDS:
        _wrong(world, entry, row, "is no number", "compare runs that differ in it")
        return None
    if isinstance(value, Range) and value.step is None and not value.doubling:
        low = _with_unit(value.low, value.high)
        arguments = (Argument("", low, value.span), Argument("", value.high, value.span))
        return entry._replace(value=Call(RANGE, arguments, value.span))
    if isinstance(value, Call) and value.name in DISTRIBUTIONS:
        return entry
    _wrong(world, entry, row, "has no range", f"write a range or a distribution: {entry.path} = low..high")
    return None


def _wrong(world: World, entry: Entry, row: Setting, why: str, help: str) -> None:
    notes = ("an uncertain setting is low..high, normal, triangular, uniform or lognormal", row.doc)
    world.problems.append(Problem("E27", f"`{entry.path}` {why}", entry.value.span, "not uncertain", (), notes, help))


def _with_unit(low: Expression, high: Expression) -> Expression:
    """The lower end with the unit of the upper one where it states none."""
    if isinstance(low, Number) and not low.unit and isinstance(high, Number) and high.unit:
        return low._replace(unit=high.unit, unit_span=low.span, text=f"{low.text} {high.unit}")
    return low


def told(world: World, axes: Sequence[Axis], body: Body) -> tuple[Axis, ...]:
    """The axes with the texts as they were written; problems for distributions that have no draws."""
    stated = {path: e.value for part in body.of("vary") for path, e in part.body.entries.items()}
    for axis in axes:
        for value in axis.values:
            if isinstance(value, dict) and (why := _impossible(str(value["distribution"]), value["arguments"])):
                help = HELP.get(str(value["distribution"]), "put the smaller value first")
                world.problems.append(Problem("E20", f"`{axis.path}`: {why}", axis.span, "draws nothing", help=help))
    return tuple(axis._replace(texts=(written(stated[axis.path]),)) if axis.path in stated else axis for axis in axes)


def _impossible(name: str, arguments: Sequence[float]) -> str:
    """Why a distribution cannot be drawn from; "" where it can."""
    if name == "normal":
        return "" if arguments[1] > 0 else "a deviation is more than zero"
    if name == "lognormal":
        return "" if arguments[0] > 0 and arguments[1] > 1 else "a median is more than zero and a factor more than one"
    rising = all(a <= b for a, b in zip(arguments, arguments[1:], strict=False))
    return "" if rising and arguments[0] < arguments[-1] else f"{name} has its values from low to high"

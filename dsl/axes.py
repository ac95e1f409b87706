"""What a table varies: vary { } blocks, their ranges and lists, each value checked as its setting would be."""

import math
from typing import Any

from dsl.arguments import given_arguments
from dsl.blocks import Body, Entry, Part
from dsl.derived import adjusted, rented_and_owned
from dsl.dimensions import DISTRIBUTIONS
from dsl.kinds import Setting
from dsl.limits import AXES, AXIS, POINTS
from dsl.measured import unknown_setting
from dsl.points import size
from dsl.problems import Label, Problem, Span
from dsl.quantities import HOLDS
from dsl.runs import SIZES, World
from dsl.scenario import Axis, Value
from dsl.schema import READ_ONLY
from dsl.scope import Defined
from dsl.syntax import Call, Expression, List, Name, Number, Range, written
from dsl.table import Table, TableNames
from dsl.units import number, scale
from dsl.values import Context, Settled, settle

Written = tuple[Any, str, Expression]  # a value, its text, and what was written
SIGNATURES = {
    "normal": "mean, deviation",
    "triangular": "low, mode, high",
    "uniform": "low, high",
    "lognormal": "median, factor",
}
DEPENDENT = frozenset({"batch", "cluster.mtbf"})  # in tokens, or of one GPU: other settings decide their value
FIXED = frozenset({"name", "cluster.tier", "layout.order", "model.hf", *READ_ONLY})


def axes_of(world: World, defined: Defined, body: Body, table: Table) -> tuple[Axis, ...]:
    """The settings that vary, in the order written."""
    axes: list[Axis] = []
    seen: dict[str, Span] = {}
    for index, part in enumerate(body.of("vary"), 1):
        own = [
            axis
            for entry in part.body.entries.values()
            if (axis := _axis(world, entry, table, index if part.name else 0, seen)) is not None
        ]
        _in_step(part, own, world.problems)
        axes += own
        if size(axes) > POINTS or sum(len(axis.values) for axis in axes) > AXES:
            break  # refused below, whatever else varies
    _few_enough(axes, world.problems)
    moved = varied_entries(body)
    wrong = rented_and_owned({**table.entries, **moved})
    told = rented_and_owned(table.entries) is not None  # the run itself is
    if wrong is not None and not told and "cluster" not in moved:  # another cluster brings its own
        world.problems.append(wrong)
    return tuple(axes)


def varied_entries(body: Body) -> dict[str, Entry]:
    """What a table varies, as it is written."""
    return {path: entry for part in body.of("vary") for path, entry in part.body.entries.items()}


def _few_enough(axes: list[Axis], problems: list[Problem]) -> None:
    """A problem for more points than anybody waits for; it marks the axis with the most values."""
    count = size(axes)
    values = sum(len(axis.values) for axis in axes)
    if axes and (count > POINTS or values > AXES):
        largest = max(axes, key=lambda axis: len(axis.values))
        title, limit = f"this varies over {number(count)} points", f"more than {number(POINTS)}"
        if count <= POINTS:
            title, limit = f"what varies has {number(values)} values", f"more than {number(AXES)}"
        notes = (", ".join(f"{axis.path} has {len(axis.values)} values" for axis in axes),)
        help = "take fewer values, or let some vary together"
        problems.append(Problem("E20", title, largest.span, limit, (), notes, help))


def _in_step(part: Part, axes: list[Axis], problems: list[Problem]) -> None:
    """Axes that move together have the same number of values."""
    if part.name and len({len(axis.values) for axis in axes}) > 1:
        counts = ", ".join(f"{axis.path} has {len(axis.values)}" for axis in axes)
        problems.append(
            Problem(
                "E26",
                "settings that vary together have the same number of values",
                part.span,
                "differ",
                notes=(counts,),
                help="give each as many, or write vary for a product",
            )
        )


def _axis(world: World, entry: Entry, table: Table, together: int, seen: dict[str, Span]) -> Axis | None:
    path = entry.path
    name = Name(tuple(path.split(".")), entry.named)
    row = table.row(path)
    if row is None:
        world.problems.append(unknown_setting(name, table, "varies nothing"))
        return None
    if path in FIXED or row.holds.startswith("list"):
        notes = ("one value is taken for a whole table",) if path in FIXED else ("a list does not vary",)
        help = "write a run for each of them, and compare the runs"
        world.problems.append(Problem("E27", f"`{path}` cannot vary", entry.named, "varies nothing", (), notes, help))
        return None
    if path in seen:
        world.problems.append(
            Problem(
                "E12",
                f"`{path}` varies twice",
                entry.span,
                "again",
                (Label(seen[path], "varies here"),),
                help="remove one of the two",
            )  # fmt: skip
        )
        return None
    seen[path] = entry.span
    context = _context(world, entry, row, table)
    found = _values(entry, context, table)
    if not found:
        if found is not None:
            world.problems.append(
                Problem(
                    "E27",
                    f"`{path}` varies over nothing",
                    entry.span,
                    "varies nothing",
                    help="give it values: [1, 2, 4]",
                )
            )
        return None
    values, texts, written_as = zip(*found, strict=True)
    return Axis(path, values, texts, together, entry.span, written_as if path in DEPENDENT else ())


def _context(world: World, entry: Entry, row: Setting, table: Table) -> Context:
    scope = world.scope_of(entry.file.key)
    return Context(
        table.with_tiers(entry.path, row),
        entry.path,
        TableNames(table, "", scope),
        table.get,
        scope,
        world.problems,
        table.entries,
    )


def _values(entry: Entry, context: Context, table: Table) -> list[Written] | None:
    """The values of an axis with their texts and expressions, or None with a problem."""
    e = entry.value
    if isinstance(e, Range):
        return _range(e, entry, context, table)
    if isinstance(e, Call) and e.name in DISTRIBUTIONS:
        return _distribution(e, entry, context, table)
    items = e.items if isinstance(e, List) else (e,)
    if len(items) > AXIS:
        title, help = f"this list has {number(len(items))} values", "give it fewer values, or a range with a step"
        context.wrong("E20", title, e, f"more than {number(AXIS)}", help)
        return None
    if isinstance(e, List) and e.unit:
        items = tuple(
            i._replace(unit=e.unit, unit_span=e.unit_span, text=f"{i.text} {e.unit}")
            if isinstance(i, Number) and not i.unit
            else i
            for i in items
        )
    found = [_value(item, entry, context, table) for item in items]
    if any(value is None for value in found):
        return None
    return [(value, written(item), item) for value, item in zip(found, items, strict=True)]


def _value(e: Expression, entry: Entry, context: Context, table: Table) -> Any:
    """One value as its setting keeps it: base units, sequences for tokens, a dictionary for a choice with arguments."""
    found = settle(e, context)
    if found is None:
        return None
    if found.arguments is not None:
        return _chosen(found, found.arguments, context, entry.path)
    if entry.path in SIZES:  # the other one gives way
        return found.value
    value = adjusted(table, entry._replace(row=context.row, value=e), found, Value(found.value, found.unit))
    return None if value is None else value.value


def _chosen(found: Settled, call: Call, context: Context, path: str) -> dict[str, Any] | None:
    """interleaved(virtual_stages = 2) as {"layout.schedule": "interleaved", "layout.schedule.virtual_stages": 2}."""
    chosen: dict[str, Any] = {path: found.value}
    before = len(context.problems)
    for row, given in given_arguments(path, found, call.span, context.problems):
        own = settle(given.value, context._replace(row=row, path=f"{path}.{row.path}"))
        if own is not None:
            chosen[f"{path}.{row.path}"] = own.value
    if len(context.problems) > before:
        return None
    return chosen


def _range(e: Range, entry: Entry, context: Context, table: Table) -> list[Written] | None:
    """low..high, each end included; the right end's unit serves both."""
    if context.row.holds not in HOLDS:
        context.wrong(
            "E16",
            f"`{entry.path}` has no range",
            e,
            "not a number",
            f"write [{', '.join(context.row.choices) or 'a, b'}]",
        )
        return None
    low_e, step_e = _with_unit(e.low, e.high), _with_unit(e.step, e.high)
    low, high = _end(low_e, context), _end(e.high, context)
    step = _step(step_e, context) if step_e is not None else None
    if low is None or high is None or (step_e is not None and step is None):
        return None
    if low > high:
        context.wrong(
            "E20",
            "a range starts at its smaller end",
            e,
            f"{written(e.low)} is more than {written(e.high)}",
            f"write {_ends(e.high, e.low)}",
        )
        return None
    numbers = _numbers(e, low, high, step, context)
    if numbers is None:
        return None
    unit = e.high.unit if isinstance(e.high, Number) else ""
    literals = [_literal(x, unit, e.span) for x in numbers]
    values = [_value(literal, entry, context, table) for literal in literals]
    if any(value is None for value in values):
        return None
    texts = [f"{number(x / scale(unit))} {unit}".strip() for x in numbers]
    return list(zip(values, texts, literals, strict=True))


def _literal(value: float, unit: str, span: Span) -> Number:
    amount = value / scale(unit)
    over, under = (int(amount), 1) if amount == int(amount) else amount.as_integer_ratio()
    return Number(over, under, unit, number(amount), span, span)


def _with_unit(e: Any, other: Expression) -> Any:
    """A bare end of a range takes the unit of the other one."""
    if isinstance(e, Number) and not e.unit and isinstance(other, Number) and other.unit:
        return e._replace(unit=other.unit, unit_span=e.span)
    return e


def _end(e: Expression, context: Context) -> float | None:
    found = settle(e, context)
    return None if found is None or isinstance(found.value, str) else float(found.value)


def _step(e: Expression, context: Context) -> float | None:
    """A step has the setting's unit, but not its bounds."""
    step = _end(e, context._replace(row=context.row._replace(bounds="")))
    if step is not None and step <= 0:
        context.wrong("E20", "a step is more than zero", e, notes=("the range would never end",))
        return None
    return step


def _numbers(e: Range, low: float, high: float, step: float | None, context: Context) -> list[float] | None:
    if e.doubling and low <= 0:
        context.wrong("E20", "doubling starts above zero", e.low)
        return None
    each = step or scale(e.high.unit if isinstance(e.high, Number) else "")
    if e.doubling:
        count = math.floor(math.log2(high / low) + 1e-9) + 1
    else:
        count = math.floor((high - low) / each + 1e-9) + 1
    if count > AXIS:
        context.wrong(
            "E20", f"this range has {number(count)} values", e, f"more than {number(AXIS)}", "give it a larger step"
        )
        return None
    numbers = [low * 2.0**i if e.doubling else low + i * each for i in range(count)]
    if abs(numbers[-1] - high) > 1e-9 * abs(high):
        last = number(numbers[-1] / scale(e.high.unit if isinstance(e.high, Number) else ""))
        unit = f" {e.high.unit}" if isinstance(e.high, Number) and e.high.unit else ""
        notes = (f"the next value would be {number(_after(e, numbers[-1], each) / scale(unit.strip()))}{unit}",)
        context.problems.append(
            Problem(
                "W01",
                f"this range stops at {last}",
                e.span,
                f"does not land on {written(e.high)}",
                (),
                notes,
                f"write {written(e.low)}..{last}{unit}{f' step {written(e.step)}' if e.step else ''}",
                "warning",
            )  # fmt: skip
        )
    return numbers


def _after(e: Range, last: float, each: float) -> float:
    return last * 2 if e.doubling else last + each


def _ends(low: Expression, high: Expression) -> str:
    """The two ends of a range, with the unit of the one that has it on the right."""
    if isinstance(low, Number) and isinstance(high, Number) and low.unit and not high.unit:
        return f"{low.text.removesuffix(low.unit).rstrip()}..{high.text} {low.unit}"
    return f"{written(low)}..{written(high)}"


def _distribution(e: Call, entry: Entry, context: Context, table: Table) -> list[Written] | None:
    """normal(mean, deviation) and the like, for sensitivity: kept as {"distribution": …, "arguments": …}."""
    if len(e.arguments) != DISTRIBUTIONS[e.name]:
        notes = (f"{e.name}({SIGNATURES[e.name]})",)
        context.wrong("E16", f"{e.name}( ) takes {DISTRIBUTIONS[e.name]} values", e, f"{len(e.arguments)} given",
                      "give it " + SIGNATURES[e.name].replace(", ", " and "), notes)  # fmt: skip
        return None
    free = context._replace(row=context.row._replace(bounds=""))
    found = []
    for index, argument in enumerate(e.arguments):
        factor = e.name == "lognormal" and index == 1
        own = settle(argument.value, free._replace(row=Setting("factor", "ratio", "")) if factor else free)
        if own is not None and not factor:
            plain = Value(own.value, own.unit)
            kept = adjusted(table, entry._replace(row=free.row, value=argument.value), own, plain)
            own = None if kept is None else own._replace(value=kept.value)
        found.append(own)
    if any(own is None for own in found):
        return None
    values = tuple(own.value for own in found if own is not None)
    return [({"distribution": e.name, "arguments": values}, written(e), e)]

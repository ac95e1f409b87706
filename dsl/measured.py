"""Measured values beside a run, and the stretches (phases) of a run with settings of their own."""

from dsl.blocks import Entry, Part
from dsl.expressions import compiled
from dsl.kinds import Setting
from dsl.problems import Problem
from dsl.quantities import HOLDS, in_words
from dsl.scenario import Measured, Value
from dsl.synonyms import RESULTS, help_for
from dsl.syntax import Expression, Name
from dsl.table import Results, Table, World, result_type
from dsl.values import Context, settle

WHAT = "a result, as measured"


def measured_of(world: World, part: Part, table: Table) -> Measured | None:
    """A measured block: result names with values in their units, and a source."""
    values: dict[str, Value] = {}
    source = ""
    for path, entry in part.body.entries.items():
        if path == "source":
            found = settle(entry.value, table.context(entry))
            source = str(found.value) if found else ""
        elif world.results is not None and path not in world.results:
            world.problems.append(_unknown_result(path, entry, world.results))
        else:
            value = _measured_value(world, entry, table)
            if value is not None:
                values[path] = value
    if not source:
        world.problems.append(
            Problem(
                "E13",
                "measured values need a source",
                part.span,
                "has none",
                help='write: source = "where they were published"',
            )
        )
        return None
    at = {a.path.path: a for a in part.at}
    where = f"{part.body.entries['source'].file.logical}:{part.span.line}"
    return Measured(
        values, source, {p: v for p, a in at.items() if (v := _at(a.path, a.value, table)) is not None}, where
    )


def _measured_value(world: World, entry: Entry, table: Table) -> Value | None:
    holds = "" if world.results is None else world.results[entry.path]
    known = holds in HOLDS or holds in ("flag", "text")
    context = table.context(entry)._replace(row=Setting(entry.path, holds if known else "number", WHAT))
    if not known:
        return _any_number(entry, context, holds)
    found = settle(entry.value, context)
    if found is None:
        return None
    return Value(found.value, found.unit, entry.value.span, "stated", "", f"{entry.file.logical}:{entry.span.line}")


def _any_number(entry: Entry, context: Context, holds: str) -> Value | None:
    """A value of a result whose dimension the schema has no word for."""
    function = compiled(entry.value, context.names, context.problems)
    if function is None:
        return None
    if holds and function.type.dimension != result_type(holds).dimension:
        own = function.type.dimension
        label = f"this is {'in ' * any(own)}{in_words(own)}"
        context.wrong("E18", f"`{entry.path}` is in {holds}", entry.value, label, notes=(WHAT,))
        return None
    value = function({key: context.get(key) for key in function.needs})
    return Value(value, function.type.unit, entry.value.span, "stated", "", f"{entry.file.logical}:{entry.span.line}")


def _at(path: Name, value: Expression, table: Table) -> object:
    """The value of one coordinate of a measured point."""
    row = table.row(path.path)
    if row is None:
        table.problems.append(unknown_setting(path, table, "names no point"))
        return None
    context = Context(row, path.path, table.names(), table.get, table.scope, table.problems)
    found = settle(value, context)
    return found.value if found else None


def _unknown_result(path: str, entry: Entry, results: Results) -> Problem:
    """A measured value of something that no run is evaluated for."""
    help = help_for(path, results, RESULTS)
    notes = () if help else ("measured values have the names of results, such as mfu or step_time",)
    return Problem("E15", f"there is no `{path}`", entry.named, "not a result", (), notes, help)


def unknown_setting(path: Name, table: Table, label: str) -> Problem:
    """A path that is no setting of the run."""
    help, notes = help_for(path.path, table.paths()), tuple[str, ...]()
    if table.world.results is not None and path.path in table.world.results:
        notes, help = (f"`{path.path}` is a result, which follows",), "hold it in a where or a require instead"
    return Problem(
        "E11",
        f"`{path.path}` is not a setting of run `{table.name}`",
        path.span,
        label,
        notes=notes,
        help=help,
    )


def phase_of(part: Part, table: Table) -> dict[str, Value]:
    """The settings of one stretch of a run; a batch in tokens as whole sequences of the stretch's own length."""
    found: dict[str, Value] = {}
    in_tokens: list[Entry] = []
    for path, entry in part.body.entries.items():
        row = table.row(path)
        if row is None:
            table.problems.append(unknown_setting(Name(tuple(path.split(".")), entry.named), table, "not a setting"))
            continue
        context = table.context(entry._replace(row=row, path=path))
        settled = settle(entry.value, context)
        if settled is not None:
            found[path] = Value(
                settled.value, settled.unit, entry.value.span, "stated", "", f"{entry.file.logical}:{entry.span.line}"
            )
            if row.holds == "sequences" and settled.tag == "tokens":
                in_tokens.append(entry)
    length = found["sequence"].value if "sequence" in found else table.get("sequence")
    for entry in in_tokens:
        value = found.pop(entry.path)
        if not length or value.value % length:
            table.problems.append(
                Problem(
                    "E22",
                    f"`{entry.path}` is not a whole number of sequences",
                    entry.value.span,
                    "of the phase's sequence length",
                    help="write sequences, or a multiple of the sequence",
                )
            )
        else:
            found[entry.path] = value._replace(value=value.value / length, unit_written="sequences")
    return found

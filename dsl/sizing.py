"""What a `size` varies and asks: clusters and their GPUs over every layout, for a deadline and a budget."""

from collections.abc import Iterator

from dsl.blocks import EMPTY, Body, Condition, Entry, Part
from dsl.kinds import VARY
from dsl.layout_space import layout_space
from dsl.parse import attempt
from dsl.problems import Label, Problem, Span
from dsl.runs import World
from dsl.scenario import Run
from dsl.schema import run_row
from dsl.scope import Defined
from dsl.sets import read, stated_file
from dsl.syntax import Expression, List, Name, Require, written
from dsl.table import Table
from dsl.values import referred

SIZES = [2**k for k in range(3, 15)]  # GPUs tried where none are stated: 8 to 16,384
LIMITS = {"deadline": "time_to_train", "budget": "cost"}
ORDERS = {"cheapest": ("cost", "time_to_train", "cluster.gpus"), "fewest": ("cluster.gpus", "cost", "time_to_train")}


def sized(world: World, body: Body, table: Table) -> Body:
    """The clusters and GPUs of the block as axes, before what it varies: all layouts where it varies nothing."""
    entries = dict(_axes(world, body))
    own = [part for part in body.parts if part.kind.name == "vary"]
    stated = {path for part in own for path in part.body.entries}
    entries = {path: entry for path, entry in entries.items() if path not in stated}
    place = next(iter(entries.values())).span if entries else table.place
    part = Part(VARY, "", "", (), Body(entries, {}, (), (), ()), place)
    return EMPTY._replace(parts=(part, *(own or layout_space(world, table, _clusters(world, table, entries)).parts)))


def _clusters(world: World, table: Table, entries: dict[str, Entry]) -> list[Table]:
    """The settings of each cluster that varies; what is wrong with one is told where it varies."""
    entry, before = entries.get("cluster"), len(world.problems)
    items = entry.value.items if entry is not None and isinstance(entry.value, List) else ()
    found = [] if entry is None else [referred(item, table.context(entry)) for item in items]
    tables = [world.table(cluster) for cluster in found if cluster is not None]
    del world.problems[before:]
    return tables


def _axes(world: World, body: Body) -> Iterator[tuple[str, Entry]]:
    """The clusters, and the numbers of GPUs."""
    clusters = body.entries.get("clusters")
    if clusters is not None:
        value = clusters.value
        items: Expression = value if isinstance(value, List) else List((value,), "", value.span, value.span)
        yield "cluster", _as(clusters, "cluster", items)
    gpus = body.entries.get("gpus")
    if gpus is not None:
        yield "cluster.gpus", _as(gpus, "cluster.gpus", gpus.value)
        return
    text = f"cluster.gpus=[{', '.join(map(str, SIZES))}]"
    statement, row = read(text, "size", "", world.problems), run_row("cluster.gpus")
    assert statement is not None and row is not None
    file, span = stated_file(text, "size"), statement.path.span
    yield "cluster.gpus", Entry("cluster.gpus", row, statement.value, file, span, "")


def _as(entry: Entry, path: str, value: Expression) -> Entry:
    row = run_row(path)
    assert row is not None
    return entry._replace(path=path, row=row, value=value, path_span=None)


def timed(world: World, defined: Defined, body: Body, run: Run) -> None:
    """A problem for a deadline or a budget of a run that states no tokens: it has neither days nor a cost."""
    stated = [body.entries[path] for path in LIMITS if path in body.entries]
    if stated and run.settings.get("tokens") is None:
        labels = (Label(defined.block.name_span, f"sizes `{run.name}`"),)
        title, help = f"run `{run.name}` needs tokens for a {stated[0].path}", "write: tokens = 1T tokens, in the run"
        world.problems.append(Problem("E13", title, stated[0].span, "cannot be judged", labels, (), help))


def limits(body: Body, owner: str) -> tuple[Condition, ...]:
    """The deadline and the budget as conditions on the result."""
    found = []
    for path, result in LIMITS.items():
        entry = body.entries.get(path)
        if entry is not None:
            said = f"require {result} <= {written(entry.value)}"
            tree, _, _ = attempt(said, f"size {path}")
            assert tree is not None and isinstance(tree[0], Require)
            because = f"the {path} of {owner}"
            found.append(Condition(tree[0].condition, because, entry.file, entry.value.span, owner))
    return tuple(found)


def names(order: str, place: Span) -> list[Name]:
    """What points are ordered by, as expressions."""
    return [Name(tuple(text.split(".")), place) for text in ORDERS[order]]

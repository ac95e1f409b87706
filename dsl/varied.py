"""--vary path=range: settings that vary from the command line, read and checked as in a vary { } block."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from dsl.axes import axes_of
from dsl.blocks import EMPTY, Body, Entry, Part
from dsl.experiments import quiet_table
from dsl.kinds import VARY
from dsl.problems import VARIED, Problem, Span, did_you_mean
from dsl.runs import World
from dsl.scenario import Run, Table
from dsl.schema import PREFIXES, REFERENCES, run_row, run_rows
from dsl.scope import Defined, Scope
from dsl.sets import read, stated_file
from dsl.space import space_of
from dsl.syntax import Assign

WROTE = "layout.tensor=1..8"


class Varied(NamedTuple):
    """One --vary: a setting of every run, or of those that use one block."""

    text: str
    entry: Entry
    block: Defined | None


def varied_of(texts: Sequence[str], scope: Scope, problems: list[Problem]) -> list[Varied]:
    """What the texts vary."""
    found = []
    for text in texts:
        statement = read(text, VARIED, WROTE, problems)
        varied = _varied(text, statement, scope, problems) if statement is not None else None
        found += [varied] if varied is not None else []
    return found


def _varied(text: str, statement: Assign, scope: Scope, problems: list[Problem]) -> Varied | None:
    path, block = statement.path.path, None
    if run_row(path) is None and len(statement.path.parts) > 1:
        head, inner = statement.path.parts[0], ".".join(statement.path.parts[1:])
        named = [d for d in scope.ordered if d.name == head and d.kind.name in REFERENCES]
        for defined in named:
            if run_row(PREFIXES[defined.kind.name] + inner) is not None:
                path, block = PREFIXES[defined.kind.name] + inner, defined
    row = run_row(path)
    if row is None:
        legal = [*run_rows(), *(d.name for d in scope.ordered if d.name)]
        help = did_you_mean(path, legal)
        problems.append(Problem("E15", f"there is no `{path}` to vary", statement.path.span, "not found", help=help))
        return None
    entry = Entry(path, row, statement.value, stated_file(text, VARIED), statement.path.span, VARIED)
    return Varied(text, entry, block)


def tables_of(world: World, varied: Sequence[Varied], runs: Sequence[tuple[Defined, Run | None]]) -> Iterator[Table]:
    """One table a run that something varies; a product where several things do."""
    for index, one in enumerate(varied):
        if not any(_reaches(one, defined, run) for defined, run in runs):
            span = one.entry.span
            why = f"no run of this file uses `{one.block.name}`" if one.block else "this file holds no run"
            world.problems.append(Problem("E27", f"--vary {one.text} varies nothing", span, why))
        if one.entry.path in [other.entry.path for other in varied[:index] if other.block is one.block]:
            world.problems.append(Problem("E12", f"`{one.entry.path}` varies twice", one.entry.span, "again"))
            return
    for defined, run in runs:
        own = [one for one in varied if _reaches(one, defined, run)]
        if own:
            yield _table(world, defined, run, own)


def _reaches(one: Varied, defined: Defined, run: Run | None) -> bool:
    """Whether a run has the setting that varies: every run, or those that name its block."""
    if one.block is None or one.block is defined:
        return True
    reference = "cluster.gpu" if one.block.kind.name == "gpu" else one.block.kind.name
    return run is not None and reference in run.settings and run.settings[reference].value == one.block.name


def _table(world: World, defined: Defined, run: Run | None, own: Sequence[Varied]) -> Table:
    entries = {one.entry.path: one.entry for one in own}
    body = Body(entries, {}, (), (), ())
    part = Part(VARY, "", "", (), body, own[0].entry.span)
    axes = axes_of(world, defined, EMPTY._replace(parts=(part,)), quiet_table(world, defined, defined, EMPTY))
    title = ", ".join(one.text for one in own)
    span = Span(defined.scope.file.name, defined.block.name_span.line, 1)
    rules = run.requires if run is not None else ()
    space = partial(space_of, world, defined, entries, axes)
    return Table("sweep", defined.name, title, span, VARIED, run, axes, (), rules, (), {}, {}, (), (), space)

"""A scenario file read and checked: what `scn check` says and what `render` starts from. Imports no numpy."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from dsl.dropped import MOST, dropped
from dsl.files import load
from dsl.points import size
from dsl.problems import Problem, Span, did_you_mean, listed, show, to_json
from dsl.resolve import resolve
from dsl.scenario import Run, Scenario, Table
from dsl.units import number
from engine.metrics import FACTS, METRICS
from reports.commands.allowed import allowed as called
from reports.commands.reads import digests, reads
from reports.commands.told import told
from reports.recipe import Recipe

T = TypeVar("T")
NAMES = {m.name: m.dimension for m in (*METRICS, *FACTS)}  # what conditions may use beside settings


@dataclass(frozen=True)
class Source:
    """A file's scenario and everything there is to say about it; ``texts`` are the sources that problems point into."""

    file: Path
    scenario: Scenario
    problems: tuple[Problem, ...]
    texts: Mapping[str, str]
    recipe: Recipe | None = None  # for processes that evaluate its tables
    data: bytes = b""  # the file as it stands on disk
    reads: tuple[Path, ...] = ()  # the files it depends on
    digests: frozenset[str] = frozenset()  # SHA-256 of those that were read

    @property
    def given(self) -> dict[str, bytes]:
        """Everything that the documents are made from: the file and what it imports, by their paths from its folder."""
        return {self.file.name: self.data} | {i.path: i.data for i in self.scenario.imports}

    @property
    def in_error(self) -> bool:
        return any(problem.severity == "error" for problem in self.problems)

    @property
    def shown(self) -> str:
        """The problems as text, with their lines; empty where there are none."""
        return show(self.problems, self.texts)

    @property
    def sizes(self) -> list[str]:
        """How many points each table of the file varies over, and how many each of its rules drops."""
        tables = [table for table in self.scenario.tables if table.axes]
        return [line for table in tables for line in (_size(self.file, table), *_rules(table))]

    def to_json(self) -> list[dict[str, object]]:
        """The problems as plain dictionaries."""
        return to_json(self.problems)


def _size(file: Path, table: Table) -> str:
    """A table's points: the product of what varies alone, with those that vary together counted once."""
    alone = [f"{len(axis.values)}" for axis in table.axes if not axis.together]
    steps = {axis.together: len(axis.values) for axis in table.axes if axis.together}
    factors = " x ".join([*alone, *map(str, steps.values())])
    total = f"{number(size(table.axes))} point{'s' if size(table.axes) != 1 else ''}"
    return f"{file}: {table.kind} `{table.name}` varies over {total}" + (f" ({factors})" if " x " in factors else "")


def _rules(table: Table) -> Iterator[str]:
    """A line for each `where` of a table: the points that it drops, and the nearest that no other rule drops."""
    if not table.wheres or table.base is None:
        return
    if size(table.axes) > MOST:
        yield f"  what its rules drop is not counted above {number(MOST)} points"
        return
    kept, rows = dropped(table)
    yield f"  its rules leave {number(kept)}"
    for row in rows:
        if row.missing:
            yield f"  where {row.rule.text}: judged with the results ({', '.join(row.missing)})"
            continue
        near = ""
        if row.nearest is not None:
            operands = row.rule.operands(row.nearest)
            near = ", nearest: " + ", ".join(f"{o.text} = {told(o.value, o.unit)}" for o in operands)
        yield f"  where {row.rule.text}: drops {number(row.dropped)}, {number(row.alone)} of them alone{near}"


def read(
    file: Path, overrides: Sequence[str] = (), varied: Sequence[str] = (), allowed: tuple[Path, ...] | None = None
) -> Source:
    """The scenario of ``file`` with the settings of ``--set`` replaced and those of ``--vary`` varied.

    Where no folders are given, its files may lie in those that the present call allows.
    """
    folders = called() if allowed is None else allowed
    loaded = load(file, allowed=folders)
    scenario, problems = resolve(loaded, NAMES, overrides, varied)
    own = tuple((f.key, f.text) for f in loaded.files.values() if not f.library)
    recipe = Recipe(str(file), own, tuple(overrides), tuple(varied), folders)
    return Source(file, scenario, (*problems, *scenario.warnings), loaded.sources, recipe, loaded.main.data,
                  reads(loaded, scenario, (*overrides, *varied)), digests(loaded, scenario))  # fmt: skip


def runs_of(scenario: Scenario) -> dict[str, Run]:
    """The runs of a file by name: its own, then those of its comparisons."""
    found: dict[str, Run] = {}
    for run in (*scenario.runs, *(run for block in scenario.compares for run in block.runs)):
        found.setdefault(run.name, run)
    return found


def the_run(file: Path, runs: Mapping[str, T], wanted: str = "") -> tuple[str, T | None, list[Problem]]:
    """The run of that name, the first where none is named; else the problem."""
    name = wanted or next(iter(runs), "")
    if name in runs:
        return name, runs[name], []
    title = f"{file} has no run `{wanted}`" if runs else f"{file} has no run"
    help = did_you_mean(wanted, runs) or (f"it has {listed(list(runs))}" if runs else "")
    return "", None, [Problem("E15", title, Span(str(file), 1, 1), "looked for here", help=help)]

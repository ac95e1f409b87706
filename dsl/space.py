"""The settings of every design point of a table: what varies, and what follows from it.

A table is a product of dimensions; axes that move together share one. A setting that another one decides (the GPUs of
some nodes, the job's time between failures, an ``if`` of the scenario) is worked out once for every combination of the
positions that it depends on, and never for every point.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from dsl.blocks import Entry
from dsl.points import groups, merged, spread
from dsl.runs import run_table, settings_of
from dsl.scenario import Axis, Value
from dsl.schema import REFERENCES, run_row
from dsl.scope import Defined
from dsl.syntax import Expression, List
from dsl.table import Table

PROBLEM = "problem"  # in a row of what follows: why a point has no settings
TRACED = 8  # positions of a dimension that are looked at to learn what follows from it


class Dimension(NamedTuple):
    """Axes that move together (or one alone), and the settings at each position as they are stated."""

    axes: tuple[Axis, ...]
    steps: tuple[dict[str, Any], ...]


class Follows(NamedTuple):
    """Settings that depend on the same dimensions: a row for every combination of positions, the last fastest."""

    dimensions: tuple[int, ...]
    rows: tuple[dict[str, Any], ...]


class Variant(NamedTuple):
    """The settings where the references (model, cluster, gpu, stack) that vary stand at one position each.

    ``steps`` are the settings at each position of each dimension, with what follows from that dimension alone; all
    positions of a dimension have the same ones.
    """

    positions: Mapping[int, int]
    plain: dict[str, Any]
    steps: tuple[tuple[dict[str, Any], ...], ...]
    follows: tuple[Follows, ...]


class Space(NamedTuple):
    """All dimensions of a table, and its settings for every combination of references."""

    dimensions: tuple[Dimension, ...]
    variants: tuple[Variant, ...]


class Traced(Table):
    """Settings that remember which others they were worked out from."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.readers: dict[str, set[str]] = {}

    def value(self, path: str) -> Value | None:
        if self.open:
            self.readers.setdefault(path, set()).add(self.open[-1])
        return super().value(path)

    def followers(self, paths: Sequence[str]) -> set[str]:
        """Every setting that depends on one of ``paths``, directly or through others."""
        found, left = set[str](), list(paths)
        while left:
            news = self.readers.get(left.pop(), set()) - found
            found |= news
            left += news
        return found - set(paths)


def space_of(world: Any, base: Defined, entries: Mapping[str, Entry], axes: Sequence[Axis]) -> Space:
    """The space of a table: ``entries`` are its axes as written. Problems of single points are told by the points."""
    dimensions = tuple(_dimension(group) for group in groups(axes)) or (Dimension((), ({},)),)
    references = [i for i, d in enumerate(dimensions) if any(refers(axis.path) for axis in d.axes)]
    before = len(world.problems)
    variants = tuple(
        _variant(world, base, entries, dimensions, dict(zip(references, positions, strict=True)))
        for positions in product(*(range(len(dimensions[i].steps)) for i in references))
    )
    del world.problems[before:]
    return Space(dimensions, variants)


def refers(path: str) -> bool:
    """Whether a setting names another block, whose settings come with it."""
    row = run_row(path)
    return row is not None and row.holds in REFERENCES


def _dimension(group: Sequence[Axis]) -> Dimension:
    return Dimension(tuple(group), tuple(merged(row) for row in zip(*map(spread, group), strict=True)))


def _variant(
    world: Any,
    base: Defined,
    entries: Mapping[str, Entry],
    dimensions: Sequence[Dimension],
    positions: Mapping[int, int],
) -> Variant:
    table = run_table(world, base, _changed(entries, dimensions, positions), Traced)
    assert isinstance(table, Traced)
    kept = dict(table.settled)
    for looked in _looked_at(dimensions, positions):
        table.settled = dict(kept)
        _place(table, dimensions, looked)
        settings_of(table)
    table.settled = dict(kept)
    first = {**dict.fromkeys(range(len(dimensions)), 0), **positions}
    _place(table, dimensions, first)
    plain = {path: _plain(path, value) for path, value in settings_of(table).items()}
    free = [i for i in range(len(dimensions)) if i not in positions]
    found = list(_follows(table, dimensions, free, first))
    alone = {f.dimensions[0]: f.rows for f in found if len(f.dimensions) == 1}
    steps = tuple(_completed(d.steps, alone.get(k), plain) for k, d in enumerate(dimensions))
    return Variant(positions, plain, steps, tuple(f for f in found if len(f.dimensions) > 1))


def _completed(
    steps: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]] | None, plain: Mapping[str, Any]
) -> tuple[dict[str, Any], ...]:
    """The positions of a dimension with what follows from it; all name the same settings."""
    whole = [row | step for row, step in zip(rows or [{}] * len(steps), steps, strict=True)]
    paths = dict.fromkeys(path for step in whole for path in step)
    return tuple({path: _read(path, step.get(path, plain.get(path))) for path in paths} for step in whole)


def _changed(
    entries: Mapping[str, Entry], dimensions: Sequence[Dimension], positions: Mapping[int, int]
) -> dict[str, Entry]:
    """The entries of the axes, references with the one item of this variant."""
    changed = {path: entry._replace(path=path, row=run_row(path) or entry.row) for path, entry in entries.items()}
    for index, position in positions.items():
        for axis in dimensions[index].axes:
            entry = changed[axis.path]
            changed[axis.path] = entry._replace(value=_item(entry.value, position))
    return changed


def _item(e: Expression, position: int) -> Expression:
    return e.items[position] if isinstance(e, List) else e


def _looked_at(dimensions: Sequence[Dimension], positions: Mapping[int, int]) -> Iterator[dict[int, int]]:
    """Points from which what follows is learned: each dimension at some of its positions, the others at their first."""
    for index, dimension in enumerate(dimensions):
        count = len(dimension.steps)
        for position in range(count) if count <= TRACED else (0, count - 1):
            yield {**dict.fromkeys(range(len(dimensions)), 0), index: position, **positions}


def _place(table: Table, dimensions: Sequence[Dimension], positions: Mapping[int, int]) -> None:
    """Puts the axes at these positions."""
    for index, position in positions.items():
        for path, value in dimensions[index].steps[position].items():
            if not refers(path):
                table.settled[path] = Value(value)
        for axis in dimensions[index].axes:
            if axis.written:
                table.entries[axis.path] = table.entries[axis.path]._replace(value=axis.written[position])
                table.settled.pop(axis.path, None)


def _plain(path: str, value: Value | None) -> Any:
    return None if value is None else _read(path, value.value)


def _read(path: str, value: Any) -> Any:
    """A value as the engine reads it; an interval that is a rule is no time."""
    return None if path == "checkpoint.interval" and isinstance(value, str) else value


def _follows(
    table: Traced, dimensions: Sequence[Dimension], free: Sequence[int], first: Mapping[int, int]
) -> Iterator[Follows]:
    """What follows from the dimensions, by the dimensions that it depends on."""
    stated = {path for d in dimensions for step in d.steps for path in step}
    written = {axis.path for d in dimensions for axis in d.axes if axis.written}
    depends: dict[str, tuple[int, ...]] = {}
    fixed = {axis.path for d in dimensions for axis in d.axes if not axis.written}
    for index in free:
        moved = dimensions[index].axes
        followers = table.followers([axis.path for axis in moved]) | {axis.path for axis in moved if axis.written}
        for path in followers - fixed:
            depends[path] = (*depends.get(path, ()), index)
    for own in dict.fromkeys(depends.values()):
        paths = [path for path, found in depends.items() if found == own]
        rows = []
        for positions in product(*(range(len(dimensions[i].steps)) for i in own)):
            for path in depends.keys() | stated:
                table.settled.pop(path, None)
            at = {**first, **dict(zip(own, positions, strict=True))}
            _place(table, dimensions, at)
            given = {path for i in own for path in dimensions[i].steps[at[i]]} - written
            rows.append(_row(table, [path for path in paths if path not in given]))
        yield Follows(own, tuple(rows))


def _row(table: Table, paths: Sequence[str]) -> dict[str, Any]:
    """Settings at one combination of positions, and the first problem that working them out met."""
    before = len(table.problems)
    row = {path: _plain(path, table.value(path)) for path in paths}
    wrong = [problem.title for problem in table.problems[before:] if problem.severity == "error"]
    return row | ({PROBLEM: wrong[0]} if wrong else {})

"""What the `where` rules of a table drop: how many points each, and the point that a rule alone stands against.

The settings of every point are those that are evaluated: dsl/space.py works out what follows from what varies.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import inf
from typing import Any, NamedTuple

from dsl.gap import Sides, gap, sides
from dsl.scenario import Rule, Table
from dsl.space import Follows, Space, Variant

MOST = 20_000  # points that are tried, half a second; a larger table is not counted


class Dropped(NamedTuple):
    """One rule: the points that it drops, those that no other rule drops, and the settings of the nearest of these."""

    rule: Rule
    dropped: int
    alone: int
    nearest: Mapping[str, Any] | None
    missing: tuple[str, ...]  # what a rule needs that is known only after an evaluation


@dataclass
class Count:
    """What one rule has dropped so far."""

    rule: Rule
    sides: Sides | None
    dropped: int = 0
    alone: int = 0
    nearest: tuple[float, int] = (inf, 0)  # gap and number of the point; of equal gaps the first point counts
    values: Mapping[str, Any] | None = None
    judged: bool = False
    missing: tuple[str, ...] = ()

    def drops(self, values: Mapping[str, Any]) -> bool:
        """Whether it drops a point with these settings."""
        held = self.rule.holds(values)
        if held is not None:
            self.judged, self.missing = True, ()
        elif not self.judged:
            self.missing = tuple(self.rule.missing(values))
        return held is False

    def add(self, number: int, values: Mapping[str, Any], alone: bool) -> None:
        """Counts a point that it drops."""
        self.dropped += 1
        self.alone += alone
        far = gap(self.sides, values) if alone else None
        if far is not None and (far, number) < self.nearest:
            self.nearest, self.values = (float(far), number), values


def dropped(table: Table) -> tuple[int, list[Dropped]]:
    """Points of a table that every rule keeps, and what each rule drops; a rule that needs a result drops none yet."""
    if table.space is None:
        return 0, []
    found = [Count(rule, sides(rule)) for rule in table.wheres]
    kept = 0
    for number, values in points(table.space(), frozenset().union(*(c.rule.compute.needs for c in found))):
        against = [count for count in found if count.drops(values)]
        kept += not against
        for count in against:
            count.add(number, values, len(against) == 1)
    return kept, [Dropped(c.rule, c.dropped, c.alone, c.values, c.missing) for c in found]


def points(space: Space, wanted: frozenset[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The number of every point of a table, the last dimension fastest, and its settings as far as they are wanted."""
    lengths = [len(d.steps) for d in space.dimensions]
    for variant in space.variants:
        own = narrowed(variant, wanted)
        places = [[own.positions[k]] if k in own.positions else range(n) for k, n in enumerate(lengths)]
        for at in product(*places):
            yield place(at, lengths), settings(own, at, lengths)


def place(at: tuple[int, ...], lengths: list[int]) -> int:
    """The number of the combination of these positions, the last fastest."""
    number = 0
    for position, length in zip(at, lengths, strict=True):
        number = number * length + position
    return number


def narrowed(variant: Variant, wanted: frozenset[str]) -> Variant:
    """A variant with no setting but those that are wanted."""

    def few(settings: Mapping[str, Any]) -> dict[str, Any]:
        return {path: value for path, value in settings.items() if path in wanted}

    steps = tuple(tuple(few(step) for step in own) for own in variant.steps)
    follows = tuple(Follows(f.dimensions, rows) for f in variant.follows if any(rows := tuple(map(few, f.rows))))
    return Variant(variant.positions, few(variant.plain), steps, follows)


def settings(variant: Variant, at: tuple[int, ...], lengths: list[int]) -> dict[str, Any]:
    """The settings of the point at these positions."""
    found = dict(variant.plain)
    for k, position in enumerate(at):
        found |= variant.steps[k][position]
    for follows in variant.follows:
        own = tuple(at[k] for k in follows.dimensions)
        found |= follows.rows[place(own, [lengths[k] for k in follows.dimensions])]
    return found

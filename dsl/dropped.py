"""What the `where` rules of a table drop: how many points each, and the point that a rule alone stands against."""

from collections.abc import Mapping
from math import inf
from typing import Any, NamedTuple

from dsl.expressions import Compiled, compiled
from dsl.points import points, settings
from dsl.scenario import Rule, Table
from dsl.syntax import Compare

TINY = 1e-300
MOST = 20_000  # points that are tried, half a second; a larger table is not counted


class Dropped(NamedTuple):
    """One rule: the points that it drops, those that no other rule drops, and the nearest of these."""

    rule: Rule
    dropped: int
    alone: int
    nearest: Mapping[str, Any] | None
    missing: tuple[str, ...]  # what a rule needs that is known only after an evaluation


def dropped(table: Table) -> tuple[int, list[Dropped]]:
    """Points of a table that every rule keeps, and what each rule drops; a rule that needs a result drops none yet."""
    if table.base is None:
        return 0, []
    base, rules, plain = table.base, table.wheres, table.base.plain()
    counts, alone = [0] * len(rules), [0] * len(rules)
    nearest: list[tuple[float, Mapping[str, Any] | None]] = [(inf, None)] * len(rules)
    sides = [_sides(rule) for rule in rules]
    kept = 0
    for point in points(table.axes):
        values = settings(base, plain, point)
        against = [k for k, rule in enumerate(rules) if rule.holds(values) is False]
        kept += not against
        for k in against:
            counts[k] += 1
        if len(against) == 1:
            (k,) = against
            alone[k] += 1
            gap = _gap(sides[k], values)
            if nearest[k][1] is None or gap < nearest[k][0]:
                nearest[k] = gap, point
    rows = zip(rules, counts, alone, nearest, strict=True)
    return kept, [Dropped(r, n, a, near[1], tuple(r.missing(plain))) for r, n, a, near in rows]


def _sides(rule: Rule) -> tuple[Compiled, Compiled] | None:
    """The two sides of a rule that compares two numbers; None for every other rule."""
    whole = rule.compute.expression
    if not isinstance(whole, Compare) or len(whole.rest) != 1:
        return None
    first, second = (compiled(side, rule.compute.names, []) for side in (whole.first, whole.rest[0][1]))
    if first is None or second is None or (first.type.form, second.type.form) != ("number", "number"):
        return None
    return first, second


def _gap(sides: tuple[Compiled, Compiled] | None, values: Mapping[str, Any]) -> float:
    """How far apart the two sides are, as a share of the larger; infinite where there are no two numbers."""
    left, right = (side(values) for side in sides) if sides else (None, None)
    if left is None or right is None:
        return inf
    return float(abs(left - right) / max(abs(left), abs(right), TINY))

"""What takes points of a table away: each `where`, each rule of the layout, memory, each `require`; and near misses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsl.expressions import Compiled, Operand, compiled, operands
from dsl.scenario import Rule
from dsl.syntax import Compare, written
from engine.columns import Column, Flags
from reports.quantities import readable

TINY = 1e-300
KINDS = ("where", "layout", "memory", "require")
RELATIONS = ("<", "<=", ">", ">=")


@dataclass
class Removal:
    """One rule: the points that it takes away, those that no other rule does, and the nearest of these."""

    kind: str
    text: str
    points: int = 0
    alone: int = 0
    gap: float = inf
    nearest: int | None = None  # index of the point

    def add(self, other: "Removal") -> None:
        """Adds what the same rule takes from other points; of equal gaps the first point counts."""
        self.points += other.points
        self.alone += other.alone
        if other.nearest is not None and (other.gap, other.nearest) < (self.gap, _last(self.nearest)):
            self.gap, self.nearest = other.gap, other.nearest


def _last(index: int | None) -> float:
    return inf if index is None else index


@dataclass
class Removals:
    """All rules of a table, in the order in which they are asked."""

    found: dict[tuple[str, str], Removal] = field(default_factory=dict)

    def add(self, removal: Removal) -> None:
        """Counts points that a rule takes away."""
        key = removal.kind, removal.text
        if key in self.found:
            self.found[key].add(removal)
        else:
            self.found[key] = removal

    @property
    def ordered(self) -> list[Removal]:
        return sorted(self.found.values(), key=lambda r: KINDS.index(r.kind))


def removal(
    kind: str, text: str, away: Flags, alone: Flags, missed: Callable[[], Any] | None, index: NDArray[np.int64]
) -> Removal:
    """What one rule takes away of some points; ``missed`` tells how far each misses it, as a share."""
    found = Removal(kind, text, int(np.count_nonzero(away)), int(np.count_nonzero(alone)))
    gaps = missed() if found.alone and missed is not None else None
    if gaps is not None:
        far = np.where(alone, np.broadcast_to(gaps, alone.shape), inf)
        far = np.where(np.isnan(far), inf, far)
        least = far.min()
        if np.isfinite(least):
            found.gap, found.nearest = float(least), int(index[far == least].min())
    return found


def sides(rule: Rule) -> tuple[Compiled, Compiled] | None:
    """The two sides of a rule that compares two numbers; None for every other rule."""
    whole = rule.compute.expression
    if not isinstance(whole, Compare) or len(whole.rest) != 1 or whole.rest[0][0] not in RELATIONS:
        return None
    first, second = (compiled(side, rule.compute.names, []) for side in (whole.first, whole.rest[0][1]))
    if first is None or second is None or (first.type.form, second.type.form) != ("number", "number"):
        return None
    return first, second


def gap(rule: Rule, values: Mapping[str, Any]) -> Column | None:
    """How far apart the two sides are at every point, as a share of the larger; None where there are no two numbers."""
    both = sides(rule)
    left, right = (side(values) for side in both) if both else (None, None)
    if left is None or right is None:
        return None
    return np.asarray(np.abs(left - right) / np.maximum(np.maximum(np.abs(left), np.abs(right)), TINY))


def needs(rule: Rule, values: Mapping[str, Any]) -> str | None:
    """What would admit a point: the value that the limit of a rule would need to have."""
    both = sides(rule)
    if both is None:
        return None
    left, right = (side(values) for side in both)
    if left is None or right is None:
        return None
    first = written(both[0].expression)
    shown: dict[str, Operand] = {o.text: o for o in operands(rule.compute, values)}
    unit = shown[first].unit if first in shown else ""
    reached, limit = (readable(float(np.ravel(x)[0]), unit).text() for x in (left, right))
    return f"{first} is {reached} there; the limit is {limit}"

"""What takes points of a table away: each `where`, each rule of the layout, memory, each `require`; and near misses."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil, inf, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsl.expressions import Operand, operands
from dsl.gap import gap, sides
from dsl.scenario import Rule
from dsl.syntax import written
from engine.columns import Column, Flags
from reports.quantities import readable

DIGITS = 4  # of a value beside its limit
KINDS = ("where", "layout", "memory", "require")


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
        """Counts points that a rule takes away; ``removal`` stays as it is, for others who count it too."""
        key = removal.kind, removal.text
        self.found.setdefault(key, Removal(removal.kind, removal.text)).add(removal)

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


def missed_by(rule: Rule, values: Mapping[str, Any]) -> Column | None:
    """How far every point misses a rule, as a share of the larger side; None where there are no two numbers."""
    found = gap(sides(rule), values, np.maximum)
    return None if found is None else np.asarray(found)


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
    reached, limit = (float(np.ravel(x)[0]) for x in (left, right))
    digits = significant(reached, limit)
    near, far = (readable(float(f"{x:.{digits}g}"), unit).text() for x in (reached, limit))
    return f"{first} is {near} there; the limit is {far}"


def significant(reached: float, limit: float) -> int:
    """Digits of a value that tell it from its limit: four, and more where the two are closer than that."""
    apart = abs(reached - limit) / (max(abs(reached), abs(limit)) or 1.0)
    return max(DIGITS, 2 + ceil(-log10(apart))) if apart else DIGITS

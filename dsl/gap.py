"""How far a point misses a rule that compares two numbers: the gap between its sides, as a share of the larger."""

from collections.abc import Callable, Mapping
from typing import Any

from dsl.expressions import Compiled, compiled
from dsl.scenario import Rule
from dsl.syntax import Compare

TINY = 1e-300
RELATIONS = ("<", "<=", ">", ">=")
Sides = tuple[Compiled, Compiled]


def sides(rule: Rule) -> Sides | None:
    """The two sides of a rule that compares two numbers; None for every other rule."""
    whole = rule.compute.expression
    if not isinstance(whole, Compare) or len(whole.rest) != 1 or whole.rest[0][0] not in RELATIONS:
        return None
    first, second = (compiled(side, rule.compute.names, []) for side in (whole.first, whole.rest[0][1]))
    if first is None or second is None or (first.type.form, second.type.form) != ("number", "number"):
        return None
    return first, second


def gap(both: Sides | None, values: Mapping[str, Any], larger: Callable[[Any, Any], Any] = max) -> Any:
    """How far apart the sides are, as a share of the larger; None where there are no two numbers.

    ``values`` may be columns, with a ``larger`` that takes columns.
    """
    left, right = (side(values) for side in both) if both else (None, None)
    if left is None or right is None:
        return None
    return abs(left - right) / larger(larger(abs(left), abs(right)), TINY)

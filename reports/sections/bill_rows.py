"""A line of a bill of materials; without a count it says so, and what would give it."""

from reports.quantities import Quantity
from reports.tables import Cell

NOT_STATED = "not stated"
Row = tuple[str, Cell, str, str]


def row(item: str, count: float | None, unit: str, how: str, decimals: int = 0) -> Row:
    """A line: item, count, unit, how it is counted."""
    return item, NOT_STATED if count is None else Quantity(count, "", decimals), unit, how

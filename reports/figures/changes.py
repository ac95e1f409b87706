"""Figure: the largest changes from one document to another, old and new value with the change in percent."""

from collections.abc import Mapping
from typing import Any

from reports import terms
from reports.figures import bars, words
from reports.figures.measured import Heads, MeasuredData, MeasuredRow, draw
from reports.prose import capital
from reports.quantities import Quantity, legible

__all__ = ["draw", "from_experiment"]

HEADS = Heads("new", "old", "as it was", "New over old, change (%)", "results that changed", "changes")


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> MeasuredData | None:
    """The results of one run that changed and that both documents have, the largest change first; None without any."""
    rows = [_row(r) for r in experiment["changes"]["runs"][which]["results"] if words.known(r.get("ratio")) is not None]
    return MeasuredData(tuple(rows[: bars.MOST]), len(rows), HEADS) if rows else None


def _row(row: Mapping[str, Any]) -> MeasuredRow:
    old, new = (legible(Quantity(row[side], row["unit"], row["decimals"])).text() for side in ("old", "new"))
    return MeasuredRow(capital(terms.words(row["name"])), new, old, row["ratio"] - 1)

"""Tables of many runs turned: a row each run where a column each would not fit the page."""

from dataclasses import replace

from reports.quantities import Quantity
from reports.tables import Cell, Column, Status, Table, UnitOf, text

MANY = 6  # runs that have a column each; more of them have a row each
MOST = 12  # columns of a turned table
NAME, EACH = 34.0, 17.0  # mm
MEASURE = 174.0  # mm of an upright page


def turned(table: Table, runs: int, first: int) -> Table:
    """The table with a row for each of the ``runs`` columns from ``first`` on; as it is where they are few.

    The other columns are left out: they say something of all runs. A turned table that is wider than an upright page
    stands on a landscape one.
    """
    if runs <= MANY:
        return table
    places = range(first, first + runs)
    shown = table.rows[:MOST]
    columns = (text("Run", NAME), *(_column(table, row, first) for row in shown))
    rows = tuple((table.columns[i].name, *(row[i] for row in shown)) for i in places)
    left = len(table.rows) - len(shown)
    more = " ".join(filter(None, (table.more, f"{left} more of each are in the JSON." if left else "")))
    aside = NAME + EACH * len(shown) > MEASURE
    return replace(table, columns=columns, rows=rows, totals=0, chosen=None, more=more, landscape=aside)


def _column(table: Table, row: tuple[Cell, ...], first: int) -> Column:
    """The column that a row becomes: its name, its unit where its values have one."""
    values = row[first:]
    name, own = str(row[0]), table.columns[first]
    if any(isinstance(v, Status) for v in values):
        return Column(name, "status", width=None)
    typed = next((v for v in values if isinstance(v, Quantity)), None)
    if typed is not None:
        unit = next((c.quantity.unit for c in row if isinstance(c, UnitOf)), typed.unit)
        return Column(name, "number", unit, width=EACH)
    if any(isinstance(v, float) for v in values):
        return Column(name, "number", own.unit, own.decimals, EACH, own.signed)
    return Column(name, "text")

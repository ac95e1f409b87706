"""One CSV file a table: UTF-8, heads `name [unit]`, base units, ISO dates, no thousands separators.

Two tables of a document never share a name. A text that a spreadsheet would run as a formula gets an apostrophe.
"""

import csv
import io
import math
from collections.abc import Iterable

from reports.quantities import Quantity
from reports.tables import Cell, Column, Status, Table, UnitOf

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that a spreadsheet evaluates
SOFT_HYPHEN = "\u00ad"


def csv_files(tables: Iterable[Table]) -> dict[str, str]:
    """{file name: text} of every table, all rows, in the order of the document."""
    return {f"{table.key}.csv": csv_text(table) for table in tables}


def csv_text(table: Table) -> str:
    """The table as CSV (RFC 4180, lines end with CR LF)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    beside = table.beside_rows or ((),) * len(table.rows)
    rows = [(*row, *more) for row, more in zip(table.rows, beside, strict=True)]
    columns = (*table.columns, *table.beside)
    writer.writerow([head(column, [row[i] for row in rows]) for i, column in enumerate(columns)])
    for row in rows:
        writer.writerow([field(cell) for cell in row])
    return out.getvalue()


def head(column: Column, cells: list[Cell]) -> str:
    """ "name [unit]": the base unit of the column, or of all its quantities where they share one; texts have none."""
    name = column.name.replace(SOFT_HYPHEN, "")
    bases = {cell.display.base for cell in cells if isinstance(cell, Quantity)}
    base = bases.pop() if len(bases) == 1 else column.base if not bases else ""
    return f"{name} [{base}]" if column.kind == "number" and base else name


def field(cell: Cell) -> str:
    """A cell without its dress: numbers in base units with 12 significant digits, empty where missing."""
    if cell is None:
        return ""
    if isinstance(cell, Status):
        return cell.word
    if isinstance(cell, UnitOf):
        return cell.quantity.display.base
    if isinstance(cell, str):
        return guarded(cell)
    value = cell if isinstance(cell, (int, float)) else cell.value
    return "" if value is None or not math.isfinite(value) else f"{value:.12g}"


def guarded(text: str) -> str:
    """The text, an apostrophe in front where a spreadsheet would take it for a formula; a lone en dash is empty."""
    text = text.strip()
    return "" if text == "–" else f"'{text}" if text.startswith(FORMULA) else text

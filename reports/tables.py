"""A table as data: columns with units and precision, rows of cells. HTML and CSV are two views of the same rows.

A cell is a text, a Quantity (its own unit), a plain number in base units (shown in its column's unit), a Status, or
None for a missing value.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal

from reports import locales
from reports.quantities import MISSING, Quantity
from reports.units import unit_of

NO_UNIT = " "  # of a number or a word without one: a dash would say that it is missing
ROWS_SHOWN = 200  # WeasyPrint takes about 8 ms a row; the CSV holds the rest

STATUS_WORDS = {"pass": "Pass", "note": "Note", "warn": "Warn", "fail": "Fail", "open": "Open", "na": "n/a"}


@dataclass(frozen=True)
class Status:
    """A verdict on one row: its word is printed beside its mark, so that color never stands alone."""

    word: str

    @property
    def text(self) -> str:
        return STATUS_WORDS.get(self.word, self.word)


@dataclass(frozen=True)
class UnitOf:
    """The unit of another cell, in a column of units."""

    quantity: Quantity


Cell = str | float | Quantity | Status | UnitOf | None


@dataclass(frozen=True)
class Column:
    """One column; `unit` and `decimals` hold for all its plain numbers, `width` is in mm (None takes the rest)."""

    name: str
    kind: Literal["text", "number", "code", "command", "status"] = "text"
    unit: str = ""
    decimals: int | None = None
    width: float | None = None
    signed: bool = False

    def quantity(self, cell: Cell) -> Quantity | None:
        """A cell as the quantity it is printed as; None where it is none."""
        if isinstance(cell, Quantity):
            return cell
        return Quantity(float(cell), self.unit, self.decimals) if isinstance(cell, (int, float)) else None

    def show(self, cell: Cell) -> str:
        """What the page prints of a cell."""
        if cell is None or cell == "":
            return MISSING
        if isinstance(cell, Status):
            return cell.text
        if isinstance(cell, UnitOf):
            return cell.quantity.display.name or NO_UNIT
        if isinstance(cell, Quantity):
            return cell.number()
        if isinstance(cell, str):
            return cell
        return Quantity(float(cell), self.unit, self.decimals, signed=self.signed).number()

    @property
    def base(self) -> str:
        """The base unit its CSV column is in; empty for texts."""
        return unit_of(self.unit).base if self.kind == "number" else ""


def text(name: str, width: float | None = None) -> Column:
    return Column(name, "text", width=width)


def code(name: str, width: float | None = None) -> Column:
    return Column(name, "code", width=width)


def command(name: str, width: float | None = None) -> Column:
    """A column of commands to copy: they break at their spaces and nowhere else."""
    return Column(name, "command", width=width)


def number(
    name: str, unit: str = "", decimals: int | None = None, width: float | None = 18, signed: bool = False
) -> Column:
    return Column(name, "number", unit, decimals, width, signed)


@dataclass(frozen=True)
class Table:
    """A numbered table; the first column is the row header, the last `totals` rows are set apart."""

    key: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    totals: int = 0
    chosen: int | None = None
    wide: bool = False
    landscape: bool = False  # on a page of its own, turned
    tall: bool = False  # rows high enough to sign in
    ruled: bool = False  # rows high enough to write a number in
    more: str = ""  # a sentence after the caption, for example about sums
    most: int = ROWS_SHOWN
    beside: tuple[Column, ...] = ()  # columns that only the CSV has, with the cells of every row
    beside_rows: tuple[tuple[Cell, ...], ...] = ()

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows), self.key
        assert all(len(row) == len(self.beside) for row in self.beside_rows), self.key

    @property
    def width(self) -> float | None:
        """The width in mm where every column states one; None where the table takes the whole measure."""
        widths = [c.width for c in self.columns if c.width is not None]
        return sum(widths) if len(widths) == len(self.columns) else None

    @property
    def shown(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows printed: all, or the first `most`; rows of totals are always printed."""
        if len(self.rows) <= self.most:
            return self.rows
        last = self.rows[len(self.rows) - self.totals :]
        return self.rows[: self.most - len(last)] + last

    @property
    def left_out(self) -> int:
        return len(self.rows) - len(self.shown)

    @property
    def long(self) -> bool:
        """Whether it may break over pages (more than 14 rows)."""
        return len(self.shown) > 14

    @property
    def rounded(self) -> bool:
        """Whether, by rounding alone, the printed rows of a column do not add up to its printed total."""
        return self.totals > 0 and any(self.unequal(i) for i, c in enumerate(self.columns) if c.kind == "number")

    def unequal(self, place: int) -> bool:
        """The same of one column; one that is no sum, or holds several units, is none of it."""
        quantities = [self.columns[place].quantity(row[place]) for row in self.rows]
        cut = len(quantities) - self.totals
        parts, whole = [q for q in quantities[:cut] if q and not q.missing], quantities[cut]
        if not parts or whole is None or any(q.unit != whole.unit or q.decimals is None for q in (*parts, whole)):
            return False
        exact = sum(q.value or 0.0 for q in parts)
        if whole.missing or not math.isclose(exact, whole.value or 0.0, rel_tol=1e-6):
            return False
        finest = max(q.decimals or 0 for q in (*parts, whole))
        return round(sum(q.printed for q in parts) - whole.printed, finest) != 0

    def values(self) -> list[list[str]]:
        """What the printed cells are sorted by, in base units; empty where their own text says it to the script."""
        columns = [self._values(i) for i in range(len(self.columns))]
        return [list(row) for row in zip(*columns, strict=True)]

    def _values(self, place: int) -> list[str]:
        found = [self.columns[place].quantity(row[place]) for row in self.shown]
        given = [q for q in found if q and not q.missing]
        if len({q.unit for q in given}) < 2 and all(locales.read_as_is(q.number()) for q in given):
            return [""] * len(found)
        return ["" if q is None or q.missing else f"{q.value:.12g}" for q in found]

    def cells(self) -> list[list[tuple[str, Column, str]]]:
        """The rows printed, as (text, column, status word or "")."""
        return [
            [
                (column.show(cell), column, cell.word if isinstance(cell, Status) else "")
                for column, cell in zip(self.columns, row, strict=True)
            ]
            for row in self.shown
        ]


def filled(table: Table) -> Table | None:
    """The table without the columns in which every row misses its value; None where only the names of rows are left."""
    empty = [
        i > 0 and column.kind != "status" and all(column.show(row[i]) == MISSING for row in table.rows)
        for i, column in enumerate(table.columns)
    ]
    if sum(empty) == len(table.columns) - 1:
        return None
    kept = [i for i, gone in enumerate(empty) if not gone]
    rows = tuple(tuple(row[i] for i in kept) for row in table.rows)
    return replace(table, columns=tuple(table.columns[i] for i in kept), rows=rows)


def share(part: float | None, whole: float | None) -> float | None:
    """part / whole; None where either is missing or the whole is 0."""
    return part / whole if part is not None and whole else None


def total(values: list[float | None]) -> float | None:
    """The sum of the values given; None where none is."""
    given = [v for v in values if v is not None]
    return sum(given) if given else None

"""Inputs with their sources. What the file states and the library gives stands in the body, defaults in an appendix."""

from collections.abc import Iterable

from reports.plan import Json, Plan, Section
from reports.quantities import Quantity, readable
from reports.tables import Cell, Table, UnitOf, code, number, text
from reports.terms import words
from reports.units import unit_of

COLUMNS = (
    code("Setting", 58),
    number("Value", width=24),
    text("Unit", 19),
    text("Source and place"),
    text("Confidence", 24),
)


def assumptions(plan: Plan) -> Section | None:
    if not rows_of(plan, ("stated", "inherited", "library")):
        return None
    groups = (
        ("stated", "Inputs stated in the scenario", ("stated", "inherited")),
        ("library", "Inputs from the library", ("library",)),
    )
    tables = (input_table(key, caption, rows_of(plan, origins)) for key, caption, origins in groups)
    unsourced = sum(not row.get("source") for row in rows_of(plan, ("stated",)))
    return Section(
        "assumptions",
        "Assumptions and their sources",
        tuple(t for t in tables if t),
        facts={"unsourced": unsourced, "stated": len(rows_of(plan, ("stated",)))},
    )


def defaults(plan: Plan) -> Section | None:
    """Appendix: what nobody stated."""
    groups = (
        ("defaulted", "Inputs left at their default", ("default",)),
        ("derived", "Inputs that follow from others", ("derived",)),
    )
    tables = tuple(t for key, caption, origins in groups if (t := input_table(key, caption, rows_of(plan, origins))))
    return Section("defaults", "", tables) if tables else None


def rows_of(plan: Plan, origins: Iterable[str]) -> list[Json]:
    return [row for row in plan.point["inputs"] if row["origin"] in origins]


def input_table(key: str, caption: str, inputs: list[Json]) -> Table | None:
    """A table of inputs; columns that hold nothing are left out."""
    rows = [input_row(row) for row in inputs]
    used = [i for i in range(len(COLUMNS)) if i < 2 or any(r[i] not in (None, "", "–") for r in rows)]
    columns = tuple(COLUMNS[i] for i in used)
    return Table(key, caption, columns, tuple(tuple(r[i] for i in used) for r in rows), wide=True) if rows else None


def input_row(row: Json) -> tuple[Cell, ...]:
    value, unit = input_value(row["value"], row.get("unit"), row.get("written"))
    confidence = " · ".join(str(row[k]) for k in ("confidence", "verified") if row.get(k))
    return (row["path"], value, unit, place(row), confidence)


def place(row: Json) -> str:
    """Where a value comes from: its source, and the line that states it."""
    source, where = row.get("source"), row.get("where")
    return f"{source} ({where})" if source and where else source or where or ""


def input_value(value: object, unit: str | None, written: str | None = None) -> tuple[Cell, Cell]:
    """(value cell, unit cell) of an input: numbers in the unit they were written in, else in one that suits them."""
    if isinstance(value, bool):
        return ("yes" if value else "no"), None
    if isinstance(value, (int, float)):
        as_written = bool(written) and unit_of(written).base == unit_of(unit).base
        quantity = Quantity(float(value), unit_of(written).name) if as_written else readable(float(value), unit)
        return quantity, UnitOf(quantity) if quantity.display.name else None
    if isinstance(value, (list, tuple)):
        return ", ".join(words(str(v)) for v in value), None
    return (None if value is None else words(str(value))), None

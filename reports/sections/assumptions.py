"""Inputs with their sources. What the file states and the library gives stands in the body, defaults in an appendix."""

from collections.abc import Iterable

from reports.plan import Json, Plan, Section, words
from reports.quantities import Quantity, readable
from reports.tables import Cell, Table, UnitOf, code, number, text

COLUMNS = (code("Setting", 52), number("Value", width=30), text("Unit", 20), text("Where", 30), text("Source"), text("Confidence", 21))


def assumptions(plan: Plan) -> Section:
    groups = (("stated", "Inputs stated in the scenario.", ("stated", "inherited")), ("library", "Inputs from the library.", ("library",)))
    tables = (input_table(key, caption, rows_of(plan, origins)) for key, caption, origins in groups)
    unsourced = sum(not row.get("source") for row in rows_of(plan, ("stated",)))
    return Section("assumptions", "Assumptions and their sources", tuple(t for t in tables if t),
                   facts={"unsourced": unsourced, "stated": len(rows_of(plan, ("stated",)))})


def defaults(plan: Plan) -> Section | None:
    """Appendix: what nobody stated."""
    groups = (("defaulted", "Inputs left at their default.", ("default",)), ("derived", "Inputs that follow from others.", ("derived",)))
    tables = tuple(t for key, caption, origins in groups if (t := input_table(key, caption, rows_of(plan, origins))))
    return Section("defaults", "", tables) if tables else None


def rows_of(plan: Plan, origins: Iterable[str]) -> list[Json]:
    return [row for row in plan.point["inputs"] if row["origin"] in origins]


def input_table(key: str, caption: str, inputs: list[Json]) -> Table | None:
    """A table of inputs; columns that hold nothing are left out."""
    rows = [input_row(row) for row in inputs]
    used = [i for i in range(len(COLUMNS)) if i < 2 or any(r[i] not in (None, "", "–") for r in rows)]
    columns = tuple(COLUMNS[i] for i in used)
    return Table(key, caption, columns, tuple(tuple(r[i] for i in used) for r in rows)) if rows else None


def input_row(row: Json) -> tuple[Cell, ...]:
    value, unit = input_value(row["value"], row.get("unit"))
    confidence = " · ".join(str(row[k]) for k in ("confidence", "verified") if row.get(k))
    return (row["path"], value, unit, row.get("where"), row.get("source"), confidence)


def input_value(value: object, unit: str | None) -> tuple[Cell, Cell]:
    """(value cell, unit cell) of an input: numbers with a unit that suits them, names as written."""
    if isinstance(value, bool):
        return ("yes" if value else "no"), None
    if isinstance(value, (int, float)):
        quantity: Quantity = readable(float(value), unit)
        return quantity, UnitOf(quantity) if quantity.display.name else None
    if isinstance(value, (list, tuple)):
        return ", ".join(words(str(v)) for v in value), None
    return (None if value is None else words(str(value))), None

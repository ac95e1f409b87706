"""Inputs with their sources. What the file states and the library gives stands in the body, defaults in an appendix.

A source is printed once, in a table of its own, and named by its key beside each input.
"""

from collections.abc import Iterable

from reports.locales import listed
from reports.plan import Json, Plan, Section
from reports.prices import flag_text, flags, is_price
from reports.quantities import as_written, plain
from reports.tables import NO_UNIT, Cell, Table, UnitOf, code, number, text
from reports.terms import words

COLUMNS = (code("Setting", 63), number("Value", width=28), text("Unit", 18), text("Source", 12), text("Stated in"),
           text("Flag", 25))  # fmt: skip
REPLACED = "replaced by calibration"
ABOUT = ("source", "confidence", "verified", "as_of", "quote", "name")  # settings that speak about others: not inputs


def assumptions(plan: Plan) -> Section | None:
    """What is stated, what a calibration measured, what the library gives, and the sources of all."""
    stated, library = rows_of(plan, ("stated", "inherited")), rows_of(plan, ("library",))
    measured = rows_of(plan, ("calibration",))
    if not stated and not library:
        return None
    keys = source_keys(stated + measured + library)
    tables = (
        input_table("stated", "Inputs stated in the scenario", stated, keys, day_of(plan)),
        input_table("calibrated", "Inputs measured by the user, which the prediction follows", measured, keys),
        input_table("library", "Inputs from the library", library, keys, day_of(plan)),
        sources_table(keys),
    )
    facts = {"unsourced": sum(not row.get("source") for row in stated), "stated": len(stated)}
    return Section("assumptions", "Assumptions and their sources", tuple(t for t in tables if t), facts=facts)


def defaults(plan: Plan) -> Section | None:
    """Appendix: what nobody stated."""
    groups = (
        ("defaulted", "Inputs left at their default", ("default",)),
        ("derived", "Inputs that follow from others", ("derived",)),
    )
    found = ((key, caption, rows_of(plan, origins)) for key, caption, origins in groups)
    tables = tuple(t for key, caption, rows in found if (t := input_table(key, caption, rows, {})))
    return Section("defaults", "", tables) if tables else None


def rows_of(plan: Plan, origins: Iterable[str]) -> list[Json]:
    """The inputs of those origins, without the settings that only speak about others."""
    return [r for r in plan.point["inputs"] if r["origin"] in origins and r["path"].rpartition(".")[2] not in ABOUT]


Source = tuple[str, str, str]  # text, confidence, verified


def source_of(row: Json) -> Source:
    return str(row.get("source") or ""), str(row.get("confidence") or ""), str(row.get("verified") or "")


def source_keys(rows: Iterable[Json]) -> dict[Source, str]:
    """S1, S2 … for every source, in the order in which it is first used."""
    used = dict.fromkeys(source_of(row) for row in rows if row.get("source"))
    return {source: f"S{n}" for n, source in enumerate(used, 1)}


def sources_table(keys: dict[Source, str]) -> Table | None:
    columns = (text("Key", 12), text("Source"), text("Confidence", 26), text("Verified", 24))
    rows = tuple((key, source, confidence, verified) for (source, confidence, verified), key in keys.items())
    return Table("sources", "Sources of the inputs", columns, rows) if rows else None


def day_of(plan: Plan) -> str | None:
    """The day that prices are held against."""
    return (plan.document.get("prices") or {}).get("on")


def input_table(
    key: str, caption: str, inputs: list[Json], keys: dict[Source, str], day: str | None = None
) -> Table | None:
    """A table of inputs; columns that hold nothing are left out."""
    rows = [input_row(row, keys, day) for row in inputs]
    used = [i for i in range(len(COLUMNS)) if i < 2 or any(r[i] not in (None, "", NO_UNIT) for r in rows)]
    columns = tuple(COLUMNS[i] for i in used)
    return Table(key, caption, columns, tuple(tuple(r[i] for i in used) for r in rows), wide=True) if rows else None


def input_row(row: Json, keys: dict[Source, str], day: str | None) -> tuple[Cell, ...]:
    value, unit = input_value(row["value"], row.get("unit"), row.get("written"))
    where = row.get("where")
    if str(row.get("note") or "").startswith(REPLACED):
        where = f"{where or ''}, {row['note']}".lstrip(", ")
    flag = flag_text(flags(row, day)) if is_price(row) else None
    return (row["path"], value, unit, keys.get(source_of(row)), where, flag)


def input_value(value: object, unit: str | None, written: str | None = None) -> tuple[Cell, Cell]:
    """(value cell, unit cell) of an input: numbers in the unit they were written in, else in one that suits them."""
    if isinstance(value, bool):
        return ("yes" if value else "no"), NO_UNIT
    if isinstance(value, (int, float)):
        quantity = as_written(float(value), unit, written)
        return quantity, UnitOf(quantity) if quantity.display.name else NO_UNIT
    if isinstance(value, (list, tuple)):
        return listed([plain(v) if isinstance(v, float) else words(str(v)) for v in value]), NO_UNIT
    return (None if value is None else words(str(value))), NO_UNIT

"""Measured values beside the prediction, of every run of the file. They never replace it."""

from reports.plan import Json, Plan, Section
from reports.prose import capital
from reports.quantities import Quantity
from reports.tables import Cell, Table, UnitOf, number, text
from reports.terms import words


def measured(plan: Plan) -> Section | None:
    """The table of all runs that have measured values; a column names the run where there are several."""
    found = [(p, row) for p in (plan, *plan.others) for row in p.point["measured"]]
    if not found:
        return None
    several = any(p is not plan for p, _ in found)
    columns = (
        *((text("Run", 22),) if several else ()),
        text("Result", 32 if several else 40),
        number("Measured", width=17),
        number("Predicted", width=17),
        text("Unit", 17 if several else 24),
        number("Error", "%", 1, width=13, signed=True),
        text("Source"),
    )
    rows = tuple((*((p.experiment["name"],) if several else ()), *_row(p, row)) for p, row in found)
    more = "Error is predicted over measured, less one."
    table = Table("measured", "Measured and predicted values", columns, rows, more=more)
    errors = [abs(row["error"]) for _, row in found if row.get("error") is not None]
    figures = ("measured",) if plan.point["measured"] else ()
    facts = {"values": len(rows), "worst": max(errors) if errors else None, "drawn": bool(figures), "several": several}
    return Section("measured", "Measured against predicted", (table,), figures, facts=facts)


def _row(plan: Plan, row: Json) -> tuple[Cell, ...]:
    shown = plan.result(row["name"])
    value, predicted = (Quantity(row[k], shown.unit, shown.decimals) for k in ("value", "predicted"))
    return (capital(words(row["name"])), value, predicted, UnitOf(value), row.get("error"), row.get("source"))

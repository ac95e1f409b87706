"""Measured values beside the prediction. They never replace it."""

from reports.plan import Plan, Section
from reports.prose import capital
from reports.quantities import Quantity
from reports.tables import Table, UnitOf, number, text
from reports.terms import words


def measured(plan: Plan) -> Section | None:
    rows = []
    for row in plan.point["measured"]:
        shown = plan.result(row["name"])
        decimals = shown.decimals
        value, predicted = (Quantity(row[k], shown.unit, decimals) for k in ("value", "predicted"))
        rows.append((capital(words(row["name"])), value, predicted, UnitOf(value), row.get("error"), row.get("source")))
    columns = (
        text("Result", 40),
        number("Measured", width=22),
        number("Predicted", width=22),
        text("Unit", 24),
        number("Error", "%", 1, width=18, signed=True),
        text("Source"),
    )
    table = Table(
        "measured",
        "Measured and predicted values",
        columns,
        tuple(rows),
        more="Error is predicted over measured, less one.",
    )
    errors = [abs(r["error"]) for r in plan.point["measured"] if r.get("error") is not None]
    return (
        Section(
            "measured",
            "Measured against predicted",
            (table,),
            ("measured",),
            facts={"values": len(rows), "worst": max(errors) if errors else None},
        )
        if rows
        else None
    )

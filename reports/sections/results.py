"""Appendix: every result by its name."""

from engine.metrics import BY_NAME
from reports.plan import Plan, Section
from reports.prose import joined
from reports.tables import Cell, Table, UnitOf, code, number, text


def results(plan: Plan) -> Section | None:
    rows: list[tuple[Cell, ...]] = []
    for name in plan.results:
        value, known = plan.result(name), BY_NAME.get(name)
        rows.append((name, value, UnitOf(value), meaning(plan, name, known.doc if known else "")))
    columns = (code("Result", 48), number("Value", width=26), text("Unit", 23), text("Meaning"))
    table = Table(
        "results", "All results of the run, by the names the scenario language uses", columns, tuple(rows), wide=True
    )
    return Section("results", "", (table,), facts={"amount": len(rows)}) if rows else None


def meaning(plan: Plan, name: str, doc: str) -> str:
    """What a result counts; for a missing one, what it needs."""
    missing = plan.missing_for(name)
    return f"{doc}; needs {joined(missing)}" if missing else doc or " "

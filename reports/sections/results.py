"""Appendix: every result by its name."""

from engine.metrics import BY_NAME
from reports.plan import Plan, Section
from reports.prose import capital, count, joined
from reports.tables import Cell, Table, UnitOf, code, number, text


def results(plan: Plan) -> Section | None:
    rows: list[tuple[Cell, ...]] = []
    for name in plan.results:
        value, known = plan.result(name), BY_NAME.get(name)
        if value.missing and not plan.missing_for(name):
            continue
        rows.append((name, value, UnitOf(value), meaning(plan, name, known.doc if known else "")))
    columns = (code("Result", 48), number("Value", width=26), text("Unit", 23), text("Meaning"))
    left = len(plan.results) - len(rows)
    more = f"{capital(count(left, 'result'))} {'has' if left == 1 else 'have'} no value for this run." if left else ""
    caption = "All results of the run, by the names the scenario language uses"
    table = Table("results", caption, columns, tuple(rows), wide=True, more=more)
    return Section("results", "", (table,), facts={"amount": len(rows)}) if rows else None


def meaning(plan: Plan, name: str, doc: str) -> str:
    """What a result counts; for a missing one, what it needs."""
    missing = plan.missing_for(name)
    return f"{doc}; needs {joined(missing)}" if missing else doc or " "

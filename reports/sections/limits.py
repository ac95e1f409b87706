"""What this document does not hold: results that miss an input, blocks this version does not evaluate, notes."""

from reports.plan import Plan, Section
from reports.prose import capital, joined, sentence
from reports.tables import Table, text
from reports.terms import words


def limits(plan: Plan) -> Section | None:
    tables = tuple(t for t in (unavailable_table(plan), not_evaluated_table(plan)) if t)
    notes = [sentence(n) for n in dict.fromkeys([*plan.document.get("notes", ()), *plan.point["notes"]])]
    return Section("limits", "", tables, facts={"notes": notes}) if tables or notes else None


def unavailable_table(plan: Plan) -> Table | None:
    """The missing inputs, each with the results that need it."""
    needed: dict[str, list[str]] = {}
    for row in plan.point["unavailable"]:
        needed.setdefault(joined(row["missing"]), []).append(words(row["result"]))
    rows = tuple((missing, capital(joined(results)) + ".") for missing, results in needed.items())
    columns = (text("Missing input", 62), text("Results that need it"))
    return (
        Table("unavailable", "Missing inputs, and the results that could not be computed", columns, rows)
        if rows
        else None
    )


def not_evaluated_table(plan: Plan) -> Table | None:
    rows = tuple(
        (r["kind"], r.get("name"), r.get("title"), r.get("where")) for r in plan.document.get("not_evaluated", [])
    )
    columns = (text("Kind", 30), text("Name", 40), text("Title"), text("Where", 40))
    return (
        Table("not-evaluated", "Blocks of the file that are checked but not evaluated by this version", columns, rows)
        if rows
        else None
    )

"""The stretches of a run that has phases: what each trains on, how fast, in how much memory and for how long."""

from reports.plan import Plan, Section
from reports.tables import Table, number, text
from reports.terms import words


def phases(plan: Plan) -> Section | None:
    """The table of phases; nothing for a run without."""
    found = plan.point.get("phases") or []
    if not found:
        return None
    rows = tuple(
        (
            row["name"],
            row["tokens"],
            row["batch"],
            row["sequence"],
            row["step_time"],
            row["tokens_per_second"],
            row["memory_per_gpu"],
            row["time"],
            "fits" if row["status"] == "ok" else words(row["status"]),
        )
        for row in found
    )
    columns = (
        text("Phase", 22),
        number("Tokens", "T tokens", 2),
        number("Batch", "sequences", 0),
        number("Sequence", "tokens", 0),
        number("Step time", "s", 3),
        number("Speed", "tokens/s", 0),
        number("Memory", "GiB", 1),
        number("Time", "days", 1),
        text("Memory verdict", 22),
    )
    table = Table("phases", "Phases of the run, in order", columns, rows, more="Time includes failures.", wide=True)
    return Section("phases", "Phases", (table,), facts={"phases": len(rows)})

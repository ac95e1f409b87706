"""Appendix: every result by its name, and the operator ledger in full."""

from engine.metrics import BY_NAME
from reports.plan import Json, Plan, Section
from reports.prose import capital, joined
from reports.tables import Cell, Table, UnitOf, code, number, text, total
from reports.terms import words


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


def ledger(plan: Plan) -> Section | None:
    rows = plan.point["ledger"]
    if not rows:
        return None
    columns = (
        text("Block", 22),
        text("Operation", 25),
        text("Phase", 16),
        text("Kind", 22),
        number("Count", decimals=0, width=12),
        number("Work", "TFLOP", 2, width=15),
        number("Traffic", "GB", 2, width=14),
        number("η, c or α", decimals=2, width=12),
        text("Axis", 15),
        number("Busy", "ms", 2, width=16),
        number("Exposed", "ms", 2, width=16),
        text("Hidden behind", 37),
        text("Formula"),
    )
    sums: tuple[Cell, ...] = (
        "Total",
        " ",
        " ",
        " ",
        " ",
        total([r["flops"] for r in rows]),
        total([r["bytes"] for r in rows]),
        " ",
        " ",
        total([r["seconds"] for r in rows]),
        total([r["exposed"] for r in rows]),
        " ",
        " ",
    )
    return Section(
        "ledger",
        "",
        (
            Table(
                "ledger",
                "Operator ledger of the stage that sets the pace, one step",
                columns,
                (*(ledger_row(r) for r in rows), sums),
                totals=1,
                wide=True,
                more="Exposed times add up to the step time.",
            ),
        ),
        facts={"rows": len(rows), "stage": rows[0]["stage"]},
    )


def ledger_row(row: Json) -> tuple[Cell, ...]:
    kind = f"{words(row['kind'])}, {row['algorithm']}" if row.get("algorithm") else words(row["kind"])
    return (
        capital(words(row["block"])),
        words(row["op"]),
        row["phase"],
        kind,
        row["count"],
        row["flops"] or None,
        row["bytes"] or None,
        row.get("efficiency"),
        row.get("axis") or " ",
        row["seconds"],
        row["exposed"],
        row.get("hidden_by") or " ",
        row.get("formula") or " ",
    )

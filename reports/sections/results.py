"""Appendix: every result by its name, and the operator ledger in full."""

from reports.plan import Json, Plan, Section, words
from reports.sections.step import BLOCK_NAMES
from reports.tables import Cell, Table, UnitOf, code, number, text, total


def results(plan: Plan) -> Section:
    rows = []
    for name in plan.results:
        value = plan.result(name)
        rows.append((name, value, UnitOf(value), value.limit_text() if value.limit is not None else " ", ", ".join(plan.missing_for(name)) or " "))
    columns = (code("Result", 62), number("Value", width=36), text("Unit", 32), number("Limit", width=22), text("Missing"))
    used = columns if any(r[4] != " " for r in rows) else columns[:4]
    return Section("results", "", (Table("results", "All results of the run, by the names the scenario language uses.", used,
                                         tuple(tuple(r[:len(used)]) for r in rows)),), facts={"amount": len(rows)})


def ledger(plan: Plan) -> Section | None:
    rows = plan.point["ledger"]
    if not rows:
        return None
    columns = (text("Block", 30), text("Operation", 27), text("Phase", 18), text("Kind", 17), number("Count", decimals=0, width=13),
               number("Work", "TFLOP", 2, width=17), number("Traffic", "GB", 2, width=16), number("η, c or α", decimals=2, width=14),
               text("Axis", 15), number("Busy", "ms", 2, width=17), number("Exposed", "ms", 2, width=17), text("Hidden behind", 28), text("Formula"))
    sums: tuple[Cell, ...] = ("Total", " ", " ", " ", " ", total([r["flops"] for r in rows]), total([r["bytes"] for r in rows]), " ", " ",
                              total([r["seconds"] for r in rows]), total([r["exposed"] for r in rows]), " ", " ")
    return Section("ledger", "", (Table("ledger", "Operator ledger of the stage that sets the pace, one step.", columns, (*(ledger_row(r) for r in rows), sums),
                                        totals=1, wide=True, more="Exposed times add up to the step time."),), facts={"rows": len(rows), "stage": rows[0]["stage"]})


def ledger_row(row: Json) -> tuple[Cell, ...]:
    kind = f"{words(row['kind'])}, {row['algorithm']}" if row.get("algorithm") else words(row["kind"])
    return (BLOCK_NAMES.get(row["block"], words(row["block"])), words(row["op"]), row["phase"], kind, row["count"], row["flops"] or None,
            row["bytes"] or None, row.get("efficiency"), row.get("axis") or " ", row["seconds"], row["exposed"], row.get("hidden_by") or " ", row.get("formula") or " ")

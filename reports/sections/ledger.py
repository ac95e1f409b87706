"""Appendix: the operator ledger in full, with the formulas in symbols."""

import re

from reports.locales import in_formula
from reports.plan import Json, Plan, Section
from reports.prose import capital
from reports.tables import Cell, Table, number, text, total
from reports.terms import words

GREEK = {"alpha": "α", "beta": "β", "eta": "η", "eps": "ε", "phi": "φ"}
COLUMNS = (
    text("Block", 20),
    text("Operation", 28),
    text("Phase", 16),
    text("Kind", 27),
    number("Count", decimals=0, width=11),
    number("Work", "TFLOP", 2, width=15),
    number("Traffic", "GB", 2, width=14),
    number("η, c or α", decimals=2, width=12),
    text("Axis", 17),
    number("Busy", "ms", 2, width=15),
    number("Exposed", "ms", 2, width=15),
    text("Hidden behind", 32),
    text("Formula"),
)


def ledger(plan: Plan) -> Section | None:
    rows = plan.point["ledger"]
    if not rows:
        return None
    table = Table(
        "ledger",
        "Operator ledger of the stage that sets the pace, one step",
        COLUMNS,
        (*(ledger_row(r) for r in rows), totals_row(rows)),
        totals=1,
        wide=True,
        more="Exposed times add up to the step time.",
    )
    return Section("ledger", "", (table,), facts={"rows": len(rows), "stage": rows[0]["stage"]})


def ledger_row(row: Json) -> tuple[Cell, ...]:
    return (
        capital(words(row["block"])),
        words(row["op"]),
        row["phase"],
        words(row.get("algorithm") or row["kind"]),
        row["count"],
        row["flops"] or None,
        row["bytes"] or None,
        row.get("efficiency"),
        words(row.get("axis") or " "),
        row["seconds"],
        row["exposed"],
        words(row.get("hidden_by") or " "),
        symbols(row.get("formula") or " "),
    )


def totals_row(rows: list[Json]) -> tuple[Cell, ...]:
    sums = {name: total([r[name] for r in rows]) for name in ("flops", "bytes", "seconds", "exposed")}
    empty = (" ",)
    return ("Total", *empty * 4, sums["flops"], sums["bytes"], *empty * 2, sums["seconds"], sums["exposed"], *empty * 2)


def symbols(formula: str) -> str:
    """The formula with Greek letters for their names, and its numbers as everywhere."""
    return in_formula(re.sub(r"\b(alpha|beta|eta|eps|phi)\b", lambda m: GREEK[m[1]], formula).replace(" x ", " × "))

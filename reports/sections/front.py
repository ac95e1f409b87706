"""Page 1: what a reviewer needs to decide, and nothing else."""

import math
from typing import Any

from reports.dates import dates
from reports.identity import written_date
from reports.intervals import FEW
from reports.origins import items_of, linked
from reports.plan import Plan, Section
from reports.prices import told
from reports.prose import capital, gpus, joined, sentence, subtitle, verdict_heading
from reports.quantities import Quantity, legible
from reports.sections.calendar import day, days
from reports.sections.front_table import beside_runs, closest, side_by_side, table_facts
from reports.sections.rooflines import operations
from reports.sections.rooflines import verdict_line as roof_line
from reports.sections.unmet import remedies_table, unmet
from reports.tables import Table, filled, text
from reports.terms import words

CONDITIONS_SHOWN = 5  # longer lists would push page 1 over


def front(plan: Plan) -> Section:
    """Identity, verdict, key numbers, executive summary and conditions."""
    report, verdict = plan.report, plan.document["verdict"]
    conditions = report.get("conditions") or []
    word, heading = verdict_heading(verdict, len(conditions), plan.point["status"])
    table = table_facts(plan)
    alone = not table and not plan.experiment["points"] and bool(operations(plan))
    shown = roof_line(plan) if alone else ""
    side = side_by_side(plan) if plan.point["status"] == "ok" and not table and not unmet(plan) else None
    facts = {
        "table": table,
        "tables": beside_runs(plan),
        "name": plan.experiment["name"],
        "report": report,
        "subtitle": plan.report.get("subtitle") or (table["subtitle"] if table else subtitle(plan)),
        "kind": OPERATIONS if shown else KINDS.get(report.get("kind") or "", "Capacity plan"),
        "operations": sentence(shown),
        "scenario": plan.document["file"],
        "sha": str(plan.document.get("sha256") or "")[:12],
        "word": word,
        "heading": heading,
        "sentences": [sentence(s) for s in verdict.get("sentences", [])],
        "keys": keys(plan),
        "origins": origins(plan),
        "items": items_of(plan.document.get("provenance") or ()),
        "linked": linked(plan.document.get("provenance") or ()),
        "gpus": gpus(plan),
        "start": written_date(report["start"]),
        "end": day(dates(plan.point, report).last),
        "days": days(plan) if report.get("kind") == "procurement" else [],
        "reasons": [sentence(r) for r in plan.point["reasons"]],
        "changes": [sentence(a) for a in plan.point["alternatives"]],
        "unmet": unmet(plan),
        "adverse": adverse_failures(plan),
        "closest": closest_checks(plan),
        "not_included": not_included(plan),
        "not_evaluated": len(plan.document.get("not_evaluated", [])),
        "formula": plan.point.get("formula_days"),
        "range": ranges(plan),
        "memory_range": memory_range(plan),
        "unavailable": [row["result"] for row in plan.point["unavailable"]],
        "compared": len(plan.others),
        "prices": told(plan.document.get("prices") or {}),
        "missing": {name: plan.missing_for(name) for name in ("time_to_train", "cost")},
    }
    tables = (*filter(None, [remedies_table(plan), closest(plan), side]), *conditions_table(conditions))
    return Section("summary", "Executive summary", tables, facts=facts, template="front")


def keys(plan: Plan) -> list[dict[str, Any]]:
    """The key numbers; none where a run that cannot be built has none of them."""
    rows = plan.document.get("key_numbers", [])
    if plan.point["status"] == "cannot_be_built" and all(row["value"] is None for row in rows):
        return []
    return [key_number(plan, row) for row in rows]


OPERATIONS = "Operations against the roof"  # of a file that holds nothing else
KINDS = {
    "procurement": "Capacity plan · procurement",
    "design_review": "Capacity plan · design review",
    "comparison": "Comparison of plans",
    "validation": "Validation against measurements",
    "one_page": "Capacity plan",
}


def label(row: Any) -> str:
    """The label of a key number; one that is only the result's name gets its words."""
    made = str(row["name"]).replace("_", " ")
    return capital(words(row["name"]) if str(row["label"]).lower() == made else str(row["label"]))


def key_number(plan: Plan, row: Any) -> dict[str, Any]:
    """One of the five: label, value, and beneath it limit and margin, or the note, or what is missing."""
    limit = row.get("limit") or {}
    shown = row.get("unit") or "", row.get("decimals")
    value = legible(Quantity(row["value"], *shown, limit.get("value"), limit.get("op", "")))
    missing = plan.missing_for(row["name"]) if value.missing else []
    below = row.get("note") or ""
    if value.limit is not None:
        below = f"{'required' if limit.get('op', '').startswith('>') else 'limit'} {value.limit_text()}"
        below += f" {value.display.name}" if value.missing else ""
        if row.get("margin") is not None and not off(
            row["value"], row.get("interval") or {"low": 0.0, "high": math.inf}
        ):
            below += f" · margin {Quantity(row['margin'], '%', 1).text()}"
    if row.get("interval"):
        below = " · ".join(filter(None, (within(row), below)))
    if missing:
        below = f"needs {joined(missing)}"
    return {
        "label": label(row),
        "number": value.number(),
        "unit": "" if value.missing else value.display.name,
        "below": below,
        "origin": next((t["id"] for t in plan.document.get("provenance") or () if t["name"] == row["name"]), None),
    }


def within(row: Any) -> str:
    """The interval of a key number; of a prediction outside its own also how often that was taken."""
    value, ends = row["value"], row["interval"]
    low, high = (Quantity(ends[side], row.get("unit") or "", row.get("decimals")).number() for side in ("low", "high"))
    if not off(value, ends):
        return f"{low} to {high} in four of five"
    times = [Quantity(ends[side] / value, "", 2).text() for side in ("low", "high")]
    return f"runs took {times[0]} to {times[1]} times this: {low} to {high} in four of five"


def origins(plan: Plan) -> list[dict[str, Any]]:
    """The trees behind the numbers of page 1 with the numbers' titles."""
    titles = {row["name"]: label(row) for row in plan.document.get("key_numbers", [])}
    trees = plan.document.get("provenance") or ()
    return [{"title": titles.get(tree["name"], tree["name"]), "tree": tree} for tree in trees]


def conditions_table(conditions: Any) -> tuple[Table, ...]:
    """The conditions of the decision; without any, none."""
    if not conditions:
        return ()
    long = any(len(str(c.get("check") or "")) > 6 for c in conditions)
    columns = (
        text("No.", 9),
        text("Condition"),
        text("Owner", 24),
        text("Due", 20),
        text("Check", 36 if long else 13),
        text("If not met", 36),
    )
    rows = tuple(
        (
            str(i),
            c.get("title"),
            c.get("owner") or "not stated",
            c.get("due") or "not stated",
            c.get("check"),
            c.get("effect"),
        )
        for i, c in enumerate(conditions, 1)
    )
    made = filled(Table("conditions", "Conditions and open points", columns, rows, most=CONDITIONS_SHOWN))
    return (made,) if made else ()


def ranges(plan: Plan) -> dict[str, Any] | None:
    """The interval of each time, and the published runs it comes from; None where the framework states none."""
    found = plan.point.get("intervals") or {}
    if "step_time" not in found:
        return None
    ends = []
    for name in ("step_time", "time_to_train", "cost"):
        if name in found and not above(plan):
            q = plan.result(name)
            low, high = (Quantity(found[name][side], q.unit, q.decimals).text() for side in ("low", "high"))
            ends.append(f"{low} to {high}{' a step' if name == 'step_time' else ''}")
    rows, predicted = plan.number("stack.measured_rows"), plan.result("step_time").value
    shares = [found["step_time"][side] / predicted for side in ("low", "high")] if predicted else [None, None]
    return {
        "low": Quantity(plan.number("stack.measured_low"), "", 2).text(),
        "high": Quantity(plan.number("stack.measured_high"), "", 2).text(),
        "ends": ends,
        "wider": [Quantity(v, "", 2).text() for v in shares] if is_wider(plan, shares[1]) else [],
        "off": off(predicted, found["step_time"]),
        "rows": int(rows) if rows else 0,
        "copied": copied(plan),
        "few": bool(rows and rows < FEW) and plan.stated.get("stack.measured_low", {}).get("origin") == "library",
        "stack": plan.name_of("stack"),
    }


def above(plan: Plan) -> set[str]:
    """The key numbers that are printed with their interval, but for the memory: the text need not say it again."""
    own = {row["name"] for row in plan.document.get("key_numbers", [])[:5] if row.get("interval")}
    return own - {"memory_per_gpu"}


def is_wider(plan: Plan, high: float | None) -> bool:
    """Whether the interval is wider than the framework's own, since no run like this one was measured."""
    own = plan.number("stack.measured_high")
    return bool(own and high and abs(high - own) > 1e-6)


def off(value: Any, ends: Any) -> str:
    """On which side of its interval a prediction lies: "little" beneath it, "much" above it, else nothing."""
    if not value:
        return ""
    return "little" if value < ends["low"] else "much" if value > ends["high"] else ""


def copied(plan: Plan) -> bool:
    """Whether the range is that of the frameworks closest to this one: none of its own runs is behind it."""
    stated = plan.stated.get("stack.measured_low") or {}
    return plan.number("stack.measured_rows") is None and stated.get("origin") in ("library", "inherited")


def memory_range(plan: Plan) -> dict[str, Any] | None:
    """The interval of the memory of a GPU beside the capacity; None where the framework states none."""
    found = (plan.point.get("intervals") or {}).get("memory_per_gpu")
    if not found:
        return None
    q, capacity = plan.result("memory_per_gpu"), plan.number("cluster.gpu.memory")
    low, high = (Quantity(found[side], q.unit, q.decimals).text() for side in ("low", "high"))
    rows = int(plan.number("stack.memory_rows") or 0)
    return {
        "low": low,
        "high": high,
        "above": any(k["name"] == "memory_per_gpu" for k in plan.document.get("key_numbers", [])[:5]),
        "rows": rows,
        "few": rows < FEW and plan.stated.get("stack.memory_low", {}).get("origin") == "library",
        "stack": plan.name_of("stack"),
        "capacity": Quantity(capacity, q.unit, q.decimals).text(),
        "crosses": capacity is not None and found["low"] <= capacity < found["high"],
    }


def adverse_failures(plan: Plan) -> dict[str, Quantity] | None:
    """Effective training time at the shortest MTBF of the curves and the planned interval, read off the curve."""
    checkpoint = plan.point.get("checkpoint") or {}
    curves, used, mtbf = checkpoint.get("curves") or [], checkpoint.get("used"), checkpoint.get("mtbf")
    shorter = [c for c in curves if mtbf and c["mtbf"] < mtbf * 0.99 and c["points"]]
    if not shorter or not used:
        return None
    worst = min(shorter, key=lambda c: float(c["mtbf"]))
    value = interpolated(worst["points"], used)
    return (
        {"mtbf": Quantity(worst["mtbf"], "h", 1), "base": Quantity(mtbf, "h", 1), "effective": Quantity(value, "%", 1)}
        if value
        else None
    )


def interpolated(points: Any, x: float) -> float | None:
    """The value at x on a line through the points; None outside them."""
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        if x0 <= x <= x1 and x1 > x0:
            return float(y0 + (y1 - y0) * (x - x0) / (x1 - x0))
    return None


def closest_checks(plan: Plan) -> list[dict[str, str]]:
    """The two checks that hold with the least margin (below 25 %)."""
    near = [
        c
        for c in plan.point["checks"]
        if c["status"] in ("pass", "warn") and c.get("margin") is not None and 0 < c["margin"] < 0.25
    ]
    return [
        {"id": c["id"], "title": c["title"], "margin": Quantity(c["margin"], "%", 1).text()}
        for c in sorted(near, key=lambda c: c["margin"])[:2]
    ]


def not_included(plan: Plan) -> list[str]:
    """The cost lines without a figure."""
    return [row["line"] for row in plan.point["cost"] if row["usd"] is None]

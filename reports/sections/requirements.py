"""What the plan must meet and what it achieves: requirements of the scenario, checks of the library, callouts."""

from typing import Any

from engine.metrics import BY_NAME
from reports.judgement import margin
from reports.plan import Json, Plan, Section
from reports.prose import joined, sentence
from reports.quantities import Quantity, readable
from reports.sections.verdict_rules import rules_table
from reports.tables import Cell, Column, Status, Table, UnitOf, filled, number, text
from reports.terms import HELD, words
from reports.units import unit_of

EXPLAINED = 3  # findings a callout can hold; more go to a table of their own


def requirements(plan: Plan) -> Section | None:
    if not plan.experiment["points"]:
        return None
    checks = plan.point["checks"]
    findings = [c for c in checks if c["status"] in ("warn", "fail")]
    tables = [requirements_table(plan), rules_table(plan), checks_table(checks)]
    if len(findings) > EXPLAINED:
        tables.append(findings_table(findings))
    facts = {
        "failed": [explained_requirement(plan, v) for v in plan.verdicts if v["holds"] is False],
        "open": [undecided(v) for v in plan.verdicts if v["holds"] is None],
        "callouts": callouts(findings),
        "verdicts": len(plan.verdicts),
    }
    return Section("requirements", "", tuple(t for t in tables if t), facts=facts)


def requirements_table(plan: Plan) -> Table | None:
    """Every `require` of the run, with the values it compared."""
    rows = tuple(
        (
            v["require"],
            operands(plan, v["values"]),
            v.get("because") or "",
            required_margin(v),
            str(v.get("where") or "").rpartition(":")[2],
            Status(HELD[v["holds"]]),
        )
        for v in plan.verdicts
    )
    columns = (
        Column("Requirement", "code", width=46),
        text("Values compared", 43),
        text("Because"),
        number("Margin", "%", 1, width=14),
        text("Line", 15),
        text("Status", 17),
    )
    return filled(Table("requirements", "Requirements of the scenario", columns, rows)) if rows else None


def required_margin(verdict: Json) -> float | None:
    """The distance to the limit that a requirement sets on one result; None where it has another form."""
    limit = verdict.get("limit")
    shown = (verdict.get("values") or {}).get(limit["name"]) if limit else None
    return margin(shown.get("value") if isinstance(shown, dict) else None, limit)


def operands(plan: Plan, values: Json) -> str:
    """The operands of a requirement with their values, all in the unit that its result is shown in."""
    result = next((q for name in values if (q := typed(plan, name)).unit), Quantity(None))
    return "; ".join(f"{name} = {operand(result, v)}" for name, v in values.items())


def typed(plan: Plan, name: str) -> Quantity:
    """A result as the plan shows it; in its usual unit where the document holds the point in brief."""
    found, metric = plan.result(name), BY_NAME.get(name)
    return found if found.unit or metric is None else Quantity(found.value, metric.unit, metric.decimals)


def operand(result: Quantity, shown: Any) -> str:
    value, unit = (shown.get("value"), shown.get("unit")) if isinstance(shown, dict) else (shown, "")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if result.unit and unit_of(unit).base == result.display.base:
            return Quantity(float(value), result.unit, result.decimals).text()
        return readable(float(value), unit).text()
    return "–" if value is None else words(str(value))


def undecided(verdict: Json) -> str:
    missing = verdict.get("missing") or ()
    return f"{verdict['require']} (needs {joined(missing)})" if missing else str(verdict["require"])


def explained_requirement(plan: Plan, verdict: Json) -> str:
    because = f" It stands in the scenario because: {sentence(verdict['because'])}" if verdict.get("because") else ""
    return f"{verdict['require']} does not hold: {operands(plan, verdict['values'])}.{because}"


def checks_table(checks: list[Json]) -> Table | None:
    """The checks by id: limit, result, margin, status."""
    rows = tuple(check_row(c) for c in checks)
    columns = (
        text("ID", id_width(checks)),
        text("Check"),
        number("Limit", width=20),
        number("Result", width=20),
        text("Unit", 20),
        number("Margin", "%", 1, width=16),
        text("Status", 18),
    )
    more = "Margin is the distance to the limit as a share of the limit, negative beyond it."
    beside = (text("Reason"), text("Advice"), text("Source"))
    own = tuple((c.get("reason"), c.get("advice"), c.get("source")) for c in checks)
    return Table("checks", "Checks", columns, rows, more=more, beside=beside, beside_rows=own) if rows else None


def id_width(checks: list[Json]) -> float:
    """Width in mm of the column of ids: 1.6 mm a character, between 14 and 42."""
    return min(42.0, max(14.0, 3 + 1.6 * max((len(str(c["id"])) for c in checks), default=0)))


def check_row(check: Json) -> tuple[Cell, ...]:
    limit, result = check_quantity(check, "limit"), check_quantity(check, "result")
    return (check["id"], check["title"], limit, result, UnitOf(limit), check.get("margin"), Status(check["status"]))


def check_quantity(check: Json, which: str) -> Quantity:
    """Limit or result in one unit for both, chosen by the larger where none is given."""
    unit = check.get("unit") or ""
    if unit_of(unit).factor == 1.0:
        largest = max((abs(v) for v in (check.get("limit"), check.get("result")) if v is not None), default=None)
        unit = readable(largest, unit).unit
    value = check.get(which)
    shown = None if value is None else abs(value) / unit_of(unit).factor
    decimals = None if shown is None or shown == round(shown) else 1 if shown >= 10 else 2
    return Quantity(value, unit, decimals)


def callouts(findings: list[Json]) -> list[dict[str, str]]:
    """One callout for the fails, one for the warnings: ids, reasons, advice; of many the reasons are in a table."""
    result, few = [], len(findings) <= EXPLAINED
    for word in ("fail", "warn"):
        of_kind = [c for c in findings if c["status"] == word]
        if of_kind:
            verb = {"fail": ("fails", "fail"), "warn": ("needs action", "need action")}[word][len(of_kind) > 1]
            result.append(
                {
                    "word": word,
                    "head": f"{joined(str(c['id']) for c in of_kind)} {verb}.",
                    "text": " ".join(finding(c, len(of_kind) > 1) for c in of_kind) if few else "",
                }
            )
    return result


def finding(check: Json, named: bool) -> str:
    text = " ".join(sentence(t) for t in (against(check), check.get("reason"), check.get("advice")) if t)
    return f"{check['id']}: {text}" if named else text


def against(check: Json) -> str:
    """What was held against what: "Memory per GPU: 74.1 GiB, limit 73.2 GiB"; the title alone without a limit."""
    limit, result = check_quantity(check, "limit"), check_quantity(check, "result")
    return (
        str(check["title"])
        if limit.missing or result.missing
        else f"{check['title']}: {result.text()}, limit {limit.text()}"
    )


def findings_table(findings: list[Json]) -> Table:
    columns = (text("ID", id_width(findings)), text("Finding"), text("What to do", 48), text("Source", 34))
    rows = tuple(
        (
            c["id"],
            " ".join(sentence(t) for t in (against(c), c.get("reason")) if t),
            sentence(c.get("advice")),
            c.get("source"),
        )
        for c in findings
    )
    return Table("findings", "Warnings and failures, and what to do", columns, rows)

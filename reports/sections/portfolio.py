"""Portfolios: the calendar of a programme, how far its cluster is used, what it costs and what that is for."""

from reports.dates import after, day_of
from reports.identity import written_date
from reports.plan import Json, Plan, Section
from reports.prose import capital, joined
from reports.quantities import Quantity
from reports.sections.cost import money_unit
from reports.sections.requirements import operands
from reports.tables import Cell, Column, Status, Table, number, share, text, total
from reports.terms import HELD

PARTS = {"training": "Training", "trials": "Trial runs", "evaluation": "Evaluation", "restarts": "Training done again"}


def portfolio(plan: Plan) -> list[Section]:
    """A section for each portfolio of the file."""
    return [section(plan, e) for e in plan.document["experiments"] if e["kind"] == "portfolio"]


def section(plan: Plan, e: Json) -> Section:
    key = f"portfolio-{e['name']}"
    results = e["results"]
    tables = (entries_table(key, e), hours_table(key, e), cost_table(key, e), conditions_table(key, plan, e))
    facts = {
        "key": key,
        "figure": f"calendar/{e['name']}",
        "cluster": e["cluster"],
        "gpus": Quantity(e["gpus"], "GPUs", 0),
        "entries": len(e["entries"]),
        "time": Quantity(results["programme.time"], "days", 1),
        "held": Quantity(e["held"], "days", 1),
        "hold": Quantity(e["stated_hold"], "days", 1),
        "longer": bool(e["stated_hold"] and results["programme.time"] and results["programme.time"] > e["stated_hold"]),
        "utilization": Quantity(results["programme.utilization"], "%", 1),
        "cost": Quantity(results.get("programme.cost"), *money_unit(results.get("programme.cost"))),
        "energy": Quantity(results["programme.energy"], "MWh", 0),
        "peak": Quantity(results["programme.peak_gpus"], "GPUs", 0),
        "shortfall": Quantity(results["programme.shortfall"] or None, "GPU-h", 0),
        "waiting": [r["name"] for r in e["entries"] if r["delay"]],
        "late": [f"{r['name']} by {Quantity(r['late'], 'days', 1).text()}" for r in e["entries"] if r["late"]],
        "unplaced": [{"name": r["name"], "why": "; ".join(r["reasons"])} for r in e["entries"] if not r["placed"]],
        "end": day(e, results["programme.time"]),
        "start": written_date(e["start"]),
        "missing": e["missing"],
        "notes": e["notes"],
    }
    return Section(key, e["title"] or capital(e["name"]), tuple(t for t in tables if t), (f"calendar/{e['name']}",),
                   facts=facts, template="portfolio")  # fmt: skip


def verdict_line(e: Json) -> str:
    """A programme in a sentence: when it ends, what it costs, and how far it uses its cluster."""
    results, title = e["results"], e["title"] or e["name"]
    values = (
        ("ends after {}", Quantity(results["programme.time"], "days", 1)),
        ("costs {}", Quantity(results.get("programme.cost"), *money_unit(results.get("programme.cost")))),
        ("uses {} of the GPU-hours held", Quantity(results["programme.utilization"], "%", 1)),
    )
    said = [clause.format(value.text()) for clause, value in values if not value.missing]
    return f"The programme “{title}” {joined(said) or 'lacks inputs'}"


def day(e: Json, seconds: float | None) -> str:
    """A moment of the programme as a day, where its first day is stated."""
    moment = None if seconds is None else after(day_of(e["start"]), int(seconds // 86400))
    return "" if moment is None else written_date(moment.isoformat())


def entries_table(key: str, e: Json) -> Table:
    """When each entry runs, on how many GPUs, how long it waits, and whether it meets its deadline."""
    dated = bool(day(e, 0.0))
    rows: list[tuple[Cell, ...]] = []
    for r in e["entries"]:
        status: Cell = Status("fail" if r["late"] or not r["placed"] else "pass") if _judged(r) else "–"
        times = [day(e, r[side]) or "–" for side in ("start", "end")] if dated else [r["start"], r["end"]]
        rows.append((r["name"], r["run"], r["gpus"], r["runs"], *times, r["delay"], r["deadline"], status))
    moments: list[Column] = (
        [text("Starts", 25), text("Ends", 25)] if dated
        else [number("Starts", "days", 1, 15), number("Ends", "days", 1, 15)]
    )  # fmt: skip
    counts = (number("GPUs", decimals=0, width=15), number("Runs", decimals=0, width=12))
    columns = (text("Entry", 26), text("Run"), *counts,
               *moments, number("Waits", "days", 1, 14), number("Deadline", "days", 1, 17),
               Column("In time", "status", width=18))  # fmt: skip
    return Table(f"{key}-entries", "Entries of the programme", columns, tuple(rows), wide=True)


def _judged(r: Json) -> bool:
    return r["deadline"] is not None or not r["placed"]


def hours_table(key: str, e: Json) -> Table | None:
    """GPU-hours of each entry by what they are for."""
    used = [part for part in PARTS if any(r["parts"][part] for r in e["entries"])]
    rows: list[tuple[Cell, ...]] = [
        (r["name"], *(_times(r["parts"][part], r["gpus"]) for part in used), r["gpu_hours"]) for r in e["entries"]
    ]
    sums = [total([_times(r["parts"][part], r["gpus"]) for r in e["entries"]]) for part in used]
    whole = total([r["gpu_hours"] for r in e["entries"]])
    if whole is None:
        return None
    rows.append(("Programme", *sums, whole))
    heads = (number(name, "GPU-h", 0, 30) for name in (*(PARTS[part] for part in used), "Together"))
    columns = (text("Entry"), *heads)
    return Table(f"{key}-hours", "GPU-hours by what they are for", columns, tuple(rows), totals=1)


def _times(seconds: float | None, gpus: float) -> float | None:
    return None if seconds is None else seconds * gpus


def cost_table(key: str, e: Json) -> Table | None:
    """The cost of the programme by line, the GPUs' line by what their hours were for."""
    if not e["cost"]:
        return None
    whole = total([r["usd"] for r in e["cost"]])
    rows: list[tuple[Cell, ...]] = [
        (capital(r["line"]), "not included" if r["usd"] is None else r["usd"], share(r["usd"], whole), r["gpu_hours"],
         r["basis"])
        for r in e["cost"]
    ]  # fmt: skip
    hours = total([r["gpu_hours"] for r in e["cost"]])
    rows.append(("Total of the lines included", whole, share(whole, whole), hours, " "))
    columns = (text("Line", 46), number("Amount", *money_unit(whole), width=24), number("Share", "%", 1, 16),
               number("GPU-hours", "GPU-h", 0, 24), text("Basis"))  # fmt: skip
    return Table(f"{key}-cost", "Cost of the programme", columns, tuple(rows), totals=1)


def conditions_table(key: str, plan: Plan, e: Json) -> Table | None:
    """What the block requires of the programme, and what the runs require of themselves on their GPUs."""
    runs = [(p["name"], Plan(plan.document, {"kind": "run", "name": p["name"], "points": [p]})) for p in e["points"]]
    judged = [("programme", Plan(plan.document, {"points": []}), v) for v in e["verdicts"]]
    judged += [(name, run, v) for name, run in runs for v in run.point["verdicts"]]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (v["require"], of, operands(its, v["values"]), v["because"] or " ", Status(HELD[v["holds"]]))
        for of, its, v in judged
    )
    columns = (Column("Requirement", "code", width=50), text("Of", 24), text("Values compared", 46), text("Because"),
               text("Status", 17))  # fmt: skip
    return Table(f"{key}-conditions", "Requirements", columns, rows, wide=True) if rows else None

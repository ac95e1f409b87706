"""Sweeps: what varied, how many points came to what, their charts, and the points themselves."""

from reports.plan import Json, Plan, Section
from reports.sections import points
from reports.tables import Table


def sweep(plan: Plan) -> list[Section]:
    """A section for each sweep of the file."""
    return [section(e) for e in plan.experiments("sweep")]


def section(e: Json) -> Section:
    key = f"sweep-{e['name']}"
    shown, whole = points.head_of(e)
    more = "" if whole else f"Shown are the first {len(shown)}: those that meet all before the others, the best first."
    table = points.points_table(e, key, f"Points of {e['name']}", shown, more)
    charts = points.chart_keys(e)
    facts = {
        "key": key,
        "points": int((e.get("counts") or {}).get("points") or len(e["points"])),
        "base": e["base"],
        "steps": points.steps(e),
        "outcome": points.outcome(e),
        "charts": charts,
        "whole": whole,
        "full": f"points-{e['name']}",
        "streamed": e.get("streamed"),
        "measured": sum(bool(p.get("measured")) for p in e["points"]),
    }
    return Section(key, e["title"] or e["name"], tables_of(table), tuple(k for k, _ in charts), facts=facts,
                   template="sweep")  # fmt: skip


def tables_of(*tables: Table | None) -> tuple[Table, ...]:
    return tuple(t for t in tables if t)

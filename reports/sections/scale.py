"""Scalings: a run over GPU counts, what of each further GPU is lost, and the same over slower or faster networks."""

from typing import Any

from reports import terms
from reports.plan import Json, Plan, Section
from reports.quantities import Quantity
from reports.sections import points
from reports.sections.optimize import shown
from reports.sections.sweep import tables_of
from reports.tables import Table, number


def scale(plan: Plan) -> list[Section]:
    """A section for each scaling of the file."""
    return [section(e) for e in plan.experiments("scale")]


def section(e: Json) -> Section:
    key = f"scale-{e['name']}"
    charts = [c for c in points.chart_keys(e) if e.get("charts")]
    figures = (f"scaling/{e['name']}/0", f"scaling/{e['name']}/1", *(k for k, _ in charts))
    facts = {
        "key": key,
        "name": e["name"],
        "base": e["base"],
        "mode": e.get("mode") or "strong",
        "over": terms.setting(str(e.get("over") or "cluster.gpus")),
        "ends": ends(e),
        "curves": list(dict.fromkeys(str(c["name"]) for c in e.get("curves") or ())),  # one for each result
        "infeasible": sum(p["status"] != "ok" for p in e["points"]),
        "charts": charts,
        "full": f"points-{e['name']}",
    }
    return Section(key, e["title"] or e["name"], tables_of(table(key, e)), figures, facts=facts, template="scale")


def table(key: str, e: Json) -> Table | None:
    """A row each count, with the efficiency against the smallest that is feasible."""
    every = list(e["points"])[: points.HEAD]
    made = points.points_table(e, key, f"{e['name']} over {terms.setting(str(e.get('over') or 'cluster.gpus'))}", every)
    efficiency = list(e.get("efficiency") or ())
    if made is None or len(efficiency) < len(every):
        return made
    columns = (*made.columns[:-1], number("Scaling efficiency", "%", 1, 18), made.columns[-1])
    rows = tuple((*row[:-1], efficiency[i], row[-1]) for i, row in enumerate(made.rows))
    more = "Efficiency is tokens a second a GPU over that of the first feasible count."
    return Table(made.key, made.caption, columns, rows, wide=len(columns) > 7, more=more)


def ends(e: Json) -> dict[str, Any] | None:
    """The first and the last feasible count with their utilization."""
    path = "cluster.gpus" if str(e.get("over") or "") in ("", "cluster.nodes") else str(e["over"])
    on = [(p, x) for p, x in zip(e["points"], e.get("efficiency") or [None] * len(e["points"]), strict=False)
          if p["status"] == "ok" and (p["settings"] or {}).get(path)]  # fmt: skip
    if len(on) < 2:
        return None
    (first, _), (last, efficiency) = on[0], on[-1]
    unit = "GPUs" if path == "cluster.gpus" else ""
    said = [{"at": Quantity(float(p["settings"][path]), unit, None), "mfu": shown("mfu", p["results"].get("mfu")),
             "days": shown("time_to_train", p["results"].get("time_to_train"))} for p in (first, last)]  # fmt: skip
    return {"first": said[0], "last": said[1], "efficiency": Quantity(efficiency, "%", 1)}

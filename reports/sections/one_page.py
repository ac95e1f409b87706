"""The one page of `report { kind = one_page }`: beneath the summary one figure or one table, and where it is from.

Whatever a scenario holds, it is one page: the figure gives way to many conditions and to what would mend a
run that fails, a table to the figure.
"""

from dataclasses import replace

from reports.plan import Plan, Section
from reports.sections import points
from reports.sections.requirements import requirements_table
from reports.table_summary import subject
from reports.tables import Table

ROWS = 3  # of a table
CONDITIONS = 2  # with more of them nothing else has room beneath the summary
COMPARED = 2  # other runs; with more of them the figure of all of them would be too high


def is_one_page(plan: Plan) -> bool:
    """Whether the report asks for one page."""
    return plan.report.get("kind") == "one_page"


def one_page(plan: Plan) -> Section:
    """One figure, else one table, under the summary."""
    full = len(plan.report.get("conditions") or ()) > CONDITIONS or bool(plan.point["remedies"])
    figures = () if full else figure(plan)
    found = None if figures or full else table(plan)
    tables = tuple(replace(t, rows=t.rows[:ROWS], more=cut(t)) for t in (found,) if t)
    facts = {
        "figures": figures,
        "keys": [t.key for t in tables],
        "engine": plan.document["engine_version"],
        "sha": str(plan.document.get("sha256") or ""),
        "imports": len(plan.document.get("imports") or ()),
    }
    return Section("one-page", "", tables, figures, facts=facts)


def cut(table: Table) -> str:
    """What the caption says of rows that are left out."""
    left = len(table.rows) - ROWS
    return f"{left} more in the JSON." if left > 0 else ""


def table(plan: Plan) -> Table | None:
    """What the run must meet; of a search its best points, which leave no room for a figure."""
    found = subject(plan.document["experiments"])
    if plan.experiment["points"] or found is None:
        return requirements_table(plan)
    own = {int(p["index"]): p for p in found["points"]}
    best = [own[i] for i in found.get("best") or () if i in own] or points.head_of(found)[0]
    return points.points_table(
        found, f"{found['kind']}-{found['name']}", f"Points of {found['name']}", best, ranked=True
    )


def figure(plan: Plan) -> tuple[str, ...]:
    """The step of a run by activity; the figure of a table that says most."""
    if plan.experiment["points"]:
        return ("compared_step_time",) if 0 < len(plan.others) <= COMPARED else ("step_time",)
    found = subject(plan.document["experiments"])
    if found is None:
        return ()
    name = found["name"]
    first = [key for key, _ in points.chart_keys(found)][:1]
    chosen: dict[str, list[str]] = {
        "optimize": [],
        "scale": [f"scaling/{name}/0"],
        "sensitivity": [f"tornado/{name}/0"],
    }
    return tuple(chosen.get(str(found["kind"]), first))

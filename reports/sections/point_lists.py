"""Appendix: the points of every table that is too long for its section, in the order of the table."""

from reports.plan import Plan, Section
from reports.sections import points

KINDS = ("sweep", "optimize", "scale")


def point_lists(plan: Plan) -> Section | None:
    """A table for each experiment whose section shows only the first of its points."""
    found = [
        e for kind in KINDS for e in plan.experiments(kind) if kind == "optimize" or len(e["points"]) > points.HEAD
    ]
    tables = [
        points.points_table(
            e,
            f"points-{e['name']}",
            f"All points of {e['name']} that the document holds",
            e["points"],
            room=points.LANDSCAPE,
        )
        for e in found
    ]
    made = tuple(t for t in tables if t)
    return Section("point-lists", "", made, facts={"keys": [t.key for t in made]}) if made else None

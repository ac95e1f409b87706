"""The rules by which the verdict of page 1 follows, as the document states them; reports/summary.py applies them."""

from reports.plan import Plan
from reports.tables import Table, text
from reports.terms import VERDICTS

RULES = (
    (
        "not_feasible",
        "The plan cannot be built or does not fit, a requirement, a deadline or a check of severity fail does not "
        "hold, or an order on the day of the document misses the first day that the report states.",
    ),
    (
        "not_decided",
        "Nothing is required, a requirement is open because an input is missing, or what was measured of the run, or "
        "all of the interval of a result, breaks a requirement that the prediction meets.",
    ),
    (
        "met_but_bettered",
        "Every requirement holds, and the file holds an alternative that meets all of them, does the same work and is "
        "better on what is sought.",
    ),
    (
        "recommended_with_conditions",
        "Every requirement holds, and the report states conditions, a check warns, or a limit lies inside the interval "
        "of its result.",
    ),
    (
        "recommended",
        "Every requirement holds beyond the interval of its result, no check warns and no condition is stated.",
    ),
)
"""In the order in which they are tried; the first that applies gives the verdict."""


def rules_table(plan: Plan) -> Table | None:
    """The rules in their order, the one that gave this verdict marked."""
    word = plan.document["verdict"]["word"]
    rows = tuple(
        (str(n), VERDICTS[name], when, "applies" if name == word else "") for n, (name, when) in enumerate(RULES, 1)
    )
    at = next((n for n, (name, _) in enumerate(RULES) if name == word), None)
    shown = tuple((*r[:3], r[3] or " ") for r in rows)
    columns = (text("No.", 9), text("Verdict", 52), text("When"), text("Here", 16))
    return Table("verdict-rules", "Rules of the verdict on page 1, tried from the first", columns, shown, chosen=at)

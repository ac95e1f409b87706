"""Failures and checkpoints: how often the job stops, what a save costs, which interval is best."""

from typing import Any

from reports.figures import over_time
from reports.plan import Plan, Section
from reports.prose import capital, count
from reports.quantities import Quantity, telling
from reports.sections.front import interpolated
from reports.tables import Cell, Table, number, text, total
from reports.terms import words

RULES = (
    ("young", "Young, √(2 save × MTBF)"),
    ("daly", "Daly, higher order"),
    ("best", "Best, numerically"),
    ("used", "Used in this plan"),
)


def failures(plan: Plan) -> Section | None:
    c = plan.point.get("checkpoint")
    if not c:
        return None
    tables = tuple(t for t in (intervals_table(c), components_table(plan), tiers_table(c)) if t)
    return Section(
        "failures",
        "",
        tables,
        ("checkpoint_curve", "over_time"),
        ("goodput", "young"),
        facts={
            "size": Quantity(c.get("size"), "GB", 1),
            "each": Quantity(c.get("size_per_gpu"), "GB", 2),
            "save": Quantity(c.get("save"), "s", 1),
            "pause": Quantity(c.get("pause"), "s", 1),
            "mtbf": Quantity(c.get("mtbf"), "h", 2),
            "restart": Quantity(c.get("restart"), "min", 1),
            "used": Quantity(c.get("used"), "min", 1),
            "young": Quantity(c.get("young"), "min", 1),
            "per_day": per_day(c),
            "rule": plan.setting("checkpoint.rule"),
            "interruptions": times(interruptions(plan, c).value),
            "drawn": drawn(plan),
        },
    )


def per_day(c: Any) -> Quantity:
    return Quantity(86400.0 / c["mtbf"] if c.get("mtbf") else None, "", 2)


def interruptions(plan: Plan, c: Any) -> Quantity:
    """Interruptions expected over the whole run: time to train / MTBF."""
    days = plan.results.get("time_to_train")
    return Quantity(days / c["mtbf"] if days and c.get("mtbf") else None, "", 0)


def times(number: float | None) -> str:
    """A number of interruptions in words: "once", "419 times"; empty where it is not known."""
    if number is None:
        return ""
    whole = round(number)
    return {0: "less than once", 1: "once"}.get(whole) or f"{count(whole, 'time')}"


def drawn(plan: Plan) -> dict[str, bool]:
    """What the figure over the days shows: a cost, a band of ends, ticks for interruptions."""
    found = over_time.from_point(plan.point)
    return {
        "cost": bool(found and found.cost),
        "band": bool(found and found.ends),
        "ticks": bool(found and over_time.ticked(found)),
    }


def intervals_table(c: Any) -> Table | None:
    """The intervals of the rules with the effective training time each gives, read off the curve."""
    curve = [(p["interval"], p["effective"]) for p in c.get("curve") or []]
    rows = tuple((name, c[key], interpolated(curve, c[key])) for key, name in RULES if c.get(key) is not None)
    columns = (
        text("Rule", 42),
        number("Interval", "min", 1, width=17),
        number("Effective training time", "%", 1, width=25),
    )
    return Table("intervals", "Checkpoint intervals", columns, rows, chosen=len(rows) - 1) if rows else None


def tiers_table(c: Any) -> Table | None:
    """The places that checkpoints are kept in, fastest first, and the failures that each one answers."""
    shared = {"name": "storage", "interval": c.get("used"), "pause": c.get("pause"), "restart": c.get("restart")}
    places = [*(c.get("tiers") or []), shared | {"share": c.get("shared_share")}]
    if len(places) == 1:
        return None
    rows = tuple((capital(p["name"]), p["interval"], p["pause"], p["restart"], p["share"]) for p in places)
    columns = (
        text("Kept in", 42),
        number("Interval", "min", 1),
        number("Pause", "s", 2),
        number("Restart", "min", 1),
        number("Failures answered", "%", 0),
    )
    return Table("places", "Checkpoints by the place they are kept in", columns, rows)


def components_table(plan: Plan) -> Table | None:
    """Failures a day by component."""
    parts = plan.point["failures"]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (capital(words(p["component"])), p.get("rate_per_gpu_year"), p.get("per_day")) for p in parts
    )
    if not rows:
        return None
    sums: tuple[Cell, ...] = (
        "Total",
        total([p.get("rate_per_gpu_year") for p in parts]),
        total([p.get("per_day") for p in parts]),
    )
    columns = (
        text("Component", 32),
        number("Failures a GPU-year", decimals=3, width=24),
        number("Failures a day, whole job", decimals=telling((p.get("per_day") for p in parts), 2), width=28),
    )
    return Table("components", "Expected failures by component", columns, (*rows, sums), totals=1)

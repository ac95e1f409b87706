"""A run that is under way: what it has trained, and when it ends and what it costs at the pace that it has."""

from reports.plan import Json, Plan, Section
from reports.quantities import Quantity, legible
from reports.tables import Cell, Table, UnitOf, number, text


def progress(plan: Plan) -> Section | None:
    """The forecast beside the plan; nothing for a run without progress."""
    found = plan.point.get("progress")
    if not found:
        return None
    rows = (
        ("Step time", *_pair(found, "step_time", "planned_step_time", "s", 3)),
        ("Useful share of time", *_pair(found, "effective", "planned_effective", "%", 1)),
        ("Time to train", *_pair(found, "time_to_train", "planned_time_to_train", "days", 1)),
        ("Cost", *_pair(found, "cost", "planned_cost", "$", None)),
    )
    table = Table(
        "forecast",
        "Forecast from the run's progress",
        (text("Result", 44), number("Plan", width=26), number("Forecast", width=26), text("Unit", 20),
         number("Change", "%", 1, width=24, signed=True)),
        tuple(row for row in rows if row[2] is not None),
        more="Elapsed time is as it was; the rest at the measured step time and useful share.",
    )  # fmt: skip
    facts = {
        **{name: found[name] for name in ("tokens", "of", "date", "elapsed", "remaining", "finish", "planned_finish")},
        "share": found["tokens"] / found["of"], "source": found["source"], "phases": found["phases"],
        "effective_from": found["effective_from"],
    }  # fmt: skip
    return Section("progress", "Progress and forecast", (table,), facts=facts)


def _pair(found: Json, name: str, planned: str, unit: str, decimals: int | None) -> tuple[Cell, Cell, Cell, Cell]:
    """Plan, forecast, unit and change of one result; nothing where the forecast has none."""
    own, plan = found[name], found[planned]
    if own is None:
        return (None, None, None, None)
    shown = legible(Quantity(own, unit, decimals))
    before = None if plan is None else Quantity(plan, shown.unit, shown.decimals)
    return (before, shown, UnitOf(shown), own / plan - 1 if plan else None)

"""A profiled step against the prediction: every class of work with its residual, its share and its likely cause."""

from reports.plan import Json, Plan, Section
from reports.prose import capital
from reports.quantities import Quantity
from reports.sections.step import time_unit
from reports.tables import Cell, Table, number, text, total

NAMES = {
    "gemm": "Matrix multiplies", "sdpa": "Attention kernels", "hbm": "Memory-bound kernels", "tensor": "Tensor traffic",
    "context": "Context traffic", "expert": "Expert traffic", "pipeline": "Pipeline and bubble", "data": "Data traffic",
    "optimizer": "Optimizer", "host": "Host copies", "idle": "Idle", "other": "Other kernels",
}  # fmt: skip


def profiled(plan: Plan) -> Section | None:
    """Two tables and a figure; nothing for a run without a trace."""
    found = plan.point.get("trace")
    if not found:
        return None
    rows = found["rows"]
    unit, decimals = time_unit(found["step_time"])
    worst = max(rows, key=lambda r: abs(r["residual"] or 0.0))
    facts = {
        "predicted": found["predicted"], "measured": found["step_time"], "ranks": found["ranks"],
        "steps": found["steps"], "source": found["source"], "longest": found["longest_step"],
        "worst": NAMES[worst["class"]].lower(),
        "worst_share": Quantity(worst["share"], "%", 1, signed=True),
        "worst_cause": worst["cause"],
        "ticks": any((r["slowest"] or 0) > 1.01 * (r["busy"] or 0) for r in rows),
        "error": Quantity(found["predicted"] / found["step_time"] - 1, "%", 1, signed=True),
    }  # fmt: skip
    tables = (residuals(found, unit, decimals), spread(rows, unit, decimals))
    return Section("profiled", "Predicted against profiled step", tables, ("profiled",), facts=facts)


def residuals(found: Json, unit: str, decimals: int) -> Table:
    """Exposed time by class, predicted and measured."""
    columns = (
        text("Class", 33),
        number("Predicted", unit, decimals, width=18),
        number("Measured", unit, decimals, width=18),
        number("Residual", unit, decimals, width=18, signed=True),
        number("Of the step", "%", 1, width=18, signed=True),
        text("Likely cause"),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            NAMES[r["class"]],
            r["predicted"] if r["compared"] == "exposed" else r["predicted_busy"],
            r["measured"],
            r["residual"],
            r["share"],
            capital(r["cause"]) if r["cause"] else None,
        )
        for r in found["rows"]
    ]
    step, own = found["predicted"], found["step_time"]
    rows.append(("Step time", step, own, own - step, (own - step) / own, " "))
    more = "Exposed time, which adds up to the step; residual is measured less predicted."
    return Table("residuals", "A profiled step against the prediction", columns, tuple(rows), totals=1, more=more)


def spread(rows: list[Json], unit: str, decimals: int) -> Table:
    """Busy time: mean over ranks, the slowest rank, the longest call."""
    columns = (
        text("Class", 33),
        number("Predicted", unit, decimals, width=20),
        number("Mean", unit, decimals, width=20),
        number("Slowest rank", unit, decimals, width=24),
        number("Longest call", unit, decimals, width=24),
        number("Calls a step", "", 0, width=22),
        number("Hidden", unit, decimals, width=20),
    )
    made = tuple(
        (NAMES[r["class"]], r["predicted_busy"], r["busy"], r["slowest"], r["longest"], r["calls"], _hidden(r))
        for r in rows
        if r["class"] != "idle"
    )
    more = "Hidden time runs behind other work and does not count."
    return Table("spread", "Busy time of the profiled step, means beside maxima", columns, made, more=more)


def _hidden(row: Json) -> float | None:
    if row["compared"] != "exposed" or row["busy"] is None:
        return None
    return max(total([row["busy"], -row["measured"]]) or 0.0, 0.0)

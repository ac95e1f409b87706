"""How far a run has come, and its finish and cost forecast again from it, as the document has them."""

from collections.abc import Mapping
from datetime import date
from math import ceil
from typing import Any

from engine.columns import Column, column
from engine.forecast import Forecast, forecast
from engine.result import Result
from reports.dates import after, day_of
from reports.point import Json, number

DAY = 86_400.0


def progress(settings: Mapping[str, Any], result: Result, start: str) -> Json | None:
    """The forecast of a run with an `actual` block; None without one. ``start`` is the report's first day."""
    done = settings.get("actual.tokens")
    if done is None:
        return None
    began, today = (day_of(settings.get("actual.started")) or day_of(start)), day_of(settings.get("actual.date"))
    elapsed = settings.get("actual.elapsed")
    if elapsed is None and began and today and today > began:
        elapsed = (today - began).days * DAY
    found = forecast(result, column(done), *(_column(v) for v in (
        elapsed, settings.get("actual.step_time"), settings.get("actual.effective"))))  # fmt: skip
    return None if found is None else _json(settings, result, found, began, today)


def _column(value: Any) -> Column | None:
    return None if value is None else column(value)


def _json(
    settings: Mapping[str, Any], result: Result, found: Forecast, began: date | None, today: date | None
) -> Json:
    """The forecast beside the plan, with days where there are some."""
    planned, remaining = number(result.columns.get("time_to_train")), number(found.remaining)
    effective = "tokens and elapsed time" if found.measured else "stated" if "actual.effective" in settings else "plan"
    return {
        "tokens": number(found.done),
        "of": number(result.run.tokens),
        "date": today.isoformat() if today else None,
        "started": began.isoformat() if began else None,
        "elapsed": number(found.elapsed),
        "step_time": number(found.step),
        "planned_step_time": number(result.columns.get("step_time")),
        "effective": number(found.effective),
        "effective_from": effective,
        "planned_effective": number(result.columns.get("effective_training_time")),
        "remaining": remaining,
        "time_to_train": number(found.seconds),
        "planned_time_to_train": planned,
        "finish": _finish(today, remaining),
        "planned_finish": _finish(began, planned),
        "cost": number(found.cost),
        "planned_cost": number(result.columns.get("cost")),
        "phases": bool(result.stretches),
        "source": settings.get("actual.source"),
    }


def _finish(day: date | None, seconds: float | None) -> str | None:
    """The day that so many seconds end on."""
    end = after(day, None if seconds is None else ceil(seconds / DAY))
    return None if end is None else end.isoformat()

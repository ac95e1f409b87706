"""The days of a plan: by when to order, delivery, first and last day of the run, and the last day that is allowed.

  delivery  report.start less the time to be ready; else the day of the document and the lead time
  order     delivery less the lead time
  first     delivery and the time to be ready
  last      first day and days to train, with both ends of their interval
Days are whole: a run that needs a part of a day has that day.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil
from typing import Any

Json = Mapping[str, Any]
DAY = 86400.0


@dataclass(frozen=True)
class Dates:
    """The days of a plan; None where they do not follow from what is stated."""

    order: date | None
    delivery: date | None
    first: date | None
    last: date | None
    earliest: date | None  # last day, by the ends of the interval
    latest: date | None
    allowed: date | None  # last day, by the requirement on the time to train
    late: int  # days by which an order on the day of the document misses the first day; 0 where it does not


def dates(point: Json, report: Json, verdicts: Any = ()) -> Dates:
    """The days of a run from the settings of its cluster and the dates of the report."""
    lead, ready = (_days(point["settings"].get(f"cluster.{name}")) for name in ("lead_time", "commissioning"))
    ready = ready or 0
    first, written = day_of(report.get("start")), day_of(report.get("date"))
    delivery = after(first, -ready) if first else after(written, lead)
    order = after(delivery, None if lead is None else -lead)
    first = first or after(delivery, ready)
    ends = (point.get("intervals") or {}).get("time_to_train") or {}
    late = (written - order).days if written and order and written > order else 0
    last, earliest, latest, allowed = (
        _end(first, seconds)
        for seconds in (point["results"].get("time_to_train"), ends.get("low"), ends.get("high"), limit(verdicts))
    )
    return Dates(order, delivery, first, last, earliest, latest, allowed, late)


def limit(verdicts: Any) -> float | None:
    """The tightest limit that a requirement sets on the time to train, in seconds."""
    found = [v["limit"] for v in verdicts if v.get("limit")]
    own = [x["value"] for x in found if x["name"] == "time_to_train" and x["op"].startswith("<") and x["value"]]
    return min(own, default=None)


def day_of(text: Any) -> date | None:
    """A date as it is written; None where there is none, or it is no day."""
    try:
        return date.fromisoformat(str(text))
    except ValueError:
        return None


def _days(seconds: Any) -> int | None:
    return None if seconds is None else ceil(float(seconds) / DAY)


def after(day: date | None, days: int | None) -> date | None:
    """So many days after a day; None where either is not known, or no calendar has it."""
    try:
        return None if day is None or days is None else day + timedelta(days=days)
    except OverflowError:
        return None


def _end(first: date | None, seconds: float | None) -> date | None:
    """The last day of so many seconds from the first day on: 45.2 days are 46 of them."""
    return after(first, ceil(seconds / DAY) - 1) if seconds else None

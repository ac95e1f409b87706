"""The calendar of a procurement: order, delivery, first and last day, on page 1 and with how each follows."""

from datetime import date

from reports.dates import Dates, dates
from reports.identity import written_date
from reports.plan import Plan
from reports.prose import count
from reports.tables import Table, text


def day(found: date | None) -> str:
    """A day in words; nothing where it is not known."""
    return written_date(found.isoformat()) if found else ""


def days(plan: Plan) -> list[str]:
    """The calendar of a procurement as page 1 has it; empty without a first day."""
    found = dates(plan.point, plan.report, plan.verdicts)
    if found.first is None:
        return []
    last = found.last
    said: list[tuple[str, date | None]] = [("order by", found.order)] if found.order else []
    said += [("delivery", found.delivery)] if found.order or found.delivery != found.first else []
    said += [("first day", found.first), *([("last day", last)] if last else [])]
    years = [None, *(d.year if d else None for _, d in said)]
    texts = [f"{what} {short(d, d) if d and d.year == before else day(d)}"
             for (what, d), before in zip(said, years, strict=False)]  # fmt: skip
    return [*texts[:-1], texts[-1] + last_days(found, last)] if last else texts


def last_days(found: Dates, last: date) -> str:
    """The interval of the last day, and the day by which the run must end; the year only where it is another."""
    low, high, allowed = (short(d, last) for d in (found.earliest, found.latest, found.allowed))
    said = [f"{low} to {high} in four of five"] if low and high else []
    said += [f"limit {allowed}"] if allowed else []
    return f" ({'; '.join(said)})" if said else ""


def short(found: date | None, beside: date) -> str:
    """A day without its year where that is the year of the one beside it."""
    return day(found).removesuffix(f" {beside.year}")


def calendar(plan: Plan) -> Table | None:
    """The same days as a table, each with what it follows from; None without a first day."""
    found, given = dates(plan.point, plan.report, plan.verdicts), bool(plan.report.get("start"))
    if found.first is None:
        return None
    ready = count(round((plan.number("cluster.commissioning") or 0) / 86400), "day")
    rows = [
        ("Order by", day(found.order), "delivery less cluster.lead_time" if found.order else "needs cluster.lead_time"),
        ("Delivery", day(found.delivery), f"first day less cluster.commissioning, {ready}" if given else
         "date of the document and cluster.lead_time"),
        ("First day of the run", day(found.first), "report.start" if given else
         f"delivery and cluster.commissioning, {ready}"),
        ("Last day", day(found.last), "first day and time to train"),
        ("Last day, low end of its interval", day(found.earliest), "four in five published runs end between the two"),
        ("Last day, high end of its interval", day(found.latest), "four in five published runs end between the two"),
        ("Last day allowed", day(found.allowed), "first day and the requirement on the time to train"),
    ]  # fmt: skip
    shown = tuple(r for r in rows if r[1] or r[0] in ("Order by", "Last day"))
    return Table("dates", "Delivery and finish", (text("Event", 56), text("Day", 42), text("How it follows")), shown)

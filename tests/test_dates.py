"""The days of a plan, counted by hand: order, delivery, first and last day."""

from datetime import date
from typing import Any

import pytest

from reports.dates import dates, limit
from reports.html import render_html
from reports.plan import plan_of
from reports.sections.calendar import calendar, days
from tests.report_documents import Json, document, main_point

DAY = 86400.0


def point(train: float | None = None, **settings: float) -> Json:
    own = {f"cluster.{name}": value * DAY for name, value in settings.items()}
    return {"settings": own, "results": {"time_to_train": train and train * DAY}, "intervals": None}


@pytest.mark.parametrize(
    ("start", "train", "last"),
    [
        ("2027-03-01", 1.0, date(2027, 3, 1)),
        ("2027-03-01", 72.3, date(2027, 5, 12)),
        (None, 72.3, None),
        ("soon", 1.0, None),
        ("2027-03-01", None, None),
    ],
)
def test_the_last_day_of_a_run(start: str | None, train: float | None, last: date | None) -> None:
    assert dates(point(train), {"start": start}).last == last


def test_days_back_from_the_first_day() -> None:
    """First day 1 July, 14 days to be ready, 84 days to deliver: 17 June, 25 March."""
    found = dates(point(30.0, lead_time=84, commissioning=14), {"start": "2026-07-01", "date": "2026-03-20"})
    assert (found.order, found.delivery, found.first) == (date(2026, 3, 25), date(2026, 6, 17), date(2026, 7, 1))
    assert found.last == date(2026, 7, 30) and found.late == 0


def test_an_order_on_the_day_of_the_document_may_be_late() -> None:
    found = dates(point(lead_time=84, commissioning=14), {"start": "2026-07-01", "date": "2026-04-01"})
    assert found.late == 7


def test_days_onward_from_the_day_of_the_document() -> None:
    found = dates(point(10.0, lead_time=84, commissioning=14), {"date": "2026-03-25"})
    assert (found.order, found.delivery, found.first) == (date(2026, 3, 25), date(2026, 6, 17), date(2026, 7, 1))
    assert found.last == date(2026, 7, 10)


def test_without_a_lead_time_the_order_is_open() -> None:
    found = dates(point(10.0), {"start": "2026-07-01", "date": "2026-03-25"})
    assert found.order is None and found.delivery == found.first == date(2026, 7, 1)
    assert dates(point(10.0), {"date": "2026-03-25"}).first is None


def test_interval_and_requirement() -> None:
    given: dict[str, Any] = {**point(30.0), "intervals": {"time_to_train": {"low": 27.5 * DAY, "high": 36.1 * DAY}}}
    asked: list[Any] = [{"limit": {"name": "time_to_train", "op": "<=", "value": v * DAY}} for v in (45.0, 40.0)]
    asked += [{"limit": None}, {"limit": {"name": "cost", "op": "<=", "value": 1.0}}]
    found = dates(given, {"start": "2026-07-01"}, asked)
    assert (found.earliest, found.latest) == (date(2026, 7, 28), date(2026, 8, 6))
    assert found.allowed == date(2026, 8, 9) and limit(asked) == 40 * DAY


def planned(**report: Any) -> Json:
    given = document()
    main_point(given)["settings"] |= {"cluster.lead_time": 84 * DAY, "cluster.commissioning": 14 * DAY}
    given["report"] |= {"kind": "procurement", "date": "2026-04-01", "start": "2026-07-01"} | report
    return given


def test_the_calendar_stands_on_page_one_of_a_procurement() -> None:
    found = days(plan_of(planned()))
    assert found[:3] == ["order by 25 March 2026", "delivery 17 June", "first day 1 July"]
    assert "rder by" not in render_html(planned(kind="design_review"))
    assert days(plan_of(planned(start=None, date=None))) == []


def test_each_day_says_what_it_follows_from() -> None:
    table = calendar(plan_of(planned()))
    assert table is not None
    assert {str(r[0]): r[2] for r in table.rows}["Delivery"] == "first day less cluster.commissioning, 14\u00a0days"
    assert calendar(plan_of(planned(start=None, date=None))) is None

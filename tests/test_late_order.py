"""An order that comes too late for the first day that the report states: verdict, exit code and line say so."""

import pytest

from reports.commands.unmet import unmet
from reports.document import build, exit_code
from reports.html import render_html
from tests.language import START, scenario_of

DATES = 'report "Plan" { kind = procurement, date = "2026-04-01", start = "2026-07-01" }\n'
RUN = "batch = 2048 sequences }"
HOLDS = "batch = 2048 sequences\n  layout { tensor = 8, pipeline = 4 }\n  require mfu > 1%\n}"


def plan(lead: int, report: str = DATES) -> str:
    own = f"nodes = 16, lead_time = {lead} days, commissioning = 14 days"
    return START.replace("nodes = 16", own).replace(RUN, HOLDS) + report


@pytest.mark.parametrize(("lead", "late"), [(77, 0), (78, 1), (84, 7)])
def test_the_last_day_to_order_is_in_time(lead: int, late: int) -> None:
    """14 days to be ready before 1 July is 17 June; 77 days before that is 1 April, the day of the document."""
    found = build(scenario_of(plan(lead)))
    said = [s for s in found["verdict"]["sentences"] if s.startswith("An order on the day of this document")]
    assert found["verdict"]["late"] == late and exit_code(found) == bool(late)
    assert (found["verdict"]["word"] == "not_feasible") == bool(late)
    assert said == ([f"An order on the day of this document misses the first day by {days(late)}"] if late else [])
    shown = [" ".join(s.split()) for s in said]  # a terminal and this test have plain blanks
    assert list(unmet(found)) == [f"a{s[1:]}" for s in shown]
    page = " ".join(render_html(found).split())
    assert all(s in page for s in shown)
    assert ("Not feasible: ordered now, it comes too late" in page) == bool(late)


def days(late: int) -> str:
    return {1: "one\u00a0day", 7: "seven\u00a0days"}[late]


def test_without_a_first_day_no_order_is_late() -> None:
    found = build(scenario_of(plan(900, DATES.replace(', start = "2026-07-01"', ""))))
    assert found["verdict"]["late"] == 0 and exit_code(found) == 0

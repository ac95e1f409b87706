"""Failures and what is missing in words: counts that agree, captions that say what is drawn."""

from typing import Any

import pytest

from reports.html import render_html
from reports.plan import plan_of
from reports.quantities import telling
from reports.sections.failures import failures, times
from reports.tables import Table
from tests.report_documents import document, main_point


def words_of(given: Any) -> str:
    return " ".join(render_html(given).replace("\u00a0", " ").replace("&nbsp;", " ").split())


@pytest.mark.parametrize(
    ("number", "said"),
    [(None, ""), (0.3, "less than once"), (1.25, "once"), (2.0, "two times"), (419.4, "419 times")],
)
def test_interruptions_in_words(number: float | None, said: str) -> None:
    assert times(number).replace("\u00a0", " ") == said


def test_the_caption_over_the_days_says_what_is_drawn() -> None:
    given = document()
    page = words_of(given)
    assert "Tokens and cost over the days of the run." in page and "Every line of the cost is spread evenly." in page
    point = main_point(given)
    point["cost"] = [row | {"usd": None} for row in point["cost"]]
    point["results"] |= {"cost": None, "mtbf": 3600.0}  # more interruptions than can be drawn one by one
    page = words_of(given)
    assert "Tokens over the days of the run." in page and "spread evenly" not in page
    assert "Ticks at the foot" not in page
    point["results"]["mtbf"] = point["results"]["time_to_train"] / 3.5
    assert "Ticks at the foot: interruptions to expect." in words_of(given)


def test_rare_failures_keep_their_digits() -> None:
    """An H100's 0.1106 failures a year on 64 GPUs are 0.0194 a day, other parts' 0.0005."""
    given = document()
    parts = [("gpu", 0.1106, 0.0193796), ("other", 0.0029, 0.0005081)]
    main_point(given)["failures"] = [
        {"component": c, "rate_per_gpu_year": rate, "per_day": a_day} for c, rate, a_day in parts
    ]
    section = failures(plan_of(given))
    assert section is not None
    table: Table = next(t for t in section.tables if t.key == "components")
    assert [row[2][0] for row in table.cells()] == ["0.01938", "0.00051", "0.01989"]
    assert telling([3.2, 0.9], 2) == 2 and telling([None], 2) == 2 and telling([3.2, 0.0041]) == 4


def test_what_is_not_known_is_said_and_not_dashed() -> None:
    given = document()
    point = main_point(given)
    point["power"] = [row | {"peak": None, "mean": None} for row in point["power"]]
    point["cost"] = [row | {"usd": None} for row in point["cost"]]
    point["results"] |= dict.fromkeys(("cost", "energy", "carbon", "peak_power", "mean_power", "cost_per_token"))
    point["unavailable"] = [{"result": r, "missing": ["cluster.gpu.power"]} for r in ("peak_power", "energy")]
    page = words_of(given)
    assert "The power of the cluster cannot be computed: it needs cluster.gpu.power." in page
    assert "The cluster draws" not in page and page.count("none of which is included") == 2

"""Comparisons in the report: signs, best by name, causes that sum, every input, any number of runs."""

import re
from pathlib import Path
from typing import Any

import pytest

from reports.book import Book, bind
from reports.html import render_html
from reports.quantities import Quantity
from reports.tables import Status, Table
from tests.test_comparison import made


def book_of(folder: Path, **given: str) -> Book:
    return bind(made(folder, **given))


def tables(book: Book) -> dict[str, Table]:
    return {t.key: t for t in book.tables}


def texts(table: Table, row: int) -> list[str]:
    return [text for text, _, _ in table.cells()[row]]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return made(tmp_path_factory.mktemp("two"), rules='require mfu >= 1% because "a floor"')


@pytest.fixture(scope="module")
def found(two: dict[str, Any]) -> dict[str, Table]:
    return tables(bind(two))


def test_differences_have_signs_and_the_best_run_is_named(found: dict[str, Table]) -> None:
    table = found["compare-both-results"]
    names = ["Result", "Unit", "base", "other", "Difference", "wide", "Difference", "Best"]
    assert [c.name for c in table.columns] == names
    rows = {r[0]: texts(table, i) for i, r in enumerate(table.rows)}
    assert rows["Cost"][4].startswith("+") and rows["Cost"][-1] == "base"
    assert rows["Time to train"][4] == "0.0"
    assert rows["MFU"][6].startswith(("+", "−")) and rows["MFU"][-1] in ("wide", "base and other", "other and base")


def test_conditions_stand_run_by_run(found: dict[str, Table]) -> None:
    table = found["compare-both-conditions"]
    assert table.rows == (("mfu >= 1%", "base", *(Status("pass"),) * 3),)


def test_causes_sum_to_the_difference_in_the_last_row(found: dict[str, Table]) -> None:
    for key in ("compare-both-step-time", "compare-both-cost"):
        *causes, last = found[key].rows
        for column in (1, 2):
            amounts = [value for row in causes if isinstance(value := row[column], float)]
            assert isinstance(last[column], float) and sum(amounts) == pytest.approx(last[column], abs=1e-9 * 1e6)


def test_inputs_that_were_stated_stand_apart_from_those_that_follow(found: dict[str, Table]) -> None:
    assert {r[0] for r in found["compare-both-inputs"].rows} == {"cluster", "cluster.price", "layout.tensor"}
    assert {r[0] for r in found["compare-both-follows"].rows} == {"layout.data"}
    price = next(r for r in found["compare-both-inputs"].rows if r[0] == "cluster.price")
    assert [str(c).partition("\u00a0")[0] for c in price[1:]] == ["2", "3", "2"]


def test_three_other_runs_have_their_differences_in_a_table_of_their_own(tmp_path: Path) -> None:
    book = book_of(tmp_path, between="base, other, wide, apart")
    found = tables(book)
    assert [c.name for c in found["compare-both-differences"].columns] == ["Result", "Unit", "other", "wide", "apart"]
    assert "Difference" not in [c.name for c in found["compare-both-results"].columns]


def test_runs_that_no_comparison_holds_stay_in_a_section_of_their_own(tmp_path: Path) -> None:
    keys = {s.key for s in book_of(tmp_path).sections}
    assert {"compare-both", "alternatives"} <= keys  # `apart` is not compared
    keys = {s.key for s in book_of(tmp_path, between="base, other, wide, apart").sections}
    assert "compare-both" in keys and "alternatives" not in keys


def test_page_says_what_makes_each_run_differ(two: dict[str, Any]) -> None:
    page = render_html(two)
    text = re.sub("<[^>]+>", "", page)  # a term may be a link to the glossary
    assert "the largest cause is the price of a GPU-hour" in text and ", as in base." in text
    assert page.count('id="figure-waterfall') == 3  # the dearer run takes the same step


def test_a_difference_of_shares_is_in_points(found: dict[str, Table]) -> None:
    table = found["compare-both-results"]
    mfu = next(r for r in table.rows if r[0] == "MFU")
    assert isinstance(mfu[4], Quantity) and mfu[4].unit == "points"


def test_page_one_says_which_run_costs_least_and_counts_what_the_block_requires(tmp_path: Path) -> None:
    document = made(tmp_path, rules='require mfu >= 1% because "a floor"\n  require cost <= $1 because "nothing"')
    assert document["verdict"]["sentences"][0].startswith("1 of 2 requirements")
    assert document["verdict"]["word"] == "not_feasible"
    page = render_html(document)
    assert "base costs least (" in page
    assert "none meet what is required" in page

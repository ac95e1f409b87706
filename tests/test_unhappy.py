"""Four plans that fail: page 1 says what fails, by how much, and what would mend it; and what mends it does so."""

import re
from functools import cache
from pathlib import Path

import pytest

from reports.book import Book, bind
from reports.commands.source import read
from reports.document import build, exit_code
from reports.html import screen_page
from reports.plan import plan_of
from reports.point import Json
from reports.quantities import MISSING
from reports.sections.unmet import at_the_limit, missed
from reports.tables import Table, filled, number, text

FOLDER = Path(__file__).resolve().parents[1] / "scenarios" / "unhappy"
FILES = sorted(FOLDER.glob("*.scn"))
NAMES = [file.stem for file in FILES]


def evaluated(name: str, *overrides: str) -> Json:
    source = read(FOLDER / f"{name}.scn", overrides)
    assert not source.in_error, source.shown
    return build(source.scenario)


@cache
def given(name: str) -> Json:
    return evaluated(name)


@cache
def book(name: str) -> Book:
    return bind(given(name))


def page_one(name: str) -> str:
    """The words of page 1."""
    page = screen_page(book(name))
    front = page[page.index('<section class="front"') : page.index("</section>", page.index('<section class="front"'))]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", front).replace("\u00a0", " "))


def point(document: Json) -> Json:
    found: Json = document["experiments"][0]["points"][0]
    return found


def test_there_are_four() -> None:
    assert NAMES == ["cannot-be-built", "does-not-fit", "failed-require", "no-feasible-point"]


@pytest.mark.parametrize("name", NAMES)
def test_each_fails_and_says_so_without_green(name: str) -> None:
    document = given(name)
    assert exit_code(document) == 1 and document["verdict"]["word"] == "not_feasible"
    page = screen_page(book(name))
    front = page[page.index('<section class="front"') : page.index("</section>", page.index('<section class="front"'))]
    assert "status fail" in front and "status pass" not in front and "verdict pass" not in front


@pytest.mark.parametrize(("name", "words"), [
    ("cannot-be-built", ["52 heads do not divide by tensor 8", "tensor = 2 all requirements hold",
                         "misses time_to_train &lt;= 65 days by 6.0 %"]),
    ("does-not-fit", ["Stage 0 needs 30.0 GiB more than the GPU has", "52.9 % over 71.7 GiB", "all met"]),
    ("failed-require", ["Time to train is 143.5 days, 30.4 % over 110.0 days", "Cost is 16.57 M$, 27.5 % over 13.00 M$",
                        "recompute = selective", "2 672 GPUs in place of 2 048"]),
    ("no-feasible-point", ["none meets all requirements", "The points that miss least", "the limit is 8 M$"]),
])  # fmt: skip
def test_page_one_says_what_fails_by_how_much_and_what_would_mend_it(name: str, words: list[str]) -> None:
    page = page_one(name)
    assert [w for w in words if w not in page] == []


@pytest.mark.parametrize(("name", "changes"), [
    ("failed-require", ["layout.recompute=selective"]),
    ("failed-require", ["layout.recompute=none"]),
    ("does-not-fit", ["layout.tensor=8"]),
    ("cannot-be-built", ["layout.tensor=2"]),
])  # fmt: skip
def test_what_mends_a_plan_does_so_when_it_is_done(name: str, changes: list[str]) -> None:
    """A change named on page 1, made in the scenario, gives the results that its row has, and no failure."""
    mended = evaluated(name, *changes)
    assert exit_code(mended) == 0
    told = [c.removeprefix("layout.").split("=") for c in changes]
    (row,) = [r for r in point(given(name))["remedies"] if [[c["setting"], c["value"]] for c in r["changes"]] == told]
    results = point(mended)["results"]
    assert row["misses"] == [] and row["results"] == {k: pytest.approx(results[k], rel=1e-9) for k in row["results"]}


def test_the_fleet_and_the_price_at_the_limit_follow_by_hand() -> None:
    plan = plan_of(given("failed-require"))
    days, cost = (plan.results["time_to_train"] or 0) / 86400, plan.results["cost"] or 0
    gpus = -(-2048 * days / 110 // 8) * 8
    fleet, price = at_the_limit(plan)
    assert f"{gpus:,.0f} GPUs in place of 2,048".replace(",", "\u00a0") in fleet
    assert f"train {15 * 110 / days:.1f}" in fleet
    own = plan.settings["cluster.price"] * 3600 * 13e6 / cost
    assert f"At {own:.2f}" in price


def test_nothing_is_said_of_a_plan_that_meets_all() -> None:
    good = evaluated("failed-require", "layout.recompute=selective")
    assert point(good)["remedies"] == [] and missed(plan_of(good)) == []
    assert "What fails" not in screen_page(bind(good))


@pytest.mark.parametrize("name", NAMES)
def test_no_column_is_empty_and_no_section_is(name: str) -> None:
    beside = {"defaulted", "stated", "followed", "library", "sources"}  # inputs: units and sources that few have
    beside |= {"acceptance", "acceptance_signatures"}  # columns that are written in by hand
    for table in book(name).tables:
        assert table.key in beside or filled(table) == table, table.key
    for chapter in book(name).chapters:
        for part in chapter.parts:
            shown = part.section.tables or part.section.figures or part.section.equations
            assert shown or part.section.key in ("method", "source", "glossary")


def test_columns_without_a_value_are_left_out() -> None:
    made = Table("t", "T", (text("A"), number("B"), number("C")), (("x", None, 1.0), ("y", None, None)))
    kept = filled(made)
    assert kept is not None and [c.name for c in kept.columns] == ["A", "C"]
    assert [c.show(v) for c, v in zip(kept.columns, kept.rows[1], strict=True)] == ["y", MISSING]
    assert filled(Table("t", "T", (text("A"), number("B")), (("x", None),))) is None

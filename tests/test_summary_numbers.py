"""Every number of page 1 is one of its JSON, at the precision that it is printed with."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reports.book import bind
from reports.commands.source import read
from reports.document import build
from reports.html import screen_page
from tests.report_documents import document
from tests.summary_numbers import UNITS, Printed, explained, known, printed, summary, unexplained

FOLDER = Path(__file__).parents[1] / "scenarios"
SHIPPED = sorted([*FOLDER.glob("*.scn"), *FOLDER.glob("unhappy/*.scn")])
SAYS_NOTHING = "roofline"  # holds no run: no number but its author's


@cache
def rendered(path: Path) -> tuple[str, Any]:
    """The page of a scenario, without its figures: page 1 has none, and they take half of the time."""
    made = build(read(path).scenario)
    book = bind(made)
    vars(book)["pictures"] = {}
    return screen_page(book), made


ALWAYS = ("team-70b", "buy", "roofline", "cannot-be-built", "no-feasible-point")  # `make long` reads the others too


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [pytest.param(p, id=p.stem, marks=() if p.stem in ALWAYS else pytest.mark.long) for p in SHIPPED]
)
def test_every_number_of_page_1_is_in_the_json(path: Path) -> None:
    page, made = rendered(path)
    found = printed(page, made)
    assert len(found) > 15 or path.stem == SAYS_NOTHING, "the test reads the page"
    assert sum(n.key for n in found) >= 5 * (made["key_numbers"] != [] and path.stem != "cannot-be-built")
    assert unexplained(page, made) == []


def one_changed(page: str) -> Iterator[tuple[str, str]]:
    """The page with the last digit of one number of its first page changed, and that number; each in turn."""
    start = page.index('id="section-summary"')
    end = page.index("</section>", start)
    kept = {m[0] for m in re.finditer(r"\d+\.\d+", re.sub("<[^>]*>", " ", summary(page)))}
    for m in re.finditer(r"(?<![\w.\u00a0-])\d+\.\d+(?=[\u00a0 <])", page[start:end]):
        tail = page[start + m.start() : start + m.end()]
        if tail in kept:
            other = tail[:-1] + ("1" if tail[-1] == "0" else str(int(tail[-1]) - 1))
            yield page[: start + m.start()] + other + page[start + m.end() :], tail


def test_a_number_that_is_changed_is_seen() -> None:
    made = document()
    page = screen_page(bind(made))
    assert unexplained(page, made) == []
    tried = list(one_changed(page))
    unseen = [number for changed, number in tried if not unexplained(changed, made)]
    assert len(tried) > 12 and unseen == []


def test_a_key_number_in_another_unit_is_seen() -> None:
    made = document()
    page = screen_page(bind(made))
    value = re.search(r'<p class="value">.*?([\d.]+) <span>days</span>', page)
    assert value is not None
    changed = page[: value.start()] + value[0].replace("days", "h") + page[value.end() :]
    assert [n.unit for n in unexplained(changed, made)] != []


@pytest.mark.parametrize(
    ("number", "seen"),
    [(("45.6", "days"), True), (("45.7", "days"), False), (("1\u00a0094.4", "h"), True), (("45.6", "h"), False),
     (("12", ""), True), (("13", ""), False), (("37.7", "%"), True), (("0.377", "times"), True)],
)  # fmt: skip
def test_a_number_is_known_by_its_unit_and_decimals(number: tuple[str, str], seen: bool) -> None:
    numbers = {"s": [45.6 * 86400.0], "": [12.0], "1": [0.37716]}
    assert explained(Printed(*number, ""), numbers) is seen


def test_numbers_are_read_with_their_units() -> None:
    html = (
        '<section id="section-summary"><div><p class="label">Cost</p><p class="value">1\u00a0234.5 <span>M$</span></p>'
        "<p>1.66 to 2.52 in four of five · margin 24.7\u00a0%</p></div><p>TP\u00a08 takes 59.1 to 95.2\u00a0days by "
        "4 May 2026; 6N of llama-3.1-70b</p></section>"
    )
    found = [(n.text, n.unit) for n in printed(html, {"report": {}})]
    cost = [("1\u00a0234.5", "M$"), ("1.66", "M$"), ("2.52", "M$"), ("24.7", "%")]
    assert found == [*cost, ("8", ""), ("59.1", "days"), ("95.2", "days")]


def test_the_documents_numbers_have_dimensions() -> None:
    numbers = known(document())
    assert {"s", "B", "USD", "1", ""} <= set(numbers) and all(len(v) > 5 for d, v in numbers.items() if d in "sB1")
    assert all(factor > 0 for _, factor in UNITS.values())

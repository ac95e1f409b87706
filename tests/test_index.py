"""The page over several files."""

from dataclasses import replace
from pathlib import Path

from reports.commands import index
from reports.commands.outcome import Outcome

OUT = Path("out")
GOOD = Outcome("a/good.scn", 0, "Team plan", "Recommended", ("45 days.",), (OUT / "good.html", OUT / "good.x.csv"))
FAILS = Outcome("fails.scn", 1, "Other", "Not feasible", (), (OUT / "a b.pdf", OUT / "fails.json"))
WRONG = Outcome("wrong.scn", 2, problems="error[E15]: <b>no</b> such name")


def page(*outcomes: Outcome) -> str:
    return index.page(outcomes, OUT).decode("utf-8")


def test_each_file_has_its_verdict_and_its_documents() -> None:
    text = page(GOOD, FAILS)
    assert '<strong class="pass">Recommended</strong>' in text
    assert '<strong class="fail">Not feasible</strong>' in text
    assert '<a href="good.html" aria-label="HTML: Team plan">HTML</a>' in text
    assert '<a href="a%20b.pdf" aria-label="PDF: Other">PDF</a>' in text
    assert "csv" not in text
    assert "45 days." in text


def test_key_numbers_stand_beside_the_verdict() -> None:
    text = page(replace(GOOD, keys=("Total cost 10.5 M$",)), FAILS)
    assert '<td class="keys"><small>Total cost 10.5 M$</small></td>' in text
    assert '<td class="keys">–</td>' in text


def test_a_file_in_error_is_listed_with_its_problems_as_text() -> None:
    text = page(WRONG)
    assert '<strong class="fail">In error</strong>' in text
    assert "&lt;b&gt;no&lt;/b&gt; such name" in text
    assert "<b>" not in text


def test_the_page_fetches_nothing() -> None:
    text = page(GOOD, FAILS, WRONG)
    assert "default-src 'none'" in text
    assert not any(sign in text for sign in ("http:", "https:", "<script", "src="))


def test_a_file_that_decides_nothing_is_not_shown_as_passed() -> None:
    text = page(replace(GOOD, verdict="Not decided"))
    assert '<strong class="open">Not decided</strong>' in text
    text = page(replace(GOOD, verdict="Recommended, with conditions"))
    assert '<strong class="warn">Recommended, with conditions</strong>' in text

"""Page 1 of the shipped scenarios: short enough to be read whole; contents without dots that are read aloud."""

import html
import re
from pathlib import Path

import pypdf
import pytest

from reports.commands.source import read
from reports.document import build
from reports.html import render_html
from reports.pdf import render_pdf
from reports.plan import plan_of
from reports.prose import verdict_heading
from reports.sections.front_table import side_by_side
from tests.report_documents import document

SCENARIOS = sorted((Path(__file__).parent.parent / "scenarios").glob("**/[!l]*.scn"))
WORDS = 200


def summary(page: str) -> list[str]:
    """The paragraphs of the executive summary, without the table of conditions."""
    own = page[page.index("<h2>Executive summary</h2>") : page.index('id="section-contents"')]
    own = re.sub(r"<table.*?</table>", "", own, flags=re.S)
    paragraphs = re.findall(r"<p\b.*?</p>", own, re.S)
    return [" ".join(html.unescape(re.sub("<[^>]+>", "", p)).split(" ")).strip() for p in paragraphs]


@pytest.mark.slow
@pytest.mark.parametrize("place", [p for p in SCENARIOS if p.parent.name != "library"], ids=lambda p: p.stem)
def test_the_paragraphs_are_under_200_words_together(place: Path) -> None:
    """A quantity with its unit is one word: they are joined by a no-break space."""
    page = render_html(build(read(place).scenario))
    words = sum(len(re.split(r"[ \n]+", p)) for p in summary(page))
    assert 0 < words < WORDS
    conditions = page.partition('id="table-conditions"')[2].partition("</table>")[0]
    assert conditions.count("<tr>") <= 6  # the head and five conditions


def test_a_better_alternative_does_not_hide_the_conditions() -> None:
    verdict = {"word": "met_but_bettered", "better": {"heading": "other costs less"}, "counts": {"warn": 1}}
    assert verdict_heading(verdict, 2, "ok")[1] == "Meets what is required, with two\u00a0conditions; other costs less"
    assert verdict_heading(verdict, 0, "ok")[1] == "Meets what is required; other costs less"


def test_a_comparison_has_its_runs_side_by_side() -> None:
    """The results of the table are those of the points; a document of another kind has no such table."""
    given = build(read(next(p for p in SCENARIOS if p.stem == "mixtral")).scenario)
    table = side_by_side(plan_of(given))
    assert table is not None and [row[0] for row in table.rows] == ["v6e", "h100"] and table.chosen == 0
    points = [e["points"][0]["results"] for e in given["experiments"]]
    for name, place in (("step_time", 1), ("mfu", 2), ("time_to_train", 3), ("memory_per_gpu", 4)):
        assert [row[place] for row in table.rows] == [p[name] for p in points]
    assert "Cost" not in [c.name for c in table.columns]  # neither run has a price
    given["report"]["kind"] = "validation"
    assert side_by_side(plan_of(given)) is None


def test_leader_dots_are_no_text(tmp_path: Path) -> None:
    place = tmp_path / "made.pdf"
    place.write_bytes(render_pdf(document())[0])
    contents = pypdf.PdfReader(place).pages[1].extract_text()
    assert "Contents" in contents and re.search(r"(?m)^Executive summary +1$", contents)
    assert ". ." not in contents and ".." not in contents

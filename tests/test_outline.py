"""Chapters as a report asks for them: chosen and in the order written, and those that no document is without."""

import re
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given as over

from dsl.kind import CHAPTERS
from reports.book import Book, bind
from reports.document import build
from reports.html import screen_page
from reports.outline import chosen
from reports.plan import plan_of
from reports.sections import OUTLINE
from tests.language import START, resolved, scenario_of
from tests.report_documents import document

KEPT = [c.key for c in OUTLINE if c.always]
WORDS = [word for key, words in CHAPTERS.items() if key != "summary" for word in words]


def asking(*sections: str) -> Any:
    made = document()
    return made | {"report": dict(made["report"]) | {"sections": list(sections)}}


def book_of(*sections: str) -> Book:
    return bind(asking(*sections))


def headings(book: Book) -> list[str]:
    return [c.heading for c in book.chapters]


def test_chapters_stand_in_the_order_written() -> None:
    assert headings(book_of("summary", "failures", "cost", "memory", "ledger")) == [
        "1 Requirements and assumptions",
        "2 Failures and checkpoints",
        "3 Cost and power",
        "4 Configuration",
        "5 Limits of this document",
        "Appendix A Operator ledger",
        "Appendix B Inputs not stated in the scenario",
        "Appendix C Method",
        "Appendix D Scenario as given",
        "Glossary",
    ]


def test_an_appendix_asked_for_before_a_chapter_is_one() -> None:
    book = book_of("ledger", "cost")
    assert headings(book)[:3] == ["1 Requirements and assumptions", "2 Operator ledger", "3 Cost and power"]
    assert book.numbers["section", "operator-ledger"] == "section 2"


def test_contents_tables_and_references_follow() -> None:
    book = book_of("cost", "memory")
    html = screen_page(book)
    contents = html[html.index('aria-label="Contents"') : html.index("</nav>")]
    assert contents.index("2 Cost and power") < contents.index("3 Configuration")
    numbers = [int(n) for n in re.findall(r"<caption><b>Table (\d+)\.", html)]
    assert numbers == sorted(numbers) and int(book.numbers["table", "memory"]) > int(book.numbers["table", "cost"])
    assert book.numbers["section", "memory"] == "section 3.1"
    printed = dict(re.findall(r'href="#section-([\w-]+)">((?:section|appendix)\u00a0[\w.]+)<', html))
    assert printed["limits-of-this-document"] == "section\u00a04" and printed["inputs-not-stated"] == "appendix\u00a0A"


def test_the_document_control_says_what_was_asked_and_what_is_always_there() -> None:
    rows = {row[0]: row[1] for t in book_of("cost", "summary").control.tables for row in t.rows}
    assert str(rows["Chapters"]).startswith("Cost and power, as the report asks; Requirements and assumptions, ")
    assert "Chapters" not in {row[0] for t in bind(document()).control.tables for row in t.rows}


@pytest.mark.parametrize("sections", [["summary"], ["cost", "cost", "power"]])
def test_a_chapter_stands_once_and_the_summary_alone_leaves_what_is_kept(sections: list[str]) -> None:
    keys = [c.key for c in chosen(plan_of(asking(*sections)))]
    assert keys == [k for k in (c.key for c in OUTLINE) if k in KEPT or (k == "cost-and-power" and "cost" in sections)]


@over(st.lists(st.sampled_from(WORDS), min_size=1))
def test_whatever_is_asked_is_in_order_and_nothing_kept_is_missing(words: list[str]) -> None:
    found = chosen(plan_of(asking(*words)))
    keys = [c.key for c in found]
    asked = list(dict.fromkeys(key for word in words for key, own in CHAPTERS.items() if word in own))
    assert [k for k in keys if k in asked] == asked
    assert [k for k in keys if k not in asked] == KEPT
    assert keys[0] == KEPT[0] and keys[-1] == KEPT[-1]
    appendix = [c.appendix or not c.numbered for c in found]
    assert appendix == sorted(appendix)


ONE = START + "report { kind = comparison }"
OTHERS = (
    "run other from base { batch = 1024 sequences }",
    "optimize best { base = base, minimize = step_time, vary { layout.tensor = [1, 2] } }",
    "sweep few { base = base, vary { layout.tensor = [1, 2] } }",
)


def test_a_comparison_of_one_run_is_refused_at_its_kind() -> None:
    _, (problem,) = resolved(ONE)
    assert problem.code == "E26" and problem.title == "a comparison needs alternatives, and the file holds none"
    line = ONE.splitlines()[problem.span.line - 1]
    assert line[problem.span.column - 1 :].startswith("comparison") and problem.notes and problem.help


def test_a_mistake_in_the_other_run_is_said_alone() -> None:
    _, problems = resolved(f"{ONE}\nrun other from base {{ batch = 1024 GB }}\n")
    assert problems and not any("alternatives" in p.title for p in problems)


@pytest.mark.parametrize("other", OTHERS)
def test_another_run_or_a_table_is_an_alternative(other: str) -> None:
    assert resolved(f"{ONE}\n{other}\n")[1] == []


def test_a_comparison_begins_with_the_alternatives() -> None:
    made = build(scenario_of(f"{ONE}\n{OTHERS[0]}\ncompare both {{ between = [base, other] }}\n"))
    book = bind(made)
    assert headings(book)[:2] == ["1 Alternatives", "2 Requirements and assumptions"]
    assert book.chapters[0].parts[0].section.key == "compare-both"
    assert any(key.startswith("waterfall/both/") for key in book.chapters[0].parts[0].section.figures)
    assert "<b>Comparison of plans</b>" in screen_page(book)

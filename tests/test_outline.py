"""Chapters as a report asks for them: chosen and in the order written, and those that no document is without."""

import re
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given as over

from dsl.kind import CHAPTERS
from reports.book import Book, bind
from reports.html import screen_page
from reports.outline import chosen
from reports.plan import plan_of
from reports.sections import OUTLINE
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

"""How numbers are written: one setting, for every text that a document has, and for none of its typed numbers."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.kinds import KINDS
from reports.acceptance.sheet import of_csv
from reports.acceptance.sheet import of_document as of_json
from reports.book import bind
from reports.changes import anything, changes
from reports.commands.source import read
from reports.csv_files import csv_text, field
from reports.document import build
from reports.figures import words
from reports.html import screen_page
from reports.locales import LOCALES, NEUTRAL, listed, marks, reworded, written_in
from reports.operations.files import of_document
from reports.prose import joined, sentence
from reports.quantities import Quantity, fixed, plain
from reports.tables import Table
from reports.withheld import without_amounts
from tests.page_text import LISTED, Node, nodes

SCENARIOS = Path(__file__).parents[1] / "scenarios"
WRITTEN = {
    "neutral": ("1\u00a0234.5", "−12\u00a0345\u00a0678"),
    "en": ("1,234.5", "−12,345,678"),
    "de": ("1.234,5", "−12.345.678"),
    "fr": ("1\u00a0234,5", "−12\u00a0345\u00a0678"),
    "de-CH": ("1’234.5", "−12’345’678"),
}


@pytest.mark.parametrize("locale", WRITTEN)
def test_each_locale_has_its_marks_in_text_and_in_figures(locale: str) -> None:
    with written_in(locale):
        shown = fixed(1234.5, 1), fixed(-12345678.0, 0)
        assert shown == (plain(1234.5), plain(-12345678.0)) == WRITTEN[locale]
        assert (words.number(1234.5, 1), words.number(-12345678.0, 0)) == WRITTEN[locale]
        assert words.plain(1234.5, 6) == WRITTEN[locale][0]
        assert Quantity(1234.5, "s", 1).text() == f"{WRITTEN[locale][0]}\u00a0s"
    assert marks() == NEUTRAL


def test_the_setting_offers_the_locales_that_there_are() -> None:
    report = next(kind for kind in KINDS if kind.name == "report")
    (row,) = (row for row in report.settings if row.path == "locale")
    assert row.choices == tuple(LOCALES) and row.default == "neutral"
    assert all(LOCALES[name].point in own and own[0][0] not in own[1] for name, own in (("de", ",."), ("en", ".,")))


def test_zeros_go_only_where_they_are_decimals() -> None:
    with written_in("de"):
        assert [words.plain(v) for v in (1200.0, 100.0, 3.10, 3.0)] == ["1.200", "100", "3,1", "3"]
        assert words.number(3.1e12) == "3,1×10¹²" and plain(3.1e18) == "3,1\u00a0×\u00a010¹⁸"


@given(st.floats(-1e12, 1e12), st.integers(0, 6), st.sampled_from(sorted(LOCALES)))
def test_a_number_in_any_locale_reads_back(value: float, decimals: int, locale: str) -> None:
    with written_in(locale):
        text, (group, point) = fixed(value, decimals), marks()
    read = float(text.replace(group, "").replace(point, ".").replace("−", "-"))
    assert read == float(f"{value:.{decimals}f}")


def test_numbers_of_the_engines_sentences() -> None:
    said = "stage 0 needs 30.0 GiB more: 4_096 GPUs, 1\u00a0920 sequences, 0.28 of llama-3.1-70b 0.1.0"
    said += " (arXiv 2407.21783), section 4.1, table 2.1, library/gpus.scn:41.5, 0.90-0.96, 16Ki, 1_000"
    with written_in("de"):
        found = reworded(said)
    assert found == (
        "stage 0 needs 30,0 GiB more: 4.096 GPUs, 1.920 sequences, 0,28 of llama-3.1-70b 0.1.0"
        " (arXiv 2407.21783), section 4.1, table 2.1, library/gpus.scn:41.5, 0.90-0.96, 16Ki, 1.000"
    )
    assert reworded(said) == said


def test_a_list_of_numbers_says_where_one_ends() -> None:
    with written_in("de"):
        assert joined(["1,5", "2,5", "3"]) == "1,5; 2,5 and 3" and joined(["1", "2", "3"]) == "1, 2 and 3"
        assert listed(["1,5", "2,5"]) == "1,5; 2,5" and sentence("at 4_096 GPUs") == "At 4.096 GPUs."
    with written_in("en"):
        assert listed(["1,024", "2,048"]) == "1,024, 2,048"


@pytest.mark.parametrize("locale", LOCALES)
def test_a_price_is_withheld_however_it_is_written(locale: str) -> None:
    with written_in(locale):
        said = f"it costs {Quantity(1234567.5, '$', 1).text()} and {Quantity(12.34e6, 'M$', 2).text()} for 3 nodes"
    assert without_amounts(said) == "it costs [withheld] and [withheld] for 3 nodes"


def in_locale(stem: str, locale: str, folder: Path) -> Any:
    """The document of a shipped scenario, its report in a locale."""
    text = (SCENARIOS / f"{stem}.scn").read_text("utf-8")
    text, count = re.subn(r"(?m)^report\b[^\n{]*\{", rf"\g<0>\n  locale = {locale}\n", text, count=1)
    place = folder / f"{stem}.scn"
    place.write_text(text if count else f"{text}\nreport {{ locale = {locale} }}\n", "utf-8")
    return build(read(place).scenario)


def typed(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Everything of a document that is no text, by its place."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from typed(value, f"{path}.{key}")
    elif isinstance(node, (list, tuple)):
        for i, value in enumerate(node):
            yield from typed(value, f"{path}[{i}]")
    elif not isinstance(node, str):
        yield path, node


def figures_of(table: Table) -> tuple[str, list[list[str]]]:
    """The numbers of a table as its CSV file has them."""
    return table.key, [[field(cell) for cell in row if not isinstance(cell, str)] for row in table.rows]


def measured(made: Any) -> list[list[tuple[Any, ...]]]:
    """The acceptance sheet as `scn import --against` reads it from the JSON and from the CSV of a document."""
    table = next(table for table in bind(made).tables if table.key == "acceptance")
    read = of_json(made, Path("plan.json"), ""), of_csv(csv_text(table).encode(), Path("acceptance.csv"))
    assert [problems for _, _, problems in read] == [[], []]
    return [[(row["id"], row["expected"], row["threshold"], row["size"]) for row in rows] for rows, _, _ in read]


MARKS = re.compile("[.,;\u00a0\u2019]")
NEUTRAL_ONLY = re.compile(r"(?:\S+[ \u00a0])?(?<![\w.-])(?:\d+\u00a0\d{3}|\d+\.\d{1,2}|\d+\.\d{4,}|0\.\d+)(?![\d.]*\d)")


def left(node: Node, stated: str) -> list[str]:
    """Numbers of a text in neutral marks that nobody wrote so: no listing, no name, citation or number of a section."""
    if node.within(*LISTED) or node.within("a", "h2", "h3"):
        return []
    return [found[0] for found in NEUTRAL_ONLY.finditer(node.text) if found[0] not in stated]


LONG = [pytest.param(stem, marks=pytest.mark.long) for stem in ("search-70b", "team-70b", "moe-18b", "deepseek-v3")]


@pytest.mark.slow
@pytest.mark.parametrize("stem", ["programme", *LONG])
def test_a_whole_report_in_another_locale(stem: str, tmp_path: Path) -> None:
    """The same typed numbers, the same words, and no number in the marks of the other."""
    own, other = in_locale(stem, "neutral", tmp_path), in_locale(stem, "de", tmp_path)
    assert dict(typed(own)) == dict(typed(other)), "typed numbers have no locale"
    assert of_document(own) == of_document(other), "configurations have none either"
    assert not anything(changes(own, other)), "nothing changed"
    if own["report"]["kind"] != "validation":  # which has no sheet to fill in
        assert len(measured(other)[0]) > 10 and measured(own) == measured(other), "a sheet has none"
    books = bind(own), bind(other)
    for tables in zip(*(book.tables for book in books), strict=True):
        assert [figures_of(table) for table in tables[:1]] == [figures_of(table) for table in tables[1:]]
    pages = [nodes(screen_page(book)) for book in books]
    alike = [[MARKS.sub("", n.text) for n in page if not n.within(*LISTED)] for page in pages]
    assert alike[0] == alike[1], "only the marks differ"
    stated = " ".join([own["source"], *sources(own)])
    found = [around for node in pages[1] for around in left(node, stated)]
    assert not found
    assert sum(len(left(node, stated)) for node in pages[0]) > 300, "the test sees neutral numbers where they are"


CITING = ("source", "name", "engine_version", "because", "quote", "title", "left_out", "text")


def sources(node: Any) -> Iterator[str]:
    """What the library, the engine and the scenario cite."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in CITING and isinstance(value, str):
                yield value
            yield from sources(value)
    elif isinstance(node, (list, tuple)):
        for value in node:
            yield from sources(value)

"""Trees in the report: on page 1 of the HTML, as an appendix of both, and how their lines are chosen."""

import re
from functools import cache
from typing import Any

import pytest

from reports.book import bind
from reports.commands.source import read
from reports.document import build
from reports.html import paper_page, screen_page
from reports.origins import counted, fitting, items_of, lines, told
from reports.sections.provenance import LINES
from tests.conftest import ROOT
from tests.report_documents import document as fixture


@cache
def document() -> Any:
    return build(read(ROOT / "scenarios" / "team-70b.scn").scenario)


@cache
def pages() -> tuple[str, str]:
    book = bind(document())
    return screen_page(book), paper_page(book)


def test_each_figure_of_the_summary_opens_its_tree() -> None:
    screen, paper = pages()
    for key, tree in zip(document()["key_numbers"], document()["provenance"], strict=True):
        assert key["name"] == tree["name"]
        assert screen.count(f'<a href="#from-{tree["id"]}">') >= 1
        assert screen.count(f'<div id="from-{tree["id"]}">') == 1
    front = screen[screen.index('class="origins"') : screen.index("Executive summary")]
    assert front.count("<details>") > 200 and "<script" not in front and "onclick" not in front
    assert "<details" not in paper


def test_every_number_is_written_out_once_and_every_link_arrives() -> None:
    screen, _ = pages()
    made = re.findall(r'id="(from-[^"]+)"', screen)
    assert len(made) == len(set(made))
    assert set(re.findall(r'href="#(from-[^"]+)"', screen)) == set(made)  # what nothing leads to needs no name
    trees = document()["provenance"]
    written = re.findall(r"<li(?: id=[^>]+)?>(?:<details><summary>)?<code>[^<]+</code> = <b>", screen)
    assert len(written) + len(trees) == len(items_of(trees))


def test_the_appendix_has_a_table_a_number_and_the_constants() -> None:
    book = bind(document())
    tables = {table.key: table for table in book.tables}
    for key in document()["key_numbers"]:
        assert 2 <= len(tables[f"origin-{key['name']}"].rows) <= LINES
    constants = {str(row[0]): str(row[2]) for row in tables["constants"].rows}
    assert constants["HIDDEN_WEIGHTS"].startswith("engine/kernels.py:")
    rows = tables["origin-cost"].rows
    assert [row[0] for row in rows[:2]] == ["cost", "\u2003\u2003GPUs"] and "M$" in str(rows[0][1])
    assert ("see the table of time to train" in [row[2] for row in rows]) is True


def test_a_document_without_trees_has_no_appendix_of_them() -> None:
    given = fixture() | {"provenance": []}
    book = bind(given)
    assert "where-numbers-come-from" not in [c.chapter.key for c in book.chapters]
    assert 'class="origins"' not in screen_page(book)


def test_levels_are_shown_whole_and_what_is_below_is_counted() -> None:
    (tree,) = [t for t in document()["provenance"] if t["name"] == "memory_per_gpu"]
    items = items_of(document()["provenance"])
    shallow, deep = lines(tree, items, 1), lines(tree, items, 99)
    assert [line.depth for line in shallow] == [0, 1] and shallow[1].hidden > 0
    assert not any(line.hidden for line in deep)
    assert {line.item["id"] for line in deep if line.depth} < {i for i, item in items.items() if item}
    assert len(counted(tree, items)) == len({line.item["id"] for line in deep})
    assert len(fitting(tree, items, 30)) <= 30 < len(deep)


def test_parts_stand_where_they_come_first() -> None:
    leaf = {"id": "n3", "name": "a", "children": [], "formula": ""}
    twice = {"id": "n2", "name": "b", "children": [leaf], "formula": "a"}
    tree = {"id": "n1", "name": "c", "children": [twice, {"name": "d", "see": "n2"}], "formula": "b + d"}
    found = lines(tree, items_of([tree]), 9)
    assert [(line.depth, line.name, line.elsewhere) for line in found] == [
        (0, "c", ""), (1, "b", ""), (2, "a", ""), (1, "d", "see above"),
    ]  # fmt: skip
    known = lines(tree, items_of([tree]), 9, {"n2": "see the table of b", "n1": "see here"})
    assert [line.elsewhere for line in known] == ["", "see the table of b", "see the table of b"]


@pytest.mark.parametrize("name", ["time_to_train", "cost", "memory_per_gpu", "mfu"])
def test_numbers_are_shown_in_their_units(name: str) -> None:
    units = {"time_to_train": "days", "cost": "M$", "memory_per_gpu": "GiB", "mfu": "%"}
    tree = next(t for t in document()["provenance"] if t["name"] == name)
    assert tree["shown"].endswith(f"\u00a0{units[name]}")


def test_one_constant_is_one_constant() -> None:
    assert told(["result", "quantity", "setting", "constant"]) == "2 quantities, 1 setting and 1 constant of the model"
    assert told(["counted"] * 1_200) == "1,200 quantities, 0 settings and 0 constants of the model"

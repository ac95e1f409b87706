"""CSV: one file a table, base units, nothing a spreadsheet would run."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports import book as books
from reports.book import bind
from reports.commands import job
from reports.csv_files import FORMULA, csv_files, csv_text, guarded
from reports.quantities import NBSP, Quantity
from reports.tables import Status, Table, UnitOf, number, text
from tests.report_documents import document, main_point


def read(data: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data, newline="")))


def test_heads_units_and_values() -> None:
    columns = (
        text("Line"),
        number("Oversub\u00adscription"),
        number("Time", "days", 1),
        number("Limit"),
        text("Unit"),
        text("Status"),
    )
    limit = Quantity(80e9, "GB", 0)
    table = Table(
        "t",
        "T",
        columns,
        (("a", 7.0, 86400.0 * 1.25, limit, UnitOf(limit), Status("pass")), ("b", None, None, limit, UnitOf(limit), "")),
    )
    assert read(csv_text(table)) == [
        ["Line", "Oversubscription [1]", "Time [s]", "Limit [B]", "Unit", "Status"],
        ["a", "7", "108000", "80000000000", "B", "pass"],
        ["b", "", "", "80000000000", "B", ""],
    ]


def test_every_table_of_the_book_is_a_file_with_all_its_rows() -> None:
    book = bind(document())
    files = csv_files(book.tables)
    assert list(files) == [f"{t.key}.csv" for t in book.tables]
    for table in book.tables:
        rows = read(files[f"{table.key}.csv"])
        assert len(rows) == len(table.rows) + 1
        assert {len(row) for row in rows} == {len(table.columns) + len(table.beside)}


def test_tables_alone_draw_no_figure_and_write_no_json(monkeypatch: pytest.MonkeyPatch) -> None:
    made = document()
    whole = job.printed("plan", ("html", "csv"), made, {}).contents
    asked: list[str] = []

    def noted(given: object) -> str:
        asked.append("json")
        return ""

    monkeypatch.setattr(books, "picture_of", lambda plan, key: asked.append(key))
    monkeypatch.setattr(job, "as_json", noted)
    alone = job.printed("plan", ("csv",), made, {}).contents
    assert not asked and alone == {name: data for name, data in whole.items() if name.suffix != ".html"}
    job.printed("plan", ("html",), made, {})
    assert "memory" in asked and "json" not in asked


def test_the_ledger_adds_up_in_seconds() -> None:
    given = document()
    rows = read(csv_files(bind(given).tables)["ledger.csv"])
    at = rows[0].index("Exposed [s]")
    seconds = [float(row[at]) for row in rows[1:]]
    assert abs(sum(seconds[:-1]) - seconds[-1]) < 1e-9 * seconds[-1]
    assert abs(seconds[-1] - main_point(given)["results"]["step_time"]) < 1e-6 * seconds[-1]


def test_numbers_have_no_dress() -> None:
    for data in csv_files(bind(document()).tables).values():
        for row in read(data)[1:]:
            assert all(NBSP not in cell or not cell.replace(NBSP, "").isdigit() for cell in row)
            assert all(cell != "–" for cell in row)


@given(st.text())
def test_no_text_is_a_formula(value: str) -> None:
    assert not guarded(value).startswith(FORMULA)


def test_a_formula_in_the_scenario_is_disarmed() -> None:
    given = document()
    given["report"]["conditions"] = [
        {"title": '=HYPERLINK("http://a")', "owner": "@x", "due": "2026-12-18", "effect": "-1", "check": "+2"}
    ]
    assert read(csv_files(bind(given).tables)["conditions.csv"])[1] == [
        "1",
        '\'=HYPERLINK("http://a")',
        "'@x",
        "2026-12-18",
        "'+2",
        "'-1",
    ]

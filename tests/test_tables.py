"""Tables: what a cell prints, which rows are printed."""

from hypothesis import given
from hypothesis import strategies as st

from reports.quantities import MISSING, NBSP, Quantity
from reports.tables import NO_UNIT, ROWS_SHOWN, Status, Table, UnitOf, number, share, text, total


def test_cells() -> None:
    days = number("Time", "days", 1)
    assert days.show(86400.0 * 45.64) == "45.6"
    assert days.show(None) == MISSING
    assert days.show("not included") == "not included"
    assert number("Limit").show(Quantity(80e9, "GB", 0)) == "80"
    assert text("Unit").show(UnitOf(Quantity(80e9, "GB"))) == "GB"
    assert text("Unit").show(UnitOf(Quantity(3.0))) == NO_UNIT
    assert text("Status").show(Status("warn")) == "Warn"
    assert text("Owner").show("") == MISSING


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=20))
def test_a_column_has_the_same_decimals_all_the_way_down(values: list[float]) -> None:
    table = Table("t", "T", (text("a"), number("b", "ms", 2)), tuple(("x", v) for v in values))
    assert {len(row[1][0].partition(".")[2]) for row in table.cells()} == {2}


def long_table(rows: int, totals: int = 0) -> Table:
    body = tuple((str(i), float(i)) for i in range(rows))
    return Table("t", "T", (text("a"), number("b", decimals=0)), body + (("Total", 1.0),) * totals, totals=totals)


def test_at_most_two_hundred_rows_are_printed_and_the_total_is_one_of_them() -> None:
    table = long_table(500, totals=1)
    assert len(table.shown) == ROWS_SHOWN and table.left_out == 301
    assert table.shown[-1] == ("Total", 1.0) and table.shown[-2] == ("198", 198.0)
    assert long_table(200).left_out == 0


def test_tables_of_up_to_fourteen_rows_do_not_break() -> None:
    assert not long_table(14).long
    assert long_table(15).long


def test_width_is_stated_where_every_column_states_one() -> None:
    assert Table("t", "T", (text("a", 20), number("b", width=30)), ()).width == 50
    assert Table("t", "T", (text("a"), number("b", width=30)), ()).width is None


def test_sums_and_shares_of_what_is_there() -> None:
    assert total([1.0, None, 2.0]) == 3.0
    assert total([None]) is None
    assert share(1.0, 4.0) == 0.25
    assert share(None, 4.0) is None and share(1.0, 0.0) is None


def test_thousands_in_a_cell_do_not_break() -> None:
    assert number("n", decimals=0).show(16384.0) == f"16{NBSP}384"


def test_a_total_that_rounding_parts_from_its_rows_is_said() -> None:
    def table(*values: float) -> Table:
        rows = tuple((f"r{i}", v) for i, v in enumerate(values))
        return Table("t", "T", (text("Row"), number("Days", "days", 1)), rows, totals=1)

    day = 86400.0
    assert table(0.14 * day, 0.14 * day, 0.28 * day).rounded  # 0.1 + 0.1 and 0.3
    assert not table(0.1 * day, 0.2 * day, 0.3 * day).rounded
    assert not table(1 * day, 2 * day, 7 * day).rounded  # no sum at all

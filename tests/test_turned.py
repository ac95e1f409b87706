"""Tables of many runs: a row each run, with names, units and values where they were columns."""

import pytest

from reports.quantities import Quantity
from reports.tables import Cell, Column, Status, Table, UnitOf, number, text
from reports.turned import MANY, MOST, turned


def side_by_side(runs: int, results: int = 2) -> Table:
    """A table with a column each run: its value is the run's number, of the k-th result 1000 k more."""
    rows: list[tuple[Cell, ...]] = []
    for k in range(results):
        own = [Quantity(1000.0 * k + i, "GiB" if k else "s", 1) for i in range(runs)]
        rows.append((f"result {k}", UnitOf(own[0]), *own, "best"))
    columns = (text("Result"), text("Unit"), *(number(f"run {i}") for i in range(runs)), text("Best"))
    return Table("t", "T", columns, tuple(rows), wide=True)


def test_few_runs_stay_side_by_side() -> None:
    table = side_by_side(MANY)
    assert turned(table, MANY, 2) is table


@pytest.mark.parametrize("runs", [MANY + 1, 200, 1000])
def test_many_runs_have_a_row_each(runs: int) -> None:
    made = turned(side_by_side(runs), runs, 2)
    assert [(c.name, c.unit) for c in made.columns] == [("Run", ""), ("result 0", "s"), ("result 1", "GiB")]
    assert len(made.rows) == runs and made.rows[3] == ("run 3", Quantity(3.0, "s", 1), Quantity(1003.0, "GiB", 1))
    assert made.left_out == max(0, runs - 200) and not made.landscape


def test_a_table_wider_than_a_page_is_turned_aside_and_says_what_it_leaves_out() -> None:
    made = turned(side_by_side(8, results=MOST + 3), 8, 2)
    assert made.landscape and len(made.columns) == MOST + 1 and "3 more of each are in the JSON" in made.more


def test_verdicts_and_texts_keep_their_kind() -> None:
    runs = MANY + 1
    columns = (text("What"), *(Column(f"r{i}", "text") for i in range(runs)))
    rows: tuple[tuple[Cell, ...], ...] = (("holds", *(Status("pass"),) * runs), ("setting", *("bf16",) * runs),
                                         ("gap", *(1.0,) * runs))  # fmt: skip
    made = turned(Table("t", "T", columns, rows), runs, 1)
    assert [c.kind for c in made.columns] == ["text", "status", "text", "number"]

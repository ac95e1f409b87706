"""The shipped search: its best point is that of a plain loop over a part of its space, one point at a time."""

import re
from pathlib import Path

import pytest

from dsl.scenario import Table
from reports.commands.source import read
from reports.document import TABLES
from reports.experiments.evaluation import run
from reports.experiments.parts import one

SHIPPED = Path(__file__).resolve().parents[1] / "scenarios" / "search-70b.scn"
FEWER = {
    "cluster.nodes": "[96, 128, 192]",
    "batch": "[960, 1920] sequences",
    "layout.tensor": "[1, 2, 4, 8]",
    "layout.context": "[2]",
    "layout.pipeline": "[1, 2, 4, 8]",
    "layout.micro_batch": "[1, 2] sequences",
    "layout.recompute": "[none, selective, full]",
    "layout.shard": "[zero1, zero3]",
    "layout.schedule": "[one_f_one_b, zero_bubble]",
}


def smaller(folder: Path) -> Table:
    """The search over fewer values of each setting."""
    text = SHIPPED.read_text("utf-8")
    for path, values in FEWER.items():
        text, count = re.subn(rf"(?m)^(    {re.escape(path)} +=).*$", rf"\1 {values}", text)
        assert count == 1, path
    place = folder / "smaller.scn"
    place.write_text(text, "utf-8")
    (table,) = read(place).scenario.tables
    return table


def test_it_varies_over_more_than_a_million_points() -> None:
    source = read(SHIPPED)
    (table,) = source.scenario.tables
    assert not source.problems and table.space is not None
    count = 1
    for dimension in table.space().dimensions:
        count *= len(dimension.steps)
    assert count > 1_000_000


@pytest.mark.slow
def test_the_best_point_is_that_of_a_plain_loop(tmp_path: Path) -> None:
    table = smaller(tmp_path)
    assert table.space is not None and table.base is not None
    space = table.space()
    best: tuple[float, float, float, int] | None = None
    count = 2 * 3 * 2 * 4 * 4 * 2 * 3 * 2 * 2
    for index in range(count):
        settings = one(space, index).settings
        if any(rule.holds(settings) is False for rule in table.wheres):
            continue
        result = run(table.base, settings)
        if result.status != "ok" or result.columns["memory_headroom"][0] < 0:
            continue
        values = settings | {name: float(column[0]) for name, column in result.columns.items()}
        if all(rule.holds(values) is not False for rule in table.requires):
            key = (values["cost"], values["time_to_train"], settings["cluster.gpus"], index)
            best = key if best is None else min(best, key)
    found = TABLES["optimize"](table)
    assert best is not None and found["best"][0] == best[-1] and found["counts"]["points"] == count == 4608
    assert found["winner"]["index"] == best[-1]

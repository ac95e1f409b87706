"""Traffic by axis: what the step waits for is all there, whatever the axes of a layout."""

from pathlib import Path

import pytest

from reports.book import bind
from reports.commands.source import read
from reports.document import build
from reports.figures import step_time, traffic_by_tier
from reports.figures.step_time import KINDS
from reports.plan import Json


@pytest.fixture(scope="module")
def maverick() -> Json:
    source = read(Path(__file__).parents[1] / "scenarios" / "llama-4-maverick.scn")
    return build(source.scenario)


def test_rows_add_up_to_the_exposed_communication(maverick: Json) -> None:
    """Maverick on H100 splits an expert over four ranks: 0.166 s of a step waits on that axis."""
    for run in maverick["experiments"]:
        point = run["points"][0]
        exposed = {row["axis"]: row["exposed"] for row in point["traffic"]}
        assert sum(exposed.values()) == pytest.approx(point["results"]["exposed_communication"], rel=1e-9)
        within = exposed["expert"] + exposed["expert_tensor"]
        assert within == pytest.approx(point["results"]["expert_communication"], rel=1e-9)
    by_name = {run["name"]: {r["axis"]: r for r in run["points"][0]["traffic"]} for run in maverick["experiments"]}
    assert by_name["h100"]["expert_tensor"]["exposed"] == pytest.approx(0.166, rel=0.2)
    assert by_name["h100"]["expert_tensor"]["size"] == 4 and by_name["gb200"]["expert_tensor"]["exposed"] == 0


def test_figures_and_tables_name_the_ranks_of_an_expert(maverick: Json) -> None:
    point = maverick["experiments"][0]["points"][0]
    sent = traffic_by_tier.from_point(point)
    assert sent is not None and "ETP 4, all-gather, reduce-scatter" in [row.name for row in sent.rows]
    drawn, results = step_time.from_point(point), point["results"]
    assert drawn is not None and drawn.inner == "TP, EP, ETP"
    inner, outer = (drawn.rows[0].seconds[list(KINDS).index(kind)] for kind in ("inner", "outer"))
    assert inner == pytest.approx(results["tensor_communication"] + results["expert_communication"], rel=1e-9)
    assert outer == pytest.approx(results["data_communication"] + results["pipeline_communication"], rel=1e-9)
    tables = {t.key: t for t in bind(maverick).tables}
    axes = {row[0]: row for row in tables["axes"].rows}
    assert axes["expert tensor"][1] == 4 and axes["expert tensor"][5] == "node"
    assert "expert tensor" in {row[8] for row in tables["ledger"].rows}

"""Figures of tables of points: on tables the engine evaluated, and on odd data; nothing overlaps, nothing is cut."""

from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from reports import figures, style
from reports.figures import chart, heatmap, lines
from tests.experiment_documents import experiment
from tests.experiment_samples import DATA
from tests.test_figures import whole


@pytest.mark.parametrize("name", figures.OF_TABLES)
def test_figure_of_odd_data(name: str) -> None:
    draw = import_module(f"reports.figures.{name}").draw

    @settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(DATA[name])
    def holds(data: Any) -> None:
        whole(draw(data))

    holds()


@pytest.mark.parametrize("name", figures.OF_TABLES)
def test_figure_of_an_empty_table_is_left_out(name: str) -> None:
    empty = {"kind": "sweep", "name": "a", "axes": [], "columns": [], "points": [], "charts": [], "requires": []}
    assert figures.of_experiment(name, empty) is None


def test_heatmap_shows_value_second_value_and_reason() -> None:
    table = experiment("layouts")
    data = heatmap.from_experiment(table)
    assert data is not None
    cells = {(r, c): data.grids[0].rows[i][j] for i, r in enumerate(data.rows) for j, c in enumerate(data.columns)}
    best = max((p for p in table["points"] if p["status"] == "ok"), key=lambda p: float(p["results"]["mfu"]))
    own = cells[f"{best['settings']['layout.tensor']:.0f}", f"{best['settings']['layout.pipeline']:.0f}"]
    assert own.text == f"{100 * best['results']['mfu']:.1f}"
    assert own.second == f"{best['results']['time_to_train'] / 86400:.0f}"
    assert own.chosen == all(best["verdicts"])
    worst = next(p for p in table["points"] if p["status"] == "does_not_fit")
    where = f"{worst['settings']['layout.tensor']:.0f}", f"{worst['settings']['layout.pipeline']:.0f}"
    assert cells[where].infeasible and cells[where].reason == worst["reason"]
    picture = heatmap.draw(data)
    whole(picture)
    assert picture.width_mm == style.HALF
    assert own.text in picture.alt and worst["reason"] in [b.text for b in picture.texts]


def test_heatmap_makes_a_panel_of_each_facet() -> None:
    data = heatmap.from_experiment(experiment("batches"))
    assert data is not None
    assert [g.name for g in data.grids] == ["Pipeline stages 4", "Pipeline stages 8", "Pipeline stages 16"]
    assert all(c.infeasible for row in data.grids[2].rows for c in row)
    picture = heatmap.draw(data)
    whole(picture)
    assert picture.width_mm == style.FULL


def test_lines_have_gaps_where_nothing_is_feasible() -> None:
    table = experiment("batches")
    data = lines.from_experiment(table, 1)
    assert data is not None
    drawn = {line.name: line for line in data.panels[0][1]}
    assert [s.x for s in drawn["Micro-batch 1"].spots] == [512.0, 1024.0, 2048.0, 4096.0, 8192.0]
    assert {s.y for s in drawn["Micro-batch 8"].spots} == {None}
    own = [p for p in table["points"] if p["settings"] | {"layout.micro_batch": 1.0, "batch": 512.0} == p["settings"]]
    least = min(float(p["results"]["bubble"]) for p in own if p["status"] == "ok")
    assert drawn["Micro-batch 1"].spots[0].y == pytest.approx(100 * least)
    whole(lines.draw(data))


def test_lines_set_measured_values_and_intervals_beside_predictions() -> None:
    table = experiment("batches")
    one = next(p for p in table["points"] if p["status"] == "ok")
    one["measured"] = {"mfu": 0.3}
    one["interval"] = {"mfu": [0.25, 0.35]}
    data = lines.from_experiment(table, 2)
    assert data is not None
    spots = [s for _, drawn in data.panels for line in drawn for s in line.spots]
    assert [s.measured for s in spots if s.measured] == pytest.approx([30.0])
    assert [(s.low, s.high) for s in spots if s.low] == [pytest.approx((25.0, 35.0))]
    texts = [b.text for b in lines.draw(data).texts]
    assert {"measured", "interval, four in five", "infeasible"} <= set(texts)


def test_a_table_without_a_chart_gets_one_from_its_axes() -> None:
    table = experiment("layouts") | {"charts": []}
    (made,) = chart.charts_of(table)
    assert (made["kind"], made["x"]["text"], made["y"]["text"]) == ("heatmap", "layout.tensor", "layout.pipeline")
    assert made["color"]["values"] == [p["shown"][0] for p in table["points"]]

"""Figures of tables of points: on tables the engine evaluated, and on odd data; nothing overlaps, nothing is cut."""


import pytest

from reports import figures, style
from reports.figures import (
    chart,
    columns,
    distribution,
    front,
    heatmap,
    lines,
    measured,
    removed,
    scaling,
    scatter,
    tornado,
)
from reports.figures.chart import Chart, Measure
from tests.experiment_documents import experiment, point
from tests.experiment_samples import DATA
from tests.test_figures import holds_whatever_the_data, whole


@pytest.mark.parametrize("name", figures.OF_TABLES)
def test_figure_of_odd_data(name: str) -> None:
    holds_whatever_the_data(name, DATA[name])


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


def test_front_fills_the_frontier_and_names_the_winner() -> None:
    table = experiment("cheapest")
    data = front.from_experiment(table)
    assert data is not None
    on = sorted((o for o in data.options if o.front), key=lambda o: o.days)
    assert [o.cost for o in on] == sorted((o.cost for o in on), reverse=True)
    assert len(on) == len(table["front"])
    winner = point(table, table["best"][0])["results"]
    (chosen,) = (o for o in data.options if o.chosen)
    assert (chosen.days, chosen.cost) == (winner["time_to_train"] / 86400, winner["cost"] / 1e6)
    assert (data.deadline, data.budget, data.money) == (150, 12, "M$")
    texts = [b.text for b in front.draw(data).texts]
    assert chosen.name in texts and "after the 150-day deadline" in texts and "over 12 M$" in texts


def test_points_held_in_brief_have_their_hardware_and_are_drawn_evenly() -> None:
    """A search over two clusters: the second's points are not drawn as the first's, nor left out for coming later."""
    named = [{"index": i, "status": "ok", "settings": {"cluster": kind}, "verdicts": [],
              "results": {"time_to_train": days * 86400.0, "cost": cost * 1e6}}
             for i, kind, days, cost in ((0, "hopper", 10.0, 20.0), (1, "blackwell", 30.0, 10.0))]  # fmt: skip
    brief = [(i, "hopper" if i < 602 else "blackwell", 40.0 + i / 100, 12.0 + i / 500, True) for i in range(2, 1202)]
    brief += [(1202, "blackwell", 70.0, 19.0, True), (1203, "hopper", 20.0, 50.0, True)]
    cloud = {"index": [b[0] for b in brief], "kind": [b[1] for b in brief], "met": [b[4] for b in brief],
             "time_to_train": [b[2] * 86400 for b in brief], "cost": [b[3] * 1e6 for b in brief]}  # fmt: skip
    table = {"points": named, "front": [0, 1], "best": [1], "requires": [], "cloud": cloud,
             "counts": {"met": 90_000, "failed": 10_000}}  # fmt: skip
    data = front.from_experiment(table)
    assert data is not None and data.series == ("hopper", "blackwell") and len(data.options) == front.MOST
    others = [o for o in data.options if not o.front]
    assert abs(sum(o.series == 0 for o in others) - len(others) / 2) <= 2
    texts = [b.text for b in front.draw(data).texts]
    assert "Shown: 300 of 100\u00a0000 points, up to 1.8 × frontier or limit." in texts


def test_the_frontier_is_found_where_the_table_states_none() -> None:
    table = experiment("cheapest")
    assert front.frontier([p for p in table["points"] if p["status"] == "ok"]) == set(table["front"])


def test_rules_and_what_is_left() -> None:
    data = removed.from_experiment(experiment("cheapest"))
    assert data is not None
    assert data.left == 23 and data.points == 135
    texts = [b.text for b in removed.draw(data).texts]
    assert {"time_to_train <= 150 days", "23, 17.0\u00a0%", "left"} <= set(texts)


def test_scaling_is_drawn_against_gpus_with_a_ring_around_the_plan() -> None:
    table = experiment("growing")
    data = scaling.from_experiment(table)
    assert data is not None
    assert [c.name for c in data.curves] == ["operator model", "reduced model"]
    assert [p[0] for p in data.curves[0].points] == [256, 512, 1024, 2048, 4096, 8192, 16384]
    assert [p[0] for p in data.curves[1].points] == [256, 512, 1024, 2048, 4096, 8192, 16384]
    assert data.plan is not None and data.plan[0] == 1024
    assert data.plan[1] == pytest.approx(100 * table["base_results"]["mfu"])
    both = zip(data.curves[0].points, data.curves[1].points, strict=True)
    assert all(b[1] < a[1] for a, b in both if a[1] is not None and b[1] is not None)
    picture = scaling.draw(data)
    whole(picture)
    assert {"1\u00a0024", "infeasible", f"plan {data.plan[1]:.1f} %"} <= {b.text for b in picture.texts}


def test_tokens_a_second_stand_beside_growth_in_proportion() -> None:
    data = scaling.from_experiment(experiment("growing"), 1)
    assert data is not None and data.ideal and data.unit == "M tokens/s"
    assert "in proportion to the GPUs" in [b.text for b in scaling.draw(data).texts]


def test_tornado_sorts_by_swing_and_puts_the_favorable_end_first() -> None:
    table = experiment("ranges")
    assert tornado.metrics(table) == ["cost", "time_to_train"]
    data = tornado.from_experiment(table)
    assert data is not None
    assert [s.name for s in data.swings[:2]] == ["Price of a GPU-hour", "Tokens"]
    low = next(r for r in table["tornado"] if r["path"] == "cluster.price")["low"]
    assert data.swings[0].favorable == low["results"]["cost"] / 1e6
    assert data.swings[0].range == "1.6\u00a0$/GPU-h – 3.2\u00a0$/GPU-h"
    assert data.base == table["base_results"]["cost"] / 1e6
    picture = tornado.draw(data)
    whole(picture)
    sign = tornado.difference(data, data.swings[0].adverse)
    assert sign.startswith("+") and sign in [b.text for b in picture.texts]


def test_at_most_ten_inputs_are_drawn() -> None:
    swings = tuple(tornado.Swing(f"input {i}", "1 – 2", 9.0 - i / 99, 11.0) for i in range(14))
    texts = [b.text for b in tornado.draw(tornado.TornadoData("Cost", "M$", 10.0, swings)).texts]
    assert sum(t.startswith("input ") for t in texts) == 10
    assert "Shown: 10 of 14 inputs, those with the largest swing." in texts


def test_distribution_adds_up_and_shows_the_limit() -> None:
    table = experiment("ranges")
    data = distribution.from_experiment(table)
    assert data is not None and data.title == "Time to train"
    assert sum(data.shares) == pytest.approx(1) and data.limit == pytest.approx(200)
    assert [p for p, _ in data.percentiles] == ["P10", "P50", "P90"]
    texts = [b.text for b in distribution.draw(data).texts]
    assert "limit 200" in texts and any(t.startswith("P50 ") for t in texts)


def test_bars_say_the_reason_of_an_infeasible_point() -> None:
    data = columns.from_experiment(experiment("batches"), 3)
    assert data is not None
    texts = [b.text for b in columns.draw(data).texts]
    assert "Tokens per second (k tokens/s)" in texts
    assert [b.reason for b in data.bars if b.group == "8"] == ["112 GiB", "115 GiB", "120 GiB"]


def test_scatter_is_hollow_where_a_requirement_fails() -> None:
    table = experiment("batches")
    data = scatter.from_experiment(table, 4)
    assert data is not None
    assert len(data.marks) == sum(p["status"] == "ok" for p in table["points"])
    assert sum(m.met for m in data.marks) == sum(p["status"] == "ok" and all(p["verdicts"]) for p in table["points"])
    assert "a requirement fails" in [b.text for b in scatter.draw(data).texts]


def test_a_cell_takes_the_best_of_the_points_that_fall_on_it() -> None:
    made = chart.measure({"text": "cost", "unit": "$", "values": [3e6, 1e6, 2e6]})
    assert made.unit == "M$" and made.values == (3.0, 1.0, 2.0) and made.better(1.0, 2.0)
    assert chart.measure({"text": "mfu", "unit": "%", "values": [0.4]}).better(2.0, 1.0)


def test_a_place_of_several_points_is_said_to_show_the_best_of_them() -> None:
    points = tuple({"status": "ok"} for _ in range(4))

    def axis(name: str, *values: float) -> Measure:
        return Measure(name, name, "", values)

    best = "Shown: the best of the points that share a place."
    over = Chart("line", {"x": axis("gpus", 8.0, 8.0, 16.0, 16.0), "y": axis("cost", 3.0, 2.0, 4.0, 5.0)}, points)
    assert over.shared("x", "series", "facet") == best
    told = Chart("line", {**over.axes, "series": axis("nodes", 1.0, 2.0, 1.0, 2.0)}, points)
    assert told.shared("x", "series", "facet") == "" and told.shared("x") == best


def test_a_bar_that_is_cut_is_marked_and_said() -> None:
    rows = [measured.MeasuredRow("mfu", "41 %", "38 %", d) for d in (0.08, 2.0)]
    assert "cut" not in measured.draw(measured.MeasuredData(tuple(rows))).alt
    picture = measured.draw(measured.MeasuredData((*rows, measured.MeasuredRow("cost", "9 $", "2 $", 3.5))))
    whole(picture)
    assert "Bars beyond 200 % are cut." in [b.text for b in picture.texts]

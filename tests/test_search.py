"""`optimize`: the best points, the front, what is removed, near misses, and why the winner wins."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.scenario import Table
from reports.experiments import evaluation
from reports.experiments.parts import one
from reports.experiments.search import Front, Ranked, evaluate_search
from tests.point_tables import loaded

SPACE = """
optimize best {
 base = dense
 vary {
  layout.tensor = [2, 4, 8], layout.pipeline = [1, 2, 4, 8], layout.micro_batch = [1, 2] sequences
  layout.recompute = [none, selective, full], cluster.nodes = [64, 96, 128]
  layout.schedule = [one_f_one_b, zero_bubble]
 }
 where layout.tensor * layout.pipeline >= 8
 require time_to_train <= 200 days because "the date"
 minimize = cost
 then_by = [time_to_train]
 keep = 5
}
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    (found,) = loaded(tmp_path_factory.mktemp("search"), SPACE)
    return found


@pytest.fixture(scope="module")
def found(table: Table) -> dict[str, Any]:
    return evaluate_search(table)


def every(table: Table) -> list[tuple[int, evaluation.Found]]:
    """Every point one by one, in the plainest way."""
    assert table.space is not None
    space = table.space()
    count = int(np.prod([len(d.steps) for d in space.dimensions]))
    return [(i, evaluation.evaluated(table, one(space, i))) for i in range(count)]


@pytest.mark.slow
def test_the_best_points_are_those_of_a_loop_over_all(table: Table, found: dict[str, Any]) -> None:
    points = [(i, f) for i, f in every(table) if f.size]
    met = [(i, f) for i, f in points if f.status[0] == evaluation.OK and (f.verdicts != evaluation.FAILS).all()]
    order = sorted((f.results["cost"][0], f.results["time_to_train"][0], f.settings["cluster.gpus"], i) for i, f in met)
    assert found["best"] == [row[-1] for row in order[:5]] and len(order) > 5
    both = [(f.results["cost"][0], f.results["time_to_train"][0], i) for i, f in met]
    front = [i for cost, days, i in both if not any(c <= cost and d <= days and (c, d) != (cost, days)
                                                    for c, d, _ in both)]  # fmt: skip
    assert sorted(found["front"]) == sorted(front)
    counts = found["counts"]
    assert counts["points"] == 3 * 4 * 2 * 3 * 3 * 2 and counts["met"] == len(met)
    assert counts["dropped"] == counts["points"] - len(points)
    assert sum(counts[k] for k in ("dropped", "cannot_be_built", "does_not_fit", "failed", "met")) == counts["points"]


def test_near_misses_say_what_would_admit_them(found: dict[str, Any]) -> None:
    near = {r["kind"]: r for r in found["removed"] if r["index"] is not None}
    deadline = next(r for r in found["nearest"] if r["require"] == "time_to_train <= 200 days")
    assert 0 < deadline["gap"] < 1 and "the limit is 200" in deadline["needs"]
    assert near["where"]["needs"] == "layout.tensor * layout.pipeline is 4 there; the limit is 8"
    assert near["memory"]["needs"].endswith("GiB too much")
    removed = {r["rule"]: r["points"] for r in found["removed"] if r["kind"] == "layout"}
    assert removed["a batch of whole micro-batches on every data rank"] > 0
    json.dumps(found, allow_nan=False)


def test_the_winner_breaks_even_where_it_says(table: Table, found: dict[str, Any]) -> None:
    winner = found["winner"]
    by_index = {p["index"]: p for p in found["points"]}
    best, other = (by_index[i]["results"] for i in found["best"][:2])
    rows = {row["name"]: row for row in winner["margins"][0]["rows"]}
    assert rows["cost"]["difference"] == pytest.approx(best["cost"] - other["cost"]) and rows["cost"]["difference"] < 0
    assert table.base is not None and table.space is not None
    settings = one(table.space(), found["best"][0]).settings
    price, duration, utilization = (row["value"] for row in winner["break_even"])
    dearer = evaluation.run(table.base, settings | {"cluster.price": price}).columns["cost"][0]
    assert dearer == pytest.approx(other["cost"], rel=1e-9)
    longer = settings | {"tokens": settings["tokens"] * duration / best["time_to_train"]}
    assert evaluation.run(table.base, longer).columns["cost"][0] == pytest.approx(other["cost"], rel=1e-9)
    assert utilization == pytest.approx(best["mfu"] * best["time_to_train"] / duration)


def test_without_vary_the_whole_space_of_layouts_is_searched(tmp_path: Path) -> None:
    text = "optimize dense-all {\n base = dense, minimize = step_time\n}\n"
    text += "optimize mixture-all {\n base = mixture, minimize = step_time\n}\n"
    dense, mixture = loaded(tmp_path, text)
    assert {a.path: len(a.values) for a in dense.axes} == {
        "layout.tensor": 4, "layout.pipeline": 5, "layout.context": 4, "layout.micro_batch": 3, "layout.recompute": 3,
        "layout.shard": 3, "layout.schedule": 5}  # fmt: skip
    assert [a.path for a in mixture.axes][3:5] == ["layout.expert", "layout.expert_tensor"]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(1, 3)), min_size=1, max_size=60),
       st.integers(1, 7), st.integers(1, 20))  # fmt: skip
def test_ranks_and_the_front_do_not_depend_on_how_points_arrive(
    points: list[tuple[int, int, int]], most: int, size: int
) -> None:
    rows = np.array([(*p, i) for i, p in enumerate(points)], dtype=np.float64).T
    ranked, front = Ranked(most), Front()
    for start in reversed(range(0, rows.shape[1], size)):
        ranked.add(rows[:, start : start + size])
        front.add(rows[:, start : start + size])
    order = sorted(range(len(points)), key=lambda i: (*points[i], i))
    assert ranked.index == order[:most]
    beaten = {i for i, p in enumerate(points) for q in points if q[0] <= p[0] and q[1] <= p[1] and q[:2] != p[:2]}
    assert {points[i][:2] for i in front.index} == {points[i][:2] for i in range(len(points)) if i not in beaten}
    assert len({points[i][:2] for i in front.index}) == len(front.index)

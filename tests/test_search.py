"""`optimize`: the best points, the front, what is removed, near misses, and why the winner wins."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.dropped import dropped
from dsl.scenario import Table
from dsl.space import Space
from reports.experiments import evaluation
from reports.experiments.parts import one
from reports.experiments.search import CLOUD, Front, Ranked, cloud_of, evaluate_search, thinner
from reports.experiments.table import memory_needs
from reports.quantities import NBSP as NB
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
    assert all(r["nearest"]["cluster.gpus"] == 8 * r["nearest"]["cluster.nodes"] for r in near.values())
    removed = {r["rule"]: r["points"] for r in found["removed"] if r["kind"] == "layout"}
    assert removed["a batch of whole micro-batches on every data rank"] > 0
    json.dumps(found, allow_nan=False)


def test_the_margins_of_the_winner_are_those_to_the_next(found: dict[str, Any]) -> None:
    by_index = {p["index"]: p for p in found["points"]}
    best, other = (by_index[i]["results"] for i in found["best"][:2])
    rows = {row["name"]: row for row in found["winner"]["margins"][0]["rows"]}
    assert rows["cost"]["difference"] == pytest.approx(best["cost"] - other["cost"]) and rows["cost"]["difference"] < 0


def test_points_that_rent_the_same_gpus_at_one_price_never_break_even(found: dict[str, Any]) -> None:
    assert len(found["best"]) > 1 and found["winner"]["rival"] is None and found["winner"]["break_even"] == []


MARKETS = """
optimize market {
 base = dense
 vary { cluster = [hopper, blackwell], layout.micro_batch = [1, 2] sequences, cluster.nodes = [64, 128] }
 minimize = cost
}
"""


def test_the_winner_breaks_even_with_the_best_of_another_market(tmp_path: Path) -> None:
    (table,) = loaded(tmp_path, MARKETS)
    own = evaluate_search(table)
    assert table.base is not None and table.space is not None
    by_index = {p["index"]: p for p in own["points"]}
    ranked = [by_index[i] for i in own["best"]]
    rival = next(p for p in ranked if p["settings"]["cluster"] != ranked[0]["settings"]["cluster"])
    assert own["winner"]["rival"] == rival["index"] and rival is not ranked[1]
    best, other = ranked[0]["results"], rival["results"]
    price, duration, utilization = own["winner"]["break_even"]
    # By hand: rent and energy are all that costs, and only the rent moves with the price of a GPU-hour.
    settings = one(table.space(), ranked[0]["index"]).settings
    rent, gpu_hours = settings["cluster.price"], best["gpu_hours"]  # usd and GPU-seconds, in base units
    assert price["value"] == pytest.approx(rent + (other["cost"] - best["cost"]) / gpu_hours)
    assert duration["value"] == pytest.approx(best["time_to_train"] * other["cost"] / best["cost"], rel=1e-3)
    assert utilization["value"] == pytest.approx(best["mfu"] * best["cost"] / other["cost"], rel=1e-3)
    # At that price the winner costs what its rival does, which has the price that it had.
    dearer = evaluation.run(table.base, settings | {"cluster.price": price["value"]}).columns["cost"][0]
    assert dearer == pytest.approx(other["cost"], rel=1e-9)
    market = {"hopper": "h100-sxm at 2.10", "blackwell": "b200 at 3.90"}[rival["settings"]["cluster"]]
    assert all(f"less than the best on {market}\u00a0$/GPU-h until" in row["sentence"] for row in (price, duration))


def test_the_same_gpu_at_another_price_is_another_market(tmp_path: Path) -> None:
    vary = "vary { cluster.price = [$2/gpu-hour, $3/gpu-hour], layout.micro_batch = [1, 2] sequences }"
    (table,) = loaded(tmp_path, f"optimize priced {{\n base = dense\n {vary}\n minimize = cost\n}}\n")
    price = evaluate_search(table)["winner"]["break_even"][0]
    assert price["now"] * 3600 == pytest.approx(2) and price["value"] * 3600 == pytest.approx(3)


def test_without_vary_the_whole_space_of_layouts_is_searched(tmp_path: Path) -> None:
    text = "optimize dense-all {\n base = dense, minimize = step_time\n}\n"
    text += "optimize mixture-all {\n base = mixture, minimize = step_time\n}\n"
    dense, mixture = loaded(tmp_path, text)
    assert {a.path: len(a.values) for a in dense.axes} == {
        "layout.tensor": 4, "layout.pipeline": 5, "layout.context": 4, "layout.micro_batch": 3, "layout.recompute": 3,
        "layout.shard": 3, "layout.schedule": 5}  # fmt: skip
    assert [a.path for a in mixture.axes][3:5] == ["layout.expert", "layout.expert_tensor"]
    kept, (once,) = dropped(dense)
    one_stage = 4 * 4 * 3 * 3 * 3  # tensor, context, micro-batch, recomputation, sharding
    assert (once.dropped, kept) == (4 * one_stage, 5 * 5 * one_stage - 4 * one_stage)  # one of five schedules is left


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


def test_a_small_miss_of_memory_keeps_its_digits_and_a_full_host_is_named() -> None:
    """9.3e6 B are 8.9 MiB; a B200 has 183,359 MiB."""
    size = 183359 * 2.0**20

    def near(headroom: float, host: float) -> Any:
        results = {"memory_per_gpu": size - headroom, "memory_headroom": headroom, "memory_host": host}
        columns = {name: np.array([value]) for name, value in results.items()}
        return SimpleNamespace(results=columns, values={"cluster.host_memory": np.array([2.0**41])})

    assert memory_needs(near(-9.3e6, 0.0)) == f"memory_per_gpu is 179.1{NB}GiB there, 8.9{NB}MiB too much"
    assert memory_needs(near(4e9, 2.0**41 + 2.0**30)) == f"memory_host is 2.0{NB}TiB there, 1.0{NB}GiB too much"
    run = SimpleNamespace(gpu=SimpleNamespace(memory=size), cluster=SimpleNamespace(host_memory=np.array([2.0**41])))
    full: Any = SimpleNamespace(run=run)
    gaps = evaluation.memory_gap(near(4e9, 1.25 * 2.0**41).results, full)
    assert gaps == pytest.approx([0.25])


@given(st.lists(st.integers(1, 9000), min_size=1, max_size=6))
def test_points_drawn_are_even_whatever_the_parts_they_came_in(sizes: list[int]) -> None:
    whole = np.array([np.arange(sum(sizes), dtype=np.float64)] * 4)
    parts: list[Any] = []
    for part in np.split(whole, np.cumsum(sizes)[:-1], axis=1):
        parts = thinner([*parts, part])
    found = cloud_of(parts, Space((), ()))
    assert found == cloud_of([whole], Space((), ())) and found is not None and found["kind"] is None
    count, half = len(found["index"]), sum(sizes) / 2
    assert count == min(CLOUD, sum(sizes)) and abs(sum(i < half for i in found["index"]) - count / 2) < 12


def test_the_cloud_knows_the_hardware_of_its_points(tmp_path: Path) -> None:
    (table,) = loaded(tmp_path, SPACE.replace("cluster.nodes = ", "cluster.gpu = [h100-sxm, b200], cluster.nodes = "))
    assert table.space is not None
    space = table.space()
    count = int(np.prod([len(d.steps) for d in space.dimensions]))
    made = cloud_of([np.array([np.arange(count, dtype=np.float64)] * 4)], space)
    assert made is not None
    own = {i: one(space, i).settings["cluster.gpu"] for i in (0, 7, count // 2, count - 1)}
    assert {i: made["kind"][i] for i in own} == own and set(own.values()) == {"h100-sxm", "b200"}

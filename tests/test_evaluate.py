"""Evaluation as a whole: what is missing is said, what cannot be built is a result, and the parts add up."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.columns import column
from engine.evaluate import Result, evaluate
from engine.metrics import BY_NAME
from engine.read import read
from tests.settings import settings

PLAN = {"cluster__mtbf": 43200.0, "cluster__price": 2.1 / 3600, "checkpoint__pause": 30.0}


def result(**changed: Any) -> Result:
    tiers = {"tiers": changed.pop("tiers")} if "tiers" in changed else {}
    return evaluate(read({k: v for k, v in settings(**tiers, **(PLAN | changed)).items() if v is not None}))


def test_every_result_has_a_row_in_the_metrics() -> None:
    assert set(result().columns) <= set(BY_NAME)


def test_causes_add_up_to_the_step() -> None:
    c = result(layout__pipeline=4).columns
    parts = ("compute_time", "exposed_communication", "bubble_time", "optimizer_time", "launch_time", "overhead_time")
    assert sum(c[p][0] for p in parts) == pytest.approx(c["step_time"][0], rel=1e-12)


@pytest.mark.parametrize(("kind", "drawn"), [("one_f_one_b", 12), ("interleaved", 12)])
def test_a_step_of_twelve_micro_batches_is_drawn(kind: str, drawn: int) -> None:
    """2048 sequences over 32 replicas are 64 micro-batches; interleaved over 4 stages takes whole rounds of 4: 12."""
    found = result(layout__pipeline=4, layout__data=32, cluster__gpus=1024, layout__schedule=kind).timeline
    assert found is not None and found.micro_batches == drawn


def test_memory_parts_add_up() -> None:
    c = result().columns
    parts = [c[p][0] for p in c if p.endswith("_memory")]
    assert sum(parts) == pytest.approx(c["memory_per_gpu"][0], rel=1e-12)
    assert c["memory_headroom"][0] == pytest.approx(80 * 2**30 - c["memory_per_gpu"][0])


@pytest.mark.parametrize(("without", "lost", "named"), [
    ("tokens", "time_to_train", "tokens"), ("cluster__price", "cost", "cluster.price"), ("batch", "step_time", "batch"),
    ("cluster__mtbf", "effective_training_time", "cluster.mtbf"),
    ("cluster__gpu__power", "peak_power", "cluster.gpu.power"),
])  # fmt: skip
def test_a_missing_input_is_named_and_never_zero(without: str, lost: str, named: str) -> None:
    r = result(**{without: None})
    assert lost not in r.columns
    assert named in r.missing[lost]


def test_one_gpu_without_tiers() -> None:
    r = result(
        tiers=(), cluster__gpus=1, layout__tensor=1, layout__data=1, batch=1, layout__shard="none", model__layers=2
    )
    assert r.status == "ok" and r.columns["exposed_communication"][0] == 0.0


def test_many_nodes_without_tiers_lack_a_network() -> None:
    r = result(tiers=())
    assert "cluster.tier" in r.missing["step_time"] and "step_time" not in r.columns
    assert "memory_per_gpu" in r.columns


def test_a_job_smaller_than_its_cluster_pays_for_all_of_it() -> None:
    whole, part = result(), result(layout__data=256)
    assert part.columns["idle_gpus"][0] == 2048
    assert part.columns["gpu_hours"][0] > whole.columns["gpu_hours"][0]


def test_what_does_not_fit_says_by_how_much() -> None:
    r = result(layout__tensor=1, layout__data=2048, layout__shard="none")
    assert r.status == "does_not_fit" and "GiB more than the GPU has" in r.reasons[0]
    assert "step_time" in r.columns


def test_what_cannot_be_built_names_what_can() -> None:
    r = result(batch=2047)
    assert r.status == "cannot_be_built" and r.reasons and "step_time" not in r.columns


def test_recompute_raises_hfu_and_not_mfu() -> None:
    plain, again = result().columns, result(layout__recompute="full").columns
    assert again["mfu"][0] < plain["mfu"][0]
    assert again["hfu"][0] / again["mfu_causal"][0] == pytest.approx(4 / 3, rel=0.02)
    assert plain["hfu"][0] == plain["mfu_causal"][0]


def test_the_simulated_step_stands_beside_the_closed_form() -> None:
    c = result(layout__pipeline=4).columns
    assert c["simulated_step_time"][0] == pytest.approx(c["step_time"][0], rel=0.02)


@given(st.floats(40, 200))
def test_more_memory_never_turns_fits_into_does_not(memory: float) -> None:
    small, large = (result(cluster__gpu__memory=m * 2**30).status for m in (memory, memory * 1.5))
    assert not (small == "ok" and large == "does_not_fit")


def test_a_row_alone_equals_the_row_among_many_in_every_result() -> None:
    values = [1, 2, 4]
    many = result(layout__micro_batch=column(values)).columns
    for i, b in enumerate(values):
        one = result(layout__micro_batch=b).columns
        for name in set(many) & set(one):
            row = np.broadcast_to(many[name], (3,))[i]
            assert row == one[name][0], name

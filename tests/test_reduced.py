"""The reduced model gives the record to the printed digit."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import reduced
from engine.columns import column
from engine.evaluate import evaluate
from engine.reduced import Inputs
from tests.settings import run

RECORD: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "reduced_record.json").read_text("utf-8"))
SETTINGS: dict[str, Any] = {
    "fidelity": "reduced",
    "model__parameters": 70.0e9,
    "model__layers": 80,
    "model__hidden": 8192,
    "model__sequence": 4096,
    "cluster__gpus": 64,
    "cluster__link": 450e9,
    "efficiency__compute": 500e12,
    "accumulation": 16,
    "layout__tensor": 8,
    "layout__pipeline": 4,
    "layout__micro_batch": 1,
}


def inputs(**changed: Any) -> Inputs:
    found = reduced.read(run(**(SETTINGS | changed)))
    assert isinstance(found, Inputs)
    return found


@pytest.mark.oracle("record-whole")
def test_every_output_of_the_record_to_its_printed_digit() -> None:
    r, out = reduced.evaluate(inputs()), RECORD["outputs"]
    in_ms = {
        "compute_time_ms": r.compute_time,
        "tp_comm_ms": r.tensor_communication,
        "pp_comm_ms": r.pipeline_communication,
        "pipeline_bubble_ms": r.bubble_time,
        "dp_allreduce_ms": r.data_communication,
        "dp_allreduce_raw_ms": r.data_communication_raw,
        "step_time_ms": r.step_time,
    }
    assert {name: round(value[0] * 1e3, 3) for name, value in in_ms.items()} == {name: out[name] for name in in_ms}
    shares = {
        "comm_fraction_percent": r.communication_fraction,
        "bubble_fraction_percent": r.bubble_share,
        "scaling_efficiency_percent": r.scaling_efficiency,
        "mfu_percent": r.mfu,
    }
    assert {name: round(value[0] * 100, 1) for name, value in shares.items()} == {name: out[name] for name in shares}
    whole = {
        "data_parallel": r.data_parallel,
        "used_gpus": r.used_gpus,
        "idle_gpus": r.idle_gpus,
        "tokens_per_step": r.tokens_per_step,
        "valid_layout": r.valid_layout,
    }
    assert {name: value[0] for name, value in whole.items()} == {name: out[name] for name in whole}
    assert round(r.achieved[0] / 1e12, 1) == out["achieved_tflops_per_gpu"]
    assert round(r.tokens_per_second[0], 0) == out["throughput_tokens_s"]
    assert round(r.tokens_per_second_per_gpu[0], 1) == out["per_gpu_tokens_s"]
    assert r.bottleneck.tolist() == [out["bottleneck"]]
    assert r.verdict_class.tolist() == [out["verdict"]] == ["overhead-limited"]
    assert "51 %" in r.verdict()


@pytest.mark.oracle("record-gpus")
def test_efficiency_over_gpu_counts_is_the_records_curve() -> None:
    counts, share = reduced.over_gpus(inputs())
    pairs = [[int(n), round(float(e) * 100, 2)] for n, e in zip(*np.broadcast_arrays(counts, share), strict=True)]
    assert pairs == RECORD["efficiency_over_gpus"]
    assert len(pairs) == 48


@pytest.mark.oracle("record-bw")
def test_efficiency_over_link_bandwidth_is_the_records_curve() -> None:
    links, share = reduced.over_link(inputs())
    pairs = [[round(float(w) / 1e9, 1), round(float(e) * 100, 2)] for w, e in zip(links, share, strict=True)]
    assert pairs == RECORD["efficiency_over_link"]
    assert len(pairs) == 48


def test_the_batch_stands_in_for_the_accumulation() -> None:
    """64 sequences on dp 2 and micro-batches of one are 32 micro-batches: half the bubble."""
    r = reduced.evaluate(inputs(accumulation=None, batch=64))
    assert r.micro_batches.tolist() == [32.0]
    assert r.bubble.tolist() == [3 / 32]


def test_what_the_layout_leaves_out_is_idle() -> None:
    r = reduced.evaluate(inputs(cluster__gpus=100))
    assert (r.used_gpus[0], r.idle_gpus[0], r.data_parallel[0], r.valid_layout[0]) == (96, 4, 3, True)


def test_a_layout_larger_than_its_cluster_is_not_valid() -> None:
    r = reduced.evaluate(inputs(cluster__gpus=16))
    assert (r.used_gpus[0], r.valid_layout[0]) == (32, False)


@pytest.mark.parametrize(("gpus", "status"), [(16, "cannot_be_built"), (32, "ok")])
def test_a_result_says_whether_the_layout_is_valid(gpus: int, status: str) -> None:
    found = evaluate(run(**(SETTINGS | {"cluster__gpus": gpus})))
    assert found.status == status
    assert found.reasons == ([] if status == "ok" else ["the layout needs more GPUs than the cluster has"])


def test_one_gpu_neither_communicates_nor_waits() -> None:
    r = reduced.evaluate(inputs(cluster__gpus=1, layout__tensor=1, layout__pipeline=1))
    assert (r.exposed_communication[0], r.bubble_time[0], r.scaling_efficiency[0]) == (0.0, 0.0, 1.0)
    assert r.verdict().startswith("Compute-limited: 100 %")


@pytest.mark.parametrize(
    ("changed", "bottleneck", "verdict"),
    [
        ({"cluster__link": 20e9}, "tensor", "communication-limited"),
        ({"accumulation": 1}, "bubble", "bubble-limited"),
        (
            {
                "cluster__link": 20e9,
                "layout__tensor": 1,
                "cluster__gpus": 4096,
                "accumulation": 1,
                "layout__pipeline": 1,
            },
            "data",
            "communication-limited",
        ),
        ({"layout__tensor": 1, "layout__pipeline": 1}, "compute", "compute-limited"),
    ],
)
def test_the_largest_term_is_the_bottleneck(changed: dict[str, Any], bottleneck: str, verdict: str) -> None:
    r = reduced.evaluate(inputs(**changed))
    assert (r.bottleneck[0], r.verdict_class[0]) == (bottleneck, verdict)


def test_the_all_reduce_is_exposed_beyond_the_backward() -> None:
    r = reduced.evaluate(inputs(cluster__link=1e9))
    assert r.data_communication[0] == pytest.approx(70e9 * 2 / 32 / 1e9 - 2 / 3 * 1.72032, rel=1e-12)


def test_missing_settings_are_named() -> None:
    lacking = {"cluster__link": None, "efficiency__compute": None, "model__parameters": None}
    assert reduced.read(run(**(SETTINGS | lacking))) == ("model.parameters", "cluster.link", "efficiency.compute")
    assert reduced.read(run(**(SETTINGS | {"cluster__gpus": None}))) == ("cluster.gpus",)


@given(links=st.lists(st.floats(1e9, 1e12), min_size=2, max_size=30), row=st.integers(0, 29))
def test_a_row_alone_equals_the_row_among_many(links: list[float], row: int) -> None:
    many = reduced.evaluate(inputs(cluster__link=links))
    k = row % len(links)
    assert reduced.evaluate(inputs(cluster__link=links[k])).step_time.tolist() == [many.step_time[k]]


def test_columns_mix() -> None:
    r = reduced.evaluate(inputs(accumulation=[8.0, 16.0], cluster__link=column([450e9, 450e9])))
    assert r.bubble.tolist() == [3 / 8, 3 / 16]
    assert r.verdict(1) == reduced.evaluate(inputs()).verdict()

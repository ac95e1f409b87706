"""Offload to host memory, low-rank adapters, frozen parameters, and the peaks of the phases of a run."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import layout, models
from engine.columns import column
from engine.entries import step
from engine.evaluate import Result, evaluate
from engine.operators import lora
from tests.settings import GIB, run

LINK = 30e9


def off(optimizer: float = 0.0, weights: float = 0.0, activations: float = 0.0) -> dict[str, float]:
    return {"offload__optimizer": optimizer, "offload__weights": weights, "offload__activations": activations}


def result(**changed: Any) -> Result:
    return evaluate(run(**changed), advise=False)


def value(r: Result, name: str) -> float:
    return float(r.columns[name][0])


def rows(r: Result, block: str) -> dict[str, tuple[float, float, float]]:
    """Bytes, busy and exposed seconds a step of a block's rows."""
    assert r.step is not None
    found: dict[str, tuple[float, float, float]] = {}
    for e in r.step.entries:
        if e.row.block == block:
            own = [float(x[0]) for x in (e.count * e.row.bytes, e.count * e.row.seconds, e.exposed)]
            old = found.get(e.row.op, (0.0, 0.0, 0.0))
            found[e.row.op] = (old[0] + own[0], old[1] + own[1], old[2] + own[2])
    return found


def test_optimizer_states_leave_the_gpu_and_the_copies_are_rows() -> None:
    plain, half = result(layout__shard="none"), result(layout__shard="none", **off(0.5))
    n = value(plain, "parameters")
    assert value(half, "optimizer_memory") == pytest.approx(value(plain, "optimizer_memory") / 2)
    assert value(half, "memory_host") == pytest.approx(8 * value(plain, "optimizer_memory") / 2)
    found = rows(half, "offload")
    own = value(plain, "optimizer_memory") / 12 / 2  # parameters whose states are away
    assert found["gradients to host"][:2] == pytest.approx((2 * own, 2 * own / LINK))
    assert found["weights from host"] == pytest.approx((2 * own, 2 * own / LINK, 2 * own / LINK))
    assert found["update on the host"][1] == pytest.approx(own * 28 / (400e9 / 8))
    assert own == pytest.approx(n / 8 / 2, rel=0.01)
    assert value(half, "offload_time") == pytest.approx(sum(r[2] for r in found.values()))
    assert value(half, "optimizer_time") < value(plain, "optimizer_time")


def test_activations_move_both_ways_and_hide_behind_the_layer() -> None:
    plain, away = result(), result(**off(activations=0.3))
    found = rows(away, "offload")
    moved = 0.3 * value(plain, "activation_memory") * value(plain, "micro_batches")
    assert found["activations to host"][0] == pytest.approx(found["activations from host"][0])
    assert found["activations to host"][0] == pytest.approx(moved, rel=0.01)  # the head's own stay
    assert found["activations to host"][2] == 0.0  # shorter than the layer's forward pass
    layer = value(plain, "activation_memory") / 80
    kept = 0.7 * value(plain, "activation_memory") + 2 * 0.3 * layer
    assert value(away, "activation_memory") == pytest.approx(kept, rel=0.01)
    slow = result(**off(activations=0.3), cluster__gpu__host_link=LINK / 20)
    assert rows(slow, "offload")["activations to host"][2] > 0.0
    assert value(slow, "step_time") > value(away, "step_time")


def test_host_memory_is_finite() -> None:
    needed = value(result(**off(activations=0.5)), "memory_host")
    enough, less = (result(**off(activations=0.5), cluster__host_memory=needed + d) for d in (1.0, -GIB))
    assert enough.status == "ok" and less.status == "does_not_fit"
    assert "needs 1.0 GiB more than a node's host memory" in less.reasons[0]


def test_everything_offloaded_leaves_one_gathered_layer() -> None:
    r = result(layout__shard="zero3", **off(1.0, 1.0))
    states = sum(value(r, f"{part}_memory") for part in ("weights", "gradients", "optimizer"))
    assert states == 0.0 and value(r, "gathered_memory") > 0.0
    assert {"sharded weights from host", "update on the host"} <= rows(r, "offload").keys()


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(["none", "zero1", "zero2", "zero3"]))
def test_more_offload_never_needs_more_of_the_gpu(optimizer: float, activations: float, shard: str) -> None:
    some = result(layout__shard=shard, **off(optimizer, 0.0, activations))
    all_ = result(layout__shard=shard, **off(1.0, 0.0, activations))
    none = result(layout__shard=shard)
    sizes = [value(r, "memory_per_gpu") for r in (all_, some, none)]
    assert sizes == sorted(sizes)
    assert value(some, "step_time") >= value(none, "step_time") - 0.05  # the gpu's own update is shorter
    parts = ("compute_time", "exposed_communication", "bubble_time", "optimizer_time", "launch_time", "overhead_time")
    total = sum(value(some, p) for p in (*parts, "offload_time"))
    assert total == pytest.approx(value(some, "step_time"), rel=1e-12)


def test_lora_trains_its_own_matrices() -> None:
    """r (wide + out) a matrix: q and o 8192 + 8192, k and v 8192 + 1024, gate, up and down 8192 + 28672."""
    r = result(lora__rank=8, lora__targets=())
    per_layer = 8 * (2 * 16_384 + 2 * 9_216 + 3 * 36_864)
    assert value(r, "trained_parameters") == 80 * per_layer
    q_only = run(lora__rank=16, lora__targets=("q_proj",), layout__tensor=1)
    assert lora.parameters(q_only)[0] == 80 * 16 * 16_384
    d = layout.resolve(run(lora__rank=8, lora__targets=()))
    held = step(r.run, d, models.count(r.run.model)).timing.parameters
    # column-parallel: A whole, B/8; row-parallel (o, down): A/8, B whole
    rank = 8 * ((8192 + 1024) * 2 + 2 * (8192 + 128) + 2 * (8192 + 3584) + (3584 + 8192))
    assert next(iter(held.adapters.values()))[0] == rank


def test_lora_has_no_weight_gradients_of_frozen_matrices() -> None:
    plain, r = result(), result(lora__rank=8, lora__targets=())
    assert r.step is not None
    for e in r.step.entries:
        if e.row.op.endswith(" dW") and e.row.block != "lora":
            assert e.row.flops[0] == 0.0 and e.row.seconds[0] == 0.0
    assert value(r, "compute_time") < 0.85 * value(plain, "compute_time")
    assert value(r, "gradients_memory") < 0.01 * value(plain, "gradients_memory")
    assert value(r, "data_communication") < 0.05 * value(plain, "data_communication")
    assert value(r, "checkpoint_size") == pytest.approx(12 * value(r, "trained_parameters"))
    assert value(r, "model_flops") / value(r, "tokens_per_second_per_gpu") == pytest.approx(
        4 * value(r, "active_parameters") + 6 * value(r, "trained_parameters")
    )


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"lora__targets": ("q", "qkv")}, "there is no qkv"),
        ({"lora__targets": ("gate",), "model__gated": False}, "none of"),
    ],
)
def test_lora_of_matrices_that_are_not_there(changed: dict[str, Any], words: str) -> None:
    r = result(lora__rank=8, **changed)
    assert r.status == "cannot_be_built" and words in r.reasons[0]


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_frozen_parameters_have_weights_only(share: float) -> None:
    plain, frozen = result(layout__shard="zero3"), result(layout__shard="zero3", frozen=share)
    assert value(frozen, "weights_memory") == value(plain, "weights_memory")
    for part in ("gradients_memory", "optimizer_memory"):
        assert value(frozen, part) == pytest.approx((1 - share) * value(plain, part))
    assert value(frozen, "trained_parameters") == pytest.approx((1 - share) * value(plain, "parameters"))
    assert value(frozen, "step_time") < value(plain, "step_time")


def test_the_peak_is_over_all_phases_of_a_run() -> None:
    r = result()
    assert value(r, "memory_per_gpu") == value(r, "memory_step") > value(r, "memory_load")
    states = sum(value(r, f"{p}_memory") for p in ("weights", "gradients", "optimizer"))
    slack = 1.02 * 1.03
    outside = (0.6 + 2 * 0.65) * GIB  # context; tensor and data communicators
    assert value(r, "memory_update") == pytest.approx(slack * states + outside, rel=1e-9)
    copied = result(
        layout__shard="none", layout__recompute="full", batch=512, stack__load_copy=1.0, stack__save_copy=0.5
    )
    assert value(copied, "memory_load") - value(copied, "memory_update") == pytest.approx(
        slack * value(copied, "optimizer_memory"), rel=1e-9
    )
    assert value(copied, "memory_save") - value(copied, "memory_update") == pytest.approx(
        0.5 * slack * value(copied, "optimizer_memory"), rel=1e-9
    )
    assert value(copied, "memory_per_gpu") == value(copied, "memory_load") > value(copied, "memory_step")
    casts = result(stack__update_bytes=4.0)
    shard = value(casts, "optimizer_memory") / 12
    assert value(casts, "memory_update") - value(r, "memory_update") == pytest.approx(4 * slack * shard, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "values"),
    [("batch", (512, 1024, 2048)), ("layout__tensor", (4, 8, 16)), ("cluster__gpu__host_link", (1e10, 3e10, 6e10)),
     ("cluster__mtbf", (1e4, 4e4, 1e5)), ("cluster__spares", (0, 8, 40)), ("frozen", (0.0, 0.3, 1.0))],
)  # fmt: skip
def test_a_row_alone_equals_the_row_among_many(name: str, values: tuple[float, ...]) -> None:
    base = off(0.5, 0.0, 0.3) | {
        "cluster__mtbf": 43_200.0, "cluster__price": 1e-3, "cluster__repair": 7200.0, "cluster__spares": 16,
        "cluster__slow_rank": 0.05, "checkpoint__host__survives": 0.5, "stack__load_copy": 0.67, "layout__data": None,
    }  # fmt: skip
    many = result(**base | {name: column(values)})
    for i, one in enumerate(values):
        for key, found in result(**base | {name: one}).columns.items():
            assert np.broadcast_to(many.columns[key], (len(values),))[i] == found[0], key


def test_a_reserve_is_part_of_the_peak() -> None:
    plain, kept = result(), result(memory__reserve=2 * GIB)
    assert value(kept, "memory_per_gpu") - value(plain, "memory_per_gpu") == pytest.approx(2 * GIB)

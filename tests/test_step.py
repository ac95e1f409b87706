"""The step: its rows, their FLOPs, and how it moves with the hardware."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import entries, flops, kernels, layout, models, step
from engine.columns import column
from engine.ledger import PricedBlock
from engine.operators.optimizer import ADAM_FLOPS, step_bytes, textbook_seconds
from engine.operators.work import Gemm, Sdpa, Traffic
from engine.stages import Stage
from tests.settings import TIERS, run


def made(tiers: Any = TIERS, **changed: Any) -> tuple[layout.Degrees, step.Step]:
    r = run(tiers, **changed)
    d = layout.resolve(r)
    return d, entries.step(r, d, models.count(r.model))


def layer(s: step.Step) -> tuple[PricedBlock, ...]:
    """The blocks of the only kind of layer."""
    return next(iter(s.timing.layers.values()))


def seconds(tiers: Any = TIERS, **changed: Any) -> float:
    return float(made(tiers, **changed)[1].seconds[0])


ONE_GPU: dict[str, Any] = {
    "cluster__gpus": 1,
    "layout__tensor": 1,
    "layout__data": 1,
    "batch": 1,
    "layout__shard": "none",
}


def test_flops_of_the_ledger_are_the_models() -> None:
    """Forward and backward GEMM and attention rows on one GPU: 3 x forward, attention backward 2.5 x."""
    r = run(**ONE_GPU)
    d, s = made(**ONE_GPU)
    own = sum(float((e.count * e.row.flops)[0]) for e in s.entries)
    f = flops.flops_per_token(r.model, d.sequence).forward
    expected = (3 * (f.linear + f.head) + 3.5 * f.attention) * d.tokens
    assert own == pytest.approx(float(expected[0]), rel=1e-12)


def test_full_recompute_adds_one_forward_of_the_layers() -> None:
    plain, again = made(**ONE_GPU)[1], made(**ONE_GPU, layout__recompute="full")[1]
    extra = sum(float((e.count * e.row.flops)[0]) for e in again.entries if e.row.phase == "recompute")
    forward = sum(
        float((e.count * e.row.flops)[0]) for e in plain.entries if e.row.phase == "forward" and e.row.block != "head"
    )
    assert extra == pytest.approx(forward, rel=1e-12)


@pytest.mark.oracle("times-passes")
def test_pass_counts_are_s0s() -> None:
    """Norm 3 and 5, rotary 3 and 3, residual 2 and 3, gated activation 3 and 5."""
    _, s = made()
    found = {
        (w.op, phase): w.passes
        for b in layer(s)
        for phase, works in (("f", b.block.forward), ("b", b.block.backward))
        for w in works
        if isinstance(w, Traffic)
    }
    assert found == {
        ("norm", "f"): 3,
        ("norm", "b"): 5,
        ("rope", "f"): 3,
        ("rope", "b"): 3,
        ("residual", "f"): 2,
        ("residual", "b"): 3,
        ("activation", "f"): 3,
        ("activation", "b"): 5,
    }


@pytest.mark.oracle("times-adam")
def test_optimizer_bytes_and_s0s_form() -> None:
    """28 B per parameter with bf16 gradients, 30 with fp32; by the moments alone 11 FLOP and 16 B."""
    r = run()
    assert step_bytes(r, column(2.0))[0] == 28 and step_bytes(r, column(4.0))[0] == 30
    assert ADAM_FLOPS == 11
    for dp in (1.0, 4.0):
        found = textbook_seconds(column(1e9), column(dp), column(1e12), column(1e15))[0]
        assert found == pytest.approx((16e9 / 1e12 + 11e9 / 1e15) / dp)


def test_attention_forward_is_half_the_square_and_backward_two_and_a_half_times() -> None:
    _, s = made(**ONE_GPU)
    forward, backward = (
        next(w for w in works if isinstance(w, Sdpa))
        for works in (layer(s)[0].block.forward, layer(s)[0].block.backward)
    )
    assert forward.flops[0] == 4 * 8192 * 4096 * 64 * 128
    assert backward.flops[0] == 2.5 * forward.flops[0]


def test_every_linear_layer_has_two_backward_gemms() -> None:
    _, s = made()
    for block in layer(s):
        forward = [w for w in block.block.forward if isinstance(w, Gemm)]
        backward = [w for w in block.block.backward if isinstance(w, Gemm)]
        assert len(backward) == 2 * len(forward)


def test_backward_hides_two_of_three_tensor_collectives_a_block() -> None:
    """Of 5 ring passes of the MLP block 3 are exposed; the GEMMs beside the other two are longer."""
    _, s = made(stack__overlap_tax=0.0)
    rows = [r for r in (*layer(s)[1].forward, *layer(s)[1].backward) if r.axis == "tensor"]
    assert len(rows) == 5
    assert sum(1 for r in rows if r.exposed[0] > 0) == 3


def test_step_is_the_sum_of_its_entries_and_the_bubble_is_the_rest_of_the_schedule() -> None:
    d, s = made(layout__pipeline=4, layout__data=128)
    assert s.seconds[0] == pytest.approx(sum(float(e.exposed[0]) for e in s.entries), rel=1e-12)
    slowest = max(float((f + b)[0]) for f, b in zip(s.timing.forward, s.timing.backward, strict=True))
    inside = sum(
        float(e.exposed[0])
        for e in s.entries
        if e.row.phase in ("forward", "backward", "recompute") and e.row.block != "data"
    )
    assert inside == pytest.approx(slowest * d.micro_batches[0], rel=1e-9)
    assert float(s.bubble[0]) > 0


def test_zero3_gathers_twice_and_reduces_once_a_layer() -> None:
    """ZeRO paper, section 7: traffic grows by half against ZeRO-1 (3 times the weights, not 2) for m = 1 and bf16."""

    def moved(**changed: Any) -> float:
        _, s = made(states__gradients=2, layout__micro_batch=4, **changed)
        return sum(float((e.count * e.row.bytes)[0]) for e in s.entries if e.row.axis == "data")

    assert moved(layout__shard="zero3") == pytest.approx(1.5 * moved(layout__shard="zero1"), rel=1e-9)


def test_unequal_stages_set_the_pace() -> None:
    _, s = made(layout__pipeline=2, layout__data=256, layout__stages=(30, 50))
    assert isinstance(s.timing.stages[0], Stage) and s.timing.pace[0] == 1


@given(
    st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 4]), st.floats(1.01, 4.0), st.sampled_from(["zero1", "zero3"])
)
def test_more_bandwidth_never_slows_a_step(tensor: int, pipeline: int, factor: float, shard: str) -> None:
    """Both memory bandwidth and every link."""
    faster = tuple((n, span, beta * factor, lat, over) for n, span, beta, lat, over in TIERS)
    layouts: dict[str, Any] = {"layout__tensor": tensor, "layout__pipeline": pipeline, "layout__shard": shard}
    base = seconds(**layouts)
    assert seconds(faster, **layouts) <= base * (1 + 1e-12)
    assert seconds(cluster__gpu__memory_bandwidth=3.35e12 * factor, **layouts) <= base * (1 + 1e-12)


def test_a_row_alone_equals_the_row_among_many() -> None:
    many = made(layout__micro_batch=column([1, 2, 4]), layout__data=512)[1].seconds
    for i, b in enumerate((1, 2, 4)):
        assert many[i] == made(layout__micro_batch=b, layout__data=512)[1].seconds[0]


def test_a_stated_efficiency_replaces_the_model() -> None:
    r = run(efficiency__qkv=0.5)
    gemm = Gemm("qkv", column(100), column(100), column(100), column(0))
    time, eta = kernels.gemm_seconds(gemm, kernels.device(r), r.efficiency.qkv)
    assert eta[0] == 0.5 and time[0] == pytest.approx(2e6 / (989e12 * 0.5))


def test_last_wave_and_tiles_cost() -> None:
    sms = column(132)
    assert kernels.wave(column(128 * 132), column(256), sms)[0] == 1.0
    assert kernels.wave(column(128), column(256), sms)[0] < 0.05
    assert np.all(kernels.wave(column([1, 100, 8192]), column(4096), sms) <= 1.0)

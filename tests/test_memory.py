"""Memory against a printed 70B's counts, the ZeRO paper, Korthikanti et al., and what follows by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import entries, layout, memory, models, rules_of_thumb
from engine.columns import column
from engine.inputs import Run
from engine.ledger import PricedBlock
from engine.step import Timing
from tests.settings import run

GB = 1e9
N_S4 = 70_548_193_280


def made(r: Run) -> tuple[layout.Degrees, Timing]:
    d = layout.resolve(r)
    return d, entries.step(r, d, models.count(r.model)).timing


def layer(t: Timing) -> tuple[PricedBlock, ...]:
    """The blocks of the only kind of layer."""
    return next(iter(t.layers.values()))


def state_bytes(r: Run) -> float:
    """States of the only stage, gathered layers left out."""
    d, s = made(r)
    weights, gradients, optimizer, _ = memory.states(r, d, s, s.parameters.stage(s.stages[0], r.model.tied, d.pp))
    return float((weights + gradients + optimizer)[0])


def norms(r: Run) -> float:
    return float(models.count(r.model).norms[0])


@pytest.mark.oracle("training-weights")
@pytest.mark.oracle("training-states")
@pytest.mark.oracle("training-optimizer")
@pytest.mark.parametrize(("part", "expected"), [(0, 141.096), (2, 846.578), (3, 1128.771)])
def test_states_of_the_70b(part: int, expected: float) -> None:
    """The printed count leaves the 161 norms out: they are taken off again here."""
    r = run(layout__tensor=1, layout__shard="none", cluster__gpus=1, layout__data=1, batch=1)
    d, s = made(r)
    states = memory.states(r, d, s, s.parameters.stage(s.stages[0], r.model.tied, d.pp) - norms(r))
    total = states[0] + states[1] + states[2] if part == 3 else states[part]
    assert total[0] / GB == pytest.approx(expected, rel=1e-4)


@pytest.mark.oracle("training-zero")
@pytest.mark.parametrize(("shard", "expected"), [("zero1", 282.399), ("zero2", 141.338), ("zero3", 0.27558)])
def test_zero_stages_over_4096(shard: str, expected: float) -> None:
    r = run(layout__tensor=1, layout__shard=shard, layout__data=4096, batch=4096)
    assert state_bytes(r) / GB == pytest.approx(expected, rel=1e-4)


@pytest.mark.oracle("training-hsdp")
def test_states_sharded_within_a_pod_of_2048() -> None:
    r = run(
        layout__tensor=1,
        layout__shard="zero3",
        layout__shard__within="pod",
        layout__data=4096,
        batch=4096,
        cluster__placement="balanced",
    )
    assert state_bytes(r) / GB == pytest.approx(0.55116, rel=1e-4)


@pytest.mark.parametrize(("shard", "expected"), [("none", 120.0), ("zero1", 31.4), ("zero2", 16.6), ("zero3", 1.9)])
def test_the_zero_papers_7_5b_on_64(shard: str, expected: float) -> None:
    """Rajbhandari et al. 2020 figure 1; states follow from the parameter count alone."""
    r = run(layout__tensor=1, layout__shard=shard, layout__data=64, cluster__gpus=64, batch=64)
    d, s = made(r)
    states = memory.states(r, d, s, column(7.5e9))
    assert float((states[0] + states[1] + states[2])[0]) / GB == pytest.approx(expected, abs=0.06)


def gpt(**changed: Any) -> Run:
    """A GPT layer as Korthikanti et al. count it: plain MLP of 4h, as many key as query heads, dropout, no flash."""
    return run(
        **(
            {
                "model__layers": 1,
                "model__ffn": 4 * 8192,
                "model__kv_heads": 64,
                "model__gated": False,
                "model__dropout": True,
                "kernels__flash": False,
                "model__sequence": 2048,
                "layout__sequence_parallel": False,
                "cluster__gpus": 8,
                "batch": 64,
            }
            | changed
        )
    )


@pytest.mark.parametrize("tensor", [1, 2, 4, 8])
def test_kept_tensors_of_a_gpt_layer_are_korthikantis(tensor: int) -> None:
    """s b h (10 + 24/t + 5 a s/(h t)); 34 + 5 a s/h for t = 1."""
    d, s = made(gpt(layout__tensor=tensor))
    kept = memory.layer_bytes(tuple(b.block for b in layer(s)), ())
    expected = rules_of_thumb.layer_activations(d.tokens, column(8192), column(64), d.sequence, column(tensor))
    assert kept[0] == pytest.approx(expected[0], rel=1e-12)


@pytest.mark.oracle("training-act34")
def test_the_34_byte_rule() -> None:
    assert rules_of_thumb.activations_34(column(8192), column(8192), column(80))[0] / GB == pytest.approx(
        182.536, rel=1e-4
    )


@pytest.mark.oracle("training-sp")
@pytest.mark.oracle("training-405")
def test_the_34_byte_rule_split_eight_ways() -> None:
    """With tensor and sequence parallelism the whole layer is divided by t."""
    assert rules_of_thumb.activations_34(column(8192), column(8192), column(80))[0] / 8 / GB == pytest.approx(
        22.8, rel=5e-3
    )
    assert rules_of_thumb.activations_34(column(8192), column(16384), column(126))[0] / 8 / GB == pytest.approx(
        71.87, rel=1e-3
    )


@pytest.mark.oracle("training-full")
def test_full_recompute_keeps_the_layers_inputs() -> None:
    r = run(layout__tensor=1, layout__recompute="full", cluster__gpus=512, batch=512)
    d, s = made(r)
    assert 80 * memory.layer_bytes(tuple(b.block for b in layer(s)), ("all",))[0] / GB == pytest.approx(10.74, rel=1e-3)
    assert d.tokens[0] == 8192


def test_a_llama_layer_keeps_33_5_bytes_per_token_and_width() -> None:
    """Counted by hand: 34.0 h for the 8B, 33.5 h for the 70B, 31.8 h for the 405B."""
    shapes = ((4096, 14336, 32, 34.0), (8192, 28672, 64, 33.5), (16384, 53248, 128, 31.8))
    for hidden, ffn, heads, expected in shapes:
        _, s = made(
            run(layout__tensor=1, model__hidden=hidden, model__ffn=ffn, model__heads=heads, cluster__gpus=1, batch=1)
        )
        kept = memory.layer_bytes(tuple(b.block for b in layer(s)), ())[0]
        assert kept / (8192 * hidden) == pytest.approx(expected, abs=0.1)


@pytest.mark.oracle("training-bf16")
def test_small_updates_vanish_in_bf16() -> None:
    assert rules_of_thumb.bf16(column(1.0 + 1e-4))[0] == 1.0
    assert rules_of_thumb.bf16_spacing() == 0.0078125
    assert rules_of_thumb.bf16(column(3.14159265))[0] == 3.140625


@given(
    st.sampled_from([1, 2, 4]),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from(["zero1", "zero3"]),
    st.sampled_from(["none", "selective", "full"]),
)
def test_more_sharding_and_recompute_never_need_more(pipeline: int, tensor: int, shard: str, recompute: str) -> None:
    def total(**changed: Any) -> float:
        r = run(layout__pipeline=pipeline, layout__tensor=tensor, **changed)
        d, s = made(r)
        return float(max(memory.stage_memory(r, d, s, stage).total[0] for stage in s.stages))

    assert (
        total(layout__shard=shard, layout__recompute=recompute)
        <= total(layout__shard="none", layout__recompute="none") * 1.2
    )
    assert total(layout__recompute="full", layout__shard=shard) < total(layout__recompute="none", layout__shard=shard)


def test_verdict_has_three_words() -> None:
    words = memory.verdict(column([50, 79, 90]), column([48, 77, 88]), column([47, 76, 86]), column(80.0))
    assert words == ["fits", "tight", "does_not_fit"]
    assert np.isfinite(memory.RISK)

"""Megatron-LM's and DeepSpeed's own estimates, and why our exact count differs from Megatron's."""

import csv
from pathlib import Path
from typing import Any

import pytest

from engine import estimators, layout
from engine.columns import column
from engine.models import count
from tests.library_models import LIBRARY_MODELS
from tests.settings import run
from tests.test_experts import moe

GIB = 2.0**30
with (Path(__file__).parent / "data" / "megatron_theoretical.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))


def test_every_row_is_a_model_of_the_library() -> None:
    assert len(ROWS) == 133 and {row["name"] for row in ROWS} <= LIBRARY_MODELS.keys()


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_megatrons_count(row: dict[str, str]) -> None:
    model = LIBRARY_MODELS[row["name"]]
    assert estimators.megatron_parameters(model)[0] == int(row["megatron_theoretical_total"])
    assert count(model).total[0] == int(row["exact_total"])


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_our_count_differs_for_the_named_reasons_only(row: dict[str, str]) -> None:
    reasons = estimators.megatron_differences(LIBRARY_MODELS[row["name"]])
    assert sum(float(v[0]) for v in reasons.values()) == -int(row["diff"])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt2", {"biases": 82_944, "learned positions": 786_432}),
        ("qwen3-30b-a3b", {"norms on queries and keys": 12_288}),
        ("grok-1", {"norms": 786_432}),
        ("falcon-7b", {"norms": -290_816}),
        ("gpt-oss-20b", {"biases": 6_828_288, "sinks": 1_536}),
        ("llama-3-8b", {}),
        ("deepseek-v3", {}),
    ],
)
def test_reasons(name: str, expected: dict[str, int]) -> None:
    """Counted by hand from the dimensions: 12 (9 h) + 1024 h for GPT-2, 48 x 2 x 128 for Qwen3 …"""
    found = {k: float(v[0]) for k, v in estimators.megatron_differences(LIBRARY_MODELS[name]).items() if v[0]}
    assert found == expected


def test_the_activation_formula_in_one_stage() -> None:
    """s b h = 8192 x 8192 over 80 layers at 18 + 4 x 3.5, split over 8: Megatron-LM's printed line, by hand."""
    r = run()
    d = layout.resolve(r)
    rows = 8192 * 8192
    by_hand = (rows * 80 * 32 + 8 * 8192 + rows + 4 * rows * (1 + 128000 / 8192)) / 8
    assert estimators.megatron_activations(r, d)[0] == pytest.approx(by_hand, rel=1e-12)


def test_interleaving_multiplies_by_1_44() -> None:
    plain = run(layout__pipeline=8, layout__data=64)
    twice = run(layout__pipeline=8, layout__data=64, layout__schedule="interleaved", layout__schedule__virtual_stages=2)
    found = [estimators.megatron_activations(r, layout.resolve(r))[0] for r in (plain, twice)]
    assert found[0] == pytest.approx(8192 * (80 * 8192 * 32 + 8 * 8 + 8 * 8192) / 8, rel=1e-12)
    assert found[1] / found[0] == pytest.approx(1.4375, rel=1e-9)


def test_fewer_micro_batches_than_stages_keep_less() -> None:
    """Two of eight: a quarter of layers and embedding."""
    few = run(layout__pipeline=8, layout__data=64, batch=2 * 64)
    d = layout.resolve(few)
    assert d.micro_batches == 2
    by_hand = 8192 * (80 * 8192 * 32 + 8 * 8 + 8 * 8192) / 8 / 4
    assert estimators.megatron_activations(few, d)[0] == pytest.approx(by_hand, rel=1e-12)


def test_deepspeed_counts_only_the_gathered_layer_when_all_is_offloaded() -> None:
    found = [estimators.deepspeed_zero3(column(6050.9e6), column(206.4e6), column(n), offload="all") for n in (2, 4)]
    assert found[0].gpu[0] == found[1].gpu[0] == pytest.approx(0.77 * GIB, rel=0.01)


@pytest.mark.parametrize(
    ("offload", "gpu", "host"),
    [
        ("none", 4 * 3.0 + 18 * 1000.0 / 16, 1.5 * 4 * 3.0 * 16 / 2),  # every GPU of a node gathers a layer on its host
        ("optimizer", 4 * 3.0 + 2 * 1000.0 / 16, 1.5 * 16 * 1000.0 / 2),
        ("all", 4 * 3.0, 1.5 * 18 * 1000.0 / 2),
    ],
)
def test_deepspeeds_bytes_of_a_gpu_and_of_a_host(offload: str, gpu: float, host: float) -> None:
    """1,000 parameters, 3 in the largest layer, 16 GPUs in two nodes."""
    found = estimators.deepspeed_zero3(column(1000), column(3), column(16), column(2), offload)
    assert (found.gpu[0], found.host[0]) == (gpu, host)


H, ATTENTION, ROUTER, EXPERTS = 2048, 2 * 2048 * 128 * (32 + 4), 2048 * 128, 128 * 3 * 2048 * 768  # of Qwen3-30B


@pytest.mark.parametrize(
    ("changed", "tables", "each", "each_expert"),
    [
        ({"layout__pipeline": 2}, 1, 6 + 12 / 8, 6 + 12 / 4),  # 8 data ranks; experts 4 x 8 over 4 x 2
        ({"layout__pipeline": 1}, 2, 6 + 12 / 16, 6 + 12 / 8),
        ({"layout__pipeline": 1, "model__tied": True}, 1, 6 + 12 / 16, 6 + 12 / 8),
        ({"layout__pipeline": 2, "layout__shard": "none"}, 1, 18, 18),
    ],
)
def test_megatrons_states_of_experts_by_hand(changed: dict[str, Any], tables: int, each: float, each_expert: float,
                                             ) -> None:  # fmt: skip
    """47 layers of 128 experts after a dense one of f = 6,144, over tensor 4, expert 4 and expert tensor 2."""
    dense = {"model__experts__dense_layers": 1, "model__experts__dense_ffn": 6144}
    r = moe(layout__expert=4, layout__expert_tensor=2, **(dense | changed))
    d, p = layout.resolve(r), changed["layout__pipeline"]
    split = (48 * ATTENTION + 3 * H * 6144) / p + tables * 151936 * H  # over tensor ranks
    whole = (H + 48 * 2 * H + 47 * ROUTER) / p
    by_hand = each * (split / 4 + whole) + each_expert * 47 * EXPERTS / (2 * 4 * p)
    assert estimators.megatron_states(r, d)[0] == pytest.approx(by_hand, rel=1e-12)

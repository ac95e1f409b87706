"""What can be built, said in words, with the nearest layouts that can."""

from typing import Any

import pytest

from engine import layout, validity
from engine.columns import column
from tests.settings import run
from tests.test_experts import moe


def broken(**changed: Any) -> list[str]:
    r = run(**changed)
    return [rule.reason for rule in validity.rules(r, layout.resolve(r)) if not rule.holds.all()]


def test_s4s_plan_can_be_built() -> None:
    assert broken() == []


@pytest.mark.parametrize(
    ("changed", "reasons"),
    [
        ({"batch": 2047},
         ["the batch of 2_047 sequences is not a whole number of micro-batches: data 512 x micro_batch 1 = "
          "512, 3.998 times; the nearest are 1_536 and 2_048"]),
        ({"batch": 100},
         ["the batch of 100 sequences is not a whole number of micro-batches: data 512 x micro_batch 1 = 512, "
          "0.1953 times; the nearest is 512"]),
        ({"layout__data": 1024},
         ["tensor 8 x context 1 x pipeline 1 x data 1_024 = 8_192 GPUs, the cluster has 4_096"]),
        ({"layout__tensor": 6, "layout__data": 512},
         ["64 heads do not divide by tensor 6; tensor can be 1, 2, 4, 8, 16, 32 or 64",
          "8 kv_heads do not divide by tensor 6, nor tensor by them",
          "a sequence of 8_192 tokens does not split over context 1 and tensor 6: it must be a multiple of 6",
          "an ffn of 28_672 does not divide by tensor 6",
          "a vocabulary of 128_000 does not divide by tensor 6, and megatron-core does not pad it; pad the "
          "model's to 128_256"]),
        ({"layout__shard": "zero2", "layout__pipeline": 2},
         ["zero2 reduces gradients after every micro-batch and cannot run with pipeline stages; use zero1 or zero3"]),
        ({"layout__expert": 8},
         ["expert parallelism needs a model with experts"]),
        ({"layout__expert_tensor": 2},
         ["expert parallelism needs a model with experts"]),
        ({"layout__stages": (40, 41), "layout__pipeline": 2},
         ["stages list 81 layers on 2 stages, the model has 80 on 2"]),
        ({"layout__stages": (80,), "layout__pipeline": 2},
         ["stages list 80 layers on 1 stages, the model has 80 on 2"]),
        ({"layout__schedule": "interleaved", "layout__schedule__virtual_stages": 2},
         ["schedule interleaved with pipeline 1 and 4 micro-batches: interleaving needs at least two stages "
          "and two virtual stages"]),
        ({"layout__shard": "zero3", "layout__shard__group": 3000},
         ["512 data ranks do not split into equal shard groups of 375; with placement = balanced the pods hold "
          "equal parts"]),
        ({"stack__refuses_uneven_stages": True, "layout__pipeline": 16, "model__layers": 126},
         ["megatron-core needs 126 layers to divide by pipeline x virtual_stages = 16: 7.875 a stage, 7.875 a "
          "chunk; rounded down, 112 of 126 layers would be built"]),
        ({"stack__even_split_divides": True, "layout__split": "even", "layout__pipeline": 3, "layout__data": 170,
          "batch": 1700},
         ["megatron-core needs 80 layers to divide by pipeline x virtual_stages = 3: 26.67 a stage, 26.67 a "
          "chunk; rounded down, 78 of 80 layers would be built"]),
        ({"stack__even_split_divides": True, "layout__pipeline": 3, "layout__data": 170, "batch": 1700},
         []),
        ({"stack__replicates_kv_heads": False, "layout__tensor": 16},
         ["8 kv_heads do not divide by tensor 16, and megatron-core does not replicate them"]),
        ({"stack__zero3_with_pipeline": False, "layout__shard": "zero3", "layout__pipeline": 2},
         ["megatron-core refuses zero3 with pipeline stages; use zero1, or one stage"]),
        ({"layout__pipeline": 16, "model__layers": 13},
         ["pipeline 16 x virtual_stages 1 = 16 chunks for 13 layers"]),
        ({"layout__pipeline": 16, "model__layers": 14},
         []),
        ({"layout__pipeline": 16, "model__layers": 15, "layout__split": "even"},
         ["pipeline 16 x virtual_stages 1 = 16 chunks for 15 layers"]),
        ({"layout__shard": "zero3", "layout__context": 2}, []),  # 256 data x 2 context ranks are one group
        ({"layout__shard": "zero3", "layout__shard__group": 3000, "layout__context": 2},
         ["512 data ranks do not split into equal shard groups of 375; with placement = balanced the pods hold "
          "equal parts"]),
        ({"lora__rank": 8, "lora__targets": ("q", "o_proj")}, []),
        ({"model__ffn": 28676},
         ["an ffn of 28_676 does not divide by tensor 8"]),
        ({"model__vocabulary": 128004},
         ["a vocabulary of 128_004 does not divide by tensor 8, and megatron-core does not pad it; pad the "
          "model's to 129_024"]),
        ({"model__sequence": 8188},
         ["a sequence of 8_188 tokens does not split over context 1 and tensor 8: it must be a multiple of 8"]),
        ({"model__sequence": 8184, "layout__context": 2},
         ["a sequence of 8_184 tokens does not split over context 2 and tensor 8: it must be a multiple of 16"]),
        ({"layout__tensor": 16, "model__kv_heads": 12},
         ["12 kv_heads do not divide by tensor 16, nor tensor by them"]),
        ({"layout__context_method": "all_to_all", "layout__context": 16, "layout__data": 32},
         ["context_method = all_to_all: 8 heads of a tensor rank do not divide by context 16",
          "context_method = all_to_all: 1 kv_heads of a tensor rank do not divide by context 16, and "
          "megatron-core does not replicate them; use ring"]),
        ({"layout__context_method": "all_to_all", "layout__context": 2, "layout__data": 256},
         ["context_method = all_to_all: 1 kv_heads of a tensor rank do not divide by context 2, and "
          "megatron-core does not replicate them; use ring"]),
        ({"layout__schedule": "interleaved", "layout__schedule__virtual_stages": 2, "layout__pipeline": 4,
          "batch": 384, "stack__interleaved_micro_batches": "at_least_stages"},
         ["schedule interleaved with pipeline 4 and 3 micro-batches: megatron-core needs at least one "
          "micro-batch a stage, 4 or more"]),
        ({"layout__schedule": "interleaved", "layout__schedule__virtual_stages": 2, "layout__pipeline": 4,
          "batch": 1152, "stack__interleaved_micro_batches": "whole_rounds"},
         ["schedule interleaved with pipeline 4 and 9 micro-batches: megatron-core needs a multiple of the 2 rounds"]),
        ({"layout__schedule": "interleaved", "layout__schedule__virtual_stages": 2, "layout__pipeline": 4,
          "batch": 896, "stack__interleaved_micro_batches": "whole_rounds"},
         []),
    ],
)  # fmt: skip
def test_reasons(changed: dict[str, Any], reasons: list[str]) -> None:
    """Numbers by hand: 128_256 is 167 x 128 x 6, 129_024 is 126 x 128 x 8, a group of 3_000 GPUs 375 x tensor 8."""
    assert broken(**changed) == reasons


@pytest.mark.parametrize(
    ("changed", "reasons"),
    [
        ({}, []),
        ({"layout__expert": 3}, ["128 experts do not divide by expert 3",
                                 "expert 3 x expert_tensor 1 does not divide the 64 ranks of a stage"]),
        ({"layout__expert": 128}, ["expert 128 x expert_tensor 1 does not divide the 64 ranks of a stage"]),
        ({"layout__expert": 16, "layout__context": 2}, []),  # tensor 4 x context 2 x data 8
        ({"layout__expert": 64, "layout__context": 2}, []),
        ({"model__ffn": 770}, []),  # no layer has it
        ({"layout__expert_tensor": 8, "model__experts__ffn": 770},
         ["an expert's ffn of 770 does not divide by expert_tensor 8"]),
    ],
)  # fmt: skip
def test_reasons_of_experts(changed: dict[str, Any], reasons: list[str]) -> None:
    r = moe(**changed)
    assert [rule.reason for rule in validity.rules(r, layout.resolve(r)) if not rule.holds.all()] == reasons


@pytest.mark.parametrize(
    ("number", "found"),
    [(0, []), (1, [1]), (2, [1, 2]), (9, [1, 3, 9]), (12, [1, 2, 3, 4, 6, 12]), (64, [1, 2, 4, 8, 16, 32, 64])],
)
def test_divisors(number: int, found: list[int]) -> None:
    assert validity.divisors(column(number)) == found


@pytest.mark.parametrize(
    ("value", "words"),
    [(float("nan"), "unknown"), (1234567.0, "1_234_567"), (0.1953125, "0.1953"), (12.0, "12"), (-3.0, "-3")],
)
def test_numbers_of_reasons(value: float, words: str) -> None:
    assert validity.text(column([value, 7.0])) == words


def test_a_table_keeps_its_infeasible_rows() -> None:
    r = run(batch=column([2048, 2047, 4096]))
    rule = next(rule for rule in validity.rules(r, layout.resolve(r)) if rule.name == "batch")
    assert rule.holds.tolist() == [True, False, True]

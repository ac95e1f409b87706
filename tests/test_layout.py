"""Degrees that follow from others."""

from typing import Any

import numpy as np
import pytest

from engine import layout
from tests.settings import run


@pytest.mark.oracle("times-micro")
@pytest.mark.parametrize(("batch", "counts"), [(8192, (256, 128, 64)), (512, (16, 8, 4))])
def test_micro_batches_of_s0(batch: int, counts: tuple[int, ...]) -> None:
    """512 GPUs, pipeline 16, data 32, micro-batches of 1, 2 and 4 sequences."""
    for size, expected in zip((1, 2, 4), counts, strict=True):
        r = run(cluster__gpus=512, layout__tensor=1, layout__pipeline=16, layout__micro_batch=size, batch=batch)
        d = layout.resolve(r)
        assert (d.dp[0], d.micro_batches[0]) == (32, expected)


def test_data_follows_from_the_rest() -> None:
    d = layout.resolve(run(layout__pipeline=4))
    assert (d.dp[0], d.used[0], d.idle[0]) == (128, 4096, 0)


def test_gpus_that_do_not_divide_stay_idle() -> None:
    d = layout.resolve(run(cluster__gpus=4100))
    assert (d.dp[0], d.idle[0]) == (512, 4)


def test_context_splits_the_tokens_and_joins_the_shard_group() -> None:
    d = layout.resolve(run(layout__context=2, layout__data=256))
    assert (d.tokens[0], d.shard[0]) == (4096, 512)


def test_shard_group_of_stated_gpus() -> None:
    d = layout.resolve(run(layout__shard="zero3", layout__shard__group=512))
    assert (d.shard[0], d.copies[0]) == (64, 8)


def test_key_value_heads_of_a_rank_are_at_least_one() -> None:
    assert layout.resolve(run(layout__tensor=16, layout__data=256)).kv_heads[0] == 1


def test_every_degree_of_a_small_layout() -> None:
    """tp 2, cp 3, pp 5, dp 7 of 215 GPUs; 280 sequences of 12 tokens in micro-batches of 4."""
    r = run(cluster__gpus=215, layout__tensor=2, layout__context=3, layout__pipeline=5, layout__data=7, batch=280,
            layout__micro_batch=4, layout__expert=3, layout__expert_tensor=2, model__sequence=12)  # fmt: skip
    found = {k: v if isinstance(v, int) else float(v[0]) for k, v in vars(layout.resolve(r)).items()}
    assert found == {
        "tp": 2, "cp": 3, "pp": 5, "vp": 1, "dp": 7, "ep": 3, "etp": 2, "edp": 7, "used": 210, "idle": 5,
        "micro_batches": 10, "tokens": 16, "tokens_per_step": 3360, "sequence": 12, "shard": 21, "copies": 1,
        "sequence_parallel": True, "kv_heads": 4,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "expected"),
    [({"accumulation": 9}, 9), ({"accumulation": 9, "batch": None}, 9), ({"batch": 1024, "accumulation": 9}, 2)],
)
def test_micro_batches_follow_from_the_batch_first(changed: dict[str, Any], expected: float) -> None:
    assert layout.resolve(run(**{"batch": None} | changed)).micro_batches.tolist() == [expected]


def test_what_is_not_known_is_no_number() -> None:
    assert np.isnan(layout.resolve(run(batch=None)).micro_batches[0])
    assert np.isnan(layout.resolve(run(model__sequence=None)).sequence[0])
    assert layout.resolve(run(sequence=100)).sequence.tolist() == [100]
    alone = layout.resolve(run(cluster__gpus=None))
    assert (alone.dp.tolist(), alone.idle.tolist()) == ([1], [0])


@pytest.mark.parametrize(("stated", "expected"), [(None, True), (False, False), (True, True)])
def test_sequence_parallelism_is_the_stacks_unless_stated(stated: bool | None, expected: bool) -> None:
    assert layout.resolve(run(layout__sequence_parallel=stated)).sequence_parallel == expected


@pytest.mark.parametrize(
    ("schedule", "stated", "chunks"),
    [("one_f_one_b", None, 1), ("one_f_one_b", 3, 1), ("interleaved", None, 2), ("interleaved", 3, 3)],
)
def test_chunks_of_a_rank(schedule: str, stated: int | None, chunks: int) -> None:
    assert layout.virtual_stages(run(layout__schedule=schedule, layout__schedule__virtual_stages=stated)) == chunks


NESTED = ("tensor", "pipeline", "context", "data")


@pytest.mark.parametrize(
    ("changed", "ranks"),
    [
        ({"layout__shard": "zero1", "layout__shard__within": "pod"}, 96),
        ({"layout__shard": "zero1", "layout__shard__group": 64}, 96),
        ({}, 96),
        ({"layout__shard__within": "node"}, 1),
        ({"layout__shard__within": "pod"}, 64),  # 512 of 768 GPUs of a pod, 8 of a rank
        ({"layout__shard__within": "pod", "cluster__placement": "balanced"}, 48),  # 768 in two pods of 384
        ({"layout__shard__within": "spine"}, 96),
        ({"layout__shard__within": "nowhere"}, 96),
        ({"layout__shard__group": 100}, 12),
        ({"layout__shard__group": 4}, 1),
        ({"layout__shard__group": 9999}, 96),
        ({"layout__pipeline": 3, "layout__context": 1, "layout__data": 32, "layout__shard__group": 96}, 12),
        ({"layout__pipeline": 3, "layout__context": 1, "layout__data": 32, "layout__shard__group": 96,
          "layout__order": NESTED}, 4),
    ],
)  # fmt: skip
def test_ranks_that_shard_the_states(changed: dict[str, Any], ranks: float) -> None:
    """cp 2 x dp 48 of tp 8 on 768 GPUs in pods of 512."""
    tiers = (("node", 8, 450e9, 1e-6, 1.0), ("pod", 512, 50e9, 1e-5, 1.0), ("spine", 4096, 50e9, 1e-5, 1.0))
    base = {"layout__shard": "zero3", "layout__context": 2, "layout__data": 48, "cluster__gpus": 768}
    d = layout.resolve(run(tiers, **base | changed))
    assert d.shard.tolist() == [ranks]
    assert d.copies.tolist() == [float((d.dp * d.cp)[0]) / ranks]


@pytest.mark.parametrize(
    ("tensor", "context", "parallel", "multiple"),
    [(3, 1, True, 3), (3, 1, False, 1), (3, 2, True, 12), (4, 2, True, 8), (3, 2, False, 4), (4, 5, True, 20)],
)
def test_a_sequence_divides_over_tensor_and_context_ranks(
    tensor: float, context: float, parallel: bool, multiple: float
) -> None:
    d = layout.resolve(run(layout__tensor=tensor, layout__context=context, layout__sequence_parallel=parallel))
    assert layout.sequence_multiple(d).tolist() == [multiple]


@pytest.mark.parametrize(("tensor", "kv", "copies"), [(16, 4, 4), (4, 16, 1), (16, None, 1), (128, None, 2)])
def test_ranks_that_hold_the_same_head(tensor: float, kv: float | None, copies: float) -> None:
    r = run(layout__tensor=tensor, model__kv_heads=kv)
    assert layout.kv_replication(r, layout.resolve(r)).tolist() == [copies]

"""Degrees that follow from others."""

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

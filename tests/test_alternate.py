"""Recomputation of every second matrix multiply: what runs again, and what of a kept tensor stays."""

from dataclasses import replace

import pytest

from engine import alternate
from engine.columns import column
from engine.operators.work import Collective, Gemm, Kept, Sdpa, Traffic, Work
from tests.settings import run

OTHER = column(3e8)


def gemm(op: str) -> Gemm:
    return Gemm(op, column(4096.0), column(1000.0), column(8192.0), column(6e7))


@pytest.mark.parametrize(
    ("op", "share"),
    [("qkv", 0.1), ("attn_out", 1.0), ("mlp_up", 0.5), ("expert_up", 0.5), ("mlp_down", None), ("router", None)],
)
def test_the_multiplies_that_run_again(op: str, share: float | None) -> None:
    """Of queries, keys and values (64 + 8 + 8 heads) the keys: 8 of 80. Their columns and their weights."""
    work = gemm(op)
    found = alternate.again(run(), work)
    if share is None:
        assert found is None
    else:
        assert isinstance(found, Gemm)
        assert (found.n[0], found.weights[0]) == (pytest.approx(1000 * share), pytest.approx(6e7 * share))
        assert replace(found, n=work.n, weights=work.weights) == work


@pytest.mark.parametrize(
    ("work", "runs"),
    [
        *((Traffic(op, OTHER, 2.0), True) for op in ("norm", "rope", "activation", "latent norm")),
        (Traffic("residual", OTHER, 2.0), False),
        (Sdpa("sdpa", OTHER, OTHER, OTHER), False),
        (Collective("gather", "all_gather", OTHER, "tensor"), False),
    ],
)
def test_norms_rotary_and_activation_run_again_whole(work: Work, runs: bool) -> None:
    assert alternate.again(run(), work) is (work if runs else None)


@pytest.mark.parametrize(("kv_heads", "share"), [(8, 8 / 80), (16, 16 / 96), (None, 64 / 192)])
def test_the_share_of_the_keys(kv_heads: int | None, share: float) -> None:
    """Without heads of their own keys and values have those of the queries."""
    assert alternate.keys(run(model__kv_heads=kv_heads))[0] == share


@pytest.mark.parametrize(
    ("tensor", "stays"),
    [
        ("norm output", 0), ("keys and values", 0.5), ("activation input", 0.5), ("activation output", 0),
        ("gate output", 0), ("permuted input", 0), ("latents and their norms", 0), ("shared activation input", 0.5),
        ("shared activation output", 0), ("layer input", 1), ("queries", 1),
    ],
)  # fmt: skip
def test_the_share_of_a_tensor_that_stays(tensor: str, stays: float) -> None:
    kept = Kept("op", tensor, OTHER)
    assert alternate.kept_share(kept, ("norm", "alternate")) == stays
    assert alternate.kept_share(kept, ("norm",)) == 1.0

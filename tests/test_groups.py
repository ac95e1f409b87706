"""Ranks of every group of small layouts: how many, and how far apart."""

from dataclasses import replace
from typing import Any

import pytest

from engine import layout
from engine.columns import column
from engine.groups import groups, parts, strides
from tests.settings import run
from tests.test_experts import moe


def told(cp: float, shard: float, ep: float = 1, etp: float = 1) -> dict[str, list[tuple[float, float]]]:
    """tp 2, dp 20, pp 5."""
    r = run(layout__tensor=2, layout__context=cp, layout__data=20, layout__pipeline=5, layout__expert=ep,
            layout__expert_tensor=etp)  # fmt: skip
    d = replace(layout.resolve(r), shard=column(shard))
    return {name: [(float(n[0]), float(s[0])) for n, s in found] for name, found in parts(r, d).items()}


def test_neighbors_are_as_far_apart_as_the_axes_inside_are_wide() -> None:
    d = layout.resolve(run(layout__tensor=2, layout__context=3, layout__data=20, layout__pipeline=5))
    found = strides(("tensor", "context", "data", "pipeline"), d)
    assert {k: float(v[0]) for k, v in found.items()} == {"tensor": 1, "context": 2, "data": 6, "pipeline": 120}
    found = strides(("context", "pipeline", "other", "tensor", "data"), d)
    assert [float(v[0]) for v in found.values()] == [1, 3, 15, 15, 30]


def test_groups_of_a_dense_layout() -> None:
    """12 ranks shard: 3 context ranks and 4 data ranks; 5 copies 4 data ranks apart."""
    found = told(3, 12)
    assert found["tensor"] == [(2, 1)] and found["context"] == [(3, 2)] and found["pipeline"] == [(5, 120)]
    assert found["data"] == [(3, 2), (20, 6)]
    assert found["shard"] == [(3, 2), (4, 6)] and found["copies"] == [(1, 6), (5, 24)]


def test_a_shard_group_inside_the_context_ranks() -> None:
    found = told(4, 2)
    assert found["shard"] == [(2, 2), (1, 8)] and found["copies"] == [(2, 4), (20, 8)]


@pytest.mark.parametrize(
    ("ep", "etp", "expert", "copies"),
    [
        (12, 1, [(6, 1), (2, 6)], [(1, 12), (10, 12)]),  # tensor and context ranks, then two data ranks
        (3, 2, [(3, 2), (1, 6)], [(1, 6), (20, 6)]),
        (1, 2, [(1, 2), (1, 6)], [(3, 2), (20, 6)]),
        (3, 4, [(1.5, 4), (2, 6)], [(1, 12), (10, 12)]),
    ],
)
def test_ranks_of_experts(ep: float, etp: float, expert: Any, copies: Any) -> None:
    found = told(3, 60, ep, etp)
    assert found["expert_tensor"] == [(etp, 1)]
    assert (found["expert"], found["expert_data"]) == (expert, copies)


def test_only_models_with_experts_have_groups_of_theirs() -> None:
    dense, experts = run(), moe()
    names = {"tensor", "context", "pipeline", "data", "shard", "copies"}
    assert set(groups(dense, layout.resolve(dense))) == names
    assert set(groups(experts, layout.resolve(experts))) == names | {"expert", "expert_tensor", "expert_data"}


@pytest.mark.parametrize(
    ("tensor", "shard", "cards", "axis", "share"),
    [
        (2, "zero3", 1, "shard", 0.25),  # one card of the four ranks of a node
        (2, "zero3", 3, "shard", 0.75),
        (8, "zero3", 3, "shard", 1),  # one rank a node
        (2, "zero3", None, "shard", 1),
        (2, "zero1", 1, "shard", 1),
        (2, "zero3", 1, "data", 1),
    ],
)
def test_small_gathers_keep_fewer_cards_busy(
    tensor: float, shard: str, cards: float | None, axis: str, share: float
) -> None:
    r = run(layout__tensor=tensor, layout__shard=shard, stack__ring_cards=cards)
    assert groups(r, layout.resolve(r))[axis].outside.tolist() == [50e9 * share]

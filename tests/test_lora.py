"""Adapters and frozen parameters by hand: h 96, 6 query and 3 key/value heads of 20, f 45, tp 3."""

from typing import Any

import pytest

from engine.columns import column
from engine.layers import LayerKind
from engine.operators import lora
from tests.block_lines import linear, lines
from tests.settings import run
from tests.test_experts import moe
from tests.test_operators import GRADIENT, OWN, degrees, small

DENSE = LayerKind(False, False)
SEVEN = [
    ("q", 96, 120, False), ("k", 96, 60, False), ("v", 96, 45, False), ("o", 90, 96, True), ("gate", 96, 45, False),
    ("up", 96, 45, False), ("down", 45, 96, True),
]  # fmt: skip


def test_adapters_of_a_layer() -> None:
    """Rank 4: queries 96 x 120 and keys 96 x 60 split their outputs, the way out 120 x 96 its inputs; so do 45."""
    r = small(lora__rank=4, lora__targets=("q_proj", "o_proj", "up"))
    d = degrees(r)
    dense = LayerKind(False, False)
    assert lora.rank_parameters(r, dense, d).tolist() == [4 * (96 + 40) + 4 * (40 + 96) + 4 * (96 + 15)]
    found = lora.block(r, dense, d, GRADIENT)
    pairs = [
        (linear(f"{name} lora A", 10, 4, wide), linear(f"{name} lora B", 10, out, 4))
        for name, wide, out in (("q", 96, 40), ("o", 40, 96), ("up", 96, 15))
    ]
    assert lines(found.forward) == [x[0] for pair in pairs for x in pair]
    assert lines(found.backward) == [x for down, up in pairs for x in (*up[1], *down[1])]
    assert lines(found.keeps) == [(f"{name} lora A", "adapter input", 80) for name in ("q", "o", "up")]
    narrow = small(lora__rank=4, lora__targets=(), precision="fp8")
    kept = lines(lora.block(narrow, dense, d, GRADIENT).keeps)
    assert kept[7:] == [("norm", "adapter input in 16 bits", x) for x in (OWN, OWN, 300)]


@pytest.mark.parametrize(
    ("kind", "gated", "names"),
    [
        (DENSE, True, ["q", "k", "v", "o", "gate", "up", "down"]),
        (DENSE, False, ["q", "k", "v", "o", "up", "down"]),
        (LayerKind(False, True), True, ["q", "k", "v", "o"]),
        (LayerKind(False, False, "mixer"), True, ["gate", "up", "down"]),
        (LayerKind(False, False, "attention", False), True, ["q", "k", "v", "o"]),
    ],
)
def test_matrices_that_are_adapted(kind: LayerKind, gated: bool, names: list[str]) -> None:
    """Values of 15 a head, so that keys and values differ."""
    values: dict[str, Any] = {"model__attention": "grouped", "model__attention__value_head": 15}
    found = lora.adapted(small(lora__rank=4, lora__targets=(), model__gated=gated, **values), kind)
    told = [(a.target, float(a.wide[0]), float(a.out[0]), a.row_parallel) for a in found]
    assert told == [row for row in SEVEN if row[0] in names]


def test_all_adapters_of_a_model() -> None:
    """Two layers, 4 (96 + 120) for the queries of each; a tensor rank has 4 (96 + 120/3)."""
    r = small(lora__rank=4, lora__targets=("q",), model__layers=2)
    assert lora.parameters(r).tolist() == [2 * 4 * (96 + 120)]
    assert lora.rank_parameters(r, DENSE, degrees(r)).tolist() == [4 * (96 + 40)]
    without = small()
    assert (lora.parameters(without).tolist(), lora.adapted(without, DENSE)) == ([0], ())
    assert lora.rank_parameters(without, DENSE, degrees(without)).tolist() == [0]


def test_wide_inputs_without_sequence_parallelism_stand_on_every_rank() -> None:
    """q alone of three that share an input, 10 x 96 x 2 bytes; nothing where 16 bits are kept anyway."""
    r = small(lora__rank=4, lora__targets=("k", "v"), precision="fp8")
    assert lines(lora.wide_inputs(r, DENSE, degrees(r))) == [("norm", "adapter input in 16 bits", OWN)]
    found = lora.wide_inputs(r, DENSE, degrees(r, sequence_parallel=False))
    assert lines(found) == [("norm", "adapter input in 16 bits", 1920)]
    assert lora.wide_inputs(small(lora__rank=4, lora__targets=("q",)), DENSE, degrees(r)) == []


@pytest.mark.parametrize(
    ("changed", "share", "everything"),
    [({}, 1, True), ({"frozen": 0.25}, 0.75, False), ({"lora__rank": 4, "lora__targets": ()}, 0, False)],
)
def test_what_is_trained(changed: dict[str, Any], share: float, everything: bool) -> None:
    assert lora.trained_share(run(**changed)).tolist() == [share]
    assert lora.trains_all(run(**changed)) == everything


def test_a_column_with_a_frozen_point_is_not_all_trained() -> None:
    assert not lora.trains_all(run(frozen=column([0.0, 0.5])))
    assert lora.targets(moe(lora__rank=4, lora__targets=("q_proj", "up"))) == ("q", "up")

"""Data-parallel traffic of a step by hand: a gather takes 1 s a byte, a reduce-scatter 2 s, an all-reduce 3 s."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from engine import layout, overlap
from engine.columns import ONE, ZERO, column
from engine.ledger import Entry
from engine.network import Group
from engine.overlap import Bucket
from tests.settings import run

PACE = {"all_gather": 1.0, "reduce_scatter": 2.0, "all_reduce": 3.0}
FIRST, BACK = "the first forward pass", "one backward pass"
AHEAD, BEHIND = "the forward pass of the layer before", "the backward pass of the next layer"
DENSE = Bucket("", column(100), column(60), "shard", 4)
Told = tuple[str, str, float, float, float, float, str | None]


@pytest.fixture(autouse=True)
def _paced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlap, "call_seconds", lambda _, kind, size, axis: PACE[kind] * size)


def rows(
    *buckets: Bucket, forward: float = 50, backward: float = 100, ranks: float = 5, pp: int = 1, copies: float = 1,
    **changed: Any,
) -> list[Entry]:  # fmt: skip
    """Entries with 3 bytes a reduced gradient, 3 micro-batches, a shard group of 6 and a least exposed share of 0.1."""
    r = run(**{"states__gradients": 3, "stack__data_exposed": 0.1, "stack__overlap_tax": 0.25} | changed)
    d = replace(layout.resolve(r), micro_batches=column(3), shard=column(6), copies=column(copies), pp=pp)
    size = column(ranks)
    group = Group("data", size, (size,), (ONE,), ZERO, column(100), column(50), ONE, (ZERO,))
    prices: Any = SimpleNamespace(run=r, groups=dict.fromkeys(("shard", "copies", "expert_data"), group))
    return overlap.data_rows(r, d, prices, list(buckets or (DENSE,)), column(forward), column(backward))


def told(entries: list[Entry]) -> list[Told]:
    """Operation, phase, bytes sent, calls, seconds, exposed seconds and what hides them."""
    return [(e.row.op, e.row.phase, *numbers(e), e.row.hidden_by) for e in entries]


def numbers(e: Entry) -> tuple[float, float, float, float]:
    sent, calls, busy, exposed = (float(x[0]) for x in (e.row.bytes, e.count, e.row.seconds, e.row.exposed))
    return sent, calls, busy, exposed


GRADIENTS: Told = ("gradients", "step", 0.8 * 180, 1, 360, 360 - 80, BACK)
WEIGHTS: Told = ("weights", "step", 0.8 * 120, 1, 120, 120 - 40, FIRST)


@pytest.mark.parametrize(
    ("shard", "expected"),
    [
        ("none", [("gradients", "step", 1.6 * 180, 1, 540, 540 - 80, BACK)]),
        ("zero1", [GRADIENTS, WEIGHTS]),
        ("zero2", [(*GRADIENTS[:3], 3, *GRADIENTS[4:]), WEIGHTS]),
    ],
)
def test_whole_gradients_and_trained_weights_move_once_a_step(shard: str, expected: list[Told]) -> None:
    """60 of 100 parameters are trained: gradients of 180 bytes, weights of 120; 4 of 5 parts travel."""
    assert told(rows(layout__shard=shard)) == expected


@pytest.mark.parametrize(
    ("changed", "exposed"),
    [
        ({"forward": 1000, "backward": 1000}, [360 / 4, 120 / 4]),  # the last layer's part
        ({"forward": 1000, "backward": 1000, "stack__data_exposed": 0.5}, [180, 60]),  # the stack's least share
        ({"layout__overlap__data": False}, [360, 120]),
        ({"ranks": 1}, [0, 0]),
    ],
)
def test_what_stays_exposed(changed: dict[str, Any], exposed: list[float]) -> None:
    found = rows(**changed)
    assert [float(e.row.exposed[0]) for e in found] == exposed
    if "layout__overlap__data" in changed:
        assert [e.row.hidden_by for e in found] == [None, None]


def test_a_stage_without_layers_has_one_last_layer() -> None:
    found = rows(replace(DENSE, layers=0), forward=1000, backward=1000)
    assert [float(e.row.exposed[0]) for e in found] == [360, 120]


def test_the_next_bucket_hides_behind_what_is_left() -> None:
    """Of 1,000 s backward 360/0.8 are used up, of 300 s forward 120/0.8; nothing is left of less."""
    experts = Bucket("expert ", column(300), column(250), "expert_data", 4)
    found = told(rows(DENSE, experts, forward=300, backward=1000))[2:]
    assert found == [
        ("expert gradients", "step", 0.8 * 750, 1, 1500, 1500 - 0.8 * 550, BACK),
        ("expert weights", "step", 0.8 * 500, 1, 500, 500 - 0.8 * 150, FIRST),
    ]
    assert [row[5] for row in told(rows(DENSE, experts, forward=80, backward=90))[2:]] == [1500, 500]


def test_with_pipeline_stages_zero3_gathers_all_weights_once_a_step() -> None:
    found = told(rows(layout__shard="zero3", pp=2, copies=4))
    copies = ("gradient copies", "step", 1.6 * 30, 1, 90, 22.5, BACK)
    assert found == [GRADIENTS, ("weights", "step", 0.8 * 200, 1, 200, 160, FIRST), copies]


@pytest.mark.parametrize(("sync", "calls"), [("every", 3), ("last", 1)])
def test_copies_of_a_shard_are_summed_too(sync: str, calls: float) -> None:
    """3 x 60/6 bytes, 90 s, of which a backward pass of 40 s hides 32."""
    found = rows(layout__shard="zero3", copies=4, backward=40, layout__gradient_sync=sync)[-1]
    assert told([found]) == [("gradient copies", "step", 1.6 * 30, calls, 90, 90 - 32, BACK)]
    assert found.row.algorithm == "all_reduce (ring or tree, the faster)"


def test_copies_are_of_dense_shards_alone() -> None:
    experts = Bucket("expert ", column(300), column(250), "expert_data", 4)
    assert [e.row.op for e in rows(experts, layout__shard="zero3", copies=4) if "copies" in e.row.op] == []
    assert [e.row.op for e in rows(layout__shard="zero3", copies=1) if "copies" in e.row.op] == []
    assert [e.row.op for e in rows(layout__shard="zero1", copies=4) if "copies" in e.row.op] == []


@pytest.mark.parametrize(("sync", "sums"), [("every", 12), ("last", 4)])
def test_zero3_layer_by_layer(sync: str, sums: float) -> None:
    """4 layers x 3 micro-batches: a gather of 200/4 bytes, a reduction of 180/4; a layer takes 20 s and 40 s.

    The gather exceeds the pass before by 50 - 20; gather and reduction exceed 40 by 50 + 90 - 40 = 100, shared as
    50 : 90. A quarter of what is hidden is paid as tax; the first gather and the last reduction hide behind nothing.
    """
    found = told(rows(forward=80, backward=160, layout__shard="zero3", layout__gradient_sync=sync))
    again, reduced = 100 * 50 / 140, 100 * 90 / 140
    expected = [
        ("weights", "forward", 0.8 * 50, 12, 50, 30 + 0.25 * 20 + 20 / 12, AHEAD),
        ("weights again", "backward", 0.8 * 50, 12, 50, again + 0.25 * (50 - again), BEHIND),
        ("gradients", "backward", 0.8 * 45, sums, 90, reduced + 0.25 * (90 - reduced) + (90 - reduced) / sums, BEHIND),
    ]
    assert [row[:5] + row[6:] for row in found] == [row[:5] + row[6:] for row in expected]
    assert [row[5] for row in found] == pytest.approx([row[5] for row in expected], rel=1e-14)


def test_zero3_that_keeps_what_it_gathered() -> None:
    found = told(rows(forward=400, backward=160, layout__shard="zero3", layout__reshard=False))
    assert [row[0] for row in found] == ["weights", "gradients"]
    assert [row[5] for row in found] == pytest.approx([0.25 * 50 + 50 / 12, 50 + 0.25 * 40 + 40 / 12], rel=1e-14)


def test_zero3_without_overlap_waits_for_everything() -> None:
    found = rows(layout__shard="zero3", layout__overlap__data=False)
    assert [float(e.row.exposed[0]) for e in found] == [50, 50, 90]


def test_what_is_frozen_sends_no_gradients() -> None:
    """One gather of 50 s twice a layer; nothing is reduced, so the second hides behind all of 40 s."""
    found = told(rows(replace(DENSE, trained=ZERO), forward=80, backward=160, layout__shard="zero3"))
    assert [row[3] for row in found] == [12, 12, 0]
    assert found[1][5] == 10 + 0.25 * 40
    assert [float(e.count[0]) for e in rows(replace(DENSE, trained=column(0.2)))] == [1, 1]


def test_a_row_says_how_well_the_link_is_used() -> None:
    """144 bytes in 360 s over 100 bytes/s; no number where nothing is sent."""
    found = rows()[0].row
    assert (found.block, found.kind, found.axis, found.algorithm) == ("data", "collective", "data",
                                                                     "reduce_scatter (ring)")  # fmt: skip
    assert found.efficiency is not None and found.efficiency[0] == 144 / 36000
    assert (found.flops[0], found.kernels[0]) == (0, 1)
    nothing = rows(replace(DENSE, trained=ZERO))[0].row.efficiency
    assert nothing is not None and nothing[0] != nothing[0]

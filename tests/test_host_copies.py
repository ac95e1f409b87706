"""Copies between GPU and host by hand: 10 bytes/s of a link, 400 bytes/s of a node's memory that 8 GPUs share."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine import layout, offload
from engine.columns import column
from engine.inputs import Run
from engine.ledger import Entry, Row
from engine.operators.work import Block, Kept
from tests.settings import run

Told = tuple[str, str, float, float, float, str | None]


def linked(optimizer: float = 0.0, weights: float = 0.0, activations: float = 0.0, **changed: Any) -> Run:
    shares: dict[str, Any] = {
        "offload__optimizer": optimizer,
        "offload__weights": weights,
        "offload__activations": activations,
    }
    return run(cluster__gpu__host_link=10.0, cluster__host_memory_bandwidth=400.0, states__gradients=3,
               stack__optimizer_bytes=6.0, **shares, **changed)  # fmt: skip


def told(row: Row) -> Told:
    """Operation, phase, bytes, seconds, exposed seconds and what hides them."""
    assert (row.block, row.kind, row.kernels[0], row.flops[0]) == ("offload", "host", 1, 0)
    moved, busy, exposed = (float(x[0]) for x in (row.bytes, row.seconds, row.exposed))
    return row.op, row.phase, moved, busy, exposed, row.hidden_by


@pytest.mark.parametrize(("backward", "late"), [(5, 15 - 0.8 * 5), (100, 0)])
def test_the_optimizers_rows(backward: float, late: float) -> None:
    """Half of 100 parameters: 3 bytes of a gradient down, 2 of a weight up, 6 moved by the update at 400/8 bytes/s."""
    found = offload.optimizer_rows(linked(optimizer=0.5), column(100), column(backward))
    assert [told(e.row) for e in found] == [
        ("gradients to host", "step", 150, 15, late, "one backward pass"),
        ("update on the host", "step", 300, 6, 6, None),
        ("weights from host", "step", 100, 10, 10, None),
    ]
    assert [e.count.tolist() for e in found] == [[1]] * 3


@pytest.mark.parametrize(("reshard", "times"), [(True, 6), (False, 3)])
@pytest.mark.parametrize(("forward", "late"), [(2, 3), (9, 0)])
def test_weights_from_the_host(reshard: bool, times: float, forward: float, late: float) -> None:
    """A quarter of 100 parameters of 2 bytes, for 3 micro-batches, twice where the backward pass gathers again."""
    r = linked(weights=0.25, layout__reshard=reshard)
    d = replace(layout.resolve(r), micro_batches=column(3))
    found: list[Entry] = offload.weight_rows(r, d, column(100), column(forward))
    assert [(told(e.row), e.count.tolist()) for e in found] == [
        (("sharded weights from host", "step", 50, 5, late, "the forward pass"), [times])
    ]


def test_activations_there_and_back() -> None:
    """A quarter of 160 kept bytes, 4 s each way, behind 1 s forward, 2 s recomputed and 1.5 s backward."""
    r = linked(activations=0.25)
    block = Block("mlp", (), (), (Kept("norm", "norm output", column(160)),))

    def rows(seconds: float) -> tuple[Any, ...]:
        return (SimpleNamespace(exposed=column(seconds)),)

    own: Any = SimpleNamespace(block=block, forward=rows(1), recompute=rows(2), backward=rows(1.5))
    same, copied = offload.copies(r, (own,), SimpleNamespace(), ())  # type: ignore[arg-type]
    assert same is own and copied.block.name == "offload"
    assert [told(row) for row in (*copied.forward, *copied.backward)] == [
        ("activations to host", "forward", 40, 4, 3, "the layer's forward pass"),
        ("activations from host", "backward", 40, 4, 0.5, "the layer's backward pass"),
    ]
    assert offload.buffers(r, column(160)).tolist() == [2 * 40]


def test_nothing_offloaded_is_no_row() -> None:
    for r in (linked(), run()):
        d, hundred = layout.resolve(r), column(100)
        assert offload.optimizer_rows(r, hundred, hundred) == offload.weight_rows(r, d, hundred, hundred) == []
        assert offload.copies(r, (), SimpleNamespace(), ()) == ()  # type: ignore[arg-type]
    assert len(offload.optimizer_rows(linked(optimizer=1.0), column(1), column(1))) == 3
    some = linked(optimizer=np.array([0.0, 0.5]))  # type: ignore[arg-type]
    assert len(offload.optimizer_rows(some, column(1), column(1))) == 3

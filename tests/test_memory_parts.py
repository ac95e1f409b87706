"""Every part of a rank's memory by hand, with small whole numbers in the place of bytes and parameters."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from engine import layout, memory
from engine.columns import ZERO, column
from engine.layers import LayerKind
from engine.operators.work import Block, Kept
from engine.stages import Stage
from tests.settings import run
from tests.test_memory import made as timed

OFFLOAD: dict[str, Any] = {"offload__optimizer": 0.25, "offload__weights": 0.5, "offload__activations": 0.25}
FULL, EXPERTS = LayerKind(False, False), LayerKind(False, True)


def parameters(layer: float = 7.0, head: float = 11.0) -> Any:
    return SimpleNamespace(parameters=SimpleNamespace(largest_layer=column(layer), head=column(head)))


def block(name: str, **bytes_of: float) -> Any:
    """A priced block that keeps so many bytes by tensor, each freed by the operation of the same name."""
    kept = tuple(Kept(op, "block input" if op == "residual" else op, column(size)) for op, size in bytes_of.items())
    return SimpleNamespace(block=Block(name, (), (), kept), recompute=())


@pytest.mark.parametrize(
    ("shard", "pipeline", "changed", "expected"),
    [
        ("none", 1, {}, (210, 160, 960, 0)),
        ("zero1", 1, {}, (210, 160, 156, 0)),
        ("zero2", 1, {}, (210, 26, 156, 0)),
        ("zero2", 1, {"layout__gradient_sync": "last"}, (210, 26, 156, 0)),
        ("zero3", 1, {}, (34, 26, 156, 2 * (2 * 7 + 11) + 4 * 0.75 * 11)),
        ("zero3", 1, {"layout__gradient_sync": "last"}, (34, 160, 156, 2 * (2 * 7 + 11))),
        ("zero3", 1, {"layout__reshard": False}, (34, 26, 156, 2 * 105 + 4 * 0.75 * 7)),
        ("zero3", 2, {}, (34, 26, 156, 2 * 105 + 4 * 0.75 * 105)),
        ("zero3", 2, {"layout__gradient_sync": "last"}, (34, 160, 156, 2 * 105 + 4 * 0.75 * 105)),
    ],
)
def test_states_by_sharding(shard: str, pipeline: int, changed: dict[str, Any], expected: tuple[float, ...]) -> None:
    """30 dense, 70 expert, 5 adapter parameters over 5 and 7 ranks, a quarter frozen: whole 105, a shard 35/5 + 70/7;
    trained 27.5 + 52.5 = 80, a shard 13; 2 bytes a weight and gradient, 12 of the optimizer."""
    r = run(frozen=0.25, layout__shard=shard, **changed)
    d = replace(layout.resolve(run()), shard=column(5), edp=column(7), pp=pipeline)
    found = memory.states(r, d, parameters(), column(30), column(70), column(5))
    assert tuple(float(x[0]) for x in found) == expected


def test_states_of_a_dense_model_need_no_experts() -> None:
    d = replace(layout.resolve(run()), shard=column(5), edp=column(7))
    found = memory.states(run(layout__shard="zero2"), d, parameters(), column(30))
    assert [float(x[0]) for x in found] == [60, 12, 72, 0]


@pytest.mark.parametrize(
    ("shard", "expected"),
    [
        ("none", (40, 24, 75, 25)),
        ("zero1", (40, 24, 75, 25)),
        ("zero2", (40, 18, 75, 31)),
        ("zero3", (20, 18, 75, 51)),
    ],
)
def test_what_is_offloaded_follows_the_sharding(shard: str, expected: tuple[float, ...]) -> None:
    """Half of 40 bytes of weights, a quarter of 24 of gradients and of 100 of the optimizer."""
    held = memory.offloaded(run(layout__shard=shard, **OFFLOAD), column(40), column(24), column(100))
    assert (held.weights[0], held.gradients[0], held.optimizer[0], held.host[0]) == expected
    assert held.device[0] == sum(expected[:3])


def test_the_other_phases_hold_states_and_what_the_stack_copies() -> None:
    r = run(stack__load_copy=0.5, stack__update_bytes=3.0, stack__save_copy=0.25)
    found = memory.other_phases(r, memory.Held(column(10), column(20), column(30), column(90)), column(7))
    assert {k: v[0] for k, v in found.items()} == {"load": 75.0, "update": 81.0, "save": 67.5}


@pytest.mark.parametrize(("shard", "expected"), [("zero2", 0), ("zero3", (2 * 2 + 4 * 0.75) * 11)])
def test_the_head_is_gathered_under_zero3_alone(shard: str, expected: float) -> None:
    r = run(layout__shard=shard, frozen=0.25)
    assert memory.head_held(r, layout.resolve(r), parameters()).tolist() == [expected]


def test_adapters_are_trained_and_frozen_parameters_not() -> None:
    found = memory.trained(run(frozen=0.25), column(40), column(80), column(3))
    assert [float(x[0]) for x in found] == [33, 60]


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [
        ((1, 1, 1, 1, 1), 0),
        ((2, 1, 1, 1, 1), 1),
        ((1, 2, 1, 1, 1), 2),  # of its own, and with the data ranks
        ((1, 1, 2, 1, 1), 1),
        ((1, 1, 1, 2, 1), 1),
        ((1, 1, 1, 1, 2), 1),
        ((3, 3, 3, 3, 3), 5),
    ],
)
def test_a_communicator_for_every_axis_that_is_shared(degrees: tuple[int, ...], expected: int) -> None:
    tp, cp, dp, copies, pp = degrees
    d = replace(layout.resolve(run()), tp=column(tp), cp=column(cp), dp=column(dp), copies=column(copies), pp=pp)
    assert memory.communicators(d).tolist() == [expected]


@pytest.mark.parametrize(
    ("capacity", "word"),
    [(64.0, "fits"), (63.9, "tight"), (60.0, "tight"), (59.9, "does_not_fit")],
)
def test_what_fits_exactly_fits(capacity: float, word: str) -> None:
    """60 in all, of which 50 allocated and reserved: with the worst slack 10 + 1.08 x 50 = 64."""
    assert memory.verdict(column(60), column(50), column(50), column(capacity)) == [word]


@pytest.mark.parametrize(
    ("stage", "changed", "sent"),
    [(0, {}, 0), (0, {"stack__keeps_outputs": True}, 5 * 8192 * 2 / 8), (1, {"stack__keeps_outputs": True}, 0)],
)
def test_an_output_is_kept_until_its_backward_pass_by_some_stacks(
    stage: int, changed: dict[str, Any], sent: float
) -> None:
    r = run(**changed)
    d = replace(layout.resolve(r), tokens=column(5))
    assert memory.sent(r, d, Stage(stage, (), stage == 0, stage == 1))[0] == sent


@pytest.mark.parametrize(
    ("stage", "changed", "expected"),
    [
        (Stage(0, (range(3),), False, False), {}, 2 * 14 + 40),
        (Stage(0, (range(3),), True, False), {}, 2 * 14 + 40 + 3 + 6),
        (Stage(0, (range(3),), False, True), {"model__mtp": 2}, 2 * 14 + 40 + 7 + 12 + 2 * (1 + 2)),
        (Stage(0, (range(3),), False, False), {"recompute": "full"}, 3 * 10),
        (Stage(0, (range(3),), False, False), {"layout__recompute__first": 1, "recompute": "full"}, 10 + 14 + 40),
    ],
)
def test_what_a_micro_batch_leaves_on_a_stage(stage: Stage, changed: dict[str, Any], expected: float) -> None:
    """Two layers that keep 10 + 4 bytes, one that keeps 10 + 30, an embedding 3 + 6, a head 7 + 12."""
    changed = dict(changed)
    r = run(layout__recompute=changed.pop("recompute", "none"), **changed)
    made: Any = SimpleNamespace(
        kinds=(FULL, FULL, EXPERTS),
        layers={FULL: (block("mlp", residual=10, up=4),), EXPERTS: (block("experts", residual=10, up=30),)},
        embedding=block("embedding", table=3, mask=6),
        head=block("head", norm=7, up=12),
        prediction=[block("prediction", residual=1, up=2)],
    )
    assert memory.kept_bytes(r, made, stage).tolist() == [expected]


def test_the_working_set_and_one_recomputed_layer() -> None:
    """10 tokens, h 96, tp 3: the core (2 x 6/3 + 2 x 1) x 20 = 120 or an MLP of 3 f/3, and twice 96/3 rows."""
    made: Any = SimpleNamespace(
        layers={FULL: (block("mlp", residual=10, up=4),), EXPERTS: (block("experts", residual=10, up=30, down=2),)}
    )

    def size(parallel: bool = True, **changed: Any) -> float:
        settings = {"model__hidden": 96, "model__heads": 6, "model__head": 20, "model__ffn": 40} | changed
        r = run(**settings)
        d = layout.resolve(r)
        d = replace(d, tokens=column(10), tp=column(3), kv_heads=column(1), sequence_parallel=parallel)
        return float(memory.working_set(r, d, made)[0])

    assert size() == 2 * 10 * (120 + 2 * 32)
    assert size(model__ffn=400) == 2 * 10 * (400 + 2 * 32)
    assert size(parallel=False) == 2 * 10 * (120 + 2 * 96)
    assert size(layout__recompute="full") == 2 * 10 * (120 + 2 * 32) + 32


def fixed(monkeypatch: pytest.MonkeyPatch, **values: float) -> None:
    """Parts of a stage's memory as stated here."""
    for name, value in values.items():
        monkeypatch.setattr(memory, name, lambda *_, value=value: column(value))
    found = tuple(column(x) for x in (10, 20, 30, 17))
    monkeypatch.setattr(memory, "states", lambda *_: found)


SLACK: dict[str, Any] = {
    "layout__pipeline": 2, "stack__allocated_slack": 0.5, "stack__reserved_slack": 0.25, "stack__buckets": 6.0,
    "stack__communicator_memory": 4.0, "stack__context_memory": 9.0, "memory__reserve": 2.0,
    "stack__load_copy": 0.5, "stack__save_copy": 0.25, "stack__update_bytes": 0.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("stage", "logits", "changed", "expected"),
    [
        # two in flight of 5 + 3, peak 7 + 17
        (0, 12, {}, {"activations": 16, "gathered": 17, "logits": 0, "working": 7, "tensors": 100}),
        # one in flight; logits 11 + head 13 are no more than that
        (1, 11, {}, {"activations": 8, "gathered": 17, "logits": 0, "working": 7, "tensors": 92}),
        (1, 12, {}, {"activations": 8, "gathered": 13, "logits": 12, "working": 0, "tensors": 93}),
        (1, 12, {"model__mtp": 1}, {"activations": 8, "gathered": 13, "logits": 24, "working": 0, "tensors": 105}),
        # a quarter of 16 leaves, two layers' buffers of it 3 come back; a quarter of the optimizer leaves
        (0, 12, OFFLOAD, {"activations": 15, "gathered": 17, "logits": 0, "working": 7, "tensors": 91.5, "host": 11.5}),
    ],
)
def test_memory_of_a_stage(
    monkeypatch: pytest.MonkeyPatch, stage: int, logits: float, changed: dict[str, Any], expected: dict[str, float]
) -> None:
    r = run(**SLACK, **changed)
    d, made = timed(r)
    fixed(monkeypatch, kept_bytes=5, sent=3, working_set=7, head_held=13, logits_bytes=logits, communicators=3,
          largest_kept=6)  # fmt: skip
    found = memory.stage_memory(r, d, made, made.stages[stage])
    tensors, optimizer = expected["tensors"], 22.5 if "host" in expected else 30
    fixed_part = 3 * 4 + 6 + 9 + 2
    whole = {
        "stage": stage, "layers": 39 if changed.get("model__mtp") else 40, "in_flight": 2 - stage,
        "weights": 10, "gradients": 20, "optimizer": optimizer,
        "gathered": expected["gathered"], "activations": expected["activations"], "logits": expected["logits"],
        "working": expected["working"], "buffers": 6, "communicators": 12, "context": 9,
        "slack": 1.875 * tensors - tensors + 2, "allocated": 1.5 * tensors, "reserved": 1.875 * tensors,
        "total": 1.875 * tensors + fixed_part, "step": 1.875 * tensors + fixed_part,
        "load": 1.875 * (30 + 1.5 * optimizer) + fixed_part, "update": 1.875 * (30 + optimizer) + fixed_part,
        "save": 1.875 * (30 + 1.25 * optimizer) + fixed_part, "host": expected.get("host", 0),
    }  # fmt: skip
    assert {name: float(column(value)[0]) for name, value in vars(found).items()} == whole


def test_the_largest_phase_is_what_must_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The update: 60 of states and 3 bytes for each of 40/8 dense and 28/4 expert parameters of the shard."""
    r = run(**SLACK | {"stack__update_bytes": 30.0})
    d, made = timed(r)
    d = replace(d, shard=column(8), edp=column(4))
    fixed(monkeypatch, kept_bytes=5, sent=3, working_set=7, head_held=13, logits_bytes=0, communicators=3)
    monkeypatch.setattr(memory, "rank_states", lambda *_: (column(40), column(28)))
    found = memory.stage_memory(r, d, made, made.stages[0])
    assert found.allocated[0] == 1.5 * (60 + 30 * (5 + 7))
    assert found.total[0] == found.update[0] == 1.875 * (60 + 30 * (5 + 7)) + 29
    assert (ZERO + found.host).tolist() == [0]


def test_a_rank_with_two_stages_holds_two_copies_and_one_optimizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """DualPipe, 2 stages: p + 1 = 3 micro-batches in flight, each on one of two copies; both hold the head once."""
    r = run(**SLACK | {"layout__schedule": "dualpipe"})
    d, made = timed(r)
    fixed(monkeypatch, kept_bytes=5, sent=3, working_set=7, head_held=13, logits_bytes=12, communicators=3)
    found = memory.stage_memory(r, d, made, made.stages[0])
    assert (found.in_flight[0], found.activations[0], found.optimizer[0]) == (3, 24, 15)
    assert found.logits[0] == 12

"""Rows of the ledger: what each costs, what hides it, and what of it is left exposed."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine import groups, kernels, layout, ledger
from engine.calibration_inputs import Shape
from engine.collectives import COLLECTIVES, terms
from engine.columns import ONE, ZERO, Column, column
from engine.ledger import Entry, PricedBlock, Prices, Row, price
from engine.operators.work import Block, Collective, Gemm, Sdpa, Traffic, Work
from tests.settings import run

CALIBRATED: dict[str, Any] = {"calibration": "own"}
M, N, K = column(4096.0), column(1024.0), column(8192.0)
UP = Gemm("mlp_up", M, N, K, column(5e7))
BACK = replace(UP, tag="dW")
FLOPS = 2.0 * 4096 * 1024 * 8192


def prices(measured: dict[str, float] | None = None, **changed: Any) -> Prices:
    """The prices of a run; ``measured`` are values of its calibration."""
    own = {f"calibration__{name.replace('.', '__')}": value for name, value in (measured or {}).items()}
    r = run(**((CALIBRATED | own if measured is not None else {}) | changed))
    return Prices(r, kernels.device(r), groups.groups(r, layout.resolve(r)), terms.of_step(r))


def priced(work: Work, block: str = "mlp", **changed: Any) -> Row:
    (found,) = price((work,), block, "forward", prices(**changed))
    return found


def row(op: str, seconds: float, axis: str | None = None, kernels: float = 3.0) -> Row:
    s = column(seconds)
    return Row("mlp", op, "forward", "hbm", ZERO, ZERO, None, axis, None, s, s, None, column(kernels))


# Work on one device


def test_a_multiply_is_a_row() -> None:
    found, dev = priced(UP), prices().device
    seconds, eta = kernels.gemm_seconds(UP, dev, None)
    assert found == Row("mlp", "mlp_up", "forward", "gemm", column(FLOPS), UP.weights, eta, None, None, seconds,
                        seconds, None, ONE)  # fmt: skip
    assert priced(BACK).op == "mlp_up dW"


def test_the_head_stays_in_16_bits_and_its_measured_shapes_too() -> None:
    """Of an fp8 run: at the peak of bf16, without a cast before it; a shape timed in bf16 is the head's."""
    head = replace(UP, op="head")
    (wide,) = price((head,), "head", "forward", prices(precision="fp8"))
    assert wide.seconds[0] == priced(head).seconds[0]
    rows = price((UP,), "mlp", "forward", prices(precision="fp8"))
    assert [r.op for r in rows] == ["mlp_up cast", "mlp_up"] and rows[1].seconds[0] < 0.7 * wide.seconds[0]
    made = prices(measured={}, precision="fp8")
    assert made.run.calibration is not None
    timed = (Shape("own", M, N, K, "bf16", 3 * wide.seconds),)
    made = replace(made, run=replace(made.run, calibration=replace(made.run.calibration, shape=timed)))
    assert price((head,), "head", "forward", made)[0].seconds[0] > 2.5 * wide.seconds[0]
    assert price((UP,), "mlp", "forward", made)[1].seconds[0] == rows[1].seconds[0]


def test_traffic_is_its_bytes_times_all_passes() -> None:
    """Twice, at the 0.92 passes of the stack; 3.35 TB/s at 0.82."""
    found = priced(Traffic("norm", column(3e8), 2.0))
    assert found.efficiency is not None
    assert (found.kind, found.bytes[0], found.efficiency[0]) == ("hbm", pytest.approx(3e8 * 1.84), 1.84)
    assert found.seconds[0] == pytest.approx(3e8 * 1.84 / (3.35e12 * 0.82), rel=1e-14)


@pytest.mark.parametrize(("rows", "groups_", "launched"), [(4096, None, 1), (0, None, 0), (4096, 5, 5), (0, 5, 0)])
def test_a_multiply_of_experts_is_a_kernel_each_and_an_empty_one_is_none(
    rows: int, groups_: int | None, launched: int
) -> None:
    work = replace(UP, m=column(rows), groups=None if groups_ is None else column(groups_))
    assert priced(work).kernels[0] == launched


def test_a_stated_efficiency_is_taken_as_it_is() -> None:
    """989 TFLOP/s at one half, whatever was measured."""
    for measured in (None, {"factor.gemm": 1.25}):
        found = priced(UP, measured=measured, efficiency__mlp_up=0.5)
        assert found.seconds[0] == pytest.approx(FLOPS / (989e12 * 0.5), rel=1e-14)
        assert found.efficiency is not None and found.efficiency[0] == 0.5
    core = Sdpa("sdpa", column(FLOPS), column(8192), column(128))
    for measured in (None, {"factor.sdpa": 1.25}):
        found = priced(core, measured=measured, efficiency__sdpa=0.25)
        assert found.seconds[0] == pytest.approx(FLOPS / (989e12 * 0.25), rel=1e-14)


@pytest.mark.parametrize(
    ("work", "block", "name"),
    [
        (UP, "mlp", "gemm"),
        (Sdpa("sdpa", column(FLOPS), column(8192), column(128)), "attention", "sdpa"),
        (Traffic("norm", column(3e8), 2.0), "mlp", "hbm"),
        (Traffic("adam", column(3e8), 2.0), "optimizer", "optimizer"),
    ],
)
def test_a_measured_class_takes_so_many_times_as_long(work: Work, block: str, name: str) -> None:
    """The efficiency falls as the time grows; passes over the memory are counted, not measured."""
    before, after = priced(work, block), priced(work, block, measured={f"factor.{name}": 1.25})
    assert after.seconds[0] == after.exposed[0] == pytest.approx(1.25 * before.seconds[0], rel=1e-14)
    assert before.efficiency is not None and after.efficiency is not None
    passes = 1.0 if isinstance(work, Traffic) else 1.25
    assert after.efficiency[0] == pytest.approx(before.efficiency[0] / passes, rel=1e-14)
    other = priced(work, block, measured={"factor.data": 1.25})
    assert (other.seconds[0], other.efficiency[0]) == (before.seconds[0], before.efficiency[0])  # type: ignore[index]


def test_a_shape_that_was_timed_runs_at_its_speed_but_not_in_groups() -> None:
    """12 ms, not what the library has; a stated efficiency wins."""
    r, made = run(**CALIBRATED), prices()
    assert r.calibration is not None
    timed = Shape("big", M, N, K, "bf16", column(0.012))
    own = replace(made, run=replace(r, calibration=replace(r.calibration, shape=(timed,))))
    plain, before = replace(UP, weights=2.0 * N * K), priced(replace(UP, weights=2.0 * N * K))
    (found,) = price((plain,), "mlp", "forward", own)
    assert found.seconds[0] == pytest.approx(0.012, rel=1e-12)
    assert found.efficiency is not None and before.efficiency is not None
    assert found.efficiency[0] == pytest.approx(before.efficiency[0] * before.seconds[0] / 0.012, rel=1e-12)
    grouped = replace(plain, groups=column(5.0))
    (many,) = price((grouped,), "mlp", "forward", own)
    assert many.seconds[0] == priced(grouped).seconds[0]
    stated = replace(own, run=replace(own.run, efficiency=replace(own.run.efficiency, mlp_up=column(0.5))))
    (half,) = price((plain,), "mlp", "forward", stated)
    assert half.seconds[0] == pytest.approx(FLOPS / (989e12 * 0.5), rel=1e-14)


def test_frozen_matrices_have_no_weight_gradient() -> None:
    grouped = replace(BACK, groups=column(5.0))
    whole, part = priced(grouped), priced(grouped, frozen=0.25)
    for name in ("flops", "bytes", "seconds", "exposed", "kernels"):
        assert getattr(part, name)[0] == 0.75 * getattr(whole, name)[0], name
    assert (part.efficiency, part.kernels[0]) == (whole.efficiency, 3.75)
    for work, block in ((BACK, "lora"), (replace(UP, tag="dX"), "mlp"), (UP, "mlp")):
        assert priced(work, block, frozen=0.25).seconds[0] == priced(work, block).seconds[0]


@pytest.mark.parametrize(("backward", "launched"), [(False, 1), (True, 3)])
def test_attention_backward_is_three_kernels(backward: bool, launched: int) -> None:
    found = priced(Sdpa("sdpa", column(FLOPS), column(8192), column(128), backward))
    assert (found.kind, found.kernels[0], found.flops[0], found.bytes[0]) == ("sdpa", launched, FLOPS, 0.0)


# Collectives

GATHER = Collective("gather", "all_gather", column(6e8), "tensor", behind="mlp_up")


def test_a_collective_row_has_its_traffic_and_attained_share() -> None:
    """Of 600 MB a rank of 8 sends seven eighths."""
    made, found = prices(), priced(GATHER)
    seconds = COLLECTIVES["all_gather"].seconds(column(6e8), made.groups["tensor"], made.terms)
    assert (found.op, found.kind, found.axis) == ("gather", "collective", "tensor")
    assert found.algorithm == "all_gather (ring)"
    assert (found.seconds[0], found.exposed[0], found.hidden_by) == (seconds[0], seconds[0], None)
    assert (found.bytes[0], found.flops[0], found.kernels[0]) == (6e8 * 7 / 8, 0.0, 1.0)
    rate = made.groups["tensor"].bandwidth[0]
    assert found.efficiency is not None
    assert found.efficiency[0] == pytest.approx(6e8 * 7 / 8 / seconds[0] / rate, rel=1e-14)
    alone = priced(replace(GATHER, axis="context"))
    assert alone.seconds[0] == 0.0 and alone.efficiency is not None and np.isnan(alone.efficiency[0])


@pytest.mark.parametrize(
    ("axis", "name"),
    [("tensor", "tensor"), ("context", "context"), ("pipeline", "pipeline"), ("expert", "expert"),
     ("expert_tensor", "expert"), ("shard", "data"), ("expert_data", "data")],
)  # fmt: skip
def test_collectives_take_the_measured_factor_of_their_class(axis: str, name: str) -> None:
    changed: dict[str, Any] = {"layout__context": 2, "layout__pipeline": 2}
    group = prices(**changed).groups["tensor"]
    size = column(6e8)
    before = ledger.call_seconds(prices(**changed), "all_gather", size, axis, group)
    after = ledger.call_seconds(prices({f"factor.{name}": 1.25}, **changed), "all_gather", size, axis, group)
    other = ledger.call_seconds(prices({"factor.hbm": 1.25}, **changed), "all_gather", size, axis, group)
    assert (after[0] / before[0], other[0]) == (pytest.approx(1.25, rel=1e-14), before[0]) and before[0] > 0


def exposed(work: Collective, seconds: float, cover: float, **changed: Any) -> tuple[float, str | None]:
    found, behind = ledger._exposed(work, column(seconds), prices(**changed), {"mlp_up": column(cover)})
    return float(found[0]), behind


def other(axis: str, behind: str | None = "mlp_up") -> Collective:
    return replace(GATHER, axis=axis, behind=behind)


@pytest.mark.parametrize(
    ("work", "changed", "seconds", "behind"),
    [
        (other("expert"), {"layout__overlap__expert": 0.25}, 0.75 * 5, "other compute"),
        (other("expert"), {"layout__overlap__expert": 0.0}, 5.0, None),
        (other("tensor"), {"layout__tp_overlap": "fraction", "layout__overlap__tensor": 0.25}, 0.75 * 5,
         "compute, as stated"),
        (other("tensor"), {"layout__tp_overlap": "none"}, 5.0, None),
        # 3 s hide behind 3 s of compute, at a tax of 0.23 of them
        (other("tensor"), {}, 2 + 0.23 * 3, "mlp_up"),
        (other("data"), {}, 2 + 0.23 * 3, "mlp_up"),
        (other("data"), {"layout__tp_overlap": "none"}, 2 + 0.23 * 3, "mlp_up"),
        (other("data"), {"layout__tp_overlap": "fraction", "layout__overlap__tensor": 0.25}, 2 + 0.23 * 3, "mlp_up"),
        (other("context"), {}, 5 - 2.1 + 0.23 * 2.1, "mlp_up"),  # 0.7 of the attention kernel
        (other("data", None), {}, 5.0, None),
        (other("data", "gone"), {}, 5.0, None),
        (other("tensor", None), {"stack__tensor_hidden": 0.25, "stack__tensor_call": 0.5}, 0.75 * 5 + 0.5, None),
        (other("tensor"), {"stack__tensor_hidden": 0.25, "stack__tensor_call": 0.5}, 4.25 - 3 + 0.23 * 3, "mlp_up"),
        (other("data", None), {"stack__tensor_hidden": 0.25, "stack__tensor_call": 0.5}, 5.0, None),
    ],
)  # fmt: skip
def test_what_is_exposed_of_five_seconds_beside_three_of_compute(
    work: Collective, changed: dict[str, Any], seconds: float, behind: str | None
) -> None:
    found, by = exposed(work, 5.0, 3.0, **changed)
    assert by == behind and found == pytest.approx(seconds, rel=1e-14)


def test_a_collective_that_takes_no_time_has_no_call_and_a_short_one_hides_whole() -> None:
    assert exposed(other("tensor", None), 0.0, 3.0, stack__tensor_call=0.5) == (0.0, None)
    assert exposed(other("tensor", None), 0.25, 3.0, stack__tensor_call=0.5) == (0.75, None)
    assert exposed(other("data"), 2.0, 3.0) == (0.23 * 2, "mlp_up")
    assert exposed(other("expert"), 5.0, 3.0, layout__overlap__expert=column([0.25, 0.0])) == (3.75, "other compute")


@pytest.mark.parametrize(
    ("changed", "hidden"),
    [
        ({}, 1 - 0.75 * 0.6),
        ({"layout__pipeline": 2}, 0.25),  # no other micro-batch at hand
        ({"layout__pipeline": 2, "layout__schedule": "interleaved", "layout__schedule__virtual_stages": 2},
         1 - 0.75 * 0.6),
        ({"layout__pipeline": 2, "layout__schedule": "interleaved", "layout__schedule__virtual_stages": 1}, 0.25),
        ({"stack__expert_hidden": 0.0}, 0.25),
    ],
)  # fmt: skip
def test_an_exchange_of_experts_hides_behind_another_micro_batch(changed: dict[str, Any], hidden: float) -> None:
    made = run(**({"layout__overlap__expert": 0.25, "stack__expert_hidden": 0.4} | changed))
    assert float(np.ravel(ledger._expert_hidden(made))[0]) == pytest.approx(hidden, rel=1e-14)


# Launches, sums and blocks


@pytest.mark.parametrize(
    ("changed", "seconds"),
    [
        ({}, 100 * 8e-6),  # gaps alone: the device is busy for longer than the host
        ({"stack__host_time": 5e-2}, 100 * 5e-2 - 4.0),  # the host needs 5 s, the device has 4
        ({"kernels__graphs": True, "stack__host_time": 5e-2}, 100 * 8e-6 * 0.35),
        ({"measured": {"factor.idle": 1.25}}, 1.25 * 100 * 8e-6),
    ],
)
def test_kernels_are_launched_with_gaps_or_as_fast_as_the_host_can(changed: dict[str, Any], seconds: float) -> None:
    made = prices(**({"stack__kernel_gap": 8e-6} | changed))
    found = ledger.launch((row("a", 1.5, kernels=60.0), row("b", 2.5, kernels=40.0)), "mlp", "backward", made)
    assert (found.block, found.op, found.phase, found.kind) == ("mlp", "launch", "backward", "launch")
    assert found.kernels[0] == 0.0
    assert found.seconds[0] == found.exposed[0] == pytest.approx(seconds, rel=1e-12)


def test_nothing_launched_takes_no_time() -> None:
    assert ledger.launch((), "mlp", "forward", prices(kernels__graphs=True)).seconds[0] == 0.0


@pytest.mark.parametrize(("tensor", "launched"), [(1, 7), (2, 12), (8, 12)])
def test_a_collective_of_one_rank_launches_nothing(tensor: int, launched: int) -> None:
    rows = (row("a", 1.0, kernels=7.0), row("b", 1.0, "tensor", 5.0))
    assert ledger.launched(rows, prices(layout__tensor=tensor))[0] == launched


def test_rows_add_up_and_those_that_run_as_often_together() -> None:
    three, seven = column(3.0), column(7.0)
    a, b, c = row("a", 5.0), row("b", 11.0), row("c", 13.0)
    entries = [Entry(a, three), Entry(b, seven), Entry(c, three)]
    assert ledger.as_often(entries) == [(three, [a, c]), (seven, [b])]
    assert ledger.total((a, b, c))[0] == 29.0 and ledger.total(())[0] == 0.0
    assert ledger.exposed(entries)[0] == 3 * (5 + 13) + 7 * 11
    assert [float(e.exposed[0]) for e in entries] == [15, 77, 39]


def test_a_blocks_passes() -> None:
    made = PricedBlock(Block("mlp", (), (), ()), (row("a", 5.0),), (row("b", 7.0),), (row("c", 11.0), row("d", 13.0)))
    assert (made.forward_seconds[0], made.recompute_seconds[0], made.own_backward[0]) == (5, 7, 24)
    assert made.backward_seconds[0] == 31


@pytest.mark.parametrize(
    ("ops", "again"), [((), False), (("mlp_up",), True), (("mlp",), True), (("all",), True), (("norm", "head"), False)]
)
def test_what_is_recomputed(ops: tuple[str, ...], again: bool) -> None:
    assert ledger.recomputed(UP, "mlp", ops) is again


def ops(rows: tuple[Row, ...]) -> list[tuple[str, str]]:
    return [(r.op, r.phase) for r in rows]


def test_a_priced_block_launches_each_pass_and_repeats_what_is_recomputed() -> None:
    norm = Traffic("norm", column(3e8), 2.0)
    block = Block("mlp", (norm, UP), (replace(UP, tag="dX"), BACK), ())
    made = ledger.price_block(block, prices(), ())
    assert ops(made.forward) == [("norm", "forward"), ("mlp_up", "forward"), ("launch", "forward")]
    assert made.recompute == ()
    assert ops(made.backward) == [("mlp_up dX", "backward"), ("mlp_up dW", "backward"), ("launch", "backward")]
    assert made.forward[2].seconds[0] == 2 * 7e-6 and made.backward[2].seconds[0] == 2 * 7e-6
    again = ledger.price_block(block, prices(), ("norm",))
    assert ops(again.recompute) == [("norm", "recompute"), ("launch", "recompute")]


def test_every_second_multiply_runs_again_once() -> None:
    """Half of the up projection and the norm; one that is recomputed anyway is not repeated."""
    norm = Traffic("norm", column(3e8), 2.0)
    block = Block("mlp", (norm, UP), (), ())
    made = ledger.price_block(block, prices(), ("alternate",))
    assert ops(made.recompute) == [("norm", "recompute"), ("mlp_up", "recompute"), ("launch", "recompute")]
    assert made.recompute[1].flops[0] == FLOPS / 2
    both = ledger.price_block(block, prices(), ("norm", "alternate"))
    assert ops(both.recompute) == [("norm", "recompute"), ("mlp_up", "recompute"), ("launch", "recompute")]


def test_what_a_collective_hides_behind_is_a_row_beside_it() -> None:
    """The collective of the same block, wherever it stands, hides behind the multiply."""
    found = price((GATHER, UP), "mlp", "forward", prices())
    busy: Column = found[0].seconds
    hidden = np.minimum(busy, found[1].seconds)
    assert [r.op for r in found] == ["gather", "mlp_up"] and found[0].hidden_by == "mlp_up"
    assert found[0].exposed[0] == pytest.approx(float((busy - hidden + 0.23 * hidden)[0]), rel=1e-14)

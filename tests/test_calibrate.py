"""Measurements in place of the library's figures: each moves what it should, by how much follows by hand."""

from typing import Any

import pytest

from engine import calibrate, classes, layout
from engine.collectives import all_gather
from engine.columns import column
from engine.evaluate import evaluate
from engine.groups import groups
from engine.kernels import device, gemm_seconds
from engine.ledger import call_seconds
from engine.operators.work import Gemm
from engine.read import read
from engine.shapes import timed
from tests.settings import settings

CALIBRATED = {"calibration": "own"}


def made(**changed: Any) -> Any:
    """The evaluated test run with measured values."""
    own = {f"calibration.{p}": v for p, v in changed.items()}
    return evaluate(read(settings() | CALIBRATED | own))


def busy(result: Any) -> dict[str, float]:
    return {name: float(t.busy[0]) for name, t in classes.totals(result.step.entries).items()}


def test_a_calibration_that_measures_nothing_changes_nothing() -> None:
    plain, own = evaluate(read(settings())), made()
    assert plain.columns["step_time"][0] == own.columns["step_time"][0]


@pytest.mark.parametrize("name", ["gemm", "sdpa", "hbm", "tensor", "optimizer", "data"])
def test_a_factor_multiplies_the_busy_time_of_its_class_alone(name: str) -> None:
    before, after = busy(made()), busy(made(**{f"factor.{name}": 1.25}))
    changed = {c: after[c] / before[c] for c in before if before[c]}
    assert changed.pop(name) == pytest.approx(1.25, rel=1e-12)
    apart = {c: f for c, f in changed.items() if c not in ("idle", "pipeline")}  # stragglers and bubble follow the rest
    assert all(f == pytest.approx(1.0, rel=1e-12) for f in apart.values())


def test_a_factor_of_the_step_is_a_row_of_its_own() -> None:
    before, after = made(), made(**{"factor.step": 1.1})
    assert after.columns["step_time"][0] == pytest.approx(1.1 * before.columns["step_time"][0], rel=1e-12)
    assert [e.row.op for e in after.step.entries][-1] == "calibration"


def test_classes_add_up_to_the_step() -> None:
    result = made()
    total = sum(float(t.exposed[0]) for t in classes.totals(result.step.entries).values())
    assert total == pytest.approx(float(result.columns["step_time"][0]), rel=1e-12)


def test_a_measured_gemm_share_holds_the_clock_already() -> None:
    run = read(settings() | CALIBRATED | {"calibration.gemm": 0.6, "calibration.half_k": 0.0})
    dev = device(run)
    large = Gemm("x", column(128.0 * 132), column(2560.0), column(8192.0), column(0.0))  # 1,320 full tiles on 132 SMs
    _, eta = gemm_seconds(large, dev, None)
    assert eta[0] == pytest.approx(0.6, rel=1e-9)


@pytest.mark.parametrize("kernel", ["cudnn", "flash2", "flash1"])
def test_a_measured_attention_share_is_that_of_the_kernel_that_ran(kernel: str) -> None:
    """Forward and backward at 40 % of the peak, whichever kernel: the clock is in it already."""
    own = {"calibration.attention.forward": 0.4, "calibration.attention.backward": 0.4}
    dev = device(read(settings() | CALIBRATED | own | {"stack.attention": kernel}))
    assert (dev.clock * dev.attention_forward)[0] == pytest.approx(0.4, rel=1e-12)
    assert (dev.clock * dev.attention_backward)[0] == pytest.approx(0.4, rel=1e-12)


def test_a_tier_that_was_measured_is_as_fast_as_it_was() -> None:
    """An all-gather over 8 GPUs at 350 GB/s: 7/8 of 1 GB in 2.5 ms, one call of 12 us and seven hops of 2 us."""
    own = {"call": 12e-6, "tier": ("node",), "tier.node.gather": 350e9, "tier.node.latency": 2e-6}
    run = read(settings(layout__tensor=8) | CALIBRATED | {f"calibration.{p}": v for p, v in own.items()})
    prices = evaluate(run).step.timing.prices  # type: ignore[union-attr]
    seconds = call_seconds(prices, "all_gather", column(1e9), "tensor")
    assert seconds[0] == pytest.approx(7 / 8 * 1e9 / 350e9 + 12e-6 + 7 * 2e-6, rel=1e-12)


def test_an_outer_tier_takes_the_rate_of_each_collective() -> None:
    """8 GPUs of one node a side, 2 nodes: an all-gather of 1 GB moves 15/16 of it through 8 NICs of 40 GB/s."""
    own = {"call": 0.0, "tier": ("pod",), "tier.pod.gather": 40e9, "tier.pod.all_reduce": 30e9, "tier.pod.latency": 0.0}
    changed: dict[str, Any] = {"cluster.gpus": 16, "layout.tensor": 16, "layout.pipeline": 1, "layout.data": 1}
    run = read(settings() | changed | CALIBRATED | {f"calibration.{p}": v for p, v in own.items()})
    group = _group(run)
    terms = evaluate(run).step.timing.prices.terms  # type: ignore[union-attr]
    laid, own_terms = calibrate.laid(run, "all_gather", group, terms)
    seconds = all_gather.seconds(column(1e9), laid, own_terms)
    assert seconds[0] - laid.ring_latency[0] == pytest.approx(15 / 16 * 1e9 / (8 * 40e9), rel=1e-9)


def _group(run: Any) -> Any:
    return groups(run, layout.resolve(run))["tensor"]


def test_a_timed_shape_runs_as_it_was_timed_and_shapes_far_from_it_do_not() -> None:
    own = {"shape": ("a",), "shape.a.m": 8192.0, "shape.a.n": 8192.0, "shape.a.k": 8192.0, "shape.a.seconds": 2e-3,
           "shape.a.precision": "bf16"}  # fmt: skip
    run = read(settings() | CALIBRATED | {f"calibration.{p}": v for p, v in own.items()})
    near = Gemm("x", column([8192.0, 512.0]), column(8192.0), column(8192.0), column(2.0 * 8192 * 8192))
    dev = device(run)
    seconds, _ = gemm_seconds(near, dev, None)
    factor = timed(near, dev, run, False)
    assert (seconds * factor)[0] == pytest.approx(2e-3, rel=1e-12)
    assert factor[1] == 1.0

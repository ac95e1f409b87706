"""Measurements in place of the library's figures: each moves what it should, by how much follows by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine import calibrate, classes, gemm_fit, layout, link_fit
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


def test_the_gemm_fit_finds_the_numbers_that_made_the_table() -> None:
    dev = device(read(settings()))
    truth = gemm_fit._plain(dev)
    truth = replace(truth, gemm=column(0.63), half_k=column(240.0))
    shapes = [(m, n, k) for m in (1024, 4096, 8192) for n in (2048, 8192, 28672) for k in (256, 1024, 4096, 16384)]
    m, n, k = (np.array(axis, dtype=float) for axis in zip(*shapes, strict=True))
    seconds, _ = gemm_seconds(Gemm("", m, n, k, 2 * n * k), truth, None)
    found = gemm_fit.fit(list(m), list(n), list(k), list(seconds), dev, "bf16")
    assert found is not None and found.half_k is not None
    assert found.best == pytest.approx(0.63, rel=1e-3)
    assert found.half_k == pytest.approx(240, rel=1e-2)
    assert found.worst < 0.005


@pytest.mark.parametrize(("kind", "n", "k"), [("all_reduce", 8, 1), ("all_gather", 16, 2), ("all_to_all", 32, 4)])
def test_the_link_fit_is_exact_on_its_own_form(kind: str, n: float, k: float) -> None:
    sizes = [2.0**i for i in range(10, 34, 2)]
    seconds = [30e-6 + link_fit.share(kind, n, k) * s / 300e9 for s in sizes]
    found = link_fit.fit(kind, n, k, sizes, seconds)
    assert found.rate == pytest.approx(300e9, rel=1e-6)
    assert found.fixed == pytest.approx(30e-6, rel=1e-6)


def test_one_size_leaves_the_librarys_fixed_time() -> None:
    """5 ms over 8 ranks: 1.75 GB less a call of 10 us and fourteen hops of 1 us."""
    found = link_fit.fit("all_reduce", 8, 1, [1e9], [5e-3])
    assert found.fixed == pytest.approx(24e-6)
    assert found.rate == pytest.approx(1.75e9 / (5e-3 - 24e-6), rel=1e-12)


def test_a_published_table_is_held_where_training_moves_data() -> None:
    """8 H200 of one node, all-reduce (stas00/ml-engineering, network tables): within 10 % from 64 MB up."""
    series = {2**15: 39.82e-6, 2**18: 39.08e-6, 2**20: 45.96e-6, 2**22: 68.5e-6, 2**24: 133.52e-6, 2**26: 338.92e-6,
              2**28: 1077.07e-6, 2**30: 4053.34e-6, 2**32: 15887.11e-6, 2**34: 62341.42e-6}  # fmt: skip
    found = link_fit.fit("all_reduce", 8, 1, list(series), list(series.values()))
    for size, seconds in series.items():
        if size >= 2**26:
            fitted = found.fixed + link_fit.share("all_reduce", 8, 1) * size / found.rate
            assert fitted == pytest.approx(seconds, rel=0.1)
    assert 450e9 < found.rate < 490e9  # 482 GB/s at 16 GiB

"""What timed multiplies say about a GPU, on tables that were made from known numbers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from engine import gemm_fit
from engine.columns import column
from engine.kernels import device, gemm_seconds
from engine.operators.work import Gemm
from engine.read import read
from tests.settings import settings

DEV = device(read(settings()))
PEAK, MEMORY = 989e12, 0.82 * 3.35e12  # FLOP/s and bytes/s of the H100 of the settings
M, N = 128.0 * 132, 2560.0  # 1,320 tiles of 128 x 256: ten full waves of 132 SMs


def timed(eta: float, k: float, element: float = 2.0) -> float:
    """Seconds at a share of the peak, half of the weights' traffic on top."""
    return 2 * M * N * k / (PEAK * eta) + 0.5 * element * N * k / MEMORY


def fitted(inner: Sequence[float], seconds: Sequence[float], precision: str = "bf16") -> gemm_fit.GemmFit | None:
    return gemm_fit.fit([M] * len(inner), [N] * len(inner), inner, seconds, DEV, precision)


def test_the_gemm_fit_finds_the_numbers_that_made_the_table() -> None:
    truth = gemm_fit._plain(DEV)
    truth = replace(truth, gemm=column(0.63), half_k=column(240.0))
    shapes = [(m, n, k) for m in (1024, 4096, 8192) for n in (2048, 8192, 28672) for k in (256, 1024, 4096, 16384)]
    m, n, k = (np.array(axis, dtype=float) for axis in zip(*shapes, strict=True))
    seconds, _ = gemm_seconds(Gemm("", m, n, k, 2 * n * k), truth, None)
    found = gemm_fit.fit(list(m), list(n), list(k), list(seconds), DEV, "bf16")
    assert found is not None and found.half_k is not None
    assert found.best == pytest.approx(0.63, rel=1e-3)
    assert found.half_k == pytest.approx(240, rel=1e-2)
    assert found.worst < 0.005


@pytest.mark.parametrize("half", [0.0, 700.0, 3000.0])
def test_the_half_is_found_at_the_ends_of_the_grid_too(half: float) -> None:
    inner = [256.0, 1024.0, 8192.0]
    found = fitted(inner, [timed(0.6 * k / (k + half), k) for k in inner])
    assert found is not None and found.half_k == pytest.approx(half, rel=1e-3)
    assert found.best == pytest.approx(0.6, rel=1e-4)


def test_two_inner_dimensions_leave_the_librarys_half() -> None:
    """K/(K + 175) is the library's; A is the median share; the slow one of three is an error of its own."""
    shares, inner = (0.6, 0.6, 0.5), [4096.0, 8192.0, 8192.0]
    seconds = [timed(a * k / (k + 175), k) for a, k in zip(shares, inner, strict=True)]
    found = fitted(inner, seconds)
    assert found is not None and found.half_k is None and found.shapes == 3
    assert [found.best, found.spread] == pytest.approx([0.6, 0.0], rel=1e-12, abs=1e-12)
    assert found.worst == pytest.approx(1 - timed(0.6 * 8192 / 8367, 8192) / seconds[2], rel=1e-9)


def test_fp8_streams_half_the_bytes() -> None:
    """Weights of one byte an element in the table; the device's peak is that of bf16 either way."""
    inner = [4096.0, 8192.0]
    found = fitted(inner, [timed(0.6 * k / (k + 175), k, 1.0) for k in inner], "fp8")
    assert found is not None and found.best == pytest.approx(0.6, rel=1e-12)


@pytest.mark.parametrize(("slower", "shapes"), [(19.0, 3), (21.0, 2)])
def test_a_time_below_a_twentieth_of_the_best_rate_is_launch_and_not_arithmetic(slower: float, shapes: int) -> None:
    inner = [4096.0, 4096.0, 4096.0]
    best = timed(0.6, 4096.0)
    found = fitted(inner, [best, best, slower * best])
    assert found is not None and found.shapes == shapes


@pytest.mark.parametrize(("share", "shapes"), [(1.01, 2), (0.99, 1)])
def test_a_time_shorter_than_the_weights_take_is_left_out(share: float, shapes: int) -> None:
    """16 rows and 8192 x 8192 weights: 24 us for half of them, at 15 % of the other multiply's rate."""
    streamed = 0.5 * 2 * 8192.0 * 8192 / MEMORY
    found = gemm_fit.fit([M, 16], [N, 8192], [4096, 8192], [timed(0.6, 4096.0), share * streamed], DEV, "bf16")
    assert found is not None and found.shapes == shapes


def test_a_gpu_without_the_datatype_is_not_fitted() -> None:
    none = replace(DEV, peak=column(np.nan))
    assert gemm_fit.fit([M], [N], [4096.0], [1e-3], none, "bf16") is None
    assert gemm_fit.fit([M], [N], [4096.0], [1e-9], DEV, "bf16") is None  # shorter than its weights take

"""Roofline: the numbers of "How to Scale Your Model", chapter "All About Rooflines"."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import roofline as r
from engine.columns import column

V5E_PEAK, V5E_MEMORY, V5E_LINK = column(1.97e14), column(8.2e11), column(4.5e10)
positive = st.floats(1e3, 1e15)


@pytest.mark.oracle("roofline-h100")
def test_a_teraflop_takes_a_millisecond() -> None:
    times = r.seconds(column(1e12), column([9.89e14, 9.1e14])) * 1e3
    assert times.round(2).tolist() == [1.01, 1.10]


@pytest.mark.oracle("roofline-ridge")
def test_ridge_of_the_tpu_v5e() -> None:
    assert r.ridge(V5E_PEAK, V5E_MEMORY)[0] == pytest.approx(240.2, rel=1e-3)


@pytest.mark.oracle("roofline-dot")
def test_a_dot_product_tends_to_half_a_flop_a_byte() -> None:
    work = r.dot_intensity(column([1.0, 100.0, 1e9]))
    assert work[0] == 1 / 6
    assert np.all(np.diff(work) > 0)
    assert work[2] == pytest.approx(0.5, rel=1e-8)


@pytest.mark.oracle("roofline-matmul")
def test_smallest_batch_bound_by_arithmetic_tends_to_the_ridge() -> None:
    sizes = column([8192.0, 1e6, 1e12])
    batch = r.smallest_batch(V5E_PEAK, V5E_MEMORY, sizes, sizes)
    assert batch[2] == pytest.approx(240.2, rel=1e-3)
    assert np.all(np.diff(batch) < 0)  # narrower matrices need more tokens: 255.2 at 8,192
    assert batch[0] == pytest.approx(240.24 / (1 - 2 * 240.24 / 8192), rel=1e-4)
    assert r.matmul_intensity(column(64.0), column(1e12), column(1e12))[0] == pytest.approx(64.0, rel=1e-9)
    assert np.isinf(r.smallest_batch(V5E_PEAK, V5E_MEMORY, column(400.0), column(400.0))[0])


@pytest.mark.oracle("roofline-split")
def test_two_devices_are_bound_by_arithmetic_from_an_inner_dimension_on() -> None:
    inner = r.smallest_split_inner(V5E_PEAK, V5E_LINK, column(2.0))
    assert inner[0] == pytest.approx(8755, rel=1e-3)
    for batch in (1.0, 4096.0):  # whatever the batch
        for share, bound in ((0.999, False), (1.001, True)):
            split = r.split_matmul(column(batch), inner * share, column(512.0), column(2.0), V5E_PEAK, V5E_LINK)
            assert split.compute_bound.tolist() == [bound]


@pytest.mark.oracle("roofline-bounds")
@given(flops=positive, moved=positive, peak=positive, bandwidth=positive)
def test_bounds_are_the_larger_and_the_sum(flops: float, moved: float, peak: float, bandwidth: float) -> None:
    one = r.roofline(column(flops), column(moved), column(peak), column(bandwidth))
    compute, movement = flops / peak, moved / bandwidth
    assert (one.lower[0], one.upper[0]) == (max(compute, movement), compute + movement)
    assert one.lower[0] <= one.upper[0] <= 2 * one.lower[0]
    assert flops / one.lower[0] == pytest.approx(one.attainable[0], rel=1e-12)


def test_a_dot_product_is_bound_by_memory_and_a_large_matmul_is_not() -> None:
    length = column(1e6)
    dot = r.roofline(2 * length - 1, 4 * length + 2, V5E_PEAK, V5E_MEMORY)
    size = column(8192.0)
    product = r.roofline(r.matmul_flops(size, size, size), r.matmul_bytes(size, size, size), V5E_PEAK, V5E_MEMORY)
    assert (dot.compute_bound.tolist(), product.compute_bound.tolist()) == ([False], [True])
    assert product.attainable.tolist() == V5E_PEAK.tolist()
    assert dot.attainable[0] == pytest.approx(0.5 * 8.2e11, rel=1e-5)


@pytest.mark.parametrize(("flops", "bound"), [(39, False), (40, True), (41, True)])
def test_the_ridge_itself_is_bound_by_arithmetic(flops: float, bound: bool) -> None:
    """10 bytes at 5 bytes/s take 2 s, as 40 FLOP at 20 FLOP/s do."""
    found = r.roofline(column(flops), column(10), column(20), column(5))
    assert found.compute_bound.tolist() == [bound]
    assert [float(x[0]) for x in (found.ridge, found.movement, found.compute)] == [4, 2, flops / 20]
    assert found.attainable.tolist() == [min(20, flops / 2)]


def test_bytes_and_flops_of_a_matmul() -> None:
    """3 x 5 by 5 x 7; bytes of 2 unless stated; split along 5 over 4 devices."""
    sizes = column(3), column(5), column(7)
    assert r.matmul_flops(*sizes).tolist() == [210]
    assert r.matmul_bytes(*sizes).tolist() == [2 * (15 + 35 + 21)]
    assert r.matmul_bytes(*sizes, column(3)).tolist() == [3 * (15 + 35 + 21)]
    assert r.matmul_intensity(*sizes).tolist() == [210 / 142]
    assert r.dot_intensity(column(7)).tolist() == [13 / 30]
    split = r.split_matmul(*sizes, column(4), column(10), column(9))
    assert (split.compute.tolist(), split.movement.tolist()) == ([210 / 4 / 10], [2 * 3 / 4 * 2 * 21 / 9])
    assert r.smallest_split_inner(column(10), column(4), column(5)).tolist() == [4 * 2 * 10 / 4]
    assert r.smallest_batch(column(30), column(10), column(50), column(70)).tolist() == [3 * 3500 / (3500 - 3 * 120)]

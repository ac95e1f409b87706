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

"""Seconds of multiplies, attention and memory traffic, by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine import acceptance, kernels, layout
from engine.columns import column
from engine.operators.work import Gemm
from tests.settings import run

DEV = kernels.device(run())
SMS = column(132.0)


def test_bytes_of_an_element() -> None:
    assert kernels.DTYPE_BYTES == {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "fp4": 0.5, "fp32": 4.0}


@pytest.mark.parametrize(
    ("m", "n", "groups", "share"),
    [
        (128 * 132, 256, 1, 1.0),  # 132 tiles of 128 x 256: one full wave
        (128 * 66, 256, 1, 0.92),  # 132 tiles of 128 x 128
        (64 * 66, 256, 1, 0.75),
        (64 * 66, 128, 1, 0.6),
        (128 * 133, 256, 1, 0.92 * 266 / 396),  # 133 large tiles need two waves, 266 of the next three
        (64, 128, 66, 0.6),  # 132 tiles of 64 x 64 over all groups
    ],
)
def test_the_share_of_the_device_that_tiles_fill(m: float, n: float, groups: float, share: float) -> None:
    assert kernels.wave(column(m), column(n), SMS, column(groups))[0] == pytest.approx(share, rel=1e-14)
    assert kernels.wave(column(64.0), column(64.0), None)[0] == 0.6  # no waves where the SMs are not known


@pytest.mark.parametrize(
    ("n", "k", "groups", "bf16", "factor"),
    [(2560, 8192, None, False, 0.5), (2560, 8200, None, False, 0.5 * 0.8), (2568, 8192, None, False, 0.5 * 0.8),
     (2560, 8192, 1.0, False, 0.5 * 0.9), (2560, 8192, None, True, 0.25)],
)  # fmt: skip
def test_the_share_of_the_peak_that_a_multiply_reaches(n: float, k: float, groups: Any, bf16: bool,
                                                       factor: float) -> None:  # fmt: skip
    dev = replace(DEV, gemm=column(0.5), gemm_bf16=column(0.25), sms=None)
    gemm = Gemm("x", column(16896.0), column(n), column(k), column(0.0),
                groups=None if groups is None else column(groups))  # fmt: skip
    filled = kernels.wave(column(16896.0), column(n), None)[0]
    assert kernels.efficiency(gemm, dev, bf16)[0] == pytest.approx(0.856 * factor * filled * k / (k + 175), rel=1e-14)


def test_a_multiply_of_nothing_takes_no_time() -> None:
    """As the query projection of models without a rank, in a column beside one with."""
    none, m, k = np.array([0.0, 1536.0]), column(4096.0), column(2048.0)
    for rows, columns, depth in ((m, none, k), (m, k, none), (none, m, k)):
        for stated in (None, column(0.5)):
            seconds, eta = kernels.gemm_seconds(Gemm("q", rows, columns, depth, 2 * none), DEV, stated)
            assert seconds[0] == 0 and 0 < seconds[1] < 1 and not np.isnan(eta).any()


@pytest.mark.parametrize(("head", "rate"), [(64, 0.88), (65, 0.93), (96, 0.93), (97, 1.0), (128, 1.0)])
def test_small_heads_slow_attention(head: float, rate: float) -> None:
    assert kernels.head_rate(column(head), DEV)[0] == rate
    assert kernels.head_rate(column(head), replace(DEV, small_heads=False))[0] == 1.0


def test_spans_between_are_the_outermost() -> None:
    """Five tiers, all of them filled: the domain, the last but one and the job."""
    tiers = tuple((f"t{i}", 8 * 4**i, 50e9, 1e-6, 1.0) for i in range(5))
    r = run(tiers, cluster__gpus=2048)
    found = acceptance.spans(r, layout.resolve(r))
    assert [(s.tier, s.ranks[0]) for s in found] == [("t0", 8), ("t3", 512), ("t4", 2048)]
    r = run(tiers[:2], cluster__gpus=32, layout__data=4, batch=4)
    assert [(s.tier, s.ranks[0]) for s in acceptance.spans(r, layout.resolve(r))] == [("t0", 8), ("t1", 32)]

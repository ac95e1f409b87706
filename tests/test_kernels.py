"""Seconds of multiplies, attention and memory traffic, by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine import acceptance, kernels, layout
from engine.columns import column
from engine.operators.work import Gemm, Sdpa, Traffic
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


# A device of round numbers: 1,000 FLOP/s, 500 in 16 bits, 80 bytes/s.
ROUND = replace(
    DEV, peak=column(1000), peak_bf16=column(500), clock=column(0.8), gemm=column(0.5), gemm_bf16=column(0.25),
    half_k=column(64), sms=None, memory=column(80), attention_forward=column(0.5), attention_backward=column(0.4),
    half_sequence=column(300), passes=column(1.5),
)  # fmt: skip


@pytest.mark.parametrize(
    ("groups", "bf16", "stated", "flops", "seconds"),
    [
        (None, False, None, 2 * 128 * 256 * 192, 2 * 128 * 256 * 192 / (1000 * 0.8 * 0.5 * 0.75) + 100 / 160),
        (None, True, None, 2 * 128 * 256 * 192, 2 * 128 * 256 * 192 / (500 * 0.8 * 0.25 * 0.75) + 100 / 160),
        (3, False, None, 6 * 128 * 256 * 192, 6 * 128 * 256 * 192 / (1000 * 0.8 * 0.45 * 0.75) + 100 / 160),
        (None, False, 0.4, 2 * 128 * 256 * 192, 2 * 128 * 256 * 192 / 400),
        (None, True, 0.4, 2 * 128 * 256 * 192, 2 * 128 * 256 * 192 / 200),
    ],
)
def test_seconds_of_a_multiply(
    groups: float | None, bf16: bool, stated: float | None, flops: float, seconds: float
) -> None:
    """One tile of 128 x 256, K 192 of 192 + 64; half of 100 bytes of weights at 80 bytes/s."""
    gemm = Gemm("x", column(128), column(256), column(192), column(100),
                groups=None if groups is None else column(groups))  # fmt: skip
    found, eta = kernels.gemm_seconds(gemm, ROUND, None if stated is None else column(stated), bf16)
    assert kernels.efficiency(gemm, ROUND).tolist() == kernels.efficiency(gemm, ROUND, False).tolist()
    assert kernels.gemm_flops(gemm).tolist() == [flops]
    assert found.tolist() == [pytest.approx(seconds, rel=1e-14)]
    assert eta.tolist() == [pytest.approx(flops / seconds / (500 if bf16 else 1000), rel=1e-14)]


@pytest.mark.parametrize(
    ("backward", "fused", "head", "stated", "rate"),
    [
        (False, True, 128, None, 0.8 * 0.5 * 0.25),
        (True, True, 128, None, 0.8 * 0.4 * 0.25),
        (False, True, 64, None, 0.8 * 0.5 * 0.25 * 0.88),
        (False, False, 300, None, 0.8 * 0.25 * 0.75),
        (True, False, 300, 0.3, 0.3),
        (False, True, 64, 0.3, 0.3),
    ],
)
def test_seconds_of_attention(backward: bool, fused: bool, head: float, stated: float | None, rate: float) -> None:
    """A sequence of 100 of 100 + 300; heads of 300 of 300 + 100 without a fused kernel; 6,000 FLOP at 500."""
    work = Sdpa("sdpa", column(6000), column(100), column(head), backward, fused)
    seconds, eta = kernels.sdpa_seconds(work, ROUND, None if stated is None else column(stated))
    assert eta.tolist() == [pytest.approx(rate, rel=1e-14)]
    assert seconds.tolist() == [pytest.approx(12 / rate, rel=1e-14)]


def test_seconds_of_memory_traffic() -> None:
    seconds, passes = kernels.traffic_seconds(Traffic("norm", column(640), 3.0), ROUND)
    assert (seconds.tolist(), np.ravel(passes).tolist()) == ([4.5 * 640 / 80], [4.5])


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, {"peak": 989e12, "peak_bf16": 989e12, "gemm": 0.816, "gemm_bf16": 0.816, "clock": 0.856, "half_k": 175,
              "sms": 132, "memory": 3.35e12 * 0.82, "attention_forward": 0.58, "attention_backward": 0.5,
              "half_sequence": 500, "small_heads": True, "fused_attention": True, "passes": 0.92}),
        ({"precision": "fp8"}, {"peak": 1979e12, "peak_bf16": 989e12, "gemm": 0.75, "gemm_bf16": 0.816}),
        ({"precision": "fp4", "cluster__gpu__peak__fp4": 4e15}, {"peak": 4e15, "peak_bf16": 989e12, "gemm": 0.6}),
        ({"precision": "fp16", "cluster__gpu__peak__fp16": 9e14}, {"peak": 9e14, "peak_bf16": 9e14, "gemm": 0.816}),
        ({"cluster__gpu__peak__fp16": 9e14}, {"peak_bf16": 989e12}),
        ({"stack__attention": "flash1"}, {"attention_forward": 0.19, "attention_backward": 0.19, "small_heads": False}),
        ({"stack__attention": "flash2", "cluster__gpu__efficiency__attention": 0.5},
         {"attention_forward": 0.18, "attention_backward": 0.17, "small_heads": True}),
        ({"cluster__gpu__efficiency__attention": 0.5}, {"attention_forward": 0.29, "attention_backward": 0.25}),
        ({"stack__attention": "unfused"}, {"fused_attention": False}),
        ({"kernels__flash": False}, {"fused_attention": False}),
        ({"kernels__fused": False}, {"passes": 1.0}),
        ({"kernels__fused": False, "stack__passes": 1.3}, {"passes": 1.3}),
        ({"efficiency__memory": 0.6}, {"memory": 3.35e12 * 0.6}),
    ],
)  # fmt: skip
def test_a_device_is_the_librarys_rows(changed: dict[str, Any], expected: dict[str, Any]) -> None:
    found = kernels.device(run(**changed))
    assert {name: np.ravel(getattr(found, name))[0] for name in expected} == pytest.approx(expected, rel=1e-15)


def test_a_precision_without_a_peak_has_no_rate() -> None:
    assert np.isnan(kernels.device(run(precision="fp4")).peak[0])
    assert kernels.device(run(precision="fp16")).peak_bf16.tolist() == [989e12]
    assert np.isnan(kernels.device(run(cluster__gpu__peak__bf16=None)).peak_bf16[0])

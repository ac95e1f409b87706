"""What timed matrix multiplies say about a GPU: the best share of its peak, and the inner dimension of half of it.

The form is that of engine/kernels.py: t = 2MNK/(P eta) + W/(2 beta eps), eta = A wave(M, N) K/(K + K_half) align. Two
numbers are fitted, A (sustained clock included) and K_half; the tiles and the alignment stay the library's.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.columns import ONE, Column, column
from engine.kernels import DTYPE_BYTES, HIDDEN_WEIGHTS, Device, efficiency
from engine.operators.work import Gemm

HALVES = np.concatenate([[0.0], np.geomspace(10.0, 3000.0, 120)])  # K_half that are tried
LEAST = 3  # shapes from which K_half is fitted
SMALL = 0.05  # share of the best rate below which a time is launch and latency, not arithmetic


@dataclass(frozen=True)
class GemmFit:
    """A and K_half; how far the fit is off, and how many shapes it uses."""

    best: float
    half_k: float | None  # None where too few shapes say
    spread: float  # median of |fitted/measured - 1|
    worst: float
    shapes: int


def fit(m: Sequence[float], n: Sequence[float], k: Sequence[float], seconds: Sequence[float], dev: Device,
        precision: str) -> GemmFit | None:  # fmt: skip
    """The two numbers of one precision that fit the measured seconds best, by median absolute log error.

    None where no shape reaches a share of the peak that arithmetic can explain. ``dev`` gives P, beta eps, tiles.
    """
    gemm = Gemm("", column(m), column(n), column(k), DTYPE_BYTES[precision] * column(n) * column(k))
    time, flops = column(seconds), 2 * column(m) * column(n) * column(k)
    streamed = HIDDEN_WEIGHTS * gemm.weights / dev.memory
    rate = flops / (dev.peak * time)
    kept = (rate > SMALL * np.max(rate)) & (time > streamed)
    if not np.any(kept) or not np.all(np.isfinite(dev.peak)):
        return None
    shape = efficiency(gemm, _plain(dev))[kept]
    inner, busy = gemm.k[kept], (time - streamed)[kept]
    measured = flops[kept] / (dev.peak * busy)  # eta without the streaming of weights
    enough = len(np.unique(inner)) >= LEAST
    half = _half(measured, shape, inner) if enough else float(dev.half_k[0])
    best, _ = _best(measured, shape * inner / (inner + half))
    fitted = flops[kept] / (dev.peak * best * shape * inner / (inner + half)) + streamed[kept]
    off = np.abs(fitted / time[kept] - 1)
    return GemmFit(best, half if enough else None, float(np.median(off)), float(np.max(off)), int(kept.sum()))


def _half(measured: Column, shape: Column, inner: Column) -> float:
    """The K_half of the smallest error, on a grid and on a finer one about its best."""
    grid = HALVES
    for _ in range(2):
        errors = [_best(measured, shape * inner / (inner + half))[1] for half in grid]
        at = int(np.argmin(errors))
        found = float(grid[at])
        grid = np.linspace(grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)], 101)
    return found


def _plain(dev: Device) -> Device:
    """The device with A = 1 and K_half = 0: what is left is tiles, waves and alignment."""
    return replace(dev, clock=ONE, gemm=ONE, gemm_bf16=ONE, half_k=0 * ONE)


def _best(measured: Column, shape: Column) -> tuple[float, float]:
    """The A of the median ratio, and the mean absolute log error that it leaves."""
    ratio = np.log(measured / shape)
    centre = float(np.median(ratio))
    return float(np.exp(centre)), float(np.mean(np.abs(ratio - centre)))

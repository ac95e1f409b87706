"""What a table of collective times says about a link: its rate per GPU, and the fixed time of a call.

A test measures t(S) of one collective over n ranks on k nodes of g = n/k. The engine's own form is t = t0 + c S/r, with
r the rate per GPU and direction on the tier the group reaches and c by collective (engine/collectives), so that what
is fitted here is what a prediction uses. Symbols as there; h hops of a call on the tier (engine/network.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.collectives.terms import CALL
from engine.columns import Column, column

HALF = 4 * 2.0**20  # bytes: a size counts S/(S + HALF), so that the line holds what training moves, not 8 bytes
HELD = 2.0**20  # bytes from which a fit is judged
LEAST = 3  # sizes from which the fixed time is fitted too
HOP = (1e-6, 5e-6)  # s, of a hop inside a scale-up domain and across, where the sizes are too few (library estimates)


@dataclass(frozen=True)
class LinkFit:
    """Rate in bytes/s per GPU, seconds of the fixed part, and how far the fit is off its points."""

    rate: float
    fixed: float
    spread: float  # median of |fitted/measured - 1| over sizes from 1 MiB, or all where there are none
    worst: float  # largest


def share(kind: str, n: float, k: float) -> float:
    """c: seconds of a collective beyond its fixed part are c S/r, r bytes/s of one GPU on the tier it reaches.

    Inside a domain (k = 1): all-reduce 2(n-1)/n; all-gather, reduce-scatter, all-to-all (n-1)/n; a send 1. Across k
    domains of g NICs each: all-reduce 2(k-1)/(k g), all-gather (n-1)/(n g), all-to-all (n-g)/n, a send 1.
    """
    g = n / k
    if kind == "all_reduce":
        return 2 * (n - 1) / n if k == 1 else 2 * (k - 1) / (k * g)
    if kind == "all_to_all":
        return (n - 1) / n if k == 1 else (n - g) / n
    if kind in ("all_gather", "reduce_scatter"):
        return (n - 1) / n if k == 1 else (n - 1) / (n * g)
    return 1.0


def hops(kind: str, n: float, k: float) -> tuple[float, float]:
    """Hops of one call inside a domain and across: rings n - k and k (all-reduce twice, or a tree), others one."""
    g = n / k
    if kind in ("all_gather", "reduce_scatter"):
        return (n - 1, 0.0) if k == 1 else (n - k, k)
    if kind == "all_reduce":
        return (2 * (n - 1), 0.0) if k == 1 else (2 * (g - 1), 2 * float(np.log2(k)))
    return (1.0, 0.0) if k == 1 else (0.0, 1.0)


def fit(kind: str, n: float, k: float, sizes: Sequence[float], seconds: Sequence[float]) -> LinkFit:
    """The rate and fixed time that fit best: least squares of S/(S + 4 MiB) ((t0 + c S/r)/t - 1), t0 >= 0.

    Between its small and its large protocols NCCL is slower than any line: t0 holds that ramp, and messages under 1 MiB
    are faster than it says. On 35 published series the median error is 5 % from 64 MB up and 13 % between 1 and 64 MB.
    With fewer than three sizes the fixed time is the library's: its call and hops.
    """
    size, time = column(sizes), column(seconds)
    c = share(kind, n, k)
    inside, across = hops(kind, n, k)
    fixed = CALL + inside * HOP[0] + across * HOP[1]
    if len(np.unique(size)) >= LEAST:
        weight = size / (size + HALF)
        design = np.stack([weight / time, weight * c * size / time], axis=1)
        found = np.linalg.lstsq(design, weight, rcond=None)[0]
        fixed, slope = float(found[0]), float(found[1])
        if fixed <= 0 or slope <= 0:
            fixed, slope = 0.0, _slope(c * size, time)
    else:
        fixed = min(fixed, 0.5 * float(np.min(time)))
        slope = _slope(c * size, time - fixed)
    held = size >= min(HELD, float(np.max(size)))
    off = np.abs((fixed + slope * c * size) / time - 1)[held]
    return LinkFit(1 / slope, fixed, float(np.median(off)), float(np.max(off)))


def _slope(moved: Column, time: Column) -> float:
    """Seconds a byte through zero, least squares of the relative error."""
    ratio = moved / time
    return float(np.sum(ratio) / np.sum(ratio * ratio))


@dataclass(frozen=True)
class Latency:
    """Fixed time of a call, and of a hop inside a domain and across; None where nothing measured it."""

    call: float
    inside: float | None
    across: float | None


def latency(tests: Sequence[tuple[str, float, float, float]]) -> Latency | None:
    """Call and hop times from (collective, n, k, t0) of fitted tests; None without one.

    The call is the library's, or the shortest t0 where that is shorter; hops share the rest of their t0, the median
    over tests: h = (t0 - call)/hops inside, (t0 - call - inside hops)/hops across.
    """
    if not tests:
        return None
    call = min(CALL, *(t0 for *_, t0 in tests))
    near = [(t0 - call) / hops(kind, n, k)[0] for kind, n, k, t0 in tests if k == 1 and n > 1]
    inside = float(np.median(near)) if near else None
    step = HOP[0] if inside is None else inside
    far = []
    for kind, n, k, t0 in tests:
        h = hops(kind, n, k)
        if k > 1:
            far.append(max(t0 - call - h[0] * step, 0.0) / h[1])
    return Latency(call, inside, float(np.median(far)) if far else None)

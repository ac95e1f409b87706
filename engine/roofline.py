"""Roofline: what bounds one operation, arithmetic or the movement of data (Williams et al. 2009).

F    FLOP of the operation            P    peak FLOP/s
Q    bytes it moves                   W    bandwidth in bytes/s: of device memory, or of a link between devices
I    arithmetic intensity F/Q         B, D, F    X[B, D] times Y[D, F] gives Z[B, F]; w bytes an element
"""

from dataclasses import dataclass

import numpy as np

from engine.columns import Column, Flags, column

ELEMENT = column(2.0)  # bytes of a bf16 number


@dataclass(frozen=True)
class Roofline:
    """One operation on one part: intensity against the ridge, which side it is on, and its time between two bounds."""

    intensity: Column
    ridge: Column
    compute_bound: Flags
    compute: Column  # seconds of arithmetic at peak
    movement: Column  # seconds of data movement at full bandwidth
    lower: Column
    upper: Column
    attainable: Column  # FLOP/s


def seconds(amount: Column, rate: Column) -> Column:
    """amount / rate: FLOP over FLOP/s, or bytes over bytes/s."""
    return amount / rate


def intensity(flops: Column, moved: Column) -> Column:
    """I = F / Q, FLOP per byte."""
    return flops / moved


def ridge(peak: Column, bandwidth: Column) -> Column:
    """P / W: the intensity from which an operation is bound by arithmetic, FLOP per byte."""
    return peak / bandwidth


def bounds(compute: Column, movement: Column) -> tuple[Column, Column]:
    """(max, sum) of both times: all overlapped, nothing overlapped; never more than a factor of two apart."""
    return np.maximum(compute, movement), compute + movement


def attainable(work: Column, peak: Column, bandwidth: Column) -> Column:
    """min(P, I W): FLOP/s that an operation of intensity ``work`` can reach."""
    return np.minimum(peak, work * bandwidth)


def roofline(flops: Column, moved: Column, peak: Column, bandwidth: Column) -> Roofline:
    """An operation of F FLOP that moves Q bytes, on a part of peak P and bandwidth W."""
    compute, movement = seconds(flops, peak), seconds(moved, bandwidth)
    work, edge = intensity(flops, moved), ridge(peak, bandwidth)
    lower, upper = bounds(compute, movement)
    return Roofline(work, edge, work >= edge, compute, movement, lower, upper, attainable(work, peak, bandwidth))


def matmul_flops(batch: Column, inner: Column, outer: Column) -> Column:
    """2 B D F."""
    return 2.0 * batch * inner * outer


def matmul_bytes(batch: Column, inner: Column, outer: Column, element: Column = ELEMENT) -> Column:
    """w (B D + D F + B F): both operands read once, the result written once."""
    return element * (batch * inner + inner * outer + batch * outer)


def matmul_intensity(batch: Column, inner: Column, outer: Column, element: Column = ELEMENT) -> Column:
    """2 B D F / (w (BD + DF + BF)), which in bf16 tends to B for B far below D and F."""
    return matmul_flops(batch, inner, outer) / matmul_bytes(batch, inner, outer, element)


def dot_intensity(length: Column, element: Column = ELEMENT) -> Column:
    """(2N - 1) / (w (2N + 1)) of a dot product of two vectors of N: tends to 1/2 FLOP per byte in bf16."""
    return (2.0 * length - 1.0) / (element * (2.0 * length + 1.0))


def smallest_batch(peak: Column, bandwidth: Column, inner: Column, outer: Column, element: Column = ELEMENT) -> Column:
    """Smallest B whose matmul is bound by arithmetic; infinite where no B is.

    With r = w P/W / 2: B = r D F / (D F - r (D + F)), which for large D and F is r: 240 tokens on a TPU v5e.
    """
    edge = 0.5 * element * ridge(peak, bandwidth)
    room = inner * outer - edge * (inner + outer)
    with np.errstate(divide="ignore"):  # no room: no batch is enough
        return edge * inner * outer / np.maximum(room, 0.0)


def smallest_split_inner(peak: Column, link: Column, devices: Column, element: Column = ELEMENT) -> Column:
    """Smallest D for which a matmul split along D over ``devices`` is bound by arithmetic: (n-1) w P / link.

    Each device computes 2 B D F / n; a ring sums the partial results, 2 (n-1)/n w B F bytes each way. Two devices in
    bf16: D > 2 P / link, whatever the batch: 8,755 on a TPU v5e with links of 45 GB/s.
    """
    return (devices - 1.0) * element * peak / link


def split_matmul(
    batch: Column, inner: Column, outer: Column, devices: Column, peak: Column, link: Column, element: Column = ELEMENT
) -> Roofline:
    """A matmul whose inner dimension is split over ``devices``: its arithmetic against the sum of partial results."""
    share = matmul_flops(batch, inner, outer) / devices
    moved = 2.0 * (devices - 1.0) / devices * element * batch * outer
    return roofline(share, moved, peak, link)

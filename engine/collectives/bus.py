"""Bandwidth of a collective as nccl-tests defines it, to hold a prediction against a measurement.

algorithm bandwidth = S / t; bus bandwidth = that times what crosses each rank's link: 2(n-1)/n for an all-reduce,
(n-1)/n for all-gather, reduce-scatter and all-to-all, 1 point to point. S is the full buffer of the largest side.
A switch that reduces moves less, (n+1)/n S a link, so that bus bandwidth can exceed the line rate.
Source: NVIDIA/nccl-tests doc/PERFORMANCE.md, issues #130 and #159.
"""

from engine.columns import ONE, Column

HALVES = ("all_gather", "reduce_scatter", "all_to_all", "ring_exchange")


def bus_factor(kind: str, n: Column) -> Column:
    """Bus bandwidth over algorithm bandwidth of a collective over n ranks."""
    if kind == "all_reduce":
        return 2.0 * (n - 1.0) / n
    return (n - 1.0) / n if kind in HALVES else ONE * n / n


def algorithm_bandwidth(size: Column, seconds: Column) -> Column:
    """bytes/s: S / t."""
    return size / seconds


def bus_bandwidth(kind: str, size: Column, n: Column, seconds: Column) -> Column:
    """bytes/s: S / t x the factor of the collective."""
    return algorithm_bandwidth(size, seconds) * bus_factor(kind, n)


def seconds_at(kind: str, size: Column, n: Column, bus: Column) -> Column:
    """Seconds of a collective of S bytes at a measured bus bandwidth."""
    return size * bus_factor(kind, n) / bus


def in_switch_traffic(size: Column, n: Column) -> Column:
    """Bytes that cross a rank's link where the switch reduces and multicasts (NVLS): (n+1)/n S."""
    return (n + 1.0) / n * size

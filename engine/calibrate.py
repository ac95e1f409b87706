"""A user's measurements in place of the library's figures: what a run that names a calibration is predicted with.

Measured shares include the sustained clock, so they are divided by it. A rate measured on a tier replaces the tier's
bandwidth, the share of it that collectives attain and its oversubscription: all three were at work while it was
measured. Factors multiply the seconds of the rows of their class before what hides them is worked out. What the run
states itself (efficiency.memory, efficiency.qkv) wins.
"""

from dataclasses import replace

import numpy as np

from engine.calibration_inputs import Calibration, MeasuredTier
from engine.collectives.terms import Terms
from engine.columns import ONE, Column
from engine.inputs import Cluster, Gpu, Run, Tier
from engine.network import Group

BACKWARD = 2.5  # FLOPs of attention backward over forward, flash kernels
RATES = {
    "all_gather": "gather", "reduce_scatter": "gather", "ring_exchange": "gather", "all_reduce": "all_reduce",
    "all_to_all": "all_to_all", "all_to_all_once": "all_to_all", "send": "send",
}  # fmt: skip
INSIDE = {"gather": "gather", "all_reduce": "all_reduce", "all_to_all": "all_to_all", "send": "gather"}


def calibrated(run: Run) -> Run:
    """The run with its GPU's and network's figures replaced by measured ones; the run itself where it names none."""
    found = run.calibration
    if found is None:
        return run
    gpu = _attention(_efficiency(run.gpu, found), found)
    host = factor(run, "host")
    gpu = replace(gpu, host_link=gpu.host_link / host)
    memory = run.cluster.host_memory_bandwidth / host
    return replace(run, cluster=_network(replace(run.cluster, gpu=gpu, host_memory_bandwidth=memory), found))


def _efficiency(gpu: Gpu, found: Calibration) -> Gpu:
    """Measured shares of the peak and of the memory bandwidth."""
    e = gpu.efficiency
    new = {
        "gemm": _over(found.gemm, e.clock),
        "gemm_fp8": _over(found.gemm_fp8, e.clock),
        "gemm_fp4": _over(found.gemm_fp4, e.clock),
        "half_k": found.half_k,
        "memory": found.memory,
    }
    return replace(gpu, efficiency=replace(e, **{name: value for name, value in new.items() if value is not None}))


def _over(value: Column | None, clock: Column) -> Column | None:
    return None if value is None else value / clock


def _attention(gpu: Gpu, found: Calibration) -> Gpu:
    """Measured shares of the attention kernel, whichever one runs; flash-1 has one rate for both passes."""
    if found.attention is None:
        return gpu
    e, a = gpu.efficiency, gpu.attention
    ahead, back = found.attention.forward, found.attention.backward
    for way, share in (("forward", ahead), ("backward", back)):
        if share is not None:
            own = share / (e.clock * e.attention)
            a = replace(a, **{way: own, f"eager_{way}": own})
    one, other = ahead if ahead is not None else back, back if back is not None else ahead
    if one is not None and other is not None:
        a = replace(a, first=(1 + BACKWARD) / (1 / one + BACKWARD / other) / e.clock)
    return replace(gpu, attention=a)


def _network(cluster: Cluster, found: Calibration) -> Cluster:
    """Measured latencies of every tier; of the outer ones the bandwidth; of the innermost the attained shares."""
    measured = {tier.name: tier for tier in found.tier}
    chain = tuple(_tier(tier, measured.get(tier.name), i) for i, tier in enumerate(cluster.tier))
    cluster = replace(cluster, tier=chain)
    first = measured.get(chain[0].name) if chain else None
    if first is None:
        return cluster
    shares = {name: getattr(first, name) for name in ("gather", "all_reduce", "all_to_all")}
    new = {name: rate / chain[0].bandwidth for name, rate in shares.items() if rate is not None}
    return replace(cluster, gpu=replace(cluster.gpu, efficiency=replace(cluster.gpu.efficiency, **new)))


def _tier(tier: Tier, found: MeasuredTier | None, place: int) -> Tier:
    if found is None:
        return tier
    if found.latency is not None:
        tier = replace(tier, latency=found.latency)
    rates = [r for r in (found.gather, found.all_reduce, found.all_to_all, found.send) if r is not None]
    if not place or not rates:
        return tier
    return replace(tier, bandwidth=np.max(np.stack(np.broadcast_arrays(*rates)), axis=0), oversubscription=ONE)


def laid(run: Run, kind: str, group: Group, terms: Terms) -> tuple[Group, Terms]:
    """The group and terms that a collective of ``kind`` is priced with: measured rates where its group reaches.

    A group that reaches a measured tier has the rate per NIC that this kind attained there, and no further share.
    """
    found = run.calibration
    if found is None:
        return group, terms
    if found.call is not None:
        terms = replace(terms, call=found.call)
    measured = {tier.name: tier for tier in found.tier}
    for i, tier in enumerate(run.cluster.tier):
        rate = getattr(measured[tier.name], RATES[kind]) if tier.name in measured else None
        if rate is None:
            continue
        if i == 0 and kind == "send":
            terms = replace(terms, gather=rate / tier.bandwidth)
        elif i > 0:
            here = group.reach == i
            pairs = np.where(here, rate, group.uniform)
            group = replace(group, outside=np.where(here, rate, group.outside), pairwise=pairs)
            terms = replace(terms, across=np.where(here, 1.0, terms.across))
    return group, terms


def factor(run: Run, name: str) -> Column:
    """Measured over predicted seconds of a class of rows (or of the "step"); 1 where it was not measured."""
    factors = None if run.calibration is None else run.calibration.factor
    value = None if factors is None else getattr(factors, name, None)
    return ONE if value is None else value

"""The network: which wires a parallel group uses, and what they carry.

A cluster is a chain of tiers, innermost (the scale-up domain) first. A group of an axis of size n and stride s has
clamp(D/s, 1, n) members in an element of D GPUs. A ring over a group crosses tiers; its rate is the narrowest link
it crosses, where g members of one domain bring g NICs.

Symbols: n ranks of the group; g_i members in one element of tier i; k_i elements of tier i that the group spans;
o oversubscription; R concurrent rings over a boundary; all bandwidths per GPU and direction, bytes/s.
Source: links that a ring crosses, counted; Thakur, Rabenseifner and Gropp 2005 (rings), NCCL (one channel a NIC).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.columns import ONE, Column, Flags, column
from engine.inputs import Cluster, Run, Tier
from engine.layout import Degrees

Parts = tuple[tuple[Column, Column], ...]  # (count, stride) of ranks, innermost first

ROUNDING = 1e-9  # log 16 / log 16 may come out above 1
LOCAL_LATENCY = 1e-6  # s, one hop inside a scale-up domain where no tier is stated


@dataclass(frozen=True)
class Group:
    """One parallel group laid over the tiers."""

    axis: str
    size: Column  # n
    members: tuple[Column, ...]  # in one element of each tier
    elements: tuple[Column, ...]  # of each tier that the group spans
    reach: Column  # index of the outermost tier it uses, 0 = inside the scale-up domain
    inside: Column  # bandwidth inside the domain
    outside: Column  # of one GPU's NIC after oversubscription (the narrowest tier crossed)
    slowdown: Column  # by oversubscription, 1 = none
    hop: tuple[Column, ...]  # latency of a hop at each tier
    pairwise: Column | None = None  # of one GPU's NIC where every pair sends: an all-to-all fills the uplinks

    @property
    def uniform(self) -> Column:
        """Bytes/s of one GPU for what leaves its domain in an all-to-all; that of a ring if nothing else is known."""
        return self.outside if self.pairwise is None else self.pairwise

    @property
    def per_domain(self) -> Column:
        """Ranks of the group in one scale-up domain."""
        return self.members[0]

    @property
    def domains(self) -> Column:
        """Scale-up domains that the group spans."""
        return self.elements[0]

    @cached_property
    def crosses(self) -> Flags:
        """Whether the group leaves its scale-up domain."""
        return np.asarray(self.domains > 1)

    @cached_property
    def bandwidth(self) -> Column:
        """Rate of a ring, per rank: NVLink inside, min(NVLink, g NICs) across."""
        return np.where(self.crosses, np.minimum(self.inside, self.per_domain * self.outside), self.inside)

    @cached_property
    def ring_latency(self) -> Column:
        """Latency of n-1 ring steps (n hops once the ring leaves a domain): (n-k) inside + hops at each outer tier."""
        total = (self.size - np.where(self.crosses, self.domains, 1.0)) * self.hop[0]
        for i in range(1, len(self.hop)):
            here, above = self.elements[i - 1], self.elements[i]
            total = total + np.where(here > 1, here - np.where(above > 1, above, 0.0), 0.0) * self.hop[i]
        return total

    @cached_property
    def tree_latency(self) -> Column:
        """Latency of a tree all-reduce: 2 log2(k) across + 2 (g-1) inside."""
        outer = self.hop[-1] if len(self.hop) > 1 else self.hop[0]
        return 2 * np.log2(np.maximum(self.domains, 1.0)) * outer + 2 * (self.per_domain - 1) * self.hop[0]


def tiers(cluster: Cluster, used: Column) -> tuple[Tier, ...]:
    """The cluster's tiers; where none is stated, the scale-up domain alone, from the gpu's own link."""
    if cluster.tier:
        return cluster.tier
    link = cluster.gpu.link if cluster.gpu.link is not None else cluster.link
    if link is None:
        link = np.where(used == 1, np.inf, np.nan)
    return (Tier("node", domain(cluster), link, column(LOCAL_LATENCY), ONE),)


def domain(cluster: Cluster) -> Column:
    """GPUs of one scale-up domain: tier 1's span, else the gpu's domain, else gpus_per_node."""
    if cluster.tier and cluster.tier[0].span is not None:
        return cluster.tier[0].span
    if not cluster.tier and cluster.gpu.domain is not None:
        return cluster.gpu.domain
    return cluster.gpus_per_node


def spans(cluster: Cluster, used: Column) -> tuple[Column, ...]:
    """GPUs below one element of each tier; the last tier defaults to all."""
    chain = tiers(cluster, used)
    gpus = used if cluster.gpus is None else cluster.gpus
    result = [domain(cluster)]
    for i, tier in enumerate(chain[1:], start=1):
        result.append(tier.span if tier.span is not None else (gpus if i == len(chain) - 1 else result[-1]))
    return tuple(result)


def missing_link(cluster: Cluster, used: Column) -> Flags:
    """Where the job leaves the only tier there is, so that its network is not described."""
    return np.asarray(used > spans(cluster, used)[-1])


def lay(run: Run, d: Degrees, axis: str, parts: Parts) -> Group:
    """A group laid over the tiers; ``parts`` are the (count, stride) of its ranks (engine/groups.py)."""
    cluster = run.cluster
    chain, width = tiers(cluster, d.used), spans(cluster, d.used)
    size, rings = ONE, parts[0][1]
    for count, stride in parts:
        size, rings = size * count, np.minimum(rings, stride)
    members, elements = [], []
    for i, span in enumerate(width):
        room, inside = _room(cluster, i, span, d.used), ONE
        for count, stride in parts:
            inside = inside * np.clip(np.floor(room / stride), 1.0, count)
        members.append(np.minimum(inside, size))
        elements.append(np.ceil(size / members[-1]))
    outside, slowdown, reach, pairwise = column(np.inf), ONE, column(0.0), column(np.inf)
    for i in range(1, len(chain)):
        crossing = elements[i - 1] > 1
        pairwise = np.where(crossing, np.minimum(pairwise, uplinks(cluster, d, i, width, size, members)), pairwise)
        factor = oversubscribed(cluster, d, i, width, rings * members[0])
        outside = np.where(crossing, np.minimum(outside, chain[i].bandwidth / factor), outside)
        slowdown = np.where(crossing, np.maximum(slowdown, factor), slowdown)
        reach = np.where(crossing, float(i), reach)
    if len(chain) == 1:
        outside = pairwise = np.where(elements[0] > 1, np.nan, np.inf)
    if cluster.placement == "scattered":
        pairwise = outside  # whose slow-down is that of uniform traffic
    hops = tuple(t.latency for t in chain)
    gpus = d.used if cluster.gpus is None else cluster.gpus
    inside = scale_up(cluster, chain[0], members[0], gpus)
    return Group(axis, size, tuple(members), tuple(elements), reach, inside, outside, slowdown, hops, pairwise)


def uplinks(
    cluster: Cluster, d: Degrees, tier: int, width: tuple[Column, ...], n: Column, members: list[Column]
) -> Column:
    """Bytes/s of one GPU for what leaves its domain in an all-to-all, as far as ``tier`` limits it.

    Of n ranks, m sit in one element below the tier and g in the domain: of the bytes that leave the domain the share
    (n - m)/(n - g) goes up, at 1/o of the link where all GPUs of an element send; o shrinks with the part of the
    element's GPUs that the job uses: beta (n - g)/(n - m) / max(1, o u).
    Source: bytes that leave an element, counted.
    """
    found, span = tiers(cluster, d.used)[tier], width[tier - 1]
    busy = np.maximum(found.oversubscription * _room(cluster, tier - 1, span, d.used) / span, 1.0)
    up = np.where(members[tier - 1] < n, n - members[tier - 1], 1.0)
    return np.asanyarray(found.bandwidth / busy * np.maximum(n - members[0], 1.0) / up)


def scale_up(cluster: Cluster, first: Tier, members: Column, gpus: Column) -> Column:
    """Bytes/s of one GPU to the rest of its group inside the domain.

    switched: the whole link. mesh: the links to the group's other members only (MI300X: 64 of 448 GB/s to one peer).
    torus: two links on each axis the group spans; n chips fill ceil(log n / log side) axes of a torus of side^axes
    chips (TPU: a ring of one axis gets two of its four or six links). The slice is cut as near a cube as it goes.
    """
    gpu = cluster.gpu
    if gpu.topology not in ("mesh", "torus") or gpu.pair_link is None:
        return first.bandwidth
    if gpu.topology == "mesh":
        return np.minimum(first.bandwidth, gpu.pair_link * np.maximum(members - 1, 1.0))
    axes = np.maximum(np.round(first.bandwidth / (2 * gpu.pair_link)), 1.0)
    side = np.log(np.maximum(np.minimum(domain(cluster), gpus), 2.0)) / axes
    spanned: Column = np.clip(np.ceil(np.log(np.maximum(members, 2.0)) / side - ROUNDING), 1.0, axes)
    return np.minimum(first.bandwidth, 2 * gpu.pair_link * spanned)


def _room(cluster: Cluster, tier: int, span: Column, used: Column) -> Column:
    """GPUs of the job that one element of a tier holds; balanced placement fills the fewest elements equally."""
    if tier == 0 or cluster.placement == "packed":
        return np.minimum(span, used)
    return used / np.ceil(used / span)


def oversubscribed(cluster: Cluster, d: Degrees, tier: int, width: tuple[Column, ...], rings: Column) -> Column:
    """Slow-down of the links of ``tier`` by its oversubscription o.

    Packed and balanced: R rings, at most one a GPU, cross a boundary of an element with n GPUs, max(1, R o / n).
    Scattered: a share p = 1 - 1/elements of the bytes leaves the element, max(1, o p); o shrinks with the part of the
    element's GPUs that the job uses.
    Left out: traffic of other jobs; adaptive routing that fails to spread flows. Source: rings that cross a boundary,
    counted.
    """
    o, span = tiers(cluster, d.used)[tier].oversubscription, width[tier - 1]
    filled = _room(cluster, tier - 1, span, d.used)
    if cluster.placement == "scattered":
        away = 1.0 - 1.0 / np.ceil(d.used / span)
        return np.maximum(o * filled / span * away, 1.0)
    return np.maximum(np.minimum(rings, span) * o / span, 1.0)

"""All-reduce. S: bytes of the tensor; n ranks in k domains of g; the faster of ring and tree."""

import numpy as np

from engine.collectives.terms import Terms, stepped_transfer
from engine.columns import Column
from engine.network import Group


def seconds(size: Column, group: Group, terms: Terms) -> Column:
    """Ring: 2 (ring latency) + 2(n-1)/n S/(alpha beta), inside and outside part pipelined:
    max(2(g-1)/g S/NVLink, 2(k-1)/k S/(g NIC)); tree: 2 log2(k) hops and the same bytes. 0 for one rank.
    Left out: contention with other collectives on the same links; reduction inside switches (SHARP). Source: Thakur,
    Rabenseifner and Gropp 2005 (ring), Sanders, Speck and Träff 2009 (tree); fitted on nccl-tests tables.
    """
    n, g, k = group.size, group.per_domain, group.domains
    if terms.protocol == "s0":
        moving = 2 * stepped_transfer(size, n, group.bandwidth)
    else:
        inside = (
            2
            * (np.where(group.crosses, g, n) - 1)
            / np.where(group.crosses, g, n)
            * size
            / (terms.all_reduce * group.inside)
        )
        outside = np.where(group.crosses, 2 * (k - 1) / k * size / (terms.across * g * group.outside), 0.0)
        moving = np.maximum(inside, outside)
    latency = np.minimum(2 * group.ring_latency, group.tree_latency)
    return np.where(n > 1, terms.call + latency + moving, 0.0)


def traffic(size: Column, n: Column) -> Column:
    """Bytes a rank sends around a ring: 2(n-1)/n S, 1, 1.5, 1.75, 1.875 of S for 2, 4, 8, 16 ranks."""
    return 2 * (n - 1) / n * size

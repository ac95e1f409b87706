"""All-to-all. S: send buffer of one rank with its own share; g of n ranks in the own domain."""

import numpy as np

from engine.collectives.terms import Terms
from engine.columns import Column
from engine.network import Group


def seconds(size: Column, group: Group, terms: Terms) -> Column:
    """t = t0 + latency + max(S (g-1)/n / (alpha NVLink), S (n-g)/n / (alpha NIC)): the slower side sets the time.
    Where the group spans pods NIC is what oversubscribed uplinks leave of a NIC (network.uplinks).
    """
    n, g = group.size, group.per_domain
    return _slower(size, group, terms, size * (n - g) / n)


def seconds_once(size: Column, group: Group, terms: Terms) -> Column:
    """The same with one copy of a row to each remote domain, handed on inside it: of a row's K copies k - 1 domains get
    (k-1)(1-(1-1/k)^K) instead of K(k-1)/k. Source: DeepEP's dispatch, counted.
    """
    k, copies = group.domains, terms.experts_per_token
    return _slower(size, group, terms, size / copies * (k - 1) * (1 - (1 - 1 / k) ** copies))


def _slower(size: Column, group: Group, terms: Terms, leaving: Column) -> Column:
    """t = t0 + latency + max(inside bytes/(alpha NVLink), leaving bytes/(alpha NIC)): the slower side sets the time.

    Left out: unequal shares of ranks; those of experts stand in the routing. Source: bytes each rank sends, counted;
    efficiency fitted on nccl-tests tables and published runs.
    """
    n, g = group.size, group.per_domain
    if terms.protocol == "s0":
        inside_alpha = outside_alpha = terms.alpha("all_to_all", size, group.crosses)
    else:
        inside_alpha, outside_alpha = terms.all_to_all, terms.across * terms.exchange
    inside = size * (np.minimum(g, n) - 1) / n / (inside_alpha * group.inside)
    outside = np.where(group.crosses, leaving / (outside_alpha * group.uniform), 0.0)
    latency = np.where(group.crosses, group.hop[-1], group.hop[0])
    return np.where(n > 1, terms.call + latency + np.maximum(inside, outside), 0.0)


def traffic(size: Column, n: Column) -> Column:
    """Bytes a rank sends to others: (n-1)/n S."""
    return (n - 1) / n * size

"""All-to-all. S: send buffer of one rank with its own share; g of n ranks in the own domain."""

import numpy as np

from engine.collectives.terms import Terms
from engine.columns import Column
from engine.network import Group


def seconds(size: Column, group: Group, terms: Terms) -> Column:
    """t = t0 + latency + max(S (g-1)/n / (alpha NVLink), S (n-g)/n / (alpha NIC)): the slower side sets the time."""
    n, g = group.size, group.per_domain
    if terms.protocol == "s0":
        inside_alpha = outside_alpha = terms.alpha("all_to_all", size, group.crosses)
    else:
        inside_alpha, outside_alpha = terms.all_to_all, terms.across
    inside = size * (np.minimum(g, n) - 1) / n / (inside_alpha * group.inside)
    outside = np.where(group.crosses, size * (n - g) / n / (outside_alpha * group.outside), 0.0)
    latency = np.where(group.crosses, group.hop[-1], group.hop[0])
    return np.where(n > 1, terms.call + latency + np.maximum(inside, outside), 0.0)


def traffic(size: Column, n: Column) -> Column:
    """Bytes a rank sends to others: (n-1)/n S."""
    return (n - 1) / n * size

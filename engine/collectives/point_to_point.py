"""One send from a pipeline stage to the next."""

import numpy as np

from engine.collectives.terms import Terms
from engine.columns import Column
from engine.network import Group


def seconds(size: Column, group: Group, terms: Terms) -> Column:
    """t = t0 + hop + S/(alpha beta); beta is one GPU's own link: NVLink inside a domain, its NIC across.

    Neighbors sit in one domain only where the whole group does, or where more than one member does; the slower
    boundary sets the pace of a pipeline, so one boundary that leaves the domain decides.
    Source: definition (latency and bandwidth).
    """
    beta = np.where(group.crosses, group.outside, group.inside)
    alpha = np.where(group.crosses, terms.across, terms.gather)
    hop = group.hop[0]
    for i, latency in enumerate(group.hop):
        hop = np.where(group.reach == i, latency, hop)
    return np.where(group.size > 1, terms.call + hop + size / (alpha * beta), 0.0)

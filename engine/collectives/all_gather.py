"""Ring all-gather. S: bytes of the gathered buffer; n: ranks; beta: bytes/s of the narrowest link crossed."""

import numpy as np

from engine.collectives.terms import Terms, stepped_transfer
from engine.columns import Column
from engine.network import Group


def seconds(size: Column, group: Group, terms: Terms) -> Column:
    """t = t0 + ring latency + (n-1)/n S/(alpha beta); 0 for one rank.

    Left out: contention with other collectives on the same links; congestion in the switches. Source: Thakur,
    Rabenseifner and Gropp 2005 (ring); efficiencies fitted on nccl-tests tables.
    """
    n = group.size
    if terms.protocol == "s0":
        moving = stepped_transfer(size, n, group.bandwidth)
    else:
        moving = (n - 1) / n * size / (terms.alpha("gather", size, group.crosses) * group.bandwidth)
    return np.where(n > 1, terms.call + group.ring_latency + moving, 0.0)


def traffic(size: Column, n: Column) -> Column:
    """Bytes a rank sends: (n-1)/n S."""
    return (n - 1) / n * size

"""Pieces of timed work on one GPU: how long each class was busy, and how long it was exposed.

At every instant the work that counts is the first of ORDER that runs: a collective behind arithmetic is hidden, and
what is left when nothing runs is idle. Exposed times of all classes and idle add up to the span.
"""

from collections.abc import Sequence

import numpy as np

from engine.columns import Column

ORDER = ("gemm", "sdpa", "hbm", "optimizer", "other", "tensor", "expert", "context", "pipeline", "data", "host")


def exposed(kinds: Sequence[str], starts: Column, seconds: Column) -> dict[str, float]:
    """Seconds that each class adds: the length of the instants at which it is the first of ORDER that runs."""
    edges = np.unique(np.concatenate([starts, starts + seconds]))
    taken = np.zeros(max(len(edges) - 1, 0), dtype=bool)
    lengths = np.diff(edges)
    found: dict[str, float] = {}
    own = np.array(kinds)
    for kind in (k for k in ORDER if k in set(kinds)):
        mine = own == kind
        change = np.zeros(len(edges))
        np.add.at(change, np.searchsorted(edges, starts[mine]), 1.0)
        np.add.at(change, np.searchsorted(edges, (starts + seconds)[mine]), -1.0)
        here = (np.cumsum(change)[:-1] > 0.5) & ~taken
        found[kind] = float(np.sum(lengths[here]))
        taken |= here
    return found


def running(starts: Column, seconds: Column) -> float:
    """Seconds at which anything runs: the length of the union of all pieces."""
    order = np.argsort(starts, kind="stable")
    begin, end = starts[order], (starts + seconds)[order]
    reached = np.concatenate([[-np.inf], np.maximum.accumulate(end)[:-1]])
    return float(np.sum(np.maximum(end - np.maximum(begin, reached), 0.0)))

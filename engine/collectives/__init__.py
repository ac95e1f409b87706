"""Collectives: one file each, ``seconds(bytes, group, terms)`` and ``traffic(bytes, n)``, the bytes a rank sends.

S is always the full buffer: all-gather output, reduce-scatter input, all-reduce tensor, all-to-all send buffer of
one rank with its own share. An explicit table; a new collective is one file and its name here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from engine.collectives import all_gather, all_reduce, all_to_all, point_to_point, reduce_scatter, ring_exchange, terms
from engine.collectives.terms import Terms
from engine.columns import Column
from engine.network import Group


@dataclass(frozen=True)
class Collective:
    """How long one takes, what a rank sends, and how it is called in the ledger."""

    seconds: Callable[[Column, Group, Terms], Column]
    traffic: Callable[[Column, Column], Column]
    algorithm: str


COLLECTIVES: dict[str, Collective] = {
    "all_gather": Collective(all_gather.seconds, all_gather.traffic, "ring"),
    "reduce_scatter": Collective(reduce_scatter.seconds, reduce_scatter.traffic, "ring"),
    "all_reduce": Collective(all_reduce.seconds, all_reduce.traffic, "ring or tree, the faster"),
    "all_to_all": Collective(all_to_all.seconds, all_to_all.traffic, "pairwise"),
    "all_to_all_once": Collective(all_to_all.seconds_once, all_to_all.traffic, "pairwise, one copy a node"),
    "ring_exchange": Collective(ring_exchange.seconds, ring_exchange.traffic, "ring"),
}

__all__ = ["COLLECTIVES", "Collective", "Terms", "point_to_point", "terms"]

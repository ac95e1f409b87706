"""The parallel groups of a layout as ranks: how many, and how far apart.

Ranks are numbered by the order of the axes, innermost first. Experts live on the same ranks: expert-tensor ranks are
neighbors, expert ranks come next and fill the tensor and context ranks before they spread over data-parallel ones; the
rest of a stage's ranks hold copies of the same experts (expert data parallel, edp).

Symbols: tp, cp, pp, dp, ep, etp degrees; D shard group, R copies of it.
"""

from dataclasses import replace

import numpy as np

from engine import network
from engine.columns import ONE, Column, column
from engine.inputs import Run
from engine.layout import Degrees
from engine.network import Group, Parts

GATHERED = ("shard", "expert_data")


def strides(order: tuple[str, ...], d: Degrees) -> dict[str, Column]:
    """Distance in ranks between neighbors of each axis: the product of the degrees of the axes inside it."""
    size = {"tensor": d.tp, "context": d.cp, "data": d.dp, "pipeline": column(d.pp)}
    result, stride = {}, ONE
    for axis in order:
        result[axis] = stride
        stride = stride * size.get(axis, ONE)
    return result


def parts(run: Run, d: Degrees) -> dict[str, Parts]:
    """(count, stride) of the ranks of every group.

    data: dense states are summed over data and context together; shard and copies are its two levels (HSDP).
    expert, expert_tensor, expert_data: the same ranks cut for the experts.
    """
    step = strides(run.layout.order, d)
    near = np.minimum(d.cp, d.shard)  # context ranks of a shard group
    far = d.shard / near
    inner = d.tp * d.cp  # ranks of one data-parallel rank
    packed = np.minimum(np.maximum(inner / d.etp, 1.0), d.ep)
    spread = np.maximum(d.ep * d.etp / inner, 1.0)
    return {
        "tensor": ((d.tp, step["tensor"]),),
        "context": ((d.cp, step["context"]),),
        "pipeline": ((column(d.pp), step["pipeline"]),),
        "data": ((d.cp, step["context"]), (d.dp, step["data"])),
        "shard": ((near, step["context"]), (far, step["data"])),
        "copies": ((d.cp / near, step["context"] * near), (d.dp / far, step["data"] * far)),
        "expert_tensor": ((d.etp, ONE),),
        "expert": ((packed, d.etp), (d.ep / packed, step["data"])),
        "expert_data": ((d.edp * spread / d.dp, d.etp * d.ep), (d.dp / spread, step["data"] * spread)),
    }


def groups(run: Run, d: Degrees) -> dict[str, Group]:
    """Every group laid over the network; those of experts only where the model has some."""
    found = parts(run, d)
    wanted = [axis for axis in found if run.model.experts is not None or not axis.startswith("expert")]
    laid = {axis: network.lay(run, d, axis, found[axis]) for axis in wanted}
    return {axis: _gathers(run, group) if axis in GATHERED else group for axis, group in laid.items()}


def _gathers(run: Run, group: Group) -> Group:
    """A group of FSDP gathers; a stack that makes many small ones keeps fewer of a node's cards busy."""
    cards = run.stack.ring_cards
    if cards is None or run.layout.shard.kind != "zero3":
        return group
    return replace(group, outside=np.minimum(cards / group.per_domain, 1.0) * group.outside)

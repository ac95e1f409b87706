"""Traffic by parallel axis: who talks over which wire, how much, and what of it the step waits for.

Source: buffers of the ledger's rows, counted.
"""

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from engine.columns import ONE, Column
from engine.inputs import Run
from engine.layout import Degrees
from engine.ledger import as_often
from engine.metrics import GROUP_AXES
from engine.network import Group, spans, tiers
from engine.step import Step, add

Texts = NDArray[np.str_]
AXES = ("tensor", "context", "expert", "expert_tensor", "pipeline", "data")


@dataclass(frozen=True)
class AxisTraffic:
    """One axis of one design point group: its group, the tier it reaches, and its traffic per rank and step."""

    axis: str
    group: Group
    tiers: tuple[str, ...]  # names of the cluster's tiers
    pods: Column  # pods the group spans: elements of the tier called pod, else of what the outermost tier joins
    bandwidth: Column  # bytes/s per GPU: of the ring, or of what an all-to-all sends out of the domain
    slowdown: Column | None  # of the ring by oversubscription; None for an all-to-all, whose bandwidth holds it
    bytes: Column
    seconds: Column
    exposed: Column
    collectives: tuple[str, ...]

    def tier(self, point: int = 0) -> str:
        """Name of the outermost tier the group uses at one design point."""
        reach = np.ravel(self.group.reach)
        return self.tiers[int(reach[min(point, len(reach) - 1)])]


def traffic(run: Run, d: Degrees, made: Step) -> list[AxisTraffic]:
    """A row for every axis; an axis of degree one has no traffic but is shown."""
    names = tuple(t.name for t in tiers(run.cluster, d.used))
    return [_axis(axis, names, made) for axis in AXES if axis in made.timing.prices.groups]


def _axis(axis: str, names: tuple[str, ...], made: Step) -> AxisTraffic:
    group = made.timing.prices.groups["data" if axis == "data" else axis]
    entries = [e for e in made.entries if e.row.axis == axis]
    algorithms = tuple(dict.fromkeys((e.row.algorithm or "").split(" (")[0] for e in entries))
    exchange = bool(algorithms) and all(name.startswith("all_to_all") for name in algorithms)
    return AxisTraffic(
        axis,
        group,
        names,
        pods(names, group),
        np.where(group.crosses, group.uniform, group.inside) if exchange else group.bandwidth,
        None if exchange else group.slowdown,
        add(e.count * e.row.bytes for e in entries),
        add(e.count * e.row.seconds for e in entries),
        add(e.exposed for e in entries),
        algorithms,
    )


def pods(names: tuple[str, ...], group: Group) -> Column:
    """How many pods a group spans; 1 where the cluster has none."""
    if "pod" in names:
        return group.elements[names.index("pod")]
    return group.elements[-2] if len(names) > 2 else ONE


def facts(run: Run, d: Degrees, made: Step) -> dict[str, Column | Texts | str]:
    """What checks may ask of the groups: group.<axis>.size, members, domains, pods, slowdown and tier."""
    names = tuple(t.name for t in tiers(run.cluster, d.used))
    found: dict[str, Column | Texts | str] = {}
    for axis in (a for a in GROUP_AXES if a in made.timing.prices.groups):
        g = made.timing.prices.groups[axis]
        values = {"size": g.size, "members": g.per_domain, "domains": g.domains, "pods": pods(names, g)}
        found |= {f"group.{axis}.{what}": value for what, value in values.items()}
        reached = np.array(names)[np.asarray(g.reach, dtype=int)]
        tier = str(np.ravel(reached)[0]) if reached.size == 1 else reached
        found |= {f"group.{axis}.slowdown": g.slowdown, f"group.{axis}.tier": tier}
    return found


def smallest_collective(made: Step) -> Column:
    """Bytes of the smallest collective buffer a step moves between ranks; no number where nothing is moved."""
    result = np.full_like(made.timing.pace, np.inf)
    for count, rows in as_often(e for e in made.entries if e.row.axis is not None):
        smallest = reduce(np.minimum, [np.where(row.bytes > 0, row.bytes, np.inf) for row in rows])
        result = np.minimum(result, np.where(count > 0, smallest, np.inf))
    return np.where(np.isinf(result), np.nan, result)


__all__ = ["AXES", "AxisTraffic", "facts", "pods", "smallest_collective", "spans", "traffic"]

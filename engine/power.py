"""Power, energy and carbon of a run, line by line: GPUs, host, NICs, switches, storage, PUE overhead.

Peak: the GPUs that work at full load, all others of the cluster at their idle share. Mean: the working ones also
idle while the job restarts or a save pauses it. Watts; a line without a value is not included.

A node draws far more than its GPUs: a DGX H100 10.2 kW where eight times the GPU's 700 W is 5.6 kW. Where the
library knows the node (``node_power``, per GPU), the host line is what the node draws beyond its GPUs and NICs.
Source: definition; powers of parts stand with the inputs.
"""

from dataclasses import dataclass

from engine.columns import ONE, ZERO, Column, column
from engine.cost import Gpus
from engine.inputs import Cluster

NIC = column(25.0)  # W of one 400 Gb/s adapter, an estimate; only splits a node's figure, whose total stands


@dataclass(frozen=True)
class Line:
    """One line of power; None = not included, because what it needs was not stated."""

    line: str
    peak: Column | None
    mean: Column | None
    basis: str
    source: str  # path of the setting it comes from


def lines(cluster: Cluster, counts: Gpus, busy: Column = ONE) -> tuple[Line, ...]:
    """Every line of power. ``busy``: share of the time in which the job's GPUs compute (goodput.busy_share)."""
    found = [*_node_lines(cluster, counts, busy)]
    found.append(_always("switches", cluster.power.switch, counts.bought, "network switches, per GPU", "power.switch"))
    found.append(_always("storage", cluster.storage.power, ONE, "the store", "storage.power"))
    extra = cluster.pue - 1.0
    peak, mean = _sum([line.peak for line in found]), _sum([line.mean for line in found])
    known = found[0].peak is not None
    found.append(
        Line(
            "PUE overhead",
            extra * peak if known else None,
            extra * mean if known else None,
            "(PUE - 1) × the lines before it: cooling and losses of the facility",
            "cluster.pue",
        )
    )
    return tuple(found)


def total(found: tuple[Line, ...]) -> tuple[Column, Column] | None:
    """(peak, mean) watts of the lines that are included; None where the GPUs' power is not known."""
    if found[0].peak is None:
        return None
    return _sum([line.peak for line in found]), _sum([line.mean for line in found])


def energy(mean_power: Column, seconds: Column) -> Column:
    """Joules of a run."""
    return mean_power * seconds


def carbon(joules: Column, intensity: Column) -> Column:
    """Kilograms of CO2 equivalent: energy x intensity of the electricity (kg/J)."""
    return joules * intensity


def working(cluster: Cluster, counts: Gpus, busy: Column) -> tuple[Column, Column]:
    """(peak, mean) number of GPUs as if at full load: an idle one counts as its idle share of power."""
    resting = cluster.power.idle * (counts.bought - counts.used)
    return counts.used + resting, counts.used * (busy + cluster.power.idle * (1.0 - busy)) + resting


def _node_lines(cluster: Cluster, counts: Gpus, busy: Column) -> tuple[Line, ...]:
    """GPUs, host and NICs, each watts per GPU times the GPUs at work."""
    peak, mean = working(cluster, counts, busy)
    rows = (("GPUs", *_gpu(cluster)), ("host", *_host(cluster)), ("NICs", *_nic(cluster)))
    return tuple(
        Line(name, None if watts is None else watts * peak, None if watts is None else watts * mean, basis, source)
        for name, watts, basis, source in rows
    )


def _gpu(cluster: Cluster) -> tuple[Column | None, str, str]:
    """A stated limit, else the board's."""
    if cluster.power.gpu is not None:
        return cluster.power.gpu, "GPUs × stated power; idle ones at the idle share", "cluster.power.gpu"
    return cluster.gpu.power, "GPUs × board power; idle ones at the idle share", "cluster.gpu.power"


def _beyond(cluster: Cluster) -> Column | None:
    """Watts per GPU that a node draws beyond its GPUs' board power; None where a host is stated or no node known."""
    node, board = cluster.gpu.node_power, cluster.gpu.power
    return None if node is None or board is None or cluster.power.host is not None else node - board


def _host(cluster: Cluster) -> tuple[Column | None, str, str]:
    """A stated host; else the node's draw beyond GPUs and NICs; else not included."""
    beyond, nic = _beyond(cluster), NIC if cluster.power.nic is None else cluster.power.nic
    host = cluster.power.host
    if host is not None:
        return host / cluster.gpus_per_node, "nodes × host: processors, memory, fans", "cluster.power.host"
    if beyond is None:
        return None, "neither a node's power nor a host's is known", "cluster.power.host"
    return beyond - nic, "node at full load less its GPUs and NICs: processors, memory, fans", "cluster.gpu.node_power"


def _nic(cluster: Cluster) -> tuple[Column | None, str, str]:
    """Stated, one a GPU; else the estimate that splits a node's figure; else not included."""
    if cluster.power.nic is not None:
        return cluster.power.nic, "one NIC a GPU", "cluster.power.nic"
    if _beyond(cluster) is None:
        return None, "no power of a NIC stated", "cluster.power.nic"
    return NIC, "one NIC a GPU, 25 W each estimated; part of the node's figure", "cluster.gpu.node_power"


def _always(name: str, watts: Column | None, count: Column, basis: str, source: str) -> Line:
    """A line that draws the same at all times."""
    drawn = None if watts is None else watts * count
    return Line(name, drawn, drawn, f"{basis}, always on", f"cluster.{source}")


def _sum(parts: list[Column | None]) -> Column:
    return sum((part for part in parts if part is not None), ZERO)

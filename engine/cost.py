"""Days and money: what a run takes, what it bills, and every cost line with its basis.

All in base units: seconds, USD, USD per second and GPU. The GPUs of a cluster are billed for the whole run, whether
they work or not, restarts and checkpoint pauses included; spare GPUs too, at their own price.
Source: definition.
"""

from dataclasses import dataclass

import numpy as np

from engine.columns import ZERO, Column
from engine.inputs import Cluster, Run

YEAR = 8760 * 3600.0  # of yearly charges and amortization, 365 days
BILLED = "every GPU for the whole run, whether it works, idles, restarts or is a spare; spares at their own price"


@dataclass(frozen=True)
class Line:
    """One cost line; None = not included, because what it needs was not stated."""

    line: str
    usd: Column | None
    basis: str
    source: str  # path of the setting it comes from


@dataclass(frozen=True)
class Gpus:
    """GPUs bought or rented, those that work, those the layout leaves out, and hot spares."""

    bought: Column
    used: Column
    idle: Column
    spare: Column
    billed_rule: str = BILLED


# Days


def training_flops(parameters: Column, tokens: Column) -> Column:
    """FLOP of a training run, 6 N D (Kaplan et al. 2020 section 2.1, where N is without the embeddings).

    N here is all parameters that a token uses, embeddings included.
    """
    return 6.0 * parameters * tokens


def formula_time(flops: Column, gpus: Column, peak: Column, utilization: Column) -> Column:
    """Seconds by the rule of thumb: flops / (gpus x peak x utilization)."""
    return flops / (gpus * peak * utilization)


def utilization(flops: Column, gpu_seconds: Column, peak: Column) -> Column:
    """Share of peak that GPU time paid for was model arithmetic: flops / (gpu seconds x peak)."""
    return flops / (gpu_seconds * peak)


def time_to_train(tokens: Column, tokens_per_second: Column, effective: Column) -> Column:
    """Seconds of the whole run: tokens / tokens per second / effective training time.

    Left out: preparation, evaluation, failed experiments and repeated runs, except by the stated share for trial
    runs.
    """
    return tokens / tokens_per_second / effective


# What is billed


def gpus(cluster: Cluster, used: Column) -> Gpus | None:
    """The GPUs of a cluster of which ``used`` work; None where the cluster does not say how many it has."""
    if cluster.gpus is None:
        return None
    return Gpus(cluster.gpus + cluster.spares, used, np.maximum(cluster.gpus - used, 0.0), cluster.spares)


def gpu_time(counts: Gpus, seconds: Column) -> Column:
    """GPU-seconds billed: every GPU bought, for the whole run."""
    return counts.bought * seconds


def lines(run: Run, counts: Gpus, seconds: Column, energy: Column | None) -> tuple[Line, ...]:
    """Every cost line, in the order in which each counts those before it.

    trial runs = share x the lines before them, tax included; contingency = share x all lines before it.
    ``energy`` in joules, facility included. The energy line is there for an owned cluster, or with a power price.
    """
    cluster, cost = run.cluster, run.cluster.cost
    found = [_gpu_line(cluster, counts, seconds)]
    if cluster.ownership == "owned" or cluster.power_price is not None:
        found.append(_energy_line(cluster, energy))
    found += [_storage_line(cluster, seconds), _network_line(cluster, counts, seconds)]
    found.append(Line("egress", cost.egress, "data transfer charges as stated", "cluster.cost.egress"))
    found.append(_staff_line(cluster, counts, seconds))
    for name, share, of, basis in (
        ("support", cost.support, found[:1], "share of the GPU line"),
        ("tax", cost.tax, found, "share of all lines before it"),
        ("trial runs", cost.trials, found, "share of the main run, all lines before it"),
        ("contingency", cost.contingency, found, "share of all lines before it"),
    ):
        found.append(_share(name, share, of, basis))
    return tuple(found)


def total(found: tuple[Line, ...]) -> Column | None:
    """Sum of the lines that are included; None where the GPUs have no price."""
    if found[0].usd is None:
        return None
    return _sum(found)


def not_included(found: tuple[Line, ...]) -> tuple[str, ...]:
    """Names of the lines without a value."""
    return tuple(line.line for line in found if line.usd is None)


def cost_per_token(cost: Column, tokens: Column) -> Column:
    """USD per training token; times 1e12 for a trillion."""
    return cost / tokens


def _sum(found: tuple[Line, ...] | list[Line]) -> Column:
    """The sum of the lines that are included."""
    result = ZERO
    for line in found:
        result = result if line.usd is None else result + line.usd
    return result


def _gpu_line(cluster: Cluster, counts: Gpus, seconds: Column) -> Line:
    """Rent of every GPU, or its capex written off over the run's part of the amortization time."""
    if cluster.ownership == "owned":
        return _owned_gpus(cluster, counts, seconds)
    if cluster.price is None:
        return Line("GPUs", None, "no price per GPU-hour stated", "cluster.price")
    spare = cluster.price if cluster.spare_price is None else cluster.spare_price
    usd = ((counts.bought - counts.spare) * cluster.price + counts.spare * spare) * seconds
    return Line("GPUs", usd, "GPUs × price × time to train, idle, restarting and spare GPUs included", "cluster.price")


def _owned_gpus(cluster: Cluster, counts: Gpus, seconds: Column) -> Line:
    capex, facility = cluster.capex.gpu, cluster.capex.facility
    if capex is None:
        return Line("GPUs", None, "no purchase price per GPU stated", "cluster.capex.gpu")
    what = "GPUs × purchase price" if facility is None else "(GPUs × purchase price + facility)"
    usd = _written_off(cluster, counts.bought * capex + (ZERO if facility is None else facility), seconds)
    return Line("GPUs", usd, f"{what} × time to train / amortization time, spares included", "cluster.capex.gpu")


def _energy_line(cluster: Cluster, energy: Column | None) -> Line:
    """Mean power x PUE x time to train x price of electricity.

    Left out: prices that change with the hour; charges by peak demand.
    """
    if cluster.power_price is None:
        return Line("energy", None, "no price of electricity stated", "cluster.power_price")
    usd = None if energy is None else energy * cluster.power_price
    return Line("energy", usd, "mean power × PUE × time to train × price of electricity", "cluster.power_price")


def _storage_line(cluster: Cluster, seconds: Column) -> Line:
    """What the store is rented for, and its capex where it is owned."""
    owned = _written_off(cluster, cluster.capex.storage, seconds)
    rented = _times(cluster.storage.price, seconds)
    return _line(
        "storage",
        rented,
        owned,
        ("cluster.storage.price", "cluster.capex.storage"),
        ("price of the store × time to train", "capex × time to train / amortization time"),
    )


def _network_line(cluster: Cluster, counts: Gpus, seconds: Column) -> Line:
    """A charge per time, and the network's share of the GPUs' capex where it is owned."""
    gpu, share = cluster.capex.gpu, cluster.capex.network
    owned = _written_off(cluster, None if gpu is None else _times(share, counts.bought * gpu), seconds)
    rented = _times(cluster.cost.network, seconds)
    return _line(
        "network",
        rented,
        owned,
        ("cluster.cost.network", "cluster.capex.network"),
        ("network charge × time to train", "share of the GPUs' capex × time to train / amortization time"),
    )


def _staff_line(cluster: Cluster, counts: Gpus, seconds: Column) -> Line:
    """Staff per time, and the yearly share of all capex where the cluster is owned."""
    capex = _capex(cluster, counts) if cluster.ownership == "owned" else None
    owned = None if capex is None else _times(cluster.capex.staff, capex * seconds / YEAR)
    return _line(
        "staff",
        _times(cluster.cost.staff, seconds),
        owned,
        ("cluster.cost.staff", "cluster.capex.staff"),
        ("staff × time to train", "yearly share of capex × time to train"),
    )


def _capex(cluster: Cluster, counts: Gpus) -> Column | None:
    """All capex stated: GPUs with their network, the store, the facility."""
    capex = cluster.capex
    if capex.gpu is None:
        return None
    network = ZERO if capex.network is None else capex.network
    rest = [part for part in (capex.storage, capex.facility) if part is not None]
    return counts.bought * capex.gpu * (1.0 + network) + sum(rest, ZERO)


def _written_off(cluster: Cluster, capex: Column | None, seconds: Column) -> Column | None:
    """The run's part of what was bought, capex x time / amortization; None where nothing was bought."""
    return None if capex is None or cluster.ownership != "owned" else capex * seconds / cluster.capex.amortization


def _line(
    name: str, rented: Column | None, owned: Column | None, sources: tuple[str, str], bases: tuple[str, str]
) -> Line:
    """A line with a charge per time, a part of capex, both or neither."""
    if rented is not None and owned is not None:
        return Line(name, rented + owned, " + ".join(bases), sources[1])
    return Line(name, rented if owned is None else owned, bases[owned is not None], sources[owned is not None])


def _share(name: str, share: Column | None, of: list[Line], basis: str) -> Line:
    """A stated share of the lines before it: trial runs, contingency."""
    usd = None if of[0].usd is None else _times(share, _sum(of))
    return Line(name, usd, basis, f"cluster.cost.{'trials' if name == 'trial runs' else name}")


def _times(value: Column | None, by: Column) -> Column | None:
    return None if value is None else value * by

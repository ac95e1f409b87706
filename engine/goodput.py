"""Failures, checkpoints and what they leave of the time: effective training time (goodput).

M    mean time between failures of the job      R    restart: from a failure to training again
tau  training time between two saves            d    pause: seconds that one save stops training
W    seconds an asynchronous save takes in the background, after its pause
All in seconds. A save pauses the job for d; a failure costs what was done since the last save, and R.
Source: Young 1974; Daly 2006.
"""

import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from engine.columns import ONE, ZERO, Column
from engine.inputs import Checkpoint, CheckpointTier, Run, States
from engine.recovery import RARE, Tier, expanded, expansion, spare_wait

YEAR = 8766 * 3600.0  # of hazards: 365.25 days, a Julian year
SHORTEST = 1.0  # s, least time between two saves
NEWTON_STEPS = 12  # from Young's interval Newton needs 4-6 to the last digit
PATIENCE = 20  # a simulated run that needs more than so many attempts a segment gets nowhere and is given up

IntervalRule = Callable[[Column, Column, Column], Column]


# How often the job fails


def hazard(failures: float, gpus: float, seconds: float) -> float:
    """Failures per GPU and second, from a count of failures of a job of ``gpus`` GPUs over ``seconds``."""
    return failures / (gpus * seconds)


def job_mtbf(rates: Iterable[float], gpus: Column) -> Column:
    """M = 1 / (sum of rates x GPUs), rates per GPU and second: any part's failure stops the whole job."""
    return 1.0 / (sum(rates) * gpus)


def per_gpu_year(rate: float) -> float:
    """A rate given per GPU-year as failures per GPU and second."""
    return rate / YEAR


# How long a save takes


def checkpoint_size(parameters: Column, states: States, weights: bool) -> Column:
    """Bytes of one checkpoint: parameters x (master + moments), and the weights where they are saved too.

    Left out: files beside the states: data loader, random state, logs. Source: definition.
    """
    return parameters * (states.master + states.moments + (states.weights if weights else ZERO))


def save_time(size: Column, nodes: Column, node_write: Column | None, storage_write: Column | None) -> Column | None:
    """max(size / nodes / node rate, size / storage rate), each node writing its part; None without either rate.

    Left out: contention of the save with reads of the data set. Source: definition.
    """
    times = [size / nodes / node_write] if node_write is not None else []
    times += [size / storage_write] if storage_write is not None else []
    return np.maximum(times[0], times[-1]) if times else None


# How often to save


def young(pause: Column, mtbf: Column, restart: Column = ZERO) -> Column:
    """sqrt(2 d M): Young's interval. Source: Young 1974."""
    return np.sqrt(2.0 * pause * mtbf) + 0.0 * restart


def daly(pause: Column, mtbf: Column, restart: Column = ZERO) -> Column:
    """sqrt(2 d M) [1 + sqrt(d/2M)/3 + (d/2M)/9] - d for d < 2M, else M: work between saves.

    Source: Daly 2006: 117, 57 and 9.1 minutes of its figures 3 to 5.
    """
    ratio = pause / (2.0 * mtbf)
    series = np.sqrt(2.0 * pause * mtbf) * (1.0 + np.sqrt(ratio) / 3.0 + ratio / 9.0) - pause
    return np.where(ratio < 1.0, series, mtbf) + 0.0 * restart


def young_recovery(pause: Column, mtbf: Column, restart: Column = ZERO) -> Column:
    """sqrt(2 d (M + R)): Young's rule with the time between failures counted from failure to failure.

    Source: the least of d/tau + tau/(2 (M + R)), as Young 1974 with the restart counted.
    """
    return np.sqrt(2.0 * pause * (mtbf + restart))


def availability(pause: Column, mtbf: Column, restart: Column = ZERO) -> Column:
    """d + sqrt(2 (M + R) d + d^2): the interval from save to save that leaves most time available.

    Source: largest share of the time available, by its derivative.
    """
    return pause + np.sqrt(2.0 * (mtbf + restart) * pause + pause * pause)


def best(pause: Column, mtbf: Column, restart: Column = ZERO) -> Column:
    """The tau with the largest effective training time, whatever R.

    The root x = tau/M of x - 1 + exp(-d/M - x) = 0, by a fixed number of Newton steps from Young's x = sqrt(2d/M),
    which lies above the root; the function is convex, so every step stays above it. 0 where a save costs nothing.
    Source: zero of the derivative of the effective training time of Daly 2006's process.
    """
    share = pause / mtbf
    x = np.minimum(np.sqrt(2.0 * share), 1.0)
    for _ in range(NEWTON_STEPS):
        gone = np.expm1(-share - x)
        x = x + (x + gone) / np.minimum(gone, -np.finfo(np.float64).tiny)
    return x * mtbf + 0.0 * restart


INTERVALS: dict[str, IntervalRule] = {
    "young": young,
    "daly": daly,
    "best": best,
    "young_recovery": young_recovery,
    "availability": availability,
}


# What is left of the time


def effective(interval: Column, pause: Column, mtbf: Column, restart: Column, restart_can_fail: bool = False) -> Column:
    """Useful training over time passed, 0..1.

    1/E with E = (M + R)(e^{(tau+d)/M} - 1)/tau, the expected time per second of useful work when failures come at
    random (exponential) while training and saving, and none while restarting. With ``restart_can_fail`` M e^{R/M}
    stands for M + R.
    Left out: failures that come in clusters; early failures of new parts; silent corruption of data.
    Source: Daly 2006; held against simulation.
    """
    with np.errstate(over="ignore"):  # an interval of many M: infinite time, no progress
        lost = mtbf * np.exp(restart / mtbf) if restart_can_fail else mtbf + restart
        return interval / (lost * np.expm1((interval + pause) / mtbf))


def busy_share(interval: Column, pause: Column, mtbf: Column, restart: Column) -> Column:
    """Share of the time in which the GPUs compute, lost work included: M/(M+R) x tau/(tau+d)."""
    return mtbf / (mtbf + restart) * (interval / (interval + pause))


def simulate_goodput(
    work: float, interval: float, mtbf: float, pause: float, restart: float, seed: int, restart_can_fail: bool = False
) -> float:
    """Effective training time of one simulated run with failures at random (exponential) times.

    A segment of work and its save either end before the next failure or are lost with it. A run that gets nowhere is
    given up after 20 attempts a segment and 10,000 more; the share reached by then is returned.
    """
    rng = random.Random(seed)
    done = wall = 0.0
    failure = rng.expovariate(1 / mtbf)
    for _ in range(10_000 + PATIENCE * math.ceil(work / interval)):
        chunk = min(interval, work - done)
        if wall + chunk + pause <= failure:
            wall, done = wall + chunk + pause, done + chunk
            if done >= work:
                break
        else:
            wall = failure + restart
            failure = (failure if restart_can_fail else wall) + rng.expovariate(1 / mtbf)
    return done / wall


def simulated(
    work: float,
    interval: float,
    mtbf: float,
    pause: float,
    restart: float,
    seeds: Iterable[int] = range(20),
    restart_can_fail: bool = False,
) -> float:
    """Mean of ``simulate_goodput`` over the seeds."""
    runs = [simulate_goodput(work, interval, mtbf, pause, restart, s, restart_can_fail) for s in seeds]
    return sum(runs) / len(runs)


def interval_grid(center: Column, points: int = 48, spread: float = 30.0) -> Column:
    """Intervals for a curve around one best interval, in equal ratios from center/spread to center x spread."""
    return center[:1] * spread ** np.linspace(-1.0, 1.0, points)


def straggler_time(time_to_train: Column, slowdown: Column) -> Column:
    """Extra seconds when one rank is slower by ``slowdown`` (0.1 = each of its passes takes 10 % longer).

    Every collective waits for its slowest member, so the whole job takes that much longer.
    """
    return time_to_train * slowdown


# A run's plan


@dataclass(frozen=True)
class Goodput:
    """Checkpoints of a run. None = an input is missing, named in ``missing``."""

    size: Column
    size_per_gpu: Column
    save: Column | None  # seconds until the checkpoint is stored
    pause: Column | None  # seconds of it that stop training
    mtbf: Column | None
    restart: Column
    staleness: Column  # added to the restart: work an unfinished asynchronous save had not yet stored
    young: Column | None
    daly: Column | None
    best: Column | None
    used: Column | None
    effective: Column | None
    busy: Column | None
    restart_can_fail: bool
    missing: tuple[str, ...]
    inner: tuple[Tier, ...]  # faster tiers, host memory first
    share: Column  # of failures that come back from the shared store
    wait: Column  # part of the restart: waiting for a node where no spare is at hand

    def curve(self, intervals: Column, mtbf: Column | None = None) -> Column | None:
        """Effective training time at these intervals (and another MTBF): one design point, many intervals."""
        between = mtbf if mtbf is not None else self.mtbf
        if self.pause is None or between is None:
            return None
        restart, can_fail = self.restart + self.staleness, self.restart_can_fail
        if not self.inner:
            return effective(intervals, self.pause, between, restart, can_fail)
        stretch = expansion(self.inner, between, can_fail)
        return 1.0 / expanded(intervals, self.pause, between / self.share, restart, can_fail, stretch)


def plan(run: Run, size: Column, used_gpus: Column) -> Goodput:
    """The checkpoints of ``run``: ``size`` bytes each, written by the nodes of the GPUs that work.

    Synchronous: the pause is the save. Asynchronous: the pause is the copy to host memory over the gpu's host link, the
    write goes on behind training, saves cannot be closer together than it takes, and a failure loses the work of one
    write more: R + W for R. A stated ``hang_detection`` comes before every restart, and so does the wait
    for a repaired node where spares are used up. Faster tiers (host memory, a node's disks) take their share of the
    failures from the shared store (engine/recovery.py).
    """
    c, cluster, later = run.checkpoint, run.cluster, run.checkpoint.mode == "async"
    nodes = np.ceil(used_gpus / cluster.gpus_per_node)
    save = c.write if c.write is not None else save_time(size, nodes, cluster.storage.node_write, cluster.storage.write)
    pause = c.pause if c.pause is not None else host_copy(run, size / used_gpus) if later else save
    save = pause if save is None and not later else save
    staleness = ZERO if save is None or not later else save
    hang, wait = ZERO if cluster.hang_detection is None else cluster.hang_detection, spare_wait(cluster, cluster.mtbf)
    inner = inner_tiers(run, size / used_gpus, cluster.restart + hang)
    share = np.maximum(1.0 - sum((tier.share for tier in inner), ZERO), RARE)
    stretch = ONE if cluster.mtbf is None else expansion(inner, cluster.mtbf, c.restart_can_fail)
    restart = cluster.restart + hang + wait / share  # what survives in a faster tier needs no other node
    needed = {"cluster.storage.write": save, "cluster.mtbf": cluster.mtbf}
    missing = tuple(name for name, value in needed.items() if value is None)
    rare = None if cluster.mtbf is None else cluster.mtbf / share
    found = _intervals(c, pause, rare, restart + staleness, staleness, stretch)
    used, kept, busy = found["used"], None, None
    if save is not None and used is not None and pause is not None and cluster.mtbf is not None:
        kept = effective(used, pause, cluster.mtbf, restart + staleness, c.restart_can_fail)
        busy = busy_share(used, pause, cluster.mtbf, restart)
        if inner:
            late = restart + staleness
            kept = 1.0 / expanded(used, pause, cluster.mtbf / share, late, c.restart_can_fail, stretch)
            busy = tiered_busy_share((*inner, Tier("shared", used, pause, restart, share)), cluster.mtbf)
    return Goodput(
        size,
        size / used_gpus,
        save,
        pause,
        cluster.mtbf,
        restart,
        staleness,
        found["young"],
        found["daly"],
        found["best"],
        used,
        kept,
        busy,
        c.restart_can_fail,
        missing,
        inner,
        share,
        wait,
    )


def host_copy(run: Run, size_per_gpu: Column) -> Column:
    """Seconds to copy a GPU's part of a checkpoint to host memory: bytes / host link. Source: definition."""
    return size_per_gpu / run.gpu.host_link


def inner_tiers(run: Run, size_per_gpu: Column, restart: Column) -> tuple[Tier, ...]:
    """The faster tiers a run states, fastest first; each takes the failures that the one before does not survive.

    Where it is not stated, the pause is the copy to host memory, the restart the cluster's, and the interval the best
    for that tier's own failures.
    """
    found: list[Tier] = []
    before, job = ZERO, run.cluster.mtbf
    tiers: tuple[tuple[str, CheckpointTier | None], ...] = (
        ("host", run.checkpoint.host),
        ("local", run.checkpoint.local),
    )
    for name, tier in tiers:
        if tier is None or job is None:
            continue
        share = np.maximum(tier.survives - before, 0.0)
        before = np.maximum(before, tier.survives)
        pause = host_copy(run, size_per_gpu) if tier.pause is None else tier.pause
        back = restart if tier.restart is None else tier.restart
        own = Tier(name, ONE, pause, back, share).mtbf(job)
        interval = np.maximum(best(pause, own, back), SHORTEST) if tier.interval is None else tier.interval
        found.append(Tier(name, interval, pause, back, share))
    return tuple(found)


def tiered_busy_share(tiers: tuple[Tier, ...], mtbf: Column) -> Column:
    """``busy_share`` with several tiers: M/(M + mean R) / (1 + sum of d/tau). Source: as busy_share."""
    restart = sum((t.share * t.restart for t in tiers), ZERO)
    pauses = sum((t.pause / t.interval for t in tiers), ZERO)
    return mtbf / (mtbf + restart) / (1.0 + pauses)


def _intervals(
    c: Checkpoint, pause: Column | None, mtbf: Column | None, restart: Column, least: Column, stretch: Column = ONE
) -> dict[str, Column | None]:
    """The interval of every rule and the one used, none shorter than the write of an asynchronous save.

    Work is stretched by what faster tiers cost, so that the same time between saves holds less of it.
    """
    found: dict[str, Column | None] = {"young": None, "daly": None, "best": None, "used": c.interval}
    if pause is not None and mtbf is not None:
        shortest = np.maximum(least, SHORTEST)  # where a save costs nothing
        names = {"young", "daly", "best", c.rule} & INTERVALS.keys()
        found |= {name: np.maximum(INTERVALS[name](pause, mtbf, restart) / stretch, shortest) for name in names}
        if c.interval is None:
            found["used"] = found[c.rule]
    return found

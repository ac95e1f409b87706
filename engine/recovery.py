"""What a failure costs beyond one checkpoint store: faster tiers of checkpoints, spares and repairs.

M    mean time between failures of the job      p_i  share of failures that come back from tier i
tau  training time between two saves of a tier  s_i  share of failures after which tier i still holds its copy
d    seconds one save of a tier stops training  R_i  from a failure to training again from tier i
Tiers stand from the fastest (host memory) to the shared store, which survives everything: p_i = s_i - s_(i-1).

A tier's failures come every M/p_i. Work between its saves is stretched by what the faster tiers below it cost:
E_i = (M_i + R_i)(e^{(tau_i E_(i-1) + d_i)/M_i} - 1)/tau_i with E_0 = 1, seconds a second of useful work takes.
With one tier this is ``goodput.effective``. Held against a simulation of the same process (tests/test_recovery.py).
Source: Daly 2006 with one tier; several tiers by the same argument, held against simulation.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.columns import ONE, ZERO, Column
from engine.inputs import Cluster

RARE = 1e-9  # least share of the failures that comes back from a tier


@dataclass(frozen=True)
class Tier:
    """One place checkpoints are kept: how often, at what pause, how fast to come back, and for which failures."""

    name: str
    interval: Column
    pause: Column
    restart: Column
    share: Column  # p_i

    def mtbf(self, job: Column) -> Column:
        """M/p_i; next to never where no failure comes back from here."""
        return job / np.maximum(self.share, RARE)


def expansion(tiers: Sequence[Tier], mtbf: Column, restart_can_fail: bool) -> Column:
    """Seconds that a second of useful work takes through these tiers, 1 without any."""
    result = ONE
    for tier in tiers:
        between = tier.mtbf(mtbf)
        result = expanded(tier.interval, tier.pause, between, tier.restart, restart_can_fail, result)
    return result


def expanded(
    interval: Column, pause: Column, mtbf: Column, restart: Column, restart_can_fail: bool, stretch: Column
) -> Column:
    """(M + R)(e^{(tau E + d)/M} - 1)/tau, M e^{R/M} for M + R where a failure may fall into a restart.

    Source: Daly 2006.
    """
    with np.errstate(over="ignore"):
        lost = mtbf * np.exp(restart / mtbf) if restart_can_fail else mtbf + restart
        return lost * np.expm1((interval * stretch + pause) / mtbf) / interval


def spare_wait(cluster: Cluster, mtbf: Column | None) -> Column:
    """Seconds a failure waits for a node on average, beyond the restart: share x P(no spare node) x repair/(k + 1).

    k spare nodes; nodes away are Poisson with mean share x repair/M; without a spare the first of the k + 1 nodes away
    comes back after repair/(k + 1). 0 where no repair time is stated.
    Source: Poisson number of nodes away at once.
    """
    if cluster.repair is None or mtbf is None:
        return ZERO
    nodes = np.floor(cluster.spares / cluster.gpus_per_node)
    away = cluster.repair_share * cluster.repair / mtbf
    term = np.exp(-away)
    at_hand = ZERO * nodes * away
    for j in range(int(np.max(nodes))):
        at_hand = at_hand + np.where(j < nodes, term, 0.0)
        term = term * away / (j + 1)
    return cluster.repair_share * np.maximum(1.0 - at_hand, 0.0) * cluster.repair / (nodes + 1.0)


def simulate_tiers(work: float, tiers: Sequence[tuple[float, float, float, float]], mtbf: float, seed: int) -> float:
    """Effective training time of one simulated run; tiers (interval, pause, restart, share) from the fastest.

    Every tier's own clock of work since its last save; a failure picks its tier by share, loses the work since that
    tier's (or a slower tier's later) save, and all faster tiers start again from there.
    """
    rng = random.Random(seed)
    done = wall = 0.0
    saved = [0.0] * len(tiers)
    failure = rng.expovariate(1 / mtbf)

    def fail() -> None:
        nonlocal done, wall, failure
        pick, index = rng.random(), 0
        while index < len(tiers) - 1 and pick >= tiers[index][3]:
            pick -= tiers[index][3]
            index += 1
        done = max(saved[index:])
        for i in range(index):
            saved[i] = done
        wall = failure + tiers[index][2]
        failure = wall + rng.expovariate(1 / mtbf)

    while done < work:
        due = [saved[i] + tier[0] for i, tier in enumerate(tiers)]
        until = min(min(due), work)
        if wall + until - done > failure:
            fail()
            continue
        wall, done = wall + until - done, until
        for i, tier in enumerate(tiers):
            if due[i] <= done:
                if wall + tier[1] > failure:
                    fail()
                    break
                wall, saved[i] = wall + tier[1], done
    return done / wall

"""Rules of checkpoints in small round numbers: a pause of 8 s, 100 s between failures, 10 s to restart."""

import math
from collections.abc import Iterator
from typing import Any

import pytest

from engine import goodput as g
from engine import recovery
from engine.columns import ONE, Column, column
from engine.recovery import Tier, simulate_tiers, spare_wait
from tests.settings import run

PAUSE, MTBF, RESTART = column(8), column(100), column(10)


def close(found: Column | None, expected: float) -> bool:
    assert found is not None
    return bool(found.tolist() == [pytest.approx(expected, rel=1e-12)])


def scripted(monkeypatch: pytest.MonkeyPatch, times: list[float], picks: list[float] | None = None) -> None:
    """Failures after these times, the last one for ever, that pick these places."""

    class Random:
        def __init__(self, seed: int) -> None:
            self.times, self.picks = self.each(times), iter(picks or [])
            self.random = self.picks.__next__

        @staticmethod
        def each(values: list[float]) -> Iterator[float]:
            yield from values
            while True:
                yield values[-1]

        def expovariate(self, rate: float) -> float:
            assert rate == 1 / 100
            return next(self.times)

    monkeypatch.setattr("random.Random", Random)


def test_rates_of_failures() -> None:
    assert g.hazard(3, 4, 5) == 3 / 20
    assert g.per_gpu_year(3) == 3 / (8766 * 3600)
    assert close(g.job_mtbf((0.1, 0.3), column(5)), 0.5)


@pytest.mark.parametrize(("weights", "size"), [(False, 10 * (4 + 8)), (True, 10 * (4 + 8 + 2))])
def test_bytes_of_a_checkpoint(weights: bool, size: float) -> None:
    assert g.checkpoint_size(column(10), run().states, weights).tolist() == [size]


@pytest.mark.parametrize(
    ("node", "store", "seconds"), [(6, 30, 5), (6, 10, 12), (3, 60, 10), (None, 30, 4), (6, None, 5)]
)
def test_the_slower_write_counts(node: float | None, store: float | None, seconds: float) -> None:
    """120 bytes by 4 nodes."""
    rates = [None if x is None else column(x) for x in (node, store)]
    assert close(g.save_time(column(120), column(4), *rates), seconds)


@pytest.mark.parametrize(
    ("rule", "seconds"),
    [
        ("young", 40),
        ("daly", 40 * (1 + 0.2 / 3 + 0.04 / 9) - 8),  # d/2M = 0.04
        ("young_recovery", math.sqrt(2 * 8 * 110)),
        ("availability", 8 + math.sqrt(2 * 110 * 8 + 64)),
    ],
)
def test_intervals_in_round_numbers(rule: str, seconds: float) -> None:
    assert close(g.INTERVALS[rule](PAUSE, MTBF, RESTART), seconds)


@pytest.mark.parametrize("pause", [1.0, 8.0, 90.0])
def test_the_best_interval_is_a_root(pause: float) -> None:
    x = float(g.best(column(pause), MTBF, RESTART)[0]) / 100
    assert x - 1 + math.exp(-pause / 100 - x) == pytest.approx(0, abs=1e-12)
    assert 0 < x <= 1


@pytest.mark.parametrize(("can_fail", "lost"), [(False, 110), (True, 100 * math.exp(0.1))])
def test_effective_and_busy_time(can_fail: bool, lost: float) -> None:
    share = 40 / (lost * math.expm1(0.48))
    assert close(g.effective(column(40), PAUSE, MTBF, RESTART, can_fail), share)
    assert close(recovery.expanded(column(40), PAUSE, MTBF, RESTART, can_fail, ONE), 1 / share)
    stretched = lost * math.expm1((40 * 1.5 + 8) / 100) / 40
    assert close(recovery.expanded(column(40), PAUSE, MTBF, RESTART, can_fail, column(1.5)), stretched)
    assert close(g.effective(column(40), PAUSE, MTBF, RESTART), 40 / (110 * math.expm1(0.48)))
    assert close(g.busy_share(column(40), PAUSE, MTBF, RESTART), 100 / 110 * 40 / 48)


@pytest.mark.parametrize(
    ("work", "times", "can_fail", "share"),
    [
        (25, [1e9], False, 25 / 31),  # segments of 10, 10 and 5, each with its save of 2
        (30, [24, 10, 1e9], False, 30 / 56),  # the second save ends with the failure; failures at 24 and 39
        (30, [25, 10, 1e9], False, 30 / 57),  # at 25, and 10 after the restart at 30
        (30, [25, 10, 1e9], True, 30 / 52),  # at 25 and 35
        (30, [12, 1], False, 10 / (17 + 6 * 10_058)),  # given up after 10,000 + 20 x 3 attempts
    ],
)
def test_a_simulated_run_step_by_step(
    monkeypatch: pytest.MonkeyPatch, work: float, times: list[float], can_fail: bool, share: float
) -> None:
    """Saves of 2 s after 10 s of work, 5 s to restart."""
    scripted(monkeypatch, times)
    assert g.simulate_goodput(work, 10, 100, 2, 5, 0, can_fail) == pytest.approx(share, rel=1e-12)
    assert g.simulated(work, 10, 100, 2, 5, range(3), can_fail) == pytest.approx(share, rel=1e-12)


def test_a_simulated_run_with_two_tiers_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Host saves of 1 s every 10 s of work, stored ones of 2 s every 20.

    35: 30 s are done and saved; failure while 40 is reached; back to the stored 20 (7 s), at 42.
    54: 30 is saved at 53; back to it from the host (3 s), at 57.
    68: 40 is saved on the host, the store's save would end at 70; back to 40 at 71, which is all.
    """
    scripted(monkeypatch, [35, 12, 11, 1e9], [0.9, 0.49, 0.1])
    assert simulate_tiers(40, ((10, 1, 3, 0.5), (20, 2, 7, 0.3)), 100, 0) == 40 / 71


@pytest.mark.parametrize(
    ("failure", "pick", "seconds"), [(40, 0.5, 40), (39, 0.49, 39 + 3 + 5), (39, 0.5, 39 + 7 + 16)]
)
def test_the_end_of_a_run_needs_no_save(
    monkeypatch: pytest.MonkeyPatch, failure: float, pick: float, seconds: float
) -> None:
    """35 s of work with saves at 10, 20 and 30 on the host and 20 in the store end at 40; what fails then is too late.
    Before, 5 s of work are lost, or 15 and a host's save."""
    scripted(monkeypatch, [failure, 1e9], [pick])
    assert simulate_tiers(35, ((10, 1, 3, 0.5), (20, 2, 7, 0.5)), 100, 0) == 35 / seconds


def test_a_tier_sees_its_share_of_the_failures() -> None:
    assert close(Tier("host", ONE, ONE, ONE, column(0.4)).mtbf(MTBF), 250)
    assert close(Tier("host", ONE, ONE, ONE, column(0)).mtbf(MTBF), 1e11)


@pytest.mark.parametrize(
    ("spares", "nodes", "at_hand"), [(7, 0, 0.0), (8, 1, 1.0), (20, 2, 1 + 2.0), (24, 3, 1 + 2 + 2.0)]
)
def test_the_wait_for_a_node(spares: float, nodes: int, at_hand: float) -> None:
    """Half of the failures, 250 s apart, take a node away for 1,000 s: two are away, e^-2 2^j/j! that j are."""
    cluster = run(cluster__spares=spares, cluster__repair=1000.0, cluster__repair_share=0.5).cluster
    found = spare_wait(cluster, column(250))
    assert close(found, 0.5 * (1 - math.exp(-2) * at_hand) * 1000 / (nodes + 1))


def test_waits_of_several_numbers_of_spares_are_those_of_each() -> None:
    both = run(cluster__spares=column([8, 24]), cluster__repair=1000.0, cluster__repair_share=0.5).cluster
    expected = [0.5 * (1 - math.exp(-2)) * 500, 0.5 * (1 - 5 * math.exp(-2)) * 250]
    assert spare_wait(both, column(250)).tolist() == pytest.approx(expected, rel=1e-12)


def test_the_wait_is_none_without_repairs_or_failures() -> None:
    assert spare_wait(run(cluster__repair=None).cluster, MTBF).tolist() == [0]
    assert spare_wait(run(cluster__repair=1000.0).cluster, None).tolist() == [0]


def test_a_grid_of_intervals_and_a_straggler() -> None:
    assert g.interval_grid(column(50), 3, 10.0).tolist() == pytest.approx([5, 50, 500])
    assert g.straggler_time(column(100), column(0.25)).tolist() == [25]


BASE: dict[str, Any] = {
    "cluster__mtbf": 100.0, "cluster__restart": 4.0, "cluster__hang_detection": 6.0, "cluster__gpus_per_node": 8,
    "checkpoint__restart_can_fail": False, "checkpoint__rule": "stated", "checkpoint__interval": 40.0,
    "cluster__storage__node_write": 5.0, "cluster__storage__write": None, "cluster__gpu__host_link": 10.0,
}  # fmt: skip


def planned(**changed: Any) -> g.Goodput:
    """120 bytes written by the 3 nodes of 20 GPUs at 5 bytes/s a node: 8 s, 0.6 s to a host at 10 bytes/s a GPU."""
    return g.plan(run(**(BASE | changed)), column(120), column(20))


def test_a_plan_by_hand() -> None:
    p = planned()
    assert [close(x, v) for x, v in ((p.save, 8), (p.pause, 8), (p.restart, 10), (p.size_per_gpu, 6))] == [True] * 4
    assert close(p.effective, 40 / (110 * math.expm1(0.48))) and close(p.busy, 100 / 110 * 40 / 48)
    assert close(p.young, 40) and close(p.daly, 40 * (1 + 0.2 / 3 + 0.04 / 9) - 8)
    assert (p.staleness[0], p.share[0], p.wait[0], p.inner, p.missing) == (0, 1, 0, (), ())
    assert close(p.curve(column(20)), 20 / (110 * math.expm1(0.28)))
    assert close(p.curve(column(20), column(200)), 20 / (210 * math.expm1(0.14)))


def test_an_asynchronous_plan_by_hand() -> None:
    """The pause is the copy to the host; a failure loses one write of 8 s more."""
    p = planned(checkpoint__mode="async")
    assert close(p.pause, 0.6) and close(p.save, 8) and close(p.staleness, 8) and close(p.restart, 10)
    assert close(p.effective, 40 / (118 * math.expm1(0.406)))
    assert close(p.busy, 100 / 110 * 40 / 40.6)
    assert close(p.curve(column(20)), 20 / (118 * math.expm1(0.206)))
    assert close(p.young, math.sqrt(2 * 0.6 * 100))
    assert close(planned(checkpoint__mode="async", checkpoint__write=15.0).young, 15)  # no two writes at once


def test_rules_that_count_the_restart_count_what_is_lost_too() -> None:
    p = planned(checkpoint__mode="async", checkpoint__rule="young_recovery", checkpoint__interval=None)
    assert close(p.used, math.sqrt(2 * 0.6 * 118))


@pytest.mark.parametrize(("pause", "write", "found"), [(3.0, None, (8, 3)), (None, 5.0, (5, 5)), (3.0, 5.0, (5, 3))])
def test_stated_times_of_a_save(pause: float | None, write: float | None, found: tuple[float, float]) -> None:
    p = planned(checkpoint__pause=pause, checkpoint__write=write)
    assert close(p.save, found[0]) and close(p.pause, found[1])


@pytest.mark.parametrize("rule", ["young", "daly", "best", "young_recovery", "availability"])
def test_every_rule_can_be_used(rule: str) -> None:
    p = planned(checkpoint__rule=rule, checkpoint__interval=None)
    assert p.used is not None and p.used.tolist() == g.INTERVALS[rule](PAUSE, MTBF, RESTART).tolist()
    stated = planned(checkpoint__rule=rule)
    assert stated.used is not None and stated.used.tolist() == [40]


TIERS: dict[str, Any] = {
    "checkpoint__host__survives": 0.5, "checkpoint__host__restart": 2.0, "checkpoint__host__interval": 5.0,
    "checkpoint__local__survives": 0.7, "checkpoint__local__pause": 3.0, "cluster__repair": 50.0,
    "cluster__repair_share": 0.3,
}  # fmt: skip


@pytest.mark.parametrize("can_fail", [False, True])
def test_a_plan_with_faster_tiers_by_hand(can_fail: bool) -> None:
    """Host copies bring half of the failures back, local disks a fifth more, the store the other 0.3.

    A failure waits 0.3 x 50 s for a node on the mean, one that comes back from the store 50 s.
    """
    p = planned(**TIERS, checkpoint__restart_can_fail=can_fail)
    assert [(t.name, t.pause[0], t.restart[0]) for t in p.inner] == [("host", 0.6, 2), ("local", 3, 10)]
    assert [t.share[0] for t in p.inner] == pytest.approx([0.5, 0.2])
    assert close(p.share, 0.3) and close(p.wait, 15) and close(p.restart, 10 + 15 / 0.3)
    assert p.inner[0].interval[0] == 5
    local = float(g.best(column(3), column(500), column(10))[0])
    assert close(p.inner[1].interval, local)

    def costs(interval: float, pause: float, between: float, restart: float, stretch: float) -> float:
        lost = between * math.exp(restart / between) if can_fail else between + restart
        return lost * math.expm1((interval * stretch + pause) / between) / interval

    stretch = costs(local, 3, 500, 10, costs(5, 0.6, 200, 2, 1))
    assert close(p.effective, 1 / costs(40, 8, 100 / 0.3, 60, stretch))
    mean = 0.5 * 2 + 0.2 * 10 + 0.3 * 60
    assert close(p.busy, 100 / (100 + mean) / (1 + 0.6 / 5 + 3 / local + 8 / 40))
    assert close(p.young, math.sqrt(2 * 8 * 100 / 0.3) / stretch)
    assert close(p.curve(column(20)), 1 / costs(20, 8, 100 / 0.3, 60, stretch))
    longer = costs(local, 3, 1000, 10, costs(5, 0.6, 400, 2, 1))
    assert close(p.curve(column(20), column(200)), 1 / costs(20, 8, 200 / 0.3, 60, longer))


def test_a_tier_that_survives_less_than_a_faster_one_has_no_share() -> None:
    p = planned(**TIERS | {"checkpoint__local__survives": 0.4})
    assert [t.share[0] for t in p.inner] == [0.5, 0] and close(p.share, 0.5)
    alone = planned(checkpoint__host__survives=1.0, checkpoint__host__pause=0.0)
    assert alone.inner[0].interval[0] == 1 and close(alone.share, 1e-9)

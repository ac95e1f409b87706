"""Tiers of checkpoints, spares and repairs: closed forms against simulations and by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import goodput
from engine.columns import column
from engine.evaluate import Result, evaluate
from engine.recovery import Tier, expansion, simulate_tiers, spare_wait
from tests.settings import run

HOUR, MINUTE, DAY = 3600.0, 60.0, 86400.0
PLAN = {"cluster__mtbf": 3 * HOUR, "cluster__price": 2.1 / 3600, "checkpoint__pause": 60.0}
HOST = {"checkpoint__host__survives": 0.5, "checkpoint__host__restart": 120.0, "checkpoint__host__pause": 1.0}


def result(**changed: Any) -> Result:
    return evaluate(run(**(PLAN | changed)), advise=False)


def value(r: Result, name: str) -> float:
    return float(r.columns[name][0])


def tiers(*rows: tuple[float, float, float, float]) -> tuple[Tier, ...]:
    return tuple(Tier(str(i), *(column(x) for x in row)) for i, row in enumerate(rows))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.floats(60, 7200), st.floats(0.1, 100), st.floats(0, 1200), st.floats(1800, 1e6))
def test_one_tier_is_the_formula_without_tiers(interval: float, pause: float, restart: float, mtbf: float) -> None:
    one = 1 / expansion(tiers((interval, pause, restart, 1.0)), column(mtbf), False)
    plain = goodput.effective(column(interval), column(pause), column(mtbf), column(restart))
    assert one[0] == pytest.approx(plain[0], rel=1e-9)


@pytest.mark.parametrize("mtbf", [3 * HOUR, 12 * HOUR])
def test_tiers_are_what_a_simulation_of_the_same_process_gives(mtbf: float) -> None:
    """Host memory every 2 minutes for 40 % of failures, disks every 10 for 30 %, the store every half hour."""
    rows = ((120.0, 1.0, 60.0, 0.4), (600.0, 5.0, 200.0, 0.3), (1800.0, 30.0, 600.0, 0.3))
    closed = 1 / expansion(tiers(*rows), column(mtbf), False)[0]
    runs = [simulate_tiers(20 * DAY, rows, mtbf, seed) for seed in range(8)]
    assert closed == pytest.approx(np.mean(runs), abs=0.004)
    alone = 1 / expansion(tiers((1800.0, 30.0, 600.0, 1.0)), column(mtbf), False)[0]
    assert closed > alone


def test_a_simulation_without_failures_is_the_pauses() -> None:
    assert simulate_tiers(1000.0, ((100.0, 1.0, 0.0, 1.0),), 1e12, 0) == pytest.approx(1000 / 1010)


def test_copies_in_host_memory_take_their_share_of_the_failures() -> None:
    plain, tiered = result(), result(**HOST)
    plan = tiered.goodput
    assert plan is not None and [t.name for t in plan.inner] == ["host"] and plan.share[0] == 0.5
    assert value(tiered, "effective_training_time") > value(plain, "effective_training_time") + 0.02
    # half as many failures come back from the store: saves to it are rarer
    assert value(tiered, "checkpoint_best") == pytest.approx(np.sqrt(2) * value(plain, "checkpoint_best"), rel=0.05)
    curve = plan.curve(plan.used) if plan.used is not None else None
    assert curve is not None and curve[0] == pytest.approx(value(tiered, "effective_training_time"), rel=1e-12)


def test_disks_take_what_host_memory_does_not_survive() -> None:
    local = {"checkpoint__local__survives": 0.7, "checkpoint__local__pause": 3.0}
    plan = result(**HOST, **local).goodput
    assert plan is not None
    assert [(t.name, round(float(t.share[0]), 12)) for t in plan.inner] == [("host", 0.5), ("local", 0.2)]
    assert plan.share[0] == pytest.approx(0.3)
    host, disks = plan.inner
    assert disks.restart[0] == 600.0 and host.restart[0] == 120.0
    assert plan.busy is not None and 0 < plan.busy[0] < 1


def test_a_tier_that_survives_nothing_changes_nothing_but_its_pauses() -> None:
    nothing = {"checkpoint__host__survives": 0.0, "checkpoint__host__pause": 0.0, "checkpoint__host__interval": 60.0}
    assert value(result(**nothing), "effective_training_time") == pytest.approx(
        value(result(), "effective_training_time"), rel=1e-9
    )


def test_the_pause_of_a_host_copy_is_the_gpus_link() -> None:
    r = result(checkpoint__host__survives=0.5)
    assert r.goodput is not None
    assert r.goodput.inner[0].pause[0] == pytest.approx(float(r.goodput.size_per_gpu[0]) / 30e9)


@pytest.mark.parametrize(
    ("spares", "expected"),
    [(0, 24 * HOUR), (8, (1 - np.exp(-2.0)) * 12 * HOUR), (16, (1 - 3 * np.exp(-2.0)) * 8 * HOUR)],
)
def test_waiting_for_a_node_by_hand(spares: int, expected: float) -> None:
    """Repair 24 h, a failure every 12 h that always takes a node: two are away on average (Poisson)."""
    cluster = run(cluster__spares=spares, cluster__repair=DAY, cluster__repair_share=1.0).cluster
    assert spare_wait(cluster, column(12 * HOUR))[0] == pytest.approx(expected)


def test_spares_shorten_the_restart_and_cost_money() -> None:
    none, some = (result(cluster__spares=n, cluster__repair=4 * HOUR, cluster__mtbf=12 * HOUR) for n in (0, 32))
    assert value(none, "restart_time") == pytest.approx(600 + 0.78 * 4 * HOUR)
    assert value(some, "restart_time") < 610 and value(some, "spare_wait") < 10
    assert value(some, "time_to_train") < value(none, "time_to_train")
    assert some.gpus is not None and some.gpus.bought[0] == 4128
    assert value(result(), "restart_time") == 600.0  # no repair time stated: the restart as stated


def test_hang_detection_comes_before_every_restart() -> None:
    slow, fast = (result(cluster__hang_detection=s) for s in (1800.0, 60.0))
    assert value(slow, "restart_time") - value(fast, "restart_time") == 1740.0
    assert value(slow, "effective_training_time") < value(fast, "effective_training_time")


def test_a_slow_rank_in_days_and_dollars() -> None:
    """10 % slower: the step, the days and the GPUs' line grow by a tenth."""
    plain, slow = result(), result(cluster__slow_rank=0.1)
    assert value(slow, "step_time") / value(plain, "step_time") == pytest.approx(1.1, rel=1e-9)
    assert value(slow, "straggler_time") == pytest.approx(value(slow, "time_to_train") / 11, rel=1e-9)
    assert value(slow, "straggler_time") == pytest.approx(
        goodput.straggler_time(plain.columns["time_to_train"], column(0.1))[0], rel=1e-9
    )
    assert value(slow, "straggler_cost") == pytest.approx(value(slow, "cost") - value(plain, "cost"), rel=1e-9)
    assert value(plain, "straggler_cost") == 0.0


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.5, 48))
def test_better_tiers_never_leave_less(host: float, more: float, hours: float) -> None:
    def kept(survives: float) -> float:
        changed = HOST | {"checkpoint__host__survives": survives, "checkpoint__host__pause": 0.0}
        return value(result(cluster__mtbf=hours * HOUR, **changed), "effective_training_time")

    low, high = sorted((host, more))
    assert kept(high) >= kept(low) - 1e-3

"""Failures, checkpoint intervals and effective training time: printed simulations and published worked examples."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import goodput as g
from engine.columns import ZERO, Column, column
from tests.settings import run

DAY, HOUR, MINUTE = 86400.0, 3600.0, 60.0
MTBF, SAVE, RESTART = column(12 * HOUR), column(30.0), column(600.0)
MINUTES = (2, 10, 27, 60, 180, 600)
PRINTED = (78.8, 93.2, 95.0, 93.7, 86.6, 63.1)
PARAMETERS = column(70_548_193_280)


@pytest.mark.oracle("training-mtbf")
def test_llama_3_was_interrupted_every_three_hours() -> None:
    rate = g.hazard(419, 16384, 54 * DAY)
    assert g.job_mtbf([rate], column(16384))[0] / HOUR == pytest.approx(3.093, rel=1e-3)
    assert g.job_mtbf([rate / 2, rate / 2], column(4096))[0] / HOUR == pytest.approx(4 * 3.093, rel=1e-3)


def test_a_gpu_year_is_the_catalogues() -> None:
    """0.17 failures a GPU-year: 50 h on 1,024 GPUs, half an hour on 100,000."""
    between = g.job_mtbf([g.per_gpu_year(0.17)], column([1024, 100_000])) / HOUR
    assert between.round(2).tolist() == [50.36, 0.52]


@pytest.mark.oracle("training-optimizer")
def test_a_checkpoint_of_the_70b_model() -> None:
    states = run().states
    assert g.checkpoint_size(PARAMETERS, states, False)[0] / 1e9 == pytest.approx(846.578, rel=1e-4)
    assert g.checkpoint_size(PARAMETERS, states, True)[0] / 1e9 == pytest.approx(846.578 + 141.096, rel=1e-4)


def test_the_slower_of_nodes_and_storage_sets_the_save_time() -> None:
    size, nodes = column(846.6e9), column(512)
    assert g.save_time(size, nodes, column(1e9), None) == pytest.approx(1.6535, rel=1e-4)
    assert g.save_time(size, nodes, column(1e9), column(28.22e9)) == pytest.approx(30.0, rel=1e-4)
    assert g.save_time(size, nodes, None, None) is None


@pytest.mark.oracle("training-young")
def test_young() -> None:
    assert g.young(SAVE, MTBF)[0] / MINUTE == pytest.approx(26.83, rel=1e-3)


@pytest.mark.parametrize(
    ("rule", "pause", "mtbf", "restart", "seconds"),
    [
        ("young", 60, 4 * HOUR, 300, 1315),
        ("availability", 60, 4 * HOUR, 300, 1390),
        ("young", 120, 6 * HOUR, 0, 37.95 * 60),
        ("young_recovery", 10, 6000, 600, 363.3),
        ("daly", 30, 12 * HOUR, 600, 26.5 * 60),
        ("best", 30, 12 * HOUR, 600, 26.5 * 60),
    ],
)
def test_published_intervals(rule: str, pause: float, mtbf: float, restart: float, seconds: float) -> None:
    found = g.INTERVALS[rule](column(pause), column(mtbf), column(restart))
    assert found[0] == pytest.approx(seconds, rel=1e-3)


@pytest.mark.parametrize(("mtbf", "minutes"), [(24 * HOUR, 117), (6 * HOUR, 57), (0.25 * HOUR, 9.1)])
def test_dalys_own_figures(mtbf: float, minutes: float) -> None:
    """Daly 2006, figures 3 to 5: a save of 5 minutes; as many digits as are printed."""
    found = g.daly(column(300.0), column(mtbf))[0] / 60
    assert round(found, 1 if minutes < 10 else 0) == minutes


def test_daly_saves_once_in_a_time_between_failures_where_a_save_takes_twice_as_long() -> None:
    assert g.daly(column([200.0, 2000.0]), column(100.0)).tolist() == [100.0, 100.0]


@given(pause=st.floats(1e-3, 1e5), mtbf=st.floats(10.0, 1e7))
def test_best_interval_is_a_maximum(pause: float, mtbf: float) -> None:
    interval = g.best(column(pause), column(mtbf))
    near = interval * column([0.9, 0.999, 1.0, 1.001, 1.1])
    share = g.effective(near, column(pause), column(mtbf), ZERO)
    assert 0 < interval[0] <= mtbf
    assert share[2] * (1 + 1e-9) >= share.max()
    assert share[0] <= share[2]
    assert share[4] <= share[2]


def test_a_save_that_costs_nothing_is_made_all_the_time() -> None:
    assert g.best(column([0.0, 30.0]), MTBF).round(3).tolist() == [0.0, 1590.031]


@pytest.mark.oracle("training-eff")
@pytest.mark.parametrize(("minutes", "printed"), tuple(zip(MINUTES, PRINTED, strict=True)))
def test_effective_training_time_simulated_and_analytic(minutes: int, printed: float) -> None:
    simulated = g.simulated(45 * DAY, minutes * MINUTE, 12 * HOUR, 30.0, 600.0)
    assert f"{simulated:.1%}" == f"{printed}%"
    analytic = g.effective(column(minutes * MINUTE), SAVE, MTBF, RESTART)
    assert 100 * analytic[0] == pytest.approx(printed, abs=0.5)


def printed_process(interval: float, seed: int) -> float:
    """The printed process in other words: a clock that jumps from save to save or from crash to restart."""
    clock, kept, draw = 0.0, 0.0, random.Random(seed)
    crash = draw.expovariate(1 / (12 * HOUR))
    while kept < 45 * DAY:
        step = min(interval, 45 * DAY - kept)
        if crash < clock + step + 30:
            clock = crash + 600
            crash = clock + draw.expovariate(1 / (12 * HOUR))
        else:
            clock, kept = clock + step + 30, kept + step
    return 45 * DAY / clock


@pytest.mark.parametrize("seed", range(20))
def test_each_simulated_run_is_the_printed_process(seed: int) -> None:
    assert g.simulate_goodput(45 * DAY, 1620.0, 12 * HOUR, 30.0, 600.0, seed) == printed_process(1620.0, seed)


@pytest.mark.parametrize("can_fail", [False, True])
def test_the_formula_is_the_mean_of_many_runs(can_fail: bool) -> None:
    """A job that fails every half hour, ten minutes to restart: 4.7 % apart with failures while restarting."""
    runs = g.simulated(20 * DAY, 300.0, 1800.0, 10.0, 600.0, range(60), restart_can_fail=can_fail)
    formula = g.effective(column(300.0), column(10.0), column(1800.0), RESTART, can_fail)
    assert runs == pytest.approx(formula[0], rel=0.01)


def test_failures_while_restarting_cost_most_where_failures_are_frequent() -> None:
    between = column([1800.0, 12 * HOUR])
    plain, real = (g.effective(column(300.0), column(10.0), between, RESTART, can_fail) for can_fail in (False, True))
    assert (plain / real - 1).round(4).tolist() == [0.0467, 0.0001]


def test_an_interval_far_beyond_the_time_between_failures_gets_nowhere() -> None:
    assert g.effective(column(1e9), SAVE, MTBF, RESTART).tolist() == [0.0]
    assert g.simulate_goodput(1000 * HOUR, 100 * HOUR, HOUR, 30.0, 60.0, 0) == 0.0


@given(
    interval=st.floats(1.0, 1e5),
    pause=st.floats(0.0, 600.0),
    mtbf=st.floats(100.0, 1e6),
    restart=st.floats(0.0, 3600.0),
)
def test_useful_time_is_a_part_of_busy_time(interval: float, pause: float, mtbf: float, restart: float) -> None:
    tau, d, m, r = (column(x) for x in (interval, pause, mtbf, restart))
    assert 0.0 <= g.effective(tau, d, m, r)[0] <= g.busy_share(tau, d, m, r)[0] * (1 + 1e-9) <= 1.0 + 1e-9


@given(rows=st.lists(st.tuples(st.floats(1.0, 1e4), st.floats(1e3, 1e6)), min_size=1, max_size=20))
def test_a_row_alone_equals_the_row_among_many(rows: list[tuple[float, float]]) -> None:
    pause, mtbf = column([p for p, _ in rows]), column([m for _, m in rows])
    for rule in g.INTERVALS.values():
        whole = rule(pause, mtbf, RESTART)
        assert [rule(column(p), column(m), RESTART)[0] for p, m in rows] == whole.tolist()


def test_a_straggler_holds_up_everyone() -> None:
    assert g.straggler_time(column(45 * DAY), column(0.1))[0] == pytest.approx(4.5 * DAY)


# Plans of runs


def planned(**changed: Any) -> g.Goodput:
    base: dict[str, Any] = {
        "cluster__mtbf": 12 * HOUR,
        "cluster__storage__write": 846.578e9 / 30,
        "cluster__storage__node_write": None,
        "checkpoint__restart_can_fail": False,
    }
    made = run(**(base | changed))
    return g.plan(made, g.checkpoint_size(PARAMETERS, made.states, made.checkpoint.weights), column(4096))


def value(found: Column | None) -> float:
    assert found is not None
    assert found.shape == (1,)
    return float(found[0])


def test_the_plan_of_a_synchronous_save() -> None:
    p = planned(checkpoint__rule="stated", checkpoint__interval=27 * MINUTE)
    assert value(p.save) == value(p.pause) == pytest.approx(30.0, rel=1e-4)
    assert value(p.used) == 1620.0
    assert value(p.young) / MINUTE == pytest.approx(26.83, rel=1e-3)
    assert value(p.size_per_gpu) == pytest.approx(0.2067e9, rel=1e-3)
    assert value(p.effective) == pytest.approx(0.950, abs=0.005)
    assert p.missing == ()
    curve = p.curve(column([120.0, 1620.0]))
    assert curve is not None
    assert curve[1] == value(p.effective) > curve[0]


@pytest.mark.parametrize("rule", ["young", "daly", "best"])
def test_the_interval_follows_the_rule(rule: str) -> None:
    p = planned(checkpoint__rule=rule)
    assert value(p.used) == value(getattr(p, rule)) == pytest.approx(26.5 * MINUTE, rel=0.02)


def test_an_asynchronous_save_pauses_less_and_loses_the_write_more() -> None:
    """0.2 GB a GPU to host memory take 7 ms; the write goes on for 30 s, no two at once, and is lost with a failure."""
    p, sync = planned(checkpoint__mode="async"), planned()
    assert value(p.pause) == pytest.approx(846.578e9 / 4096 / 30e9, rel=1e-4)
    assert value(p.staleness) == pytest.approx(30.0, rel=1e-4)
    assert value(p.best) == pytest.approx(30.0, rel=1e-4)  # Young's 24 s is shorter than the write
    assert value(p.effective) > value(sync.effective) + 0.03
    lost = planned(checkpoint__mode="async", checkpoint__write=300.0)
    assert value(p.effective) - value(lost.effective) > 270 / (12 * HOUR)


def test_a_watchdog_comes_before_the_restart() -> None:
    assert value(planned(cluster__hang_detection=600.0).restart) == 1200.0
    assert value(planned(cluster__hang_detection=600.0).effective) < value(planned().effective)


def test_stated_times_need_no_storage() -> None:
    p = planned(cluster__storage__write=None, checkpoint__pause=30.0)
    assert (value(p.save), p.missing) == (30.0, ())


@pytest.mark.parametrize(
    ("changed", "missing"),
    [
        ({"cluster__storage__write": None}, ("cluster.storage.write",)),
        ({"cluster__mtbf": None}, ("cluster.mtbf",)),
        ({"cluster__storage__write": None, "checkpoint__mode": "async"}, ("cluster.storage.write",)),
    ],
)
def test_a_missing_input_is_named_and_nothing_is_made_up(changed: dict[str, Any], missing: tuple[str, ...]) -> None:
    p = planned(**changed)
    assert p.missing == missing
    assert p.effective is None
    assert p.busy is None


def test_nodes_write_their_part() -> None:
    p = planned(cluster__storage__node_write=0.05e9)
    assert value(p.save) == pytest.approx(846.578e9 / 512 / 0.05e9, rel=1e-4)


def test_a_curve_runs_over_several_mtbfs() -> None:
    p = planned()
    grid = g.interval_grid(column(value(p.best)))
    assert grid.shape == (48,)
    assert [grid[0] * 30, grid[-1] / 30] == pytest.approx([value(p.best)] * 2)
    curves = [p.curve(grid, column(hours * HOUR)) for hours in (3, 12, 48)]
    peaks = [int(np.argmax(c)) for c in curves if c is not None]
    assert peaks == sorted(set(peaks))  # the longer between failures, the longer the best interval


def test_saves_that_cost_nothing_are_a_second_apart() -> None:
    assert value(planned(checkpoint__pause=0.0).best) == 1.0


def test_a_grid_of_intervals_is_around_the_first_point() -> None:
    found, one = g.interval_grid(column([100.0, 900.0])), g.interval_grid(column(100.0))
    assert found.tolist() == one.tolist()

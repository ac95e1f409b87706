"""From a step to a run: days, energy and money of one run, and of one with stretches of other settings."""

from typing import Any

import numpy as np
import pytest

from engine import layout
from engine.columns import column
from engine.evaluate import evaluate, evaluate_phases
from engine.inputs import Run
from engine.outcome import REST, keep_going
from engine.result import DURATION_RESULTS, Result
from tests.settings import run

PLAN: dict[str, Any] = {"cluster__mtbf": 43200.0, "cluster__price": 2.5 / 3600, "checkpoint__pause": 30.0,
                        "cluster__slow_rank": 0.04, "cluster__carbon_intensity": 0.3 / 3.6e6}  # fmt: skip
TOKENS = 15e12


def plan(**changed: Any) -> Run:
    return run(**(PLAN | changed))


def value(result: Result, name: str) -> float:
    return float(result.columns[name][0])


def seconds(result: Result, tokens: float) -> float:
    """tokens / (tokens per second x effective training time)"""
    return tokens / (value(result, "tokens_per_second") * value(result, "effective_training_time"))


def slow_share(result: Result) -> float:
    assert result.step is not None
    slow = next(e for e in result.step.entries if e.row.op == "slow rank")
    return float(slow.exposed[0]) / value(result, "step_time")


def test_a_run_in_days_energy_and_money() -> None:
    """15 T tokens in steps of 2,048 x 8,192 are 894,069.7 steps."""
    r = evaluate(plan(), advise=False)
    taken, share = seconds(r, TOKENS), slow_share(r)
    assert value(r, "steps") == 894_070
    assert value(r, "time_to_train") == pytest.approx(taken, rel=1e-14)
    assert value(r, "gpu_hours") == pytest.approx(4096 * taken, rel=1e-14)
    assert value(r, "energy") == pytest.approx(value(r, "mean_power") * taken, rel=1e-14)
    assert value(r, "carbon") == pytest.approx(value(r, "energy") * 0.3 / 3.6e6, rel=1e-14)
    assert value(r, "cost") == pytest.approx(4096 * taken * 2.5 / 3600, rel=1e-14)
    assert value(r, "cost_per_token") == pytest.approx(value(r, "cost") / TOKENS, rel=1e-14)
    assert share == pytest.approx(0.04 / 1.04, rel=1e-12)
    assert value(r, "straggler_time") == pytest.approx(share * taken, rel=1e-14)
    assert value(r, "straggler_cost") == pytest.approx(share * value(r, "cost"), rel=1e-12)


@pytest.mark.parametrize(
    ("without", "lost", "named"),
    [
        ({"cluster__price": None}, ("cost", "cost_per_token", "straggler_cost"), "cluster.price"),
        ({"cluster__carbon_intensity": None}, ("carbon",), "cluster.carbon_intensity"),
        ({"cluster__gpu__power": None, "cluster__gpu__node_power": None},
         ("peak_power", "mean_power", "energy", "carbon"), "cluster.gpu.power"),
        ({"tokens": None}, (*DURATION_RESULTS, "steps"), "tokens"),
        ({"cluster__mtbf": None}, ("effective_training_time", *DURATION_RESULTS), "cluster.mtbf"),
    ],
)  # fmt: skip
def test_what_lacks_a_setting_is_left_out_and_the_rest_stays(
    without: dict[str, Any], lost: tuple[str, ...], named: str
) -> None:
    whole = evaluate(plan(), advise=False).columns
    r = evaluate(plan(**without), advise=False)
    assert not r.columns.keys() & set(lost)
    if "tokens" not in named and "mtbf" not in named:
        assert whole.keys() - r.columns.keys() == whole.keys() & set(lost)
    assert all(named in r.missing[name] for name in lost)


def test_a_result_without_a_layout_or_its_parameters_has_no_checkpoints() -> None:
    found = Result(plan())
    keep_going(found)
    assert found.columns == {}
    found.degrees = layout.resolve(found.run)
    keep_going(found)
    assert found.columns == {} and found.goodput is None
    found.columns["trained_parameters"] = column(70e9)
    keep_going(found)
    assert value(found, "checkpoint_size") == 70e9 * 12 and value(found, "checkpoint_save") == 30.0


def test_without_a_cluster_of_a_size_the_gpus_are_those_that_work_and_the_spares() -> None:
    r = evaluate(run(cluster__gpus=None, layout__data=4, cluster__spares=3, batch=64), advise=False)
    assert r.gpus is not None
    counts = (r.gpus.bought, r.gpus.used, r.gpus.idle, r.gpus.spare)
    assert [float(np.ravel(x)[0]) for x in counts] == [35, 32, 0, 3]


def test_gpus_are_busy_as_long_as_they_train() -> None:
    """Idle power at 0.3 of the whole: a run that trains all the time draws its peak."""
    free, plain = evaluate(run(), advise=False), evaluate(plan(), advise=False)
    assert value(free, "mean_power") == value(free, "peak_power") == value(plain, "peak_power")
    assert value(plain, "mean_power") < value(plain, "peak_power")


# Stretches of other settings

SMALL = plan(batch=1024, tokens=3e12)


def test_stretches_add_up() -> None:
    r = evaluate_phases(plan(), [("small", SMALL)], advise=False)
    own, small = evaluate(plan(), advise=False), evaluate(SMALL, advise=False)
    first, rest = seconds(small, 3e12), seconds(own, 12e12)
    assert [(s.name, float(s.tokens[0]), s.status) for s in r.stretches] == [
        ("small", 3e12, "ok"), (REST, 12e12, "ok")]  # fmt: skip
    taken = [float(s.seconds[0]) for s in r.stretches if s.seconds is not None]
    assert taken == pytest.approx([first, rest], rel=1e-14)
    assert value(r, "time_to_train") == pytest.approx(first + rest, rel=1e-14)
    assert value(r, "steps") == np.ceil(3e12 / (1024 * 8192)) + np.ceil(12e12 / (2048 * 8192))
    assert value(r, "energy") == pytest.approx(value(own, "mean_power") * (first + rest), rel=1e-14)
    slow = slow_share(small) * first + slow_share(own) * rest
    assert value(r, "straggler_time") == pytest.approx(slow, rel=1e-12)
    assert value(r, "cost") == pytest.approx(4096 * (first + rest) * 2.5 / 3600, rel=1e-14)
    assert (r.status, r.reasons, value(r, "step_time")) == ("ok", [], value(own, "step_time"))


@pytest.mark.parametrize(("tokens", "names"), [(3e12, ["small"]), (3e12 + 0.5, ["small", REST])])
def test_a_phase_of_all_tokens_leaves_no_rest(tokens: float, names: list[str]) -> None:
    r = evaluate_phases(plan(tokens=tokens), [("small", SMALL)], advise=False)
    assert [s.name for s in r.stretches] == names and r.notes == evaluate(plan(), advise=False).notes


def test_without_tokens_or_phases_nothing_changes() -> None:
    for whole, phases in ((plan(), []), (plan(tokens=None), [("small", SMALL)]), (plan(), [("x", plan(tokens=None))])):
        r, own = evaluate_phases(whole, phases, advise=False), evaluate(whole, advise=False)
        assert {name: float(c[0]) for name, c in r.columns.items()} == pytest.approx(
            {name: float(c[0]) for name, c in own.columns.items()}, rel=1e-14, nan_ok=True)  # fmt: skip
        assert r.missing == own.missing


FORGOTTEN = {"time_to_train", "gpu_hours", "cost", "cost_per_token", "energy", "carbon", "steps", "straggler_time",
             "straggler_cost"}  # fmt: skip


def test_phases_of_more_tokens_than_the_run_have_no_days() -> None:
    whole = evaluate(plan(), advise=False)
    r = evaluate_phases(plan(tokens=column([2e12, 15e12])), [("small", SMALL)], advise=False)
    assert r.notes[-1] == "the phases hold more tokens than the run: its days and costs are not worked out"
    assert whole.columns.keys() - r.columns.keys() == FORGOTTEN and len(r.cost) == 0 and r.stretches == []
    assert {name: r.missing[name] for name in FORGOTTEN} == dict.fromkeys(
        FORGOTTEN, ("a run's tokens of at least its phases'",))  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "status", "reason"),
    [
        ({"batch": 1023}, "cannot_be_built", "phase bad: the batch of 1_023 sequences is not a whole number"),
        ({"batch": 2048, "layout__tensor": 2}, "does_not_fit", "phase bad: stage 0 needs "),
    ],
)
def test_a_phase_that_cannot_run_makes_the_run_so(changed: dict[str, Any], status: str, reason: str) -> None:
    """The other phase is fine; only what cannot be built has no time."""
    bad = plan(tokens=2e12, **changed)
    r = evaluate_phases(plan(), [("small", SMALL), ("bad", bad)], advise=False)
    assert r.status == status and len(r.reasons) == 1 and r.reasons[0].startswith(reason)
    timeless = status == "cannot_be_built"
    assert [s.seconds is None for s in r.stretches] == [False, timeless, False]
    assert [s.status for s in r.stretches] == ["ok", status, "ok"]
    assert (FORGOTTEN & r.columns.keys() == set()) is timeless


def test_a_run_that_does_not_fit_keeps_its_own_status() -> None:
    r = evaluate_phases(plan(layout__tensor=2), [("bad", plan(batch=1023, tokens=2e12))], advise=False)
    assert r.status == "does_not_fit" and len(r.reasons) == 2


def test_a_phase_that_lacks_a_setting_says_which() -> None:
    r = evaluate_phases(plan(), [("bare", plan(batch=None, tokens=2e12))], advise=False)
    assert r.status == "ok" and FORGOTTEN & r.columns.keys() == set()
    assert r.missing["time_to_train"] == ("batch",)

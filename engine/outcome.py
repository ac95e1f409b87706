"""From a step to a run: failures and checkpoints, days, power, energy and cost, each as far as its inputs go.

A run may have stretches with settings of their own (a batch or sequence ramp); their times and energies are added.
Source: definition.
"""

from collections.abc import Callable, Sequence

import numpy as np

from engine import cost, goodput, power
from engine.columns import ONE, ZERO, Column
from engine.entries import SLOW_RANK
from engine.inputs import Run
from engine.result import DURATION_RESULTS, Result, Stretch

REST = "the rest"  # tokens that no stretch has: the run's own settings


def keep_going(result: Result) -> None:
    """Failures and checkpoints: the interval used, and the effective training time it leaves."""
    run, d = result.run, result.degrees
    trained = result.columns.get("trained_parameters")
    if d is None or trained is None:
        return
    size = goodput.checkpoint_size(trained, run.states, run.checkpoint.weights)
    plan = result.goodput = goodput.plan(run, size, d.used)
    found = {
        "checkpoint_size": plan.size,
        "checkpoint_save": plan.pause,
        "checkpoint_interval": plan.used,
        "checkpoint_best": plan.best,
        "effective_training_time": plan.effective,
        "restart_time": plan.restart,
        "spare_wait": plan.wait,
    }
    result.columns |= {name: value for name, value in found.items() if value is not None}
    absent = [name for name, value in found.items() if value is None]
    if absent:
        result.lack((*absent, *DURATION_RESULTS), plan.missing)


def pay(result: Result) -> None:
    """Days, GPU-hours, power, energy, carbon and cost, each as far as its inputs go."""
    run, d, columns = result.run, result.degrees, result.columns
    assert d is not None
    owned = cost.gpus(run.cluster, d.used)
    result.gpus = (
        owned if owned is not None else cost.Gpus(d.used + run.cluster.spares, d.used, ZERO, run.cluster.spares)
    )
    busy = ONE if result.goodput is None or result.goodput.busy is None else result.goodput.busy
    result.power = power.lines(run.cluster, result.gpus, busy)
    watts = power.total(result.power)
    if watts is None:
        result.lack(("peak_power", "mean_power", "energy", "carbon"), ("cluster.gpu.power",))
    else:
        columns |= {"peak_power": watts[0], "mean_power": watts[1]}
    if run.tokens is None:
        result.lack((*DURATION_RESULTS, "steps"), ("tokens",))
        return
    if "tokens_per_step" in columns:
        columns["steps"] = np.ceil(run.tokens / columns["tokens_per_step"])
    if "tokens_per_second" not in columns or "effective_training_time" not in columns:
        return
    seconds = cost.time_to_train(run.tokens, columns["tokens_per_second"], columns["effective_training_time"])
    _bill(result, seconds, None if watts is None else power.energy(watts[1], seconds), _slow_share(result) * seconds)


def _slow_share(result: Result) -> Column:
    """Share of a step that a stated slow rank adds."""
    if result.step is None:
        return ZERO
    slow = (e.exposed for e in result.step.entries if e.row.op == SLOW_RANK)
    return sum(slow, ZERO) / result.columns["step_time"]


def _bill(result: Result, seconds: Column, joules: Column | None, slow: Column) -> None:
    """Time, GPU-hours, cost lines and their total; energy and carbon; what a slow rank costs."""
    cluster, columns, tokens = result.run.cluster, result.columns, result.run.tokens
    assert result.gpus is not None and tokens is not None
    columns |= {"time_to_train": seconds, "gpu_hours": cost.gpu_time(result.gpus, seconds), "straggler_time": slow}
    if joules is not None:
        columns["energy"] = joules
        if cluster.carbon_intensity is None:
            result.lack(("carbon",), ("cluster.carbon_intensity",))
        else:
            columns["carbon"] = power.carbon(joules, cluster.carbon_intensity)
    result.cost = cost.lines(result.run, result.gpus, seconds, joules)
    total = cost.total(result.cost)
    if total is None or result.cost[0].usd is None:
        result.lack(("cost", "cost_per_token", "straggler_cost"), ("cluster.price",))
        return
    columns |= {"cost": total, "cost_per_token": cost.cost_per_token(total, tokens)}
    columns["straggler_cost"] = result.cost[0].usd * slow / seconds


def in_stretches(result: Result, phases: Sequence[tuple[str, Run]], evaluate: Callable[[Run], Result]) -> Result:
    """A run's result with some of its tokens trained under other settings: times, energies, steps and costs added.

    Each of ``phases`` holds its own tokens; the run's own settings take the rest. A phase that cannot be built or does
    not fit makes the run so. Everything but days, steps, energy and money stays that of the run's own settings.
    """
    tokens = result.run.tokens
    if not phases or tokens is None:
        return result
    found = [(name, run.tokens, evaluate(run)) for name, run in phases if run.tokens is not None]
    rest = tokens - sum((own for _, own, _ in found), ZERO)
    if np.any(rest < 0):
        result.notes.append("the phases hold more tokens than the run: its days and costs are not worked out")
        _forget(result, ("a run's tokens of at least its phases'",))
        return result
    parts = [*found, *([(REST, rest, result)] if np.any(rest > 0) else [])]
    result.stretches = [_stretch(name, own, r) for name, own, r in parts]
    for name, _, own in found:
        if own.status in ("does_not_fit", "cannot_be_built") and result.status == "ok":
            result.status = own.status
        result.reasons += [f"phase {name}: {reason}" for reason in own.reasons]
    if any(s.seconds is None for s in result.stretches):
        _forget(result, tuple(m for _, _, r in found for m in r.missing.get("time_to_train", ())))
        return result
    seconds = sum((s.seconds for s in result.stretches if s.seconds is not None), ZERO)
    watts = result.columns.get("mean_power")
    slow = sum((_slow_share(s.result) * s.seconds for s in result.stretches if s.seconds is not None), ZERO)
    result.columns["steps"] = sum((np.ceil(own / r.columns["tokens_per_step"]) for _, own, r in parts), ZERO)
    _bill(result, seconds, None if watts is None else power.energy(watts, seconds), slow)
    return result


def _stretch(name: str, tokens: Column, result: Result) -> Stretch:
    """One stretch's tokens and time; no time where its own run has none."""
    rate, share = result.columns.get("tokens_per_second"), result.columns.get("effective_training_time")
    if rate is None or share is None:
        return Stretch(name, tokens, result, None, result.status)
    return Stretch(name, tokens, result, cost.time_to_train(tokens, rate, share), result.status)


def _forget(result: Result, settings: Sequence[str]) -> None:
    """Takes back results that depend on the whole run's time."""
    names = ("time_to_train", "gpu_hours", "cost", "cost_per_token", "energy", "carbon", "steps", "straggler_time")
    for name in (*names, "straggler_cost"):
        result.columns.pop(name, None)
    result.cost = ()
    result.lack((*names, "straggler_cost"), settings)

"""From a step to a run: failures and checkpoints, days, power, energy and cost, each as far as its inputs go."""

import numpy as np

from engine import cost, goodput, power
from engine.columns import ONE, ZERO, Column
from engine.result import DURATION_RESULTS, Result


def keep_going(result: Result) -> None:
    """Failures and checkpoints: the interval used, and the effective training time it leaves."""
    run, d, n = result.run, result.degrees, result.parameters
    if d is None or n is None:
        return
    size = goodput.checkpoint_size(n.total, run.states, run.checkpoint.weights)
    plan = result.goodput = goodput.plan(run, size, d.used)
    found = {
        "checkpoint_size": plan.size,
        "checkpoint_save": plan.pause,
        "checkpoint_interval": plan.used,
        "checkpoint_best": plan.best,
        "effective_training_time": plan.effective,
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
    columns |= {"time_to_train": seconds, "gpu_hours": cost.gpu_time(result.gpus, seconds)}
    _bill(result, seconds, None if watts is None else power.energy(watts[1], seconds))


def _bill(result: Result, seconds: Column, joules: Column | None) -> None:
    """Cost lines and their total; energy and carbon."""
    cluster, columns, tokens = result.run.cluster, result.columns, result.run.tokens
    assert result.gpus is not None and tokens is not None
    if joules is not None:
        columns["energy"] = joules
        if cluster.carbon_intensity is None:
            result.lack(("carbon",), ("cluster.carbon_intensity",))
        else:
            columns["carbon"] = power.carbon(joules, cluster.carbon_intensity)
    result.cost = cost.lines(result.run, result.gpus, seconds, joules)
    total = cost.total(result.cost)
    if total is None:
        result.lack(("cost", "cost_per_token"), ("cluster.price",))
        return
    columns |= {"cost": total, "cost_per_token": cost.cost_per_token(total, tokens)}

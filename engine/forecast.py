"""A run that is under way: finish and cost again, from the tokens that it has trained and the time that they took.

Symbols: D tokens done of N, B tokens a step, t seconds a step, E elapsed seconds, u useful share of the elapsed time.
"""

from dataclasses import dataclass

import numpy as np

from engine import cost, power
from engine.columns import ONE, Column
from engine.result import Result


@dataclass(frozen=True)
class Forecast:
    """What is left and what it comes to; seconds from the start, USD of the whole run."""

    done: Column
    step: Column  # t
    effective: Column  # u
    measured: bool  # whether u follows from the elapsed time, rather than being stated or predicted
    elapsed: Column
    remaining: Column
    seconds: Column
    cost: Column | None


def forecast(
    result: Result, done: Column, elapsed: Column | None, step: Column | None, effective: Column | None
) -> Forecast | None:
    """Remaining (N-D)/B t/u, whole E + remaining. u = (D/B) t/E (at most 1), else as stated, else as predicted.

    Without a measured t the predicted one is taken, without E the steps so far at u. None where N, B or t is unknown.
    """
    run, columns = result.run, result.columns
    t = step if step is not None else columns.get("step_time")
    size, planned = columns.get("tokens_per_step"), columns.get("effective_training_time")
    if run.tokens is None or size is None or t is None:
        return None
    useful = done / size * t
    measured = effective is None and elapsed is not None and bool(np.all(useful > 0))
    if measured:
        assert elapsed is not None
        u = np.minimum(useful / elapsed, 1.0)
    else:
        u = effective if effective is not None else planned if planned is not None else ONE
    passed = elapsed if elapsed is not None else useful / u
    remaining = np.maximum(run.tokens - done, 0.0) / size * t / u
    whole = passed + remaining
    return Forecast(done, t, u, measured, passed, remaining, whole, spent(result, whole))


def spent(result: Result, seconds: Column) -> Column | None:
    """Cost of the run if it takes so long, by the plan's own lines; None without a price."""
    if result.gpus is None:
        return None
    watts = result.columns.get("mean_power")
    joules = None if watts is None else power.energy(watts, seconds)
    return cost.total(cost.lines(result.run, result.gpus, seconds, joules))

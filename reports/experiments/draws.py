"""Draws of uncertain inputs, of the predictor's own error and of failures: seeded, the same for the same seed.

Every source has a generator of its own, spawned from the seed: first the predictor's, then that of failures, then one
for each input in its order. One more input at the end changes no draw of the others.
"""

from collections.abc import Mapping, Sequence
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsl.scenario import Axis
from dsl.schema import run_row
from dsl.values import counted
from engine.columns import Column
from reports.intervals import Ends

Generator = np.random.Generator
Z90 = 1.2815515655446004  # the 90th percentile of the standard normal distribution
AGAIN = 100  # times that draws at or below zero are drawn again


def generators(seed: int, count: int) -> list[Generator]:
    """Independent generators: the predictor's, that of failures, and one for each input."""
    return [np.random.Generator(np.random.PCG64(s)) for s in np.random.SeedSequence(seed).spawn(count)]


def of_memory(seed: int) -> Generator:
    """The generator of the predictor's error of memory, which the number of inputs does not change."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 1])))


def drawn(axis: Axis, random: Generator, count: int) -> Column:
    """Draws of one input; those at or below zero, or a share above one, are drawn again; counts are rounded."""
    own = axis.values[0]
    share = (row := run_row(axis.path)) is not None and row.holds == "share"
    values = _draw(own, random, count)
    for _ in range(AGAIN):
        wrong = (values <= 0) | (values > 1 if share else False)
        if not np.any(wrong):
            break
        values[wrong] = _draw(own, random, int(np.count_nonzero(wrong)))
    values = np.maximum(values, np.finfo(np.float64).tiny)
    return np.maximum(np.round(values), 1.0) if row is not None and counted(axis.path, row.holds) else values


def _draw(own: Mapping[str, Any], random: Generator, count: int) -> Column:
    name, a = str(own["distribution"]), own["arguments"]
    if name == "normal":
        return random.normal(a[0], a[1], count)
    if name == "triangular":
        return random.triangular(a[0], a[1], a[2], count)
    if name == "lognormal":
        return np.exp(random.normal(log(a[0]), log(a[1]), count))
    return random.uniform(a[0], a[1], count)


def ends(axis: Axis) -> tuple[float, float]:
    """Low and high of an input: the ends of a range, the 10th and 90th percentiles of a distribution.

    lognormal(median, factor): two thirds of the draws lie between median / factor and median x factor.
    """
    own = axis.values[0]
    name, a = str(own["distribution"]), own["arguments"]
    if name == "normal":
        return a[0] - Z90 * a[1], a[0] + Z90 * a[1]
    if name == "lognormal":
        return a[0] / a[1] ** Z90, a[0] * a[1] ** Z90
    if name == "triangular":
        return _triangular(0.1, a), _triangular(0.9, a)
    return float(a[0]), float(a[1])


def are_percentiles(axis: Axis) -> bool:
    """Whether the ends of an input are the 10th and 90th percentiles of its draws, and not the ends of its range."""
    return str(axis.values[0]["distribution"]) in ("normal", "lognormal", "triangular")


def _triangular(share: float, a: Sequence[float]) -> float:
    """Quantile of a triangular distribution with ends a[0], a[2] and its mode at a[1]."""
    low, mode, high = a
    turn = (mode - low) / (high - low)
    if share <= turn:
        return low + sqrt(share * (high - low) * (mode - low))
    return high - sqrt((1 - share) * (high - low) * (high - mode))


def predictor(random: Generator, ends: Ends, count: int) -> Column:
    """Measured over predicted, step time or memory: lognormal, its 10th and 90th percentiles the two ``ends``.

    All ones where the framework states no interval.
    """
    if ends is None or not 0 < ends[0] < ends[1]:
        return np.ones(count)
    low, high = ends
    center, width = (log(low) + log(high)) / 2, (log(high) - log(low)) / (2 * Z90)
    return np.exp(random.normal(center, width, count))


def failures(random: Generator, seconds: Column, mtbf: Column, lost: Column, restart: Column) -> Column:
    """Time to train over its expectation: the failures of a run are a Poisson process of rate 1 / mtbf.

    Each of K failures costs a restart and, uniformly, up to ``lost`` seconds of work since the last save; the run
    expects T / mtbf of them. The sum of K uniform losses is taken as normal with its mean and variance. A sample
    without a time, which cannot be built, keeps the factor 1.
    """
    expected = seconds / mtbf
    number: NDArray[np.int64] = random.poisson(np.minimum(np.where(np.isnan(expected), 0.0, expected), 1e12))
    spread = random.normal(0.0, 1.0, len(seconds)) * lost * np.sqrt(number / 12)
    loss, mean = number * (restart + lost / 2) + spread, expected * (restart + lost / 2)
    useful = np.maximum(seconds - mean, 0.0)
    total = useful + np.maximum(loss, 0.0)
    return np.where(np.isfinite(total) & (seconds > 0), total / (useful + mean), 1.0)

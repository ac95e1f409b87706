"""Zero-bubble H1: 1F1B whose weight gradients are made later, where the pipe would idle (Qi et al. 2023).

Symbols: passes.py. The backward b is split into its input half b - w, which the stage before waits for, and its
weight half w, which nobody waits for. Stage i makes weight gradients i micro-batches late.
Source: Qi et al. 2023 (ZB-H1); sends by simulation.
"""

import numpy as np

from engine.columns import ONE, Column
from engine.schedules.gpipe import chunk_times, partners, rules, share, upstream
from engine.schedules.passes import TWO, Pass, StageTimes, added, each, largest, round_trips, smallest

__all__ = [
    "bubble",
    "chunk_times",
    "exposed_sends",
    "in_flight",
    "partners",
    "passes",
    "rules",
    "share",
    "steady",
    "total",
    "upstream",
]


def passes(stage: int, stages: int, micro_batches: int, virtual_stages: int = 1) -> list[Pass]:
    """1F1B's order of F and B; the weight gradients of micro-batch k follow the backward of k + i."""
    warm = min(stages - stage - 1, micro_batches)
    order = [Pass("F", i) for i in range(warm)]
    for i in range(micro_batches):
        order += [Pass("F", warm + i)] if warm + i < micro_batches else []
        order.append(Pass("B", i, split=True))
        order += [Pass("W", i - stage)] if i >= stage else []
    return order + [Pass("W", i) for i in range(max(0, micro_batches - stage), micro_batches)]


def in_flight(stage: int, stages: int, micro_batches: Column, virtual_stages: int = 1) -> Column:
    """min(m, p) on every stage: what a weight gradient needs is kept until it is made."""
    return np.minimum(micro_batches, float(stages))


def bubble(
    stages: int,
    micro_batches: Column,
    virtual_stages: int = 1,
    forward: Column = ONE,
    backward: Column = TWO,
    weight: Column = ONE,
) -> Column:
    """[(p-1) max(f + max(0, i-w), i) + max(0, p-m) min(f, i, w)] / (m t) with i = b - w, the input half.

    For m >= p and w <= f, i this is (p-1)(t_f + t_b - t_w) / (m (t_f + t_b + t_w)), t_b the input half.
    Equal to the simulation for any f, i, w; the other cases are Tonnage's own (no published form).
    """
    fill, short = _idle(forward, backward - weight, weight)
    waiting: Column = np.maximum(0.0, stages - micro_batches) * short
    return ((stages - 1) * fill + waiting) / (micro_batches * (forward + backward))


def _idle(forward: Column, inputs: Column, weight: Column) -> tuple[Column, Column]:
    """What a stage adds to the idle time of the others, and what each micro-batch that m lacks adds to it."""
    fill = np.maximum(forward + np.maximum(0.0, inputs - weight), inputs)
    return fill, np.minimum(np.minimum(inputs, weight), forward)


def exposed_sends(times: StageTimes, micro_batches: Column, virtual_stages: int, send: Column) -> Column:
    """2 c [(p-1) + min(k, p-1)] + 2 max(0, k - p + 1) max(0, c - w/2), k = floor((m-1)(p-1)/p).

    As 1F1B, but once p weight gradients have been put off they fill the wait. Equal to the simulation where all
    stages are alike and w = b/2, otherwise an upper bound; no published form is known.
    """
    turns, edge = round_trips(times.stages, micro_batches), float(times.stages - 1)
    late = np.maximum(0.0, turns - edge) * np.maximum(0.0, send - 0.5 * smallest(times.weights))
    return 2.0 * send * (edge + np.minimum(turns, edge)) + 2.0 * late


def steady(times: StageTimes, micro_batches: Column, virtual_stages: int) -> Column:
    """m T + sum x - min x + max(0, p-m) max min(f, i, w).

    T = max f + max i + max w, x = max(f + max(0, i-w), i) of each stage. Exact where all stages are alike, otherwise
    an upper bound: up to 20 % high for stages that differ by +-20 %.
    """
    weights = times.weights
    inputs = each(np.subtract, times.backward, weights)
    fill = each(lambda f, i, w: _idle(f, i, w)[0], times.forward, inputs, weights)
    short = largest(each(lambda f, i, w: _idle(f, i, w)[1], times.forward, inputs, weights))
    pace = largest(times.forward) + largest(inputs) + largest(weights)
    waiting: Column = np.maximum(0.0, times.stages - micro_batches) * short
    return micro_batches * pace + added(fill) - smallest(fill) + waiting


def total(times: StageTimes, micro_batches: Column, virtual_stages: int, send: Column) -> Column:
    """The schedule with its exposed sends."""
    return steady(times, micro_batches, virtual_stages) + exposed_sends(times, micro_batches, virtual_stages, send)

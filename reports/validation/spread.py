"""How far a prediction may be off: the spread of measured over predicted of runs that the fit had not seen.

A stack with runs of three sources or more has a spread of its own; one with fewer takes that of all runs, wider by
half, since another site of it was never measured, and never narrower than its own runs.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.columns import Column, Flags
from reports.intervals import WIDER
from reports.validation import rows as table
from reports.validation.fit import Fit, weights

TAILS = (0.1, 0.9)
KIN = {"megatron-core": "nemo"}  # NeMo runs Megatron-Core: where the one was measured, the other was
SOURCES, ROWS = 3, 15  # from which a stack has a spread of its own


@dataclass(frozen=True)
class Spread:
    """Measured over predicted of four in five runs of a stack, and what these runs were."""

    stack: str
    low: float
    high: float
    rows: int
    sources: int
    gpus: tuple[str, ...]  # library names, most runs first
    largest: float  # GPUs of the largest run


def quantiles(values: Column, weight: Column) -> Column:
    """The 10th and the 90th percentile of weighted values."""
    order = np.argsort(values)
    place = np.cumsum(weight[order]) - 0.5 * weight[order]
    return np.asarray(np.interp(np.array(TAILS) * np.sum(weight), place, values[order]))


def ends(
    stacks: Sequence[str], sources: Sequence[str], logs: Column, weight: Column, stack: str
) -> tuple[Column, bool]:
    """Log of low and high of a stack by the runs given, and whether they are its own."""
    own: Flags = np.array([name == stack for name in stacks])
    enough = int(np.sum(own)) >= ROWS and len({s for s, here in zip(sources, own, strict=True) if here}) >= SOURCES
    if enough:
        return quantiles(logs[own], weight[own]), True
    return WIDER * quantiles(logs, weight), False


def _columns(found: Fit) -> tuple[list[str], list[str], Column, Column]:
    stacks = [table.stack_of(case.row) for case in found.cases]
    return stacks, [case.source for case in found.cases], -found.left_out, weights(found.cases)


def spreads(found: Fit) -> list[Spread]:
    """The spread of every stack that has runs."""
    stacks, sources, logs, weight = _columns(found)
    made = []
    for stack in sorted(set(stacks)):
        here = [i for i, name in enumerate(stacks) if name == stack]
        both, own = ends(stacks, sources, logs, weight, stack)
        if not own:
            seen = quantiles(logs[here], weight[here])
            both = np.array([min(both[0], seen[0]), max(both[1], seen[1])])
        rows = [case.row for case, name in zip(found.cases, stacks, strict=True) if name in (stack, KIN.get(stack))]
        gpus = Counter(str(table.gpu_of(row)) for row in rows)
        largest = max(table.number(row, "n_gpus") or 1.0 for row in rows)
        low, high = (math.exp(v) for v in both.tolist())
        count = len({sources[i] for i in here})
        made.append(Spread(stack, low, high, len(here), count, tuple(g for g, _ in gpus.most_common()), largest))
    return made


def coverage(found: Fit) -> float:
    """Share of runs inside the interval that the other sources' runs give their stack: 80 % if intervals are right."""
    stacks, sources, logs, weight = _columns(found)
    inside = 0
    for source in sorted(set(sources)):
        kept = [i for i, name in enumerate(sources) if name != source]
        others = [stacks[i] for i in kept], [sources[i] for i in kept], logs[kept], weight[kept]
        by_stack = {stack: ends(*others, stack)[0] for stack in set(stacks)}
        for i, name in enumerate(sources):
            low, high = by_stack[stacks[i]]
            inside += name == source and bool(low <= logs[i] <= high)
    return inside / len(sources)

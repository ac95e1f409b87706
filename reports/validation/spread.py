"""How far a prediction may be off: the spread of measured over predicted of runs that the fit had not seen.

A stack with 15 runs or more, of three sources or more, has a spread of its own; one with fewer takes that of all runs,
wider by half, since another site of it was never measured, and never narrower than its own runs. Every percentile is
weighted: a source of n rows weighs sqrt(n).

The rule is one for step times and memory. What a source is differs: a run at another site measures the time of a step
anew, while the memory of one configuration is the same wherever it runs (six sites of MLPerf's Llama-2-70B print
168.827 GiB). A source of memory is therefore a publisher. Predictions of memory are in-sample: its constants are those
of publications and issues, none was fitted, so none can be fitted without a source.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from engine.columns import Column, Flags
from reports import intervals
from reports.intervals import WIDER
from reports.validation import rows as table
from reports.validation.errors import predictions
from reports.validation.fit import Fit, weights_of
from reports.validation.kinds import MEMORY
from reports.validation.rows import Row

TAILS = (0.1, 0.9)
KIN = {"megatron-core": "nemo"}  # NeMo runs Megatron-Core: where the one was measured, the other was
SOURCES, ROWS = 3, 15  # from which a stack has a spread of its own


@dataclass(frozen=True)
class Runs:
    """Runs with log(measured / predicted). ``kind``: what the settings of a stack begin with that state its spread."""

    kind: str
    rows: tuple[Row, ...]  # in the columns of a table of runs
    sources: tuple[str, ...]
    logs: Column

    @cached_property
    def stacks(self) -> tuple[str, ...]:
        """The stack of every run."""
        return tuple(map(table.stack_of, self.rows))

    @cached_property
    def weight(self) -> Column:
        """What every run weighs."""
        return weights_of(self.sources)

    def where(self, kept: Flags) -> "Runs":
        """The runs that are kept."""
        places = np.flatnonzero(kept).tolist()
        rows, sources = tuple(self.rows[i] for i in places), tuple(self.sources[i] for i in places)
        return Runs(self.kind, rows, sources, self.logs[kept])

    def quantiles(self) -> Column:
        """The 10th and the 90th percentile, weighted, of log(measured / predicted)."""
        order = np.argsort(self.logs)
        weight = self.weight[order]
        place = np.cumsum(weight) - 0.5 * weight
        return np.asarray(np.interp(np.array(TAILS) * np.sum(weight), place, self.logs[order]))


@dataclass(frozen=True)
class Spread:
    """Measured over predicted of four in five runs of a stack, and what these runs were."""

    stack: str
    low: float
    high: float
    rows: int
    sources: int
    gpus: tuple[str, ...]  # library names, most runs first
    largest: float | None  # GPUs of the largest run

    def settings(self, kind: str) -> dict[str, Any]:
        """The spread as the library states it, by setting."""
        stated = {"low": self.low, "high": self.high, "rows": self.rows}
        more = {"on": self.gpus, "up_to": self.largest} if kind == "measured" else {}
        return {f"stack.{kind}_{name}": value for name, value in (stated | more).items()}


def times(found: Fit) -> Runs:
    """The step times of a fit, each predicted by the fit without its source."""
    return Runs(
        "measured", tuple(case.row for case in found.cases), tuple(case.source for case in found.cases), -found.left_out
    )


def peaks(rows: Sequence[Row]) -> Runs:
    """The published memory of a GPU that has a prediction, each of its publisher."""
    known = [row for row in rows if MEMORY.measured(row)]
    held = [(table.publisher(row), p) for row in known for p in predictions([row], MEMORY)]
    ratios = [(source, p.row, p.measured / p.predicted) for source, p in held if p.measured and p.predicted]
    sources, runs, apart = zip(*ratios, strict=True) if ratios else ((), (), ())
    return Runs("memory", runs, sources, np.log(np.array(apart)))


def ends(runs: Runs, stack: str) -> Column:
    """Log of low and high of a stack by the runs given."""
    own = runs.where(np.array([name == stack for name in runs.stacks]))
    if len(own.rows) >= ROWS and len(set(own.sources)) >= SOURCES:
        return own.quantiles()
    low, high = WIDER * runs.quantiles()
    least, most = own.quantiles() if own.rows else (low, high)
    return np.array([min(low, least), max(high, most)])


def spread(runs: Runs, stack: str) -> Spread:
    """The spread of one stack; of one without runs that of all."""
    low, high = (math.exp(v) for v in ends(runs, stack).tolist())
    own = [source for source, name in zip(runs.sources, runs.stacks, strict=True) if name == stack]
    like = [row for row, name in zip(runs.rows, runs.stacks, strict=True) if name in (stack, KIN.get(stack))]
    gpus = Counter(str(table.gpu_of(row)) for row in like)
    largest = max((table.number(row, "n_gpus") or 1.0 for row in like), default=None)
    return Spread(stack, low, high, len(own), len(set(own)), tuple(g for g, _ in gpus.most_common()), largest)


def spreads(runs: Runs) -> list[Spread]:
    """The spread of every stack that has runs."""
    return [spread(runs, stack) for stack in sorted(set(runs.stacks))]


def coverage(runs: Runs) -> float:
    """Share of runs inside the interval that a report prints, by a library made of the other sources' runs: 80 % if
    intervals are right. Wider where these have nothing like the run, as a report's is."""
    inside = 0
    for source in sorted(set(runs.sources)):
        own: Flags = np.array([name == source for name in runs.sources])
        others, left = runs.where(~own), runs.where(own)
        stated = {stack: spread(others, stack).settings(runs.kind) for stack in set(left.stacks)}
        for row, stack, log in zip(left.rows, left.stacks, left.logs.tolist(), strict=True):
            inside += within(runs.kind, stated[stack], row, log)
    return inside / len(runs.sources)


def within(kind: str, stated: dict[str, Any], row: Row, log: float) -> bool:
    """Whether a run lies inside the interval that a report prints of it with what a stack states."""
    settings = stated | {"cluster.gpu": table.gpu_of(row)}
    used = table.number(row, "n_gpus")
    printed = intervals.shares(settings, used) if kind == "measured" else intervals.memory(settings)
    return printed is not None and math.log(printed[0]) <= log <= math.log(printed[1])

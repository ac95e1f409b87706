"""The fit of the library's numbers on published runs, and how it predicts a source that it has not seen.

Residuals are log(predicted / measured). A source of n rows weighs sqrt(n) in all, so that a long table of one site does
not decide. One evaluation of a row takes all sets of numbers at once: a number is a column as any other of the engine.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import entries, layout, models
from engine.columns import Column, Flags
from engine.least_squares import Prior, fitted
from engine.read import read
from reports.validation import rows as table
from reports.validation.errors import GROUPS, Errors, Prediction, errors_of, grouped
from reports.validation.numbers import NUMBERS, Number
from reports.validation.rows import NOISE, Row
from reports.validation.settings import template
from reports.validation.step_time import left_out, settled

ROUNDS = 3
APART = 1e-3  # of a number's width: the step of its slope


@dataclass(frozen=True)
class Case:
    """One published run, ready to be evaluated again and again."""

    row: Row
    settings: dict[str, Any]
    measured: float  # log of seconds
    source: str
    publisher: str


@dataclass(frozen=True)
class Fit:
    """Fitted numbers, those of every fit with one source left out, and the errors of each source, and of each
    publisher, by the fit that had not seen it."""

    numbers: tuple[Number, ...]
    cases: tuple[Case, ...]
    values: Column
    folds: dict[str, Column]
    within: Column  # log(predicted / measured) by the fit on all rows
    left_out: Column
    publisher_left_out: Column  # NaN where all cases are of one publisher: nothing is left to fit on


def studied(row: Row) -> bool:
    """The rows fitted on: pre-training on GPUs, everything known (grade A), with a step time. 630 of the open ones."""
    known = row.get("grade") == "A" and row.get("task") == "pretrain" and not row.get("gpu", "").startswith("TPU")
    usable = known and not left_out(row) and table.measured_seconds(row) is not None
    return usable and table.gpu_of(row) is not None and not table.unreadable(row)


def cases_of(rows: Sequence[Row]) -> tuple[Case, ...]:
    """The studied rows with their settings; an unknown recomputation is settled once, by what fits in memory."""
    found = []
    for row in filter(studied, rows):
        seconds = table.measured_seconds(row)
        assert seconds is not None
        found.append(Case(row, settled(row)[0], math.log(seconds), table.source_of(row), table.publisher(row)))
    return tuple(found)


def stated(numbers: Sequence[Number] = NUMBERS) -> Column:
    """The values that the library states now."""
    return np.array([float(template(n.gpu, n.stack)[n.path]) for n in numbers])


def logs(case: Case, numbers: Sequence[Number], values: Column) -> Column:
    """Log of a case's seconds a step under several sets of numbers, one a row of ``values``."""
    settings, library = dict(case.settings), stated(numbers)
    for number, own, now in zip(numbers, values.T, library, strict=True):
        if number.applies(case.row):
            settings[number.path] = settings[number.path] * own / now
    run = read(settings)
    seconds = entries.step(run, layout.resolve(run), models.count(run.model)).seconds
    return np.log(np.broadcast_to(seconds, (len(values),)))


def predicted(cases: Sequence[Case], numbers: Sequence[Number], values: Column) -> Column:
    """Log of seconds, cases x sets of numbers."""
    return np.array([logs(case, numbers, values) for case in cases])


def slopes(cases: Sequence[Case], numbers: Sequence[Number], values: Column) -> tuple[Column, Column]:
    """Log of seconds at ``values``, and its slope by each number: one evaluation of every case."""
    apart = APART * np.array([n.width for n in numbers])
    found = predicted(cases, numbers, np.vstack([values, values + np.diag(apart)]))
    return found[:, 0], (found[:, 1:] - found[:, :1]) / apart


def prior(numbers: Sequence[Number]) -> Prior:
    """What the numbers were expected to be, and their bounds."""
    return Prior(*(np.array([getattr(n, name) for n in numbers]) for name in ("centre", "width", "low", "high")))


def weights_of(sources: Sequence[str]) -> Column:
    """1/sqrt(n) for a row of a source that has n, by the source of every row: the source weighs sqrt(n)."""
    counts = Counter(sources)
    return np.array([1.0 / math.sqrt(counts[source]) for source in sources])


def fit(cases: Sequence[Case], numbers: Sequence[Number] = NUMBERS, rounds: int = ROUNDS) -> Fit:
    """The numbers that fit all cases, and those that fit all but one source. ``rounds`` = 0 starts the latter from
    the library's values, with slopes taken there."""
    numbers, expected = tuple(numbers), prior(numbers)
    weight = weights_of([case.source for case in cases])
    measured = np.array([case.measured for case in cases])
    values = stated(numbers)
    logged, slope = slopes(cases, numbers, values)
    for _ in range(rounds):
        values = fitted(logged - measured, slope, values, weight, NOISE, expected)
        logged, slope = slopes(cases, numbers, values)
    within = logged - measured
    seen = Seen(logged - measured, slope, values, weight, expected)
    apart = [np.array([getattr(case, key) for case in cases]) for key in ("source", "publisher")]
    folds = {(key, name): names != name for key, names in enumerate(apart) for name in sorted(set(names))}
    made = unseen(cases, numbers, measured, folds, seen, 2 if rounds else 1)
    errors = [np.full(len(cases), np.nan) for _ in apart]
    for (key, name), (_, residuals) in made.items():
        own = ~folds[key, name]
        errors[key][own] = residuals[own]
    by_source = {name: own for (key, name), (own, _) in made.items() if key == 0}
    return Fit(numbers, tuple(cases), values, by_source, within, *errors)


@dataclass(frozen=True)
class Seen:
    """The fit on all cases: residuals, slopes and numbers, weights of the cases, and what was expected."""

    off: Column
    slope: Column
    values: Column
    weight: Column
    expected: Prior


Folds = dict[tuple[int, str], Flags]


def unseen(
    cases: Sequence[Case], numbers: Sequence[Number], measured: Column, folds: Folds, seen: Seen, rounds: int
) -> dict[tuple[int, str], tuple[Column, Column]]:
    """The numbers fitted on each fold's cases, and the residuals of all cases by them; none where no case is left."""
    made = {fold: (seen.values, seen.off) for fold, kept in folds.items() if np.any(kept)}
    for _ in range(rounds if made else 0):
        own = [
            fitted(off[kept], seen.slope[kept], at, seen.weight[kept], NOISE, seen.expected)
            for (at, off), kept in ((made[fold], folds[fold]) for fold in made)
        ]
        found = predicted(cases, numbers, np.array(own)) - measured[:, None]
        made = {fold: (own[i], found[:, i]) for i, fold in enumerate(made)}
    return made


def errors_left_out(found: Fit, residuals: Column, name: str = "all") -> Errors:
    """The errors of all rows where log(predicted / measured) is ``residuals``."""
    return errors_of(name, _predictions(found, residuals))


def _predictions(found: Fit, residuals: Column) -> list[Prediction]:
    return [
        Prediction(case.row, math.exp(case.measured + off), math.exp(case.measured))
        for case, off in zip(found.cases, residuals.tolist(), strict=True)
        if not math.isnan(off)
    ]


def errors_by_framework(found: Fit) -> list[Errors]:
    """Errors of the sources left out: of all rows, then by framework."""
    made = _predictions(found, found.left_out)
    return [errors_of("all", made), *grouped(made, GROUPS["framework"])]

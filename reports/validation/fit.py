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
from reports.validation.rows import NOISE, SOURCE, Row
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


@dataclass(frozen=True)
class Fit:
    """Fitted numbers, those of every fit with one source left out, and the errors of each source by the fit that had
    not seen it."""

    numbers: tuple[Number, ...]
    cases: tuple[Case, ...]
    values: Column
    folds: dict[str, Column]
    within: Column  # log(predicted / measured) by the fit on all rows
    left_out: Column


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
        found.append(Case(row, settled(row)[0], math.log(seconds), row.get("source", "")[:SOURCE]))
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
    names = np.array([case.source for case in cases])
    folds = dict.fromkeys(sorted(set(names)), values)
    off, errors = dict.fromkeys(folds, within), within.copy()
    for _ in range(2 if rounds else 1):
        for name, own in folds.items():
            kept: Flags = names != name
            folds[name] = fitted(off[name][kept], slope[kept], own, weight[kept], NOISE, expected)
        found = predicted(cases, numbers, np.array(list(folds.values()))) - measured[:, None]
        off = {name: found[:, i] for i, name in enumerate(folds)}
    for name, residuals in off.items():
        errors[names == name] = residuals[names == name]
    return Fit(numbers, tuple(cases), values, folds, within, errors)


def errors_by_framework(found: Fit) -> list[Errors]:
    """Errors of the sources left out: of all rows, then by framework."""
    made = [
        Prediction(case.row, math.exp(case.measured + off), math.exp(case.measured))
        for case, off in zip(found.cases, found.left_out.tolist(), strict=True)
    ]
    return [errors_of("all", made), *grouped(made, GROUPS["framework"])]

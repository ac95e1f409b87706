"""`scn fit`: the library's numbers on the open pre-training runs, each source predicted by a fit without it.

`tests/data/fit_runs.csv` holds the 630 rows of grade A that pre-train on GPUs and have a step time, of 34 sources (told
apart by the first 40 letters of where they were published): configuration and seconds a step, no prose. Accuracy limits
are those of the study that the structure follows, 6.0 % at the median and 15.5 % at the 90th percentile.
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.least_squares import Prior, fitted, soft_weights
from reports.commands.fit import as_json, as_text, at_bound
from reports.intervals import WIDER, intervals
from reports.validation.fit import Fit, cases_of, errors_by_framework, fit, slopes, stated, studied
from reports.validation.numbers import NUMBERS
from reports.validation.rows import SOURCE, read
from reports.validation.settings import template
from reports.validation.spread import coverage, spreads
from tests.test_render import call

DATA = Path(__file__).resolve().parent / "data"
ROWS = read(DATA / "fit_runs.csv")
FREE = Prior(np.array([0.0, 0.0]), np.array([1e3, 1e3]), np.array([-9.0, -9.0]), np.array([9.0, 9.0]))


@pytest.fixture(scope="module")
def found() -> Fit:
    """Every source left out once, by one step of the fit from the library's values and their slopes."""
    return fit(cases_of(ROWS), rounds=0)


def test_the_rows_are_those_of_the_study() -> None:
    assert sum(map(studied, ROWS)) == len(ROWS) == 630
    assert len({row["source"][:SOURCE] for row in ROWS}) == 34


@pytest.mark.slow
def test_sources_left_out_are_within_the_studys_limits(found: Fit) -> None:
    every, *groups = errors_by_framework(found)
    assert every.n == 630 and every.failed == 0
    assert every.median_abs is not None and every.median_abs <= 0.06
    assert every.p90_abs is not None and every.p90_abs <= 0.155
    assert every.bias is not None and abs(every.bias) < 0.02
    assert sum(group.n for group in groups) == 630


@pytest.mark.slow
def test_each_fold_is_a_fit_without_its_source(found: Fit) -> None:
    """A source that is left out moves the numbers; a fit that had seen it would be nearer to it."""
    assert len(found.folds) == 34
    moved = [np.max(np.abs(values - found.values)) for values in found.folds.values()]
    assert sum(m > 0 for m in moved) == 34
    assert np.mean(np.abs(found.left_out)) > np.mean(np.abs(found.within))


@pytest.mark.slow
def test_the_librarys_numbers_are_where_the_fit_leaves_them(found: Fit) -> None:
    """No left-out fit is far from the library's value, and none stands on a bound."""
    for i, number in enumerate(NUMBERS):
        folds = np.array([values[i] for values in found.folds.values()])
        assert np.median(folds) == pytest.approx(found.values[i], rel=0.12), number.name
        assert not any(at_bound(number, float(v)) for v in folds), number.name


@pytest.mark.slow
def test_intervals_hold_four_in_five_of_the_sources_they_have_not_seen(found: Fit) -> None:
    assert 0.75 <= coverage(found) <= 0.85
    for spread in spreads(found):
        stack = template("h100-sxm", spread.stack)
        assert stack["stack.measured_low"] == pytest.approx(spread.low, abs=0.015), spread.stack
        assert stack["stack.measured_high"] == pytest.approx(spread.high, rel=0.015), spread.stack
        assert (stack["stack.measured_rows"], stack["stack.measured_up_to"]) == (spread.rows, spread.largest)
        assert set(stack["stack.measured_on"]) == set(spread.gpus)


@pytest.mark.slow
def test_the_command_says_all_of_it(found: Fit) -> None:
    from datetime import date

    given = as_json(found, stated(), date(2026, 11, 29))
    assert len(given["numbers"]) == len(NUMBERS) <= 16 and given["sources"] == 34
    assert all(n["bounds"][0] <= n["spread"][0] <= n["spread"][1] <= n["bounds"][1] for n in given["numbers"])
    text = as_text(found, stated(), date(2026, 11, 29))
    assert "14 numbers fitted on 630 runs of 34 sources, 2026-11-29" in text and "nemo tensor_hidden" in text


@pytest.mark.slow
def test_scn_fit_runs_on_a_table(tmp_path: Path) -> None:
    chosen = [ROWS[0], *ROWS[140:146], *ROWS[300:306]]
    file = tmp_path / "runs.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, [*chosen[0]])
        table.writeheader()
        table.writerows(chosen)
    done = call("scn", "fit", str(file), "--format", "json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert json.loads(done.out)["rows"] == len(chosen)


def test_no_number_serves_one_row_and_slopes_are_derivatives() -> None:
    assert all(sum(n.applies(row) for row in ROWS) > 10 for n in NUMBERS)
    assert all(len({row["source"][:SOURCE] for row in ROWS if n.applies(row)}) > 1 for n in NUMBERS)
    cases = cases_of(ROWS[:1])
    values = stated()
    at, slope = slopes(cases, NUMBERS, values)
    more = values.copy()
    more[0] *= 1.001
    assert slopes(cases, NUMBERS, more)[0] - at == pytest.approx(slope[:, 0] * 0.001 * values[0], rel=0.02)
    assert slope[0, 0] < 0  # a faster clock takes less time


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(50, 500))
def test_a_line_is_found_whatever_a_few_points_say(a: float, b: float, wild: float) -> None:
    x = np.linspace(0, 1, 40)
    slopes_ = np.stack([np.ones_like(x), x], axis=1)
    noise = np.zeros(40)
    noise[[3, 17]] = wild
    start = np.zeros(2)
    best = fitted(-(a + b * x + noise), slopes_, start, np.ones(40), 0.05, FREE)
    assert best == pytest.approx([a, b], abs=0.05)


def test_a_bound_holds_and_the_rest_is_fitted_on() -> None:
    x = np.linspace(0, 1, 20)
    tight = Prior(FREE.centre, FREE.width, np.array([-9.0, -9.0]), np.array([9.0, 0.5]))
    slopes_ = np.stack([np.ones_like(x), x], axis=1)
    best = fitted(-(1.0 + 2.0 * x), slopes_, np.zeros(2), np.ones(20), 10.0, tight)
    assert best[1] == 0.5 and best[0] == pytest.approx(1.0 + 1.5 * 0.5, abs=1e-3)


def test_a_far_residual_weighs_less() -> None:
    near, far = soft_weights(np.array([0.0, 0.6]), np.ones(2), 0.06)
    assert near / far == pytest.approx(np.sqrt(101))


def test_an_interval_is_wider_where_nothing_like_it_was_measured() -> None:
    stack = {"stack.measured_low": 0.9, "stack.measured_high": 1.2, "stack.measured_on": ("a",), "cluster.gpu": "a",
             "stack.measured_up_to": 100.0}  # fmt: skip
    results = {"step_time": 10.0, "used_gpus": 200.0}
    known = intervals(stack, results)
    assert known is not None and known["step_time"] == pytest.approx({"low": 9.0, "high": 12.0})
    wide = pytest.approx({"low": 10 * 0.9**WIDER, "high": 10 * 1.2**WIDER})
    for other, counted in ((stack | {"cluster.gpu": "b"}, results), (stack, results | {"used_gpus": 201.0})):
        found = intervals(other, counted)
        assert found is not None and found["step_time"] == wide

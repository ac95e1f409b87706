"""`scn fit`: the library's numbers on the open pre-training runs, each source predicted by a fit without it.

`tests/data/fit_runs.csv` holds the 630 rows of grade A that pre-train on GPUs and have a step time, of 34 sources (told
apart by the first 40 letters of where they were published): configuration and seconds a step, no prose. Accuracy limits
are those of the study that the structure follows, 6.0 % at the median and 15.5 % at the 90th percentile.
"""

import csv
import json
import re
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.least_squares import Prior, fitted, soft_weights
from reports.commands.fit import as_json, as_text, at_bound
from reports.intervals import WIDER, intervals
from reports.validation.errors import predictions
from reports.validation.fit import Fit, cases_of, errors_by_framework, errors_left_out, fit, slopes, stated, studied
from reports.validation.numbers import NUMBERS
from reports.validation.rows import SOURCE, publisher, read
from reports.validation.settings import template
from reports.validation.spread import ROWS as SHARED
from reports.validation.spread import Runs, coverage, peaks, spread, spreads, times, within
from reports.validation.stated import TIMES
from tests.test_render import call
from tools import consoles

DATA = Path(__file__).resolve().parent / "data"
ROWS = read(DATA / "fit_runs.csv")
FREE = Prior(np.array([0.0, 0.0]), np.array([1e3, 1e3]), np.array([-9.0, -9.0]), np.array([9.0, 9.0]))


@pytest.fixture(scope="module")
def found() -> Fit:
    """Every source left out once, by one step of the fit from the library's values and their slopes."""
    return fit(cases_of(ROWS), rounds=0)


def test_the_rows_are_those_of_the_study() -> None:
    assert sum(map(studied, ROWS)) == len(ROWS) == 630
    assert len({row["source"][:SOURCE] for row in ROWS}) == TIMES.sources == 34 and TIMES.rows == 630


@pytest.mark.slow
def test_sources_left_out_are_within_the_studys_limits(found: Fit) -> None:
    every, *groups = errors_by_framework(found)
    assert every.n == 630 and every.failed == 0
    assert every.median_abs is not None and every.median_abs <= 0.06
    assert every.p90_abs is not None and every.p90_abs <= 0.155
    assert every.bias is not None and abs(every.bias) < 0.02
    assert sum(group.n for group in groups) == 630
    assert (every.median_abs, every.p90_abs) == pytest.approx((TIMES.median, TIMES.p90), abs=0.006)


@pytest.mark.slow
def test_publishers_left_out_with_all_their_sources(found: Fit) -> None:
    """Fits that lack a publisher know less than those that lack one of its pages; half of the rows are NVIDIA's."""
    counts = {name: sum(c.publisher == name for c in found.cases) for name in {c.publisher for c in found.cases}}
    assert len(counts) == 11 and counts["NVIDIA"] == 313 and counts["mosaicml"] == 134
    every, sources = (errors_left_out(found, r) for r in (found.publisher_left_out, found.left_out))
    assert every.n == 630 and every.median_abs is not None and every.p90_abs is not None
    assert 0.045 <= every.median_abs <= 0.06 and 0.15 <= every.p90_abs <= 0.175
    assert sources.p90_abs is not None and every.p90_abs > sources.p90_abs
    single = [i for i, c in enumerate(found.cases) if c.publisher == "mosaicml"]  # one page: left out alike
    assert found.publisher_left_out[single] == pytest.approx(found.left_out[single])


def test_a_single_publisher_has_nobody_else_to_be_predicted_by() -> None:
    rows = [next(r for r in ROWS if r["source"].startswith(name)) for name in ("NVIDIA/NeMo", "NVIDIA/dgxc")]
    made = fit(cases_of(rows), rounds=0)
    assert np.all(np.isnan(made.publisher_left_out)) and not np.any(np.isnan(made.left_out))
    assert as_json(made, stated(), date(2026, 11, 29))["publisher_left_out"]["median_abs"] is None
    assert "all sources are one publisher's" in as_text(made, stated(), date(2026, 11, 29))


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
    """80.5 % of the intervals as a report prints them, also wider ones where nothing like the run was measured."""
    runs = times(found)
    assert coverage(runs) == pytest.approx(0.805, abs=0.015)
    for own in spreads(runs):
        stack = template("h100-sxm", own.stack)
        assert stack["stack.measured_low"] == pytest.approx(own.low, abs=0.015), own.stack
        assert stack["stack.measured_high"] == pytest.approx(own.high, rel=0.015), own.stack
        assert (stack["stack.measured_rows"], stack["stack.measured_up_to"]) == (own.rows, own.largest)
        assert set(stack["stack.measured_on"]) == set(own.gpus)


@pytest.mark.slow
def test_intervals_of_memory_follow_the_same_rule() -> None:
    """Of 162 peaks of five publishers 79 % lie inside the interval by the other four; no framework has three."""
    runs = peaks(read(DATA / "memory.csv"))
    assert (len(runs.rows), len(set(runs.sources))) == (162, 5)
    assert coverage(runs) == pytest.approx(0.79, abs=0.02)
    for name in ("megatron-core", "nemo", "megatron-2021", "megatron-deepspeed", "deepspeed", "torch-fsdp2",
                 "torchtitan", "torchtitan-2024", "nanotron", "llm-foundry", "jax-maxtext"):  # fmt: skip
        stack, own = template("h100-sxm", name), spread(runs, name)
        assert stack["stack.memory_low"] == pytest.approx(own.low, abs=0.006), name
        assert stack["stack.memory_high"] == pytest.approx(own.high, abs=0.006), name
        assert stack["stack.memory_rows"] == own.rows, name


@pytest.mark.slow
def test_runs_that_are_not_fully_published_lie_less_often_inside() -> None:
    """Of 257 open runs of grade B or C 57 %, of the 139 among them that pre-train on GPUs 71 %."""
    known = [p for p in predictions(read(DATA / "other_runs.csv")) if p.low and p.high and p.measured]
    gpus = [p for p in known if p.row["task"] == "pretrain" and not p.row["gpu"].startswith("TPU")]
    assert {p.row["grade"] for p in known} == {"B", "C"}
    assert (len(known), len(gpus)) == (257, 139)
    for own, share in ((known, 0.57), (gpus, 0.71)):
        inside = sum(p.low <= p.measured <= p.high for p in own if p.low and p.high and p.measured)
        assert inside / len(own) == pytest.approx(share, abs=0.02)


def test_a_stack_has_a_spread_of_its_own_from_15_runs_of_three_sources_on() -> None:
    """Fifteen runs 10 % slow; with two sources, or 14 runs, the ends of all runs widen to it: exp(1.5 log 1.1)."""
    row = {"framework": "llm-foundry", "gpu": "H100-SXM-80GB", "n_gpus": "8"}
    logs = np.full(SHARED, np.log(1.1))
    for count, names, high in ((SHARED, "abc", 1.1), (SHARED, "ab", 1.1**WIDER), (SHARED - 1, "abc", 1.1**WIDER)):
        runs = Runs("measured", (row,) * count, tuple(names[i % len(names)] for i in range(count)), logs[:count])
        own = spread(runs, "llm-foundry")
        assert (own.rows, own.sources, own.gpus, own.largest) == (count, len(names), ("h100-sxm",), 8.0)
        assert own.high == pytest.approx(high)


def test_a_percentile_weighs_a_source_of_n_rows_by_its_root() -> None:
    """Nine equal rows of one source weigh 3 of 4, the row of another 1: it is the 90th percentile, place 3.6 of 4. Were
    every row a source, the 90th percentile would stand half-way between the last two, place 9 of 10."""
    logs = np.array([0.0] * 9 + [1.0])
    runs = Runs("measured", ({},) * 10, ("a",) * 9 + ("b",), logs)
    assert runs.weight == pytest.approx([1 / 3] * 9 + [1.0])
    assert runs.quantiles() == pytest.approx([0.0, 1.0])
    assert Runs("measured", ({},) * 10, tuple("abcdefghij"), logs).quantiles() == pytest.approx([0.0, 0.5])


def test_coverage_is_of_the_interval_that_a_report_prints() -> None:
    """A run on a GPU that the others have not is held against the wider interval: 1.3 lies inside 1.2 to the 1.5."""
    h100 = {"framework": "NeMo", "gpu": "H100-SXM-80GB", "n_gpus": "8"}
    ends = {"stack.measured_low": 0.9, "stack.measured_high": 1.2, "stack.measured_on": ("h100-sxm",)}
    assert not within("measured", ends, h100, float(np.log(1.3)))
    assert within("measured", ends, h100 | {"gpu": "H200"}, float(np.log(1.3)))
    assert within("measured", ends | {"stack.measured_up_to": 3.0}, h100, float(np.log(1.3)))


def test_a_publisher_is_the_first_name_of_a_source() -> None:
    sources = {"mlcommons/training_results_v5.1: Cisco/results": "mlcommons", "pytorch/torchtitan: x": "pytorch",
               "huggingface.co nanotron/old_bench": "huggingface.co",
               "NVIDIA-NeMo/Megatron-Bridge": "NVIDIA"}  # fmt: skip
    assert [publisher({"source": source}) for source in sources] == list(sources.values())


@pytest.mark.slow
def test_the_command_says_all_of_it(found: Fit) -> None:
    given = as_json(found, stated(), date(2026, 11, 29))
    assert len(given["numbers"]) == len(NUMBERS) <= 16 and given["sources"] == 34
    assert all(n["bounds"][0] <= n["spread"][0] <= n["spread"][1] <= n["bounds"][1] for n in given["numbers"])
    text = as_text(found, stated(), date(2026, 11, 29), peaks(read(DATA / "memory.csv")))
    assert "% of 162 published peaks of memory, predicted in-sample, lie inside the intervals" in text
    assert "14 numbers fitted on 630 runs of 34 sources, 2026-11-29" in text and "nemo tensor_hidden" in text
    page = (DATA.parents[1] / "docs" / "right.md").read_text("utf-8")
    (block,) = [block for block in consoles.blocks(page) if "long" in block.marks]
    (command,) = consoles.commands(block.text)
    assert command.text.startswith("scn fit tests/data/fit_runs.csv") and len(command.shown) > 15
    lines = {re.sub(r"-?[0-9.]+%", "%", line).split("  ")[0]: line for line in reversed(text.split("\n")) if line}
    for shown in filter(None, command.shown[2:-3]):  # the page has the whole fit, this one step of it
        theirs, ours = re.findall(r"(-?[0-9.]+)%", shown), re.findall(r"(-?[0-9.]+)%", lines[shown.split("  ")[0]])
        assert [float(n) for n in theirs] == pytest.approx([float(n) for n in ours], abs=0.25), shown


@pytest.mark.slow
def test_scn_fit_runs_on_a_table(tmp_path: Path) -> None:
    chosen = [ROWS[0], *ROWS[140:146], *ROWS[300:306]]
    file = tmp_path / "runs.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, [*chosen[0]])
        table.writeheader()
        table.writerows(chosen)
    done = call("scn", "fit", str(file), "--memory", str(DATA / "memory.csv"), "--format", "json", cwd=tmp_path)
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["rows"] == len(chosen)
    assert sum(own["rows"] for own in told["memory_spreads"]) == 162
    assert 0.7 < told["memory_coverage"] < 0.9
    wrong = call("scn", "fit", str(file), "--memory", str(file), cwd=tmp_path)
    assert wrong.code == 2 and "Traceback" not in wrong.err


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

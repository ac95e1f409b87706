"""Limits that a prediction meets and that its interval, or what was measured, breaks."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.acceptance.required import high_end
from reports.document import NO_RUN
from reports.doubts import doubts, of_point, refuted, told
from reports.intervals import basis
from reports.prose import verdict_heading
from reports.summary import verdict

DAY, GIB, NB = 86400.0, 2.0**30, "\u00a0"
ENDS = {"time_to_train": (59.1 * DAY, 95.2 * DAY), "mfu": (0.20, 0.32)}


def limit(days: float, op: str = "<=") -> dict[str, Any]:
    return {"name": "time_to_train", "op": op, "value": days * DAY}


@pytest.mark.parametrize(
    ("own", "why"),
    [(limit(80), "inside"), (limit(100), ""), (limit(50), "beyond"), (limit(50, ">="), ""), (limit(60, ">="), "inside"),
     ({"name": "mfu", "op": ">=", "value": 0.3}, "inside"), ({"name": "mfu", "op": ">=", "value": 0.4}, "beyond"),
     ({"name": "cost", "op": "<=", "value": 1e6}, "")],
)  # fmt: skip
def test_where_a_limit_lies_to_the_interval(own: dict[str, Any], why: str) -> None:
    found = doubts([own], ENDS)
    assert [d["why"] for d in found] == ([why] if why else [])
    assert refuted(found) is (why == "beyond")


def test_what_was_measured_says_more_than_the_interval() -> None:
    (found,) = doubts([{"name": "step_time", "op": "<=", "value": 60.0}], {"step_time": (56.1, 63.4)},
                      [("step_time", 63.5)])  # fmt: skip
    assert found["why"] == "measured" and refuted([found])
    assert told([found]) == [f"Measured, its step time is 63.500{NB}s, over the limit of 60.000{NB}s"]
    assert doubts([{"name": "step_time", "op": "<=", "value": 64.0}], {}, [("step_time", 63.5)]) == []


def test_limits_are_named_once_each_in_one_sentence() -> None:
    ends = ENDS | {"cost": (15e6, 24.2e6)}
    rows = doubts([limit(80), limit(80), None, {"name": "cost", "op": "<=", "value": 20e6}], ends)
    (said,) = told(rows)
    assert said == (
        "These limits lie inside the interval of the prediction and may be missed: "
        f"time to train ≤{NB}80.0{NB}days and cost ≤{NB}20.00{NB}M$"
    )


@given(st.floats(0.5, 1.0), st.floats(1.0, 2.0), st.floats(0.3, 3.0))
def test_a_limit_that_holds_is_in_doubt_only_where_an_end_breaks_it(low: float, high: float, bound: float) -> None:
    found = doubts([{"name": "cost", "op": "<=", "value": bound}], {"cost": (low, high)})
    assert bool(found) is (high > bound)
    assert refuted(found) is (low > bound)


def run_of(**changed: Any) -> dict[str, Any]:
    """A run that meets 80 days and fits its GPU."""
    ends = {
        "time_to_train": {"low": 59.1 * DAY, "high": 70 * DAY},
        "memory_per_gpu": {"low": 60 * GIB, "high": 70 * GIB},
    }
    holds = {"require": "time_to_train <= 80 days", "holds": True, "limit": limit(80)}
    return NO_RUN | {"verdicts": [holds], "intervals": ends, "settings": {"cluster.gpu.memory": 79.6 * GIB}} | changed


def heading(point: dict[str, Any]) -> tuple[str, str, str]:
    found = verdict([point], 0)
    return (found["word"], *verdict_heading(found, 0, point["status"]))


def test_a_recommendation_says_on_what_it_depends() -> None:
    assert heading(run_of()) == ("recommended", "pass", "Recommended")
    wide = {"time_to_train": {"low": 59.1 * DAY, "high": 95.2 * DAY}}
    assert heading(run_of(intervals=wide)) == (
        "recommended_with_conditions", "warn", f"Recommended, with one{NB}limit that may be missed"
    )  # fmt: skip
    late = {"time_to_train": {"low": 81 * DAY, "high": 95.2 * DAY}}
    assert heading(run_of(intervals=late))[0] == "not_decided"
    measured = [{"name": "time_to_train", "value": 82 * DAY}]
    assert heading(run_of(measured=measured))[0] == "not_decided"


def test_memory_whose_upper_end_is_over_the_gpu_is_a_condition() -> None:
    full = run_of(settings={"cluster.gpu.memory": 65 * GIB})
    assert [d["why"] for d in of_point(full)] == ["fits the GPU's memory"]
    assert heading(full)[0] == "recommended_with_conditions"
    assert "upper end of its interval, 70.0" in verdict([full], 0)["sentences"][-1]


def test_two_of_two_are_both() -> None:
    twice = run_of()["verdicts"] * 2
    assert verdict([run_of(verdicts=twice)], 0)["sentences"][0] == "Both requirements are met"
    assert verdict([run_of()], 0)["sentences"][0] == "Its requirement is met"
    assert verdict([run_of(verdicts=twice + twice[:1])], 0)["sentences"][0] == "All 3 requirements are met"


def test_a_framework_without_runs_of_its_own_claims_none() -> None:
    """What the sheet says of the interval of a library's framework that copies another."""
    stated = [{"path": f"stack.measured_{end}", "origin": "library"} for end in ("low", "high")]
    run = {"settings": {}, "results": {"used_gpus": 8.0}, "inputs": stated, "intervals": {"step_time": {}}}
    assert high_end(basis(run), "copy") == (
        "the high end of the interval: no published run of copy is known, so it is that of the frameworks closest to it"
    )
    own = run | {"settings": {"stack.measured_rows": 22.0}}
    assert high_end(basis(own), "own") == (
        "the high end of the interval: nine in ten of 22 published runs of own took no more"
    )

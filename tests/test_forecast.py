"""A run under way: its finish and cost again, with numbers that follow by hand."""

from types import SimpleNamespace
from typing import Any

import pytest

from dsl.files import load_text
from dsl.problems import show
from dsl.resolve import resolve
from engine import forecast
from engine.columns import column
from engine.metrics import METRICS
from reports.document import build
from reports.imports.asked import Asked, Given, Plan
from reports.imports.logs import logs

NAMES = {m.name: m.dimension for m in METRICS}
PLAN = """edition 2026
import "library/fabrics.scn"
import "library/models.scn"
cluster mine from h100-rail { nodes = 16, price = $2/gpu-hour, mtbf = 100 hours }
run base {
  model = llama-3-8b
  cluster = mine
  batch = 256 sequences
  tokens = 1T tokens
  layout { tensor = 8, pipeline = 2 }
  ACTUAL
}
report "R" { start = "2026-08-01" }
"""
STEP = 256 * 8192  # tokens


def progress(actual: str) -> Any:
    """The document's forecast of the plan with an `actual` block."""
    scenario, problems = resolve(load_text(PLAN.replace("ACTUAL", actual)), NAMES)
    assert not problems, show(problems, {})
    return build(scenario)["experiments"][0]["points"][0]["progress"]


def test_finish_and_cost_follow_from_tokens_days_and_step_time() -> None:
    """20 days for 400 of 1,000 B tokens: 30 more, 50 in all; 128 GPUs at $2 an hour are $307,200."""
    found = progress('actual { tokens = 400B tokens, date = "2026-08-21", step_time = 3 s }')
    assert found["elapsed"] == 20 * 86_400 and found["started"] == "2026-08-01"
    assert found["effective"] == pytest.approx(400e9 / STEP * 3 / (20 * 86_400), rel=1e-9)
    assert found["remaining"] == pytest.approx(30 * 86_400, rel=1e-9)
    assert found["time_to_train"] == pytest.approx(50 * 86_400, rel=1e-9)
    assert found["finish"] == "2026-09-20"
    assert found["cost"] == pytest.approx(128 * 2 * 50 * 24, rel=1e-9)


def test_a_stated_useful_share_wins_over_the_days() -> None:
    """At 3 s a step and 90 % the other 600 B tokens take 600e9/2,097,152 x 3/0.9 seconds."""
    found = progress('actual { tokens = 400B tokens, date = "2026-08-21", step_time = 3 s, effective = 90% }')
    assert found["effective_from"] == "stated"
    assert found["remaining"] == pytest.approx(600e9 / STEP * 3 / 0.9, rel=1e-9)


def test_a_run_that_does_as_planned_is_forecast_as_planned() -> None:
    found = progress("actual { tokens = 400B tokens }")
    assert found["effective_from"] == "plan" and found["finish"] is None
    assert found["time_to_train"] == pytest.approx(found["planned_time_to_train"], rel=1e-6)
    assert found["cost"] == pytest.approx(found["planned_cost"], rel=1e-6)


def test_tokens_beyond_the_plan_leave_nothing() -> None:
    found = progress("actual { tokens = 2T tokens, elapsed = 10 days }")
    assert found["remaining"] == 0 and found["time_to_train"] == 10 * 86_400


def test_without_tokens_there_is_no_forecast() -> None:
    assert forecast.forecast(build_result("tokens = 1T tokens", ""), column(1e9), None, None, None) is None
    assert progress("") is None


def build_result(old: str, new: str) -> Any:
    from reports.document import evaluated

    scenario, _ = resolve(load_text(PLAN.replace("ACTUAL", "").replace(old, new)), NAMES)
    return evaluated(scenario.runs[0])


def test_a_log_of_the_plans_run_forecasts_it() -> None:
    """300 steps of 3 s in 1,000 s: a useful share of 90 %, which the remaining steps keep."""
    line = (
        " [2026-08-01 {at}] iteration {i:8}/ 476837 | consumed samples: {n:12} | elapsed time per iteration (ms): "
        "3000.0 | learning rate: 1.0E-06 | global batch size:   256 |\n"
    )
    text = "".join(
        line.format(at=f"00:{int(i * 10 / 3) // 60:02}:{int(i * 10 / 3) % 60:02}", i=i, n=256 * i) for i in range(301)
    )
    plain = PLAN.replace("ACTUAL", "")
    scenario, _ = resolve(load_text(plain), NAMES)
    from engine.read import read

    plan = Plan("plan.scn", scenario.runs[0], read(scenario.runs[0].plain()))
    made = logs(Asked((Given("run.log", text.encode()),), plan=plan))
    assert "0.1% of the tokens are trained; at this pace the run takes 18.4 days (plan " in made.said[0]
    block = made.text[made.text.index("actual {") :].rsplit("}", 2)[0] + "}"
    found = progress(block)
    assert (found["tokens"], found["elapsed"]) == (300 * STEP, 1000)
    assert found["effective"] == pytest.approx(0.9, rel=1e-9)
    assert found["time_to_train"] == pytest.approx(1e12 / STEP * 3 / 0.9, rel=1e-6)


def told(**given: float) -> list[float | None]:
    """What is left of 1,000 tokens at 10 a step of 3 s, planned to be useful for 0.8 of the time."""
    columns = {"step_time": column(3), "tokens_per_step": column(10), "effective_training_time": column(0.8)}
    result: Any = SimpleNamespace(run=SimpleNamespace(tokens=column(1000)), columns=columns, gpus=None)
    asked = [None if given.get(x) is None else column(given[x]) for x in ("elapsed", "step", "effective")]
    found = forecast.forecast(result, column(given["done"]), *asked)
    assert found is not None and found.cost is None
    values = (found.step, found.effective, found.elapsed, found.remaining, found.seconds)
    return [float(found.measured), *(float(x[0]) for x in values)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"done": 400}, [0, 3, 0.8, 150, 225, 375]),
        ({"done": 400, "effective": 0.5}, [0, 3, 0.5, 240, 360, 600]),
        ({"done": 400, "step": 4}, [0, 4, 0.8, 200, 300, 500]),
        ({"done": 400, "elapsed": 480}, [1, 3, 0.25, 480, 720, 1200]),
        ({"done": 400, "elapsed": 60}, [1, 3, 1, 60, 180, 240]),  # no more than all of the time is useful
        ({"done": 400, "elapsed": 480, "effective": 0.5}, [0, 3, 0.5, 480, 360, 840]),
        ({"done": 0, "elapsed": 480}, [0, 3, 0.8, 480, 375, 855]),  # nothing done says nothing about the share
        ({"done": 2, "elapsed": 2}, [1, 3, 0.3, 2, 998, 1000]),
        ({"done": 1200}, [0, 3, 0.8, 450, 0, 450]),
    ],
)
def test_what_is_left_by_hand(given: dict[str, float], expected: list[float]) -> None:
    assert told(**given) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("name", ["step_time", "tokens_per_step"])
def test_without_a_step_or_its_tokens_there_is_no_forecast(name: str) -> None:
    columns = {"step_time": column(3), "tokens_per_step": column(10)}
    result: Any = SimpleNamespace(run=SimpleNamespace(tokens=column(1000)), gpus=None,
                                  columns={k: v for k, v in columns.items() if k != name})  # fmt: skip
    assert forecast.forecast(result, column(400), None, None, None) is None
    unplanned: Any = SimpleNamespace(run=result.run, gpus=None, columns=columns)
    found = forecast.forecast(unplanned, column(400), None, None, None)
    assert found is not None and (found.effective.tolist(), found.seconds.tolist()) == ([1], [300])

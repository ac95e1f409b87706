"""The waterfall figure: whole whatever the bars are, in the order of the causes, summing to the difference."""

import math

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reports import figures, style
from reports.figures.waterfall import CAUSES, MOST, REST, WaterfallData, draw, from_experiment, gathered, running
from tests.test_figures import whole

NAMES = st.text(st.characters(codec="utf-8"), max_size=40)
AMOUNTS = st.floats(-1e9, 1e9) | st.sampled_from([0.0, 1e-12, -1e-12])
BARS = st.lists(st.tuples(st.sampled_from(list(CAUSES)) | NAMES, AMOUNTS), max_size=16, unique_by=lambda b: b[0])
DATA = st.builds(WaterfallData, st.sampled_from(["step_time", "cost"]), NAMES, NAMES, st.floats(0, 1e9),
                 st.floats(0, 1e9), BARS.map(tuple))  # fmt: skip

EXPERIMENT = {
    "baseline": "a",
    "waterfall": {
        "step_time": [{"run": "b", "from": 4.0, "to": 5.0, "difference": 1.0, "bars": [
            {"cause": "compute_time", "seconds": 2.0}, {"cause": "tensor_communication", "seconds": -1.0},
            {"cause": "launch_time", "seconds": 0.0}]}],
        "cost": [{"run": "b", "from": 4e6, "to": None, "difference": None, "bars": []}],
    },
}  # fmt: skip


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(DATA)
def test_nothing_overlaps_or_is_cut(data: WaterfallData) -> None:
    whole(draw(data))


def test_bars_of_an_experiment_in_the_order_of_the_causes() -> None:
    data = from_experiment(EXPERIMENT, 0)
    assert data is not None and gathered(data.causes) == [("compute_time", 2.0), ("tensor_communication", -1.0)]
    assert running([2.0, -1.0]) == [0.0, 2.0, 1.0]
    picture = figures.of_experiment("waterfall", EXPERIMENT, 0)
    assert picture is not None and picture.width_mm == style.HALF
    drawn = [box.text for box in picture.texts]
    assert drawn.count("Difference") == 1 and drawn.count("+1.000") == 1  # the last bar has its own length beside it
    assert "from a (4.000 s) to b (5.000 s): Compute +2.000; Tensor comm. −1.000" in picture.alt


def test_without_bars_there_is_no_figure() -> None:
    assert from_experiment(EXPERIMENT, 1) is None and from_experiment(EXPERIMENT, 7) is None
    assert from_experiment({}, 0) is None


@given(BARS)
def test_what_is_gathered_has_the_same_sum(causes: list[tuple[str, float]]) -> None:
    found = gathered(causes)
    assert len(found) <= MOST + 1 and [c for c, _ in found].count(REST) <= 1 + [c for c, _ in causes].count(REST)
    top = max((abs(v) for _, v in causes), default=0.0)
    assert math.isclose(sum(v for _, v in found), sum(v for _, v in causes), abs_tol=2e-8 * top + 1e-300)

"""How sure a prediction is: what four in five published runs under the same framework took, against ours."""

from collections.abc import Mapping
from typing import Any

COVERAGE = 0.8  # from the 10th to the 90th percentile
TIMES = ("step_time", "time_to_train", "gpu_hours", "cost")  # what grows as a step does


def intervals(settings: Mapping[str, Any], results: Mapping[str, float | None]) -> dict[str, dict[str, float]] | None:
    """Low and high of every time, from `stack.measured_low` and `measured_high`; None where the stack lacks one.

    low = predicted x measured_low, high = predicted x measured_high. The cost of GPUs that are owned is left out: it
    does not grow as a step does. The reduced model has no interval, since it was never held against runs.
    """
    low, high = settings.get("stack.measured_low"), settings.get("stack.measured_high")
    if low is None or high is None or settings.get("fidelity") == "reduced":
        return None
    owned = settings.get("cluster.ownership") == "owned"
    found = {name: results.get(name) for name in TIMES if not (owned and name == "cost")}
    return {name: {"low": v * low, "high": v * high} for name, v in found.items() if v is not None}

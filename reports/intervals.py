"""How sure a prediction is: what four in five published runs under the same framework took, against ours."""

from collections.abc import Mapping, Sequence
from typing import Any

COVERAGE = 0.8  # from the 10th to the 90th percentile
TIMES = ("step_time", "time_to_train", "gpu_hours", "cost")  # what grows as a step does
MEMORY = ("memory_per_gpu",)
WIDER = 1.5  # of an interval where nothing like the run was measured (study of open runs: leave-one-GPU-out)
FARTHER = 2.0  # times the largest measured run: from there nothing like it was measured


def intervals(settings: Mapping[str, Any], results: Mapping[str, float | None]) -> dict[str, dict[str, float]] | None:
    """Low and high of every time and of the memory of a GPU, by the stack's spread; None where the stack has none.

    low = predicted x measured_low, high = predicted x measured_high, for memory x memory_low and x memory_high. The
    cost of GPUs that are owned is left out: it does not grow as a step does. The reduced model has no interval, since
    it was never held against runs.
    """
    if settings.get("fidelity") == "reduced":
        return None
    owned = settings.get("cluster.ownership") == "owned"
    times = [name for name in TIMES if not (owned and name == "cost")]
    width = WIDER if unlike(settings, results) else 1.0
    return _spread(settings, results, "measured", times, width) | _spread(settings, results, "memory", MEMORY) or None


def unlike(settings: Mapping[str, Any], results: Mapping[str, float | None]) -> bool:
    """Whether no measured run of the stack was on this GPU, or none near this many."""
    gpus, largest = settings.get("stack.measured_on"), settings.get("stack.measured_up_to")
    used = results.get("used_gpus")
    other = bool(gpus) and settings.get("cluster.gpu") not in tuple(gpus or ())
    return other or (largest is not None and used is not None and used > FARTHER * largest)


def _spread(
    settings: Mapping[str, Any],
    results: Mapping[str, float | None],
    kind: str,
    names: Sequence[str],
    width: float = 1.0,
) -> dict[str, dict[str, float]]:
    """The results named, each times the stack's two shares of a kind; ``width`` is a power of both."""
    low, high = settings.get(f"stack.{kind}_low"), settings.get(f"stack.{kind}_high")
    if low is None or high is None:
        return {}
    found = {name: results.get(name) for name in names}
    return {name: {"low": v * low**width, "high": v * high**width} for name, v in found.items() if v is not None}

"""How sure a prediction is: what four in five published runs under the same framework took, against ours."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

COVERAGE = 0.8  # from the 10th to the 90th percentile
TIMES = ("step_time", "time_to_train", "gpu_hours", "cost")  # what grows as a step does
MEMORY = ("memory_per_gpu",)
WIDER = 1.5  # of an interval where nothing like the run was measured (study of open runs: leave-one-GPU-out)
Ends = tuple[float, float] | None
FARTHER = 2.0  # times the largest measured run: from there nothing like it was measured
FEW = 15  # published runs; with fewer a framework's interval is that of all, half as wide again


class Basis(NamedTuple):
    """What an interval of times rests on: runs of the framework itself, of all frameworks, or a scenario's own word."""

    # "own", "few" (its runs are too few: the interval of all frameworks), "copied" (it has no run: the interval of the
    # frameworks closest to it), "file" (the scenario states it)
    kind: str
    rows: int  # published runs of the framework, 0 where none are stated
    wider: bool  # none was on this GPU at this scale


def intervals(settings: Mapping[str, Any], results: Mapping[str, float | None]) -> dict[str, dict[str, float]] | None:
    """Low and high of every time and of the memory of a GPU, by the stack's spread; None where the stack has none.

    low = predicted x measured_low, high = predicted x measured_high, for memory x memory_low and x memory_high. Every
    line of the cost but stated egress is a rate times the time to train, also what owned GPUs are written off by.
    """
    ends = shares(settings, results.get("used_gpus"))
    return _around(results, TIMES, ends) | _around(results, MEMORY, memory(settings)) or None


def shares(settings: Mapping[str, Any], used: float | None) -> Ends:
    """Measured over predicted step time of a run on so many GPUs, low and high; wider where none like it was measured.

    None where the framework states none, and for the reduced model, which was never held against runs.
    """
    ends, width = _stated(settings, "measured"), WIDER if unlike(settings, used) else 1.0
    return ends and (ends[0] ** width, ends[1] ** width)


def memory(settings: Mapping[str, Any]) -> Ends:
    """Measured over predicted memory of a GPU, low and high; None as for step times."""
    return _stated(settings, "memory")


def unlike(settings: Mapping[str, Any], used: float | None) -> bool:
    """Whether no measured run of the stack was on this GPU, or none near this many."""
    gpus, largest = settings.get("stack.measured_on"), settings.get("stack.measured_up_to")
    other = bool(gpus) and settings.get("cluster.gpu") not in tuple(gpus or ())
    return other or (largest is not None and used is not None and used > FARTHER * largest)


def basis(point: Mapping[str, Any]) -> Basis | None:
    """What the interval of a point's step time rests on; None where it has none."""
    settings, used = point["settings"], point["results"].get("used_gpus")
    if "step_time" not in (point.get("intervals") or {}):
        return None
    rows, where = settings.get("stack.measured_rows"), {row["path"]: row["origin"] for row in point["inputs"]}
    library = where.get("stack.measured_low") == "library" and where.get("stack.measured_high") == "library"
    kind = "file" if not library else "copied" if not rows else "few" if rows < FEW else "own"
    return Basis(kind, int(rows or 0), unlike(settings, used))


def _stated(settings: Mapping[str, Any], kind: str) -> Ends:
    low, high = settings.get(f"stack.{kind}_low"), settings.get(f"stack.{kind}_high")
    return None if low is None or high is None or settings.get("fidelity") == "reduced" else (low, high)


def _around(results: Mapping[str, float | None], names: Sequence[str], ends: Ends) -> dict[str, dict[str, float]]:
    """The results named, each times both ends."""
    found = {name: results.get(name) for name in names}
    return {name: {"low": v * ends[0], "high": v * ends[1]} for name, v in found.items() if v is not None and ends}

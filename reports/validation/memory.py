"""Published memory as rows of a CSV file: what a row's number counts, its prediction, and why a row is left out.

A framework's log prints one of three levels, and like is compared with like:
allocated  bytes of tensors (`torch.cuda.max_memory_allocated`): Megatron-Core, NeMo, nanotron
reserved   what the allocator holds (`max_memory_reserved`): TorchTitan's log
driver     what nvidia-smi shows on the node of the first stage, with context and NCCL: the BLOOM chronicles
Only configuration columns are read for a prediction. A published run loads no checkpoint: its peak is that of a step.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.evaluate import Result, evaluate
from engine.memory import StageMemory
from engine.read import read
from reports.intervals import intervals
from reports.validation.memory_settings import as_run, settings
from reports.validation.rows import Row, gpu_of, number, stack_of, unknown_gpu, unreadable
from reports.validation.settings import template
from reports.validation.step_time import LADDER

GIB = 2.0**30
UNMEASURED = "no value_gib"
REQUIRED = ("layers", "hidden", "seq", "mbs", "gbs", "gpu", "n_gpus", "framework")
SAYS = {"torchtitan": "reserved", "torchtitan-2024": "reserved", "megatron-deepspeed": "driver"}  # others: allocated
LEVELS: dict[str, Callable[[StageMemory], Any]] = {
    "allocated": lambda s: running(s) * s.allocated / s.reserved,
    "reserved": lambda s: running(s),
    "driver": lambda s: running(s) + s.total - s.reserved,
}


def running(stage: StageMemory) -> Any:
    """Bytes reserved at the peak of a step: forward, backward and update."""
    return np.maximum(stage.step, stage.update) - (stage.total - stage.reserved)


def level(row: Row) -> str:
    """What the row's number counts: allocated, reserved or driver."""
    return SAYS.get(stack_of(row), "allocated")


def measured(row: Row) -> float | None:
    """The published number in bytes; None where the run ran out of memory, or it is no number of bytes."""
    value = number(row, "value_gib")
    return value * GIB if value is not None and value > 0 else None


def left_out(row: Row) -> str:
    """Why a row cannot be predicted; empty where it can. Only an absent column leaves a row out."""
    missing = [name for name in REQUIRED if not row.get(name)]
    return "no " + ", ".join(missing) if missing else ""


def least_that_fits(row: Row) -> Result:
    """The run evaluated; where its recomputation is unknown, with the least that fits, or that its stack has."""
    found = settings(row)
    result = evaluate(read(found), advise=False)
    unknown = row.get("recompute") == "unknown" and found.get("layout.recompute") == "none"
    for more in LADDER if unknown else ():
        if result.status != "does_not_fit":
            break
        found |= more
        result = evaluate(read(found), advise=False)
    return result


def predict(row: Row) -> tuple[float | None, str]:
    """Bytes a GPU at the level that the row counts; None with the reason where the row is not supported."""
    if gpu_of(row) is None:
        return None, unknown_gpu(row)
    if wrong := unreadable(row):
        return None, wrong
    result = least_that_fits(row)
    if not result.memory:
        return None, "; ".join(result.reasons) or "no memory"
    kind = level(row)
    stages = result.memory[:1] if kind == "driver" else result.memory
    return max(float(LEVELS[kind](s)[0]) for s in stages), ""


def interval(row: Row, size: float | None) -> tuple[float | None, float | None]:
    """Low and high of a prediction, by the spread that the library states for the row's stack."""
    gpu = gpu_of(row)
    found = intervals(template(gpu, stack_of(row)), {"memory_per_gpu": size}) if gpu else None
    ends = (found or {}).get("memory_per_gpu", {})
    return ends.get("low"), ends.get("high")


__all__ = ["GIB", "as_run", "interval", "left_out", "level", "measured", "predict", "settings"]

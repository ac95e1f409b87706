"""The step time of a published run: its prediction, its interval, and why a row is left out."""

import math
from typing import Any

from engine.evaluate import evaluate
from engine.read import read
from engine.result import Result
from reports.intervals import intervals
from reports.validation import rows as table
from reports.validation.rows import Row, gpu_of, stack_of
from reports.validation.settings import settings_of, template

# What a run with an unknown recomputation computes again: nothing, cheap tensors, layers; the first that fits.
LADDER: tuple[dict[str, Any], ...] = (
    {"layout.recompute": "selective", "layout.recompute.ops": ("norm", "activation", "q_up", "kv_up")},
    {"layout.recompute": "full"},
)
UNMEASURED = "no iter_time_s and no tokens_per_s_per_gpu"


def left_out(row: Row) -> str:
    """Why a row cannot be predicted; empty where it can. Only an absent column leaves a row out."""
    missing = table.absent(row)
    return "no " + ", ".join(missing) if missing else ""


def interval(row: Row, seconds: float | None) -> tuple[float | None, float | None]:
    """Low and high of a prediction, by the spread that the library states for the row's stack."""
    gpu = gpu_of(row)
    results = {"step_time": seconds, "used_gpus": table.number(row, "n_gpus")}
    found = intervals(template(gpu, stack_of(row)), results) if gpu else None
    ends = (found or {}).get("step_time", {})
    return ends.get("low"), ends.get("high")


def settled(row: Row) -> tuple[dict[str, Any], Result]:
    """A row's settings and what they come to. An unknown recomputation is the least that fits; where nothing fits, the
    layout is not all known, and nothing is taken to be computed again."""
    settings = settings_of(row)
    result = first = evaluate(read(settings), advise=False)
    tried = dict(settings)
    for more in LADDER if row.get("recompute") == "unknown" and first.status == "does_not_fit" else ():
        tried |= more
        result = evaluate(read(tried), advise=False)
        if result.status != "does_not_fit":
            return tried, result
    return settings, first


def predict(row: Row) -> tuple[float | None, str]:
    """Seconds a step from the configuration columns alone; None with the reason where the row is not supported."""
    if table.gpu_of(row) is None:
        return None, table.unknown_gpu(row)
    if wrong := table.unreadable(row):
        return None, wrong
    _, result = settled(row)
    seconds = result.columns.get("step_time")
    if seconds is None or not math.isfinite(float(seconds[0])):
        return None, "; ".join(result.reasons) or "no step time"
    return float(seconds[0]), ""

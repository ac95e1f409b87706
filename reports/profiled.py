"""A profiled step beside the prediction, class by class of the ledger: residual, share of the step, likely cause."""

from collections.abc import Mapping
from typing import Any

from dsl.kinds_measured import CLASSES, MEANINGS
from engine.classes import totals
from engine.result import Result
from reports.point import Json, number

NEAR = 0.05  # residual over the class's prediction that is no finding
SMALL = 0.01  # share of the step below which a residual is no finding
STRAGGLER = 5.0  # a call this many times the mean one
WIRES = ("tensor", "context", "expert", "pipeline", "data")
# Likely causes where a class takes longer, and where it takes less, than predicted.
CAUSES = {
    "gemm": ("a lower clock under the power limit, or shapes off the tiles: time the GEMMs and import them",
             "a higher clock, or better GEMM kernels than the library's rates"),
    "sdpa": ("another attention kernel than the stack's, or unfused masks",
             "a faster attention kernel than the stack's"),
    "hbm": ("kernels that are not fused, or casts: more passes over memory", "more fusion than the stack's"),
    "pipeline": ("stages of unequal time, or waiting for the stage before", "a smaller bubble than the closed form's"),
    "optimizer": ("an optimizer that is not fused, or a larger shard", "a fused optimizer"),
    "host": ("copies that share the host link", "a faster host link"),
    "idle": ("the host falls behind: launches, data loading or synchronization", "CUDA graphs, or fewer launches"),
    "other": ("kernels that no row of the ledger stands for: name them", ""),
}  # fmt: skip


def profiled(settings: Mapping[str, Any], result: Result) -> Json | None:
    """The run's trace against its ledger; None without a trace or without a ledger."""
    step = settings.get("trace.step_time")
    if not step or result.step is None or "step_time" not in result.columns:
        return None
    predicted = {kind: (number(t.busy), number(t.exposed)) for kind, t in totals(result.step.entries).items()}
    rows = [_row(kind, settings, predicted.get(kind, (0.0, 0.0)), step) for kind in CLASSES]
    return {
        "name": settings.get("trace"),
        "source": settings.get("trace.source"),
        "step_time": step,
        "longest_step": settings.get("trace.longest_step"),
        "predicted": number(result.columns["step_time"]),
        "steps": settings.get("trace.steps"),
        "ranks": settings.get("trace.ranks"),
        "rows": [row for row in rows if row["predicted"] or row["measured"]],
    }


def _row(kind: str, settings: Mapping[str, Any], predicted: tuple[float | None, float | None], step: float) -> Json:
    """One class: predicted and measured, busy and exposed; the residual is measured less predicted."""
    own = {n: settings.get(f"trace.row.{kind}.{n}") for n in ("busy", "exposed", "slowest", "longest", "calls")}
    busy, adds = predicted[0] or 0.0, predicted[1] or 0.0
    shown = own["exposed"] if own["exposed"] is not None else own["busy"]
    against = adds if own["exposed"] is not None else busy
    residual = None if shown is None else number(shown - against)
    return {
        "class": kind,
        "meaning": MEANINGS[kind],
        "predicted_busy": busy,
        "predicted": adds,
        "busy": own["busy"],
        "measured": shown,
        "compared": "exposed" if own["exposed"] is not None else "busy",
        "slowest": own["slowest"],
        "longest": own["longest"],
        "calls": own["calls"],
        "residual": residual,
        "share": None if residual is None else number(residual / step),
        "error": None if not shown else number(against / shown - 1),
        "cause": cause(kind, own, busy, against, residual, step),
    }


def cause(
    kind: str, own: Mapping[str, Any], busy: float, against: float, residual: float | None, step: float
) -> str:
    """What most likely makes the residual; says where it is none."""
    if residual is None:
        return "not in the trace" if against else ""
    if abs(residual) < SMALL * step:
        return "under 1% of the step"
    if abs(residual) < NEAR * against:
        return "within 5% of the prediction"
    if residual > 0 and (late := _late(own, step)):
        return late
    if kind in WIRES and kind != "pipeline":
        return _wire(own["busy"] or 0.0, busy, residual)
    longer, shorter = CAUSES[kind]
    return longer if residual > 0 else shorter


def _late(own: Mapping[str, Any], step: float) -> str:
    """A straggler: one call, or one rank."""
    calls, longest, busy, slowest = (own[n] or 0.0 for n in ("calls", "longest", "busy", "slowest"))
    if calls > 1 and longest > STRAGGLER * busy / calls and longest > 2 * SMALL * step:
        return f"a straggler: one call takes {longest:.3g} s, the mean one {busy / calls:.2g} s"
    if slowest > 1.1 * busy and slowest - busy > SMALL * step:
        return f"one rank is busy {slowest:.3g} s, the mean {busy:.3g} s"
    return ""


def _wire(measured: float, busy: float, residual: float) -> str:
    """Traffic: slower links, or less of it hidden."""
    if busy and abs(measured / busy - 1) < 0.1:
        return "less is hidden behind compute than predicted" if residual > 0 else "more is hidden than predicted"
    if residual > 0:
        return "slower links than stated, or waiting inside the call: run nccl-tests and import them"
    return "faster links than the library's shares"

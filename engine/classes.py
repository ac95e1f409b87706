"""Classes of a ledger's rows that a profiler can tell apart: a prediction is held against a trace class by class.

Kernels are known by name (gemm, sdpa, hbm, optimizer), collectives by the group they run in, and what is left of a step
is idle. The bubble is counted with the pipeline: a stage that waits does so inside its receive.
"""

from collections.abc import Iterable
from typing import NamedTuple

from engine.columns import ZERO, Column
from engine.ledger import Entry, Row

CLASSES = ("gemm", "sdpa", "hbm", "tensor", "context", "expert", "pipeline", "data", "optimizer", "host", "idle",
           "other")  # fmt: skip
AXES = {"expert_tensor": "expert"}


class Total(NamedTuple):
    """Seconds a step of one class: busy, and exposed (what it adds to the step)."""

    busy: Column
    exposed: Column


def class_of(row: Row) -> str:
    """The class of one row of the ledger; every row has exactly one."""
    if row.axis is not None:
        return AXES.get(row.axis, row.axis)
    if row.op == "bubble":
        return "pipeline"
    if row.block == "optimizer":
        return "optimizer"
    return "idle" if row.kind in ("launch", "wait") else row.kind


def totals(entries: Iterable[Entry]) -> dict[str, Total]:
    """Seconds a step by class; the exposed ones add up to the step time. Classes without a row are left out."""
    found: dict[str, Total] = {}
    for entry in entries:
        name = class_of(entry.row)
        busy, exposed = found.get(name, Total(ZERO, ZERO))
        found[name] = Total(busy + entry.count * entry.row.seconds, exposed + entry.exposed)
    return {name: found[name] for name in CLASSES if name in found}

"""What a table of measured rows holds: step times or memory. Each kind reads, predicts and leaves out its own way."""

from collections.abc import Callable
from dataclasses import dataclass

from reports.validation import memory, rows, step_time
from reports.validation.rows import Row


@dataclass(frozen=True)
class Kind:
    """One kind of table. ``unit`` and ``scale``: how its numbers are shown, shown = base / scale."""

    name: str
    title: str
    table: str
    what: str
    unit: str
    scale: float
    required: tuple[str, ...]
    left_out: Callable[[Row], str]
    unmeasured: str  # why a row without a measurement is left out of a table that has measurements
    measured: Callable[[Row], float | None]
    predict: Callable[[Row], tuple[float | None, str]]
    interval: Callable[[Row, float | None], tuple[float | None, float | None]]
    as_run: Callable[[Row], Row]  # the row, with its id, in the columns of a table of runs, by which it is grouped


def _same(row: Row) -> Row:
    return row


TIME = Kind(
    "time", "Step time", "runs", "seconds a step", "s", 1.0, rows.REQUIRED,
    step_time.left_out, step_time.UNMEASURED, rows.measured_seconds, step_time.predict, step_time.interval, _same,
)  # fmt: skip
MEMORY = Kind(
    "memory", "Memory", "measured memory", "bytes a GPU", "GiB", memory.GIB, (*memory.REQUIRED, "value_gib"),
    memory.left_out, memory.UNMEASURED, memory.measured, memory.predict, memory.interval, memory.as_run,
)  # fmt: skip
KINDS = {kind.name: kind for kind in (TIME, MEMORY)}

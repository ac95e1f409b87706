"""Predictions of a table of runs and their errors: every row predicted, failed, or left out with the reason."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from reports.quantiles import quantile
from reports.validation import rows as table
from reports.validation.kinds import TIME, Kind
from reports.validation.memory import level
from reports.validation.rows import Row, stack_of


@dataclass(frozen=True)
class Prediction:
    """One row: what was predicted and measured, in base units; or why nothing was predicted."""

    row: Row
    predicted: float | None
    measured: float | None
    why: str = ""
    low: float | None = None  # four in five runs like it lie between low and high
    high: float | None = None

    @property
    def error(self) -> float | None:
        """predicted / measured - 1."""
        return None if self.predicted is None or self.measured is None else self.predicted / self.measured - 1.0

    @property
    def told(self) -> dict[str, Any]:
        """The row's numbers as JSON has them."""
        return {name: getattr(self, name) for name in ("predicted", "measured", "error", "low", "high", "why")}


@dataclass(frozen=True)
class Errors:
    """Of a group of rows: how many, how many failed, and the error's median, 90th percentile and bias (medians)."""

    name: str
    n: int
    failed: int
    median_abs: float | None
    p90_abs: float | None
    bias: float | None
    low: float | None  # measured over predicted, 10th and 90th percentile: what a stack's `measured_low` states
    high: float | None


def left_out(rows: Sequence[Row], kind: Kind) -> list[str]:
    """Why each row is left out, empty where it is not. A table in which nothing is measured is predicted all the
    same; in any other a row without a measurement has nothing to be held against."""
    bare = all(kind.measured(row) is None for row in rows)
    return [
        kind.left_out(row) or ("" if bare or kind.measured(row) is not None else kind.unmeasured) for row in rows
    ]


def predictions(rows: Sequence[Row], kind: Kind = TIME, told: Iterable[Row] | None = None) -> list[Prediction]:
    """Every row that is not left out, predicted or failed. ``told``: the same rows, as somebody who counts hands them
    out."""
    found = []
    for row, why_not in zip(rows if told is None else told, left_out(rows, kind), strict=True):
        if not why_not:
            value, why = kind.predict(row)
            found.append(Prediction(kind.as_run(row), value, kind.measured(row), why, *kind.interval(row, value)))
    return found


def errors_of(name: str, found: Sequence[Prediction]) -> Errors:
    """The errors of a group; a failed row counts in n and in failed."""
    own = [p.error for p in found if p.error is not None]
    size = [abs(e) for e in own]
    failed = sum(p.predicted is None for p in found)
    if not own:
        return Errors(name, len(found), failed, None, None, None, None, None)
    ratios = [1 / (1 + e) for e in own]
    spread = quantile(ratios, 0.1), quantile(ratios, 0.9)
    return Errors(name, len(found), failed, median(size), quantile(size, 0.9), median(own), *spread)


Key = Callable[[Row], str]


TOPS = (8, 64, 512, 4096)
SCALES = (*(f"up to {top}" for top in TOPS), f"over {TOPS[-1]}")


def scale(row: Row) -> str:
    """GPUs of a run in powers of eight."""
    gpus = table.number(row, "n_gpus") or 1.0
    return SCALES[sum(gpus > top for top in TOPS)]


def parallelism(row: Row) -> str:
    """The axes a run uses."""
    used = [axis for axis in ("tp", "pp", "cp", "ep") if (table.number(row, axis) or 1.0) > 1]
    return " ".join(used) or "data only"


def family(row: Row) -> str:
    """Dense, or mixture of experts."""
    return "experts" if (table.number(row, "experts") or 0.0) > 1 else "dense"


GROUPS: dict[str, Key] = {
    "stack": stack_of,
    "framework": lambda r: r["framework"], "GPU": lambda r: r["gpu"],
    "precision": lambda r: r["precision"] or "not stated",
    "model family": family, "parallelism": parallelism, "scale": scale, "grade": lambda r: r.get("grade") or "none",
    "task": lambda r: r.get("task") or "none",
}  # fmt: skip


def groups_of(kind: Kind) -> dict[str, Key]:
    """The groups by which the errors of a kind are told apart; memory also by what a row's number counts."""
    return GROUPS | ({"what is counted": level} if kind.name == "memory" else {})


def grouped(found: Sequence[Prediction], key: Key) -> list[Errors]:
    """Errors by group, largest groups first; scales from the smallest on."""
    groups: dict[str, list[Prediction]] = {}
    for p in found:
        groups.setdefault(key(p.row), []).append(p)
    order = {name: place for place, name in enumerate(SCALES)}
    found_errors = (errors_of(name, own) for name, own in groups.items())
    return sorted(found_errors, key=lambda e: (order.get(e.name, 0), -e.n, e.name))


def worst(found: Sequence[Prediction], count: int = 20) -> list[Prediction]:
    """The rows with the largest errors."""
    return sorted((p for p in found if p.error is not None), key=lambda p: -abs(p.error or 0.0))[:count]


def as_json(rows: Sequence[Row], found: Sequence[Prediction], kind: Kind = TIME) -> dict[str, Any]:
    """What ``--format json`` prints: the errors of all rows, the rows left out with the reason, and every row."""
    total = errors_of("all", found)
    return {
        "n": total.n,
        "failed": total.failed,
        "median_abs": total.median_abs,
        "p90_abs": total.p90_abs,
        "bias": total.bias,
        "left_out": [
            {"id": r.get("id", ""), "why": why} for r, why in zip(rows, left_out(rows, kind), strict=True) if why
        ],
        "rows": [{"id": p.row.get("id", ""), **p.told} for p in found],
    }

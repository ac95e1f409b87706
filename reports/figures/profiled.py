"""Figure: a profiled step beside the prediction, two bars a class of work; hidden time is pale behind exposed time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import bars, words
from reports.figures.frame import Kind, legend, legend_rows, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale, linear
from reports.figures.sheet import LINE, Sheet, width
from reports.style import INK

NAME = "profiled"
PITCH, BAR = 7.6, 2.5  # mm: from class to class, and the height of one bar
PREDICTED = Kind("predicted, exposed", style.NAVY)
MEASURED = Kind("measured, exposed", style.AMBER)
HIDDEN = Kind("hidden behind other work", style.PAPER, "", style.RULE)
KINDS = (PREDICTED, MEASURED, HIDDEN)
NAMES = {
    "gemm": "Matrix multiplies", "sdpa": "Attention kernels", "hbm": "Memory-bound", "tensor": "Tensor traffic",
    "context": "Context traffic", "expert": "Expert traffic", "pipeline": "Pipeline, bubble", "data": "Data traffic",
    "optimizer": "Optimizer", "host": "Host copies", "idle": "Idle", "other": "Other kernels",
}  # fmt: skip


@dataclass(frozen=True)
class ProfiledRow:
    """One class, seconds a step: exposed and busy, predicted and measured; busy time of the slowest rank."""

    name: str
    predicted: float
    predicted_busy: float
    measured: float
    measured_busy: float
    slowest: float


@dataclass(frozen=True)
class ProfiledData:
    """The classes of one step."""

    rows: tuple[ProfiledRow, ...]


def from_point(point: Mapping[str, Any]) -> ProfiledData | None:
    """The figure of one point of the document; None where no step was profiled."""
    found = point.get("trace") or {}
    rows = tuple(_row(row) for row in found.get("rows") or ())
    return ProfiledData(rows) if rows else None


def _row(row: Mapping[str, Any]) -> ProfiledRow:
    values = (words.amount(row.get(n)) for n in ("predicted", "predicted_busy", "measured", "busy", "slowest"))
    return ProfiledRow(NAMES.get(str(row.get("class")), str(row.get("class"))), *values)


@figure
def draw(data: ProfiledData) -> Picture:
    """Names at the left; of every class the predicted bar over the measured one, a tick at the slowest rank."""
    rows = data.rows[: bars.MOST]
    top = 2.0 + (legend_rows(KINDS, style.FULL) - 1) * (LINE + 0.6)
    first = top + 6.6
    bottom = first + PITCH * (len(rows) - 1) + 4.6
    sheet = Sheet(NAME, style.FULL, bottom + 9.4)
    legend(sheet, KINDS)
    start = bars.names_room([r.name for r in rows])
    values = [v for r in rows for v in (r.predicted, r.predicted_busy, r.measured, r.measured_busy, r.slowest)]
    size, unit = words.unit(values, words.SECONDS)
    scale = linear([v / size for v in values], start, style.FULL - 14.0)
    value_axis(sheet, scale, first - 3.8, bottom, f"Time of one step ({unit})")
    for i, row in enumerate(rows):
        y = first + PITCH * i
        bars.name(sheet, row.name, start, y, bold=True)
        of = (row.name, unit)
        _bar(sheet, scale, y - BAR / 2 - 0.15, row.predicted / size, row.predicted_busy / size, PREDICTED, of)
        slowest = row.slowest if row.slowest > 1.01 * row.measured_busy else 0.0
        low = y + BAR / 2 + 0.15
        _bar(sheet, scale, low, row.measured / size, row.measured_busy / size, MEASURED, of, slowest / size)
        if slowest:
            x = scale.inside(slowest / size)
            sheet.line([(x, y + 0.2), (x, y + BAR + 0.3)], INK, 1.2, z=6)
    return sheet.finish(f"Predicted and profiled time of one step by class of work. {_said(rows, size, unit)}")


def _bar(sheet: Sheet, scale: Scale, y: float, exposed: float, busy: float, kind: Kind, of: tuple[str, str],
         beyond: float = 0.0) -> None:  # fmt: skip
    """The busy time pale, the exposed time over it, its value at the end, behind a tick that stands beyond it."""
    left, ends = scale.at(0.0), (scale.at(exposed), scale.at(max(busy, exposed)))
    name, unit = of
    if busy > exposed:
        side = kind.name.partition(",")[0]
        sheet.rectangle(left, y - BAR / 2, ends[1] - left, BAR, HIDDEN.color, edge=HIDDEN.edge, line=0.4,
                        tip=(name, f"{side}, busy", f"{words.rounded(busy)}{words.NB}{unit}"))  # fmt: skip
    sheet.rectangle(left, y - BAR / 2, ends[0] - left, BAR, kind.color,
                    tip=(name, kind.name, f"{words.rounded(exposed)}{words.NB}{unit}"))  # fmt: skip
    places = words.decimals(scale.high, 3)
    text = words.number(exposed if round(exposed, places) else 0.0, places)
    room = style.FULL - 0.5 - width(text, style.CELL)
    sheet.text(min(max(*ends, scale.inside(beyond)) + 1.0, room), y, text, size=style.CELL)


def _said(rows: Sequence[ProfiledRow], size: float, unit: str) -> str:
    """The largest classes in words."""
    largest = sorted(rows, key=lambda r: -r.measured)[:4]
    said = ((r.name, words.plain(r.predicted / size), words.plain(r.measured / size)) for r in largest)
    each = "; ".join(f"{name}: predicted {before} {unit}, measured {after} {unit}" for name, before, after in said)
    return f"{each}."

"""Figure: where the time of one optimizer step goes, one stacked bar per run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import bars, words
from reports.figures.frame import WASTE, Kind, legend, legend_rows, note, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale
from reports.figures.sheet import Sheet, width
from reports.style import MUTE

NAME = "step-time"
KINDS = {
    "matmul": Kind("Matrix multiply", style.NAVY),
    "attention": Kind("Attention", style.BLUE),
    "inner": Kind("TP comm.", style.SKY),
    "bubble": Kind("Pipeline bubble", style.STONE, WASTE),
    "outer": Kind("DP, PP comm.", style.GREEN),
    "memory": Kind("Memory-bound", style.AMBER),
    "optimizer": Kind("Optimizer", style.AMBER, "----", style.WHITE),
    "other": Kind("Other", style.RUST),
}


@dataclass(frozen=True)
class StepTimeRow:
    """One run: seconds by kind (in the order of KINDS), the step's total and its MFU."""

    name: str
    seconds: tuple[float, ...]
    total: float | None
    mfu: float | None
    chosen: bool = False


@dataclass(frozen=True)
class StepTimeData:
    """The bars, the words after the axis title, and the axes whose communication is within the layers."""

    rows: tuple[StepTimeRow, ...]
    about: str = ""
    inner: str = "TP"
    of: int = 0  # runs there are, where more than the rows


def kind_of(row: Mapping[str, Any]) -> str:
    """The kind of bar segment (a key of KINDS) that a row of the ledger belongs to."""
    if row.get("op") == "bubble":
        return "bubble"
    kind, axis, block = row.get("kind"), row.get("axis"), row.get("block")
    if kind == "collective" or axis:
        return "inner" if axis in words.WITHIN else "outer"
    if kind == "hbm":
        return "optimizer" if block == "optimizer" else "memory"
    return {"gemm": "matmul", "sdpa": "attention"}.get(str(kind), "other")


def from_point(point: Mapping[str, Any], name: str = "This run") -> StepTimeData | None:
    """The figure of one point of the document; None without a ledger."""
    return from_points([point], [name])


def from_points(points: Sequence[Mapping[str, Any]], names: Sequence[str], chosen: int = 0) -> StepTimeData | None:
    """The figure of several points, the chosen one first; points without a ledger are left out."""
    order = sorted(range(len(points)), key=lambda i: i != chosen)
    rows = [_row(points[i], names[i], i == chosen) for i in order if points[i].get("ledger")]
    if not rows:
        return None
    exposed = (row for point in points for row in point.get("ledger") or () if words.amount(row.get("exposed")))
    axes = {str(row.get("axis")) for row in exposed}
    letters = [words.LETTERS[axis] for axis in words.WITHIN if axis in axes]
    about = {_about(point) for point in points}  # said only where it holds for every bar
    return StepTimeData(
        tuple(rows[: bars.MOST]), about.pop() if len(about) == 1 else "", ", ".join(letters) or "TP", len(rows)
    )


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> StepTimeData | None:
    """The figure of the runs of a comparison, the baseline first."""
    points = experiment.get("points") or ()
    names = [str(point.get("name")) for point in points]
    baseline = experiment.get("baseline")
    return from_points(points, names, names.index(baseline) if baseline in names else 0) if points else None


def _row(point: Mapping[str, Any], name: str, chosen: bool) -> StepTimeRow:
    seconds = dict.fromkeys(KINDS, 0.0)
    for row in point["ledger"]:
        seconds[kind_of(row)] += words.amount(row.get("exposed"))
    results = point.get("results") or {}
    total, mfu = words.known(results.get("step_time")), words.known(results.get("mfu"))
    return StepTimeRow(name, tuple(seconds.values()), total, mfu, chosen)


def _about(point: Mapping[str, Any]) -> str:
    """What a step is: its tokens, and the GPUs that take it."""
    settings = point.get("settings") or {}
    batch, sequence = words.known(settings.get("batch")), words.known(settings.get("sequence"))
    sequence = sequence or words.known(settings.get("model.sequence"))
    gpus, gpu = words.known((point.get("gpus") or {}).get("used")), settings.get("cluster.gpu")
    tokens = [f"{words.quantity(batch * sequence, words.COUNTS)} tokens"] if batch and sequence else []
    part = [f"{words.number(gpus, 0)}{words.NB}×{words.NB}{gpu if isinstance(gpu, str) else 'GPU'}"] if gpus else []
    return ", ".join(tokens + part)


@figure
def draw(data: StepTimeData) -> Picture:
    """Stacked bars; total and MFU follow each bar."""
    rows = data.rows[: bars.MOST]
    size, unit = words.unit([_total(r) for r in rows], words.SECONDS)
    kinds = list((KINDS | {"inner": Kind(f"{data.inner} comm.", style.SKY)}).values())
    shown = [k for i, k in enumerate(kinds) if any(words.amount(r.seconds[i]) for r in rows)]
    left_out = words.shown_of(len(rows), max(data.of, len(data.rows)), "runs", ", the chosen one first")
    lie = bars.rows(len(rows), 8.6 + 4.0 * (legend_rows(shown, style.FULL) - 1), left_out)
    sheet = Sheet(NAME, style.FULL, lie.height)
    legend(sheet, shown)
    scale = _scale(rows, size, unit, bars.names_room([r.name for r in rows]))
    title = ", ".join(t for t in (f"Time per optimizer step ({unit})", data.about) if t)
    value_axis(sheet, scale, lie.first - 3.4, lie.bottom, title, marks=False)
    for i, row in enumerate(rows):
        _bar(sheet, row, kinds, scale, lie.at(i), size, unit)
    note(sheet, left_out)
    return sheet.finish(_alt(rows, kinds, size, unit, left_out))


def _total(row: StepTimeRow) -> float:
    return max(words.amount(row.total), sum(words.amount(s) for s in row.seconds))


def _ends(row: StepTimeRow, size: float, unit: str) -> tuple[str, str]:
    """What stands at the end of a bar: its total, and its MFU where known."""
    known = _total(row) > 0 or words.known(row.total) == 0
    total = f"{words.rounded(_total(row) / size)}{words.NB}{unit}" if known else "–"
    return total, "" if words.known(row.mfu) is None else f"MFU{words.NB}{words.percent(row.mfu)}"


def _scale(rows: Sequence[StepTimeRow], size: float, unit: str, start: float) -> Scale:
    """A scale on which every bar leaves room for the words at its end."""
    room = style.FULL - 0.5 - start
    if not any(_total(r) for r in rows):
        return Scale(0.0, 1.0, start, start + room)
    most = max(_total(r) / size * room / max(10.0, room - _words_room(r, size, unit)) for r in rows)
    return Scale(0.0, most, start, start + room)


def _words_room(row: StepTimeRow, size: float, unit: str) -> float:
    total, mfu = _ends(row, size, unit)
    return 1.4 + width(total, weight=600) + 2.0 + width(mfu)


def _bar(sheet: Sheet, row: StepTimeRow, kinds: Sequence[Kind], scale: Scale, y: float, size: float, unit: str) -> None:
    bars.name(sheet, row.name, scale.start, y, row.chosen)
    bars.stack(sheet, kinds, [words.amount(s) / size for s in row.seconds], scale, y, (row.name, unit))
    total, mfu = _ends(row, size, unit)
    right = sheet.text(scale.at(_total(row) / size) + 1.4, y, total, weight=600, plate=style.WHITE).corners[1][0]
    if mfu:
        sheet.text(right + 2.0, y, mfu, color=MUTE, plate=style.WHITE)


def _alt(rows: Sequence[StepTimeRow], kinds: Sequence[Kind], size: float, unit: str, left_out: str) -> str:
    first, parts = rows[0], []
    for kind, seconds in zip(kinds, first.seconds, strict=True):
        if words.amount(seconds):
            parts.append(f"{kind.name} {words.rounded(seconds / size)}{words.NB}{unit}")
    said = [" ".join(t for t in (r.name, *_ends(r, size, unit)) if t) for r in rows[:6]]
    made = f" {first.name}: {', '.join(parts)}." if parts else ""
    return f"Time per optimizer step: {'; '.join(said)}.{made} {left_out}".strip()

"""Figure: which micro-batch every pipeline stage works on, over one step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reports import style
from reports.figures import words
from reports.figures.frame import WASTE, Kind, legend, legend_rows, note, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale
from reports.figures.sheet import Sheet, width
from reports.style import CELL, INK
from reports.terms import words as named

NAME = "pipeline-schedule"
STAGES, MICRO_BATCHES = 8, 12  # drawn at most
ROW = 3.6  # mm
NARROW = 1.2  # mm: narrower neighbors of one look are drawn as one
READ = 1.7  # mm: a forward pass this wide holds its number
CUT = 0.4, 0.9  # shares of a step: where so much of its beginning has passes that wide, no more of it is drawn
FORWARD, BACKWARD = Kind("Forward", style.SKY), Kind("Backward", style.NAVY)
KINDS = {
    ("F", 0): FORWARD,
    ("F", 1): Kind("Forward, odd chunks", style.HEAT[0], edge=style.SKY),
    ("B", 0): BACKWARD,
    ("B", 1): Kind("Backward, odd chunks", style.BLUE),
    ("W", 0): Kind("Weight gradients", style.GREEN),
}
IDLE = Kind("Idle (bubble)", style.STONE, WASTE)
NOT_DRAWN = replace(IDLE, name="Idle, or a micro-batch that is not drawn")


@dataclass(frozen=True)
class Pass:
    """One pass of a stage: its kind F, B or W, its micro-batch from 1, its chunk from 0, start and end (s)."""

    stage: int
    kind: str
    micro_batch: int
    chunk: int
    start: float
    end: float


@dataclass(frozen=True)
class PipelineData:
    """The passes to draw; the schedule's name; how many stages and micro-batches the run has in all."""

    passes: tuple[Pass, ...]
    schedule: str = ""
    stages: int = 0
    micro_batches: int = 0
    remark: str = ""


def from_point(point: Mapping[str, Any]) -> PipelineData | None:
    """The figure of a point of the document; None without a timeline of more than one stage."""
    table = point.get("timeline") or {}
    passes = [made for row in table.get("passes") or () if (made := _pass(row)) is not None]
    if not passes or max(p.stage for p in passes) == 0:
        return None
    lowest = min(p.micro_batch for p in passes)
    passes = [Pass(p.stage, p.kind, p.micro_batch - lowest + 1, p.chunk, p.start, p.end) for p in passes]
    batches = words.known(table.get("micro_batches")) or 0.0
    stages = words.known((point.get("settings") or {}).get("layout.pipeline")) or 0.0
    most = max(p.micro_batch for p in passes)
    schedule, remark = str(table.get("schedule") or ""), str(table.get("shown_note") or "")
    stages = stages or max(p.stage for p in passes) + 1
    return PipelineData(_drawn(passes), schedule, int(stages), max(int(batches), most), remark)


def _pass(row: Mapping[str, Any]) -> Pass | None:
    start, end = words.known(row.get("start")), words.known(row.get("end"))
    if start is None or end is None or end <= start or row.get("kind") not in ("F", "B", "W"):
        return None
    stage, micro_batch, chunk = (int(words.amount(row.get(key))) for key in ("stage", "micro_batch", "chunk"))
    return Pass(stage, str(row["kind"]), micro_batch, chunk, start, end)


def _drawn(passes: Sequence[Pass]) -> tuple[Pass, ...]:
    return tuple(p for p in passes if p.stage < STAGES and p.micro_batch <= MICRO_BATCHES)


@figure
def draw(data: PipelineData) -> Picture:
    """One row a stage; numbers in the cells where they fit; what is idle is hatched."""
    passes = _drawn(data.passes)
    rows = max((p.stage for p in passes), default=0) + 1
    first, whole = min((p.start for p in passes), default=0.0), max((p.end for p in passes), default=1.0)
    last = first + _span(passes, whole - first, style.FULL - 1.0 - width(f"Stage {rows - 1}") - 2.0)
    passes = tuple(replace(p, end=min(p.end, last)) for p in passes if p.start < last)
    size, unit = words.unit([last - first], words.SECONDS)
    remark = f"Drawn: {data.remark.strip().rstrip('.')}." if data.remark.strip() else ""
    shown = f"{words.rounded((last - first) / size)} of {words.rounded((whole - first) / size)}{words.NB}{unit}"
    left_out = remark or _left_out(data, rows, max((p.micro_batch for p in _drawn(data.passes)), default=0))
    if last < whole:
        left_out = f"{left_out} The first {shown} are drawn, where passes are wide enough for their numbers.".strip()
    odd = any(p.chunk % 2 for p in passes)
    present = [k for (kind, tone), k in KINDS.items() if any(p.kind == kind for p in passes) and (odd or not tone)]
    present.append(NOT_DRAWN if _partial(data, _drawn(data.passes)) else IDLE)
    top = 8.0 + 4.0 * (legend_rows(present, style.FULL) - 1)
    bottom = top + 4.6 * rows + 0.5
    sheet = Sheet(NAME, style.FULL, bottom + 9.4 + (4.0 if left_out else 0))
    legend(sheet, present)
    start = width(f"Stage {rows - 1}") + 2.0
    scale = Scale(0.0, (last - first) / size, start, style.FULL - 1.0)
    value_axis(sheet, scale, top - 2.0, bottom, f"Time ({unit})", grid=False)
    for stage in range(rows):
        y = top + 4.6 * stage
        sheet.text(start - 1.2, y, f"Stage {stage}", align="right")
        sheet.rectangle(
            start, y - ROW / 2, scale.end - start, ROW, IDLE.color, edge=style.RULE, line=0.3, hatch=WASTE, z=1
        )
        for cell in _cells([p for p in passes if p.stage == stage], scale, first, size):
            ends = "–".join(words.rounded(_time(scale, x)) for x in (cell.left, cell.right))
            _draw_cell(sheet, cell, (f"Stage {stage}", f"{ends}{words.NB}{unit}"), y)
    note(sheet, left_out)
    return sheet.finish(_alt(data, passes, rows, (last - first) / size, unit, left_out, last < whole))


def _span(passes: Sequence[Pass], whole: float, room: float) -> float:
    """The time to draw (s): all, or the beginning that leaves a forward pass READ mm, where that shows enough."""
    forward = sorted(p.end - p.start for p in passes if p.kind == "F")
    readable = forward[len(forward) // 2] / READ * room if forward else whole
    return readable if CUT[0] * whole <= readable < CUT[1] * whole else whole


@dataclass(frozen=True)
class _Cell:
    """What is drawn of a pass, or of neighbors of one look too narrow to tell apart: edges (mm), look, number."""

    left: float
    right: float
    kind: Kind
    number: str


def _cells(passes: Sequence[Pass], scale: Scale, first: float, size: float) -> list[_Cell]:
    """The cells of one stage in order; a pass that begins before the one before it ends cuts that one short."""
    cells: list[_Cell] = []
    for made in sorted(passes, key=lambda p: (p.start, p.end)):
        kind = KINDS.get((made.kind, made.chunk % 2)) or KINDS[made.kind, 0]
        left, right = scale.at((made.start - first) / size), scale.at((made.end - first) / size)
        before = cells[-1] if cells else None
        if before and before.kind == kind and right - left < NARROW and -0.1 < left - before.right < 0.05:
            cells[-1] = _Cell(before.left, right, kind, "")
            continue
        if before and before.right > left:
            cells[-1] = replace(before, right=left)
        cells.append(_Cell(left, right, kind, str(made.micro_batch)))
    return cells


def _time(scale: Scale, x: float) -> float:
    """The time at a place of the axis."""
    return scale.high * (x - scale.start) / (scale.end - scale.start)


def _draw_cell(sheet: Sheet, cell: _Cell, said: tuple[str, str], y: float) -> None:
    wide, kind = cell.right - cell.left, cell.kind
    of = f"micro-batch {cell.number}" if cell.number else "several micro-batches"
    sheet.rectangle(cell.left, y - ROW / 2, wide, ROW, kind.color, edge=kind.outline if wide > 0.6 else "", line=0.4,
                    tip=(said[0], f"{kind.name.lower()}, {of}", said[1]))  # fmt: skip
    if cell.number and width(cell.number, CELL) <= wide - 0.3:
        ink = style.ON.get(kind.color, INK)
        sheet.text((cell.left + cell.right) / 2, y, cell.number, size=CELL, color=ink, align="center")


def _left_out(data: PipelineData, rows: int, batches: int) -> str:
    parts = [f"{batches} of {data.micro_batches} micro-batches"] if batches < data.micro_batches else []
    parts += [f"{rows} of {data.stages} stages"] if rows < data.stages else []
    return f"Drawn: {' and '.join(parts)}." if parts else ""


def _partial(data: PipelineData, passes: Sequence[Pass]) -> bool:
    """Whether the step has micro-batches that are not drawn: then what is hatched is not all idle."""
    return data.micro_batches > max((p.micro_batch for p in passes), default=0)


def _alt(
    data: PipelineData, passes: Sequence[Pass], rows: int, total: float, unit: str, left_out: str, cut: bool
) -> str:
    span = max((p.end for p in passes), default=1.0) - min((p.start for p in passes), default=0.0)
    idle = max(0.0, 1 - sum(p.end - p.start for p in passes) / (rows * span)) if span > 0 else 0.0
    batches = max((p.micro_batch for p in passes), default=0)
    drawn = f"{rows} stages, {batches} micro-batches, {words.rounded(total)}{words.NB}{unit}"
    said = "" if cut or _partial(data, passes) else f", idle {words.percent(idle)}"
    return f"Schedule {named(data.schedule) or 'of the pipeline'} as drawn: {drawn}{said}. {left_out}".strip()

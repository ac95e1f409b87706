"""Figure: from the baseline to another run, cause by cause; the bars add up to the difference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import bars, words
from reports.figures.frame import value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale
from reports.figures.sheet import Sheet, fitted, width
from reports.prose import capital
from reports.style import INK, MUTE, RULE

NAME = "waterfall"
PARTS = (("step_time", "seconds"), ("cost", "usd"))  # which = 2 x run + part
SMALL = 0.005  # bars below this share of the largest are drawn as one
MOST = 11
CAUSES = {
    "compute_time": "Compute",
    "tensor_communication": "Tensor comm.",
    "context_communication": "Context comm.",
    "expert_communication": "Expert comm.",
    "pipeline_communication": "Pipeline comm.",
    "data_communication": "Data comm.",
    "bubble_time": "Pipeline bubble",
    "optimizer_time": "Optimizer",
    "launch_time": "Kernel launches",
    "offload_time": "Offload",
    "overhead_time": "Stragglers, fixed",
}
REST, SUM = "Other causes", "Difference"
LADDERS = {"step_time": words.SECONDS, "cost": words.MONEY}
TITLES = {"step_time": "Step time, difference", "cost": "Cost, difference"}


@dataclass(frozen=True)
class WaterfallData:
    """Two runs with their totals, and the bars between them: (cause, signed amount) in base units."""

    part: str
    baseline: str
    run: str
    start: float
    end: float
    causes: tuple[tuple[str, float], ...]


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> WaterfallData | None:
    """Step time (even) or cost (odd) of the run number which / 2 beside the baseline; None where there are no bars."""
    part, unit = PARTS[which % 2]
    falls = (experiment.get("waterfall") or {}).get(part) or []
    fall = falls[which // 2] if which // 2 < len(falls) else {}
    given = [(str(bar["cause"]), words.known(bar.get(unit)) or 0.0) for bar in fall.get("bars") or ()]
    start, end = (words.known(fall.get(side)) for side in ("from", "to"))
    if start is None or end is None or not any(value for _, value in given):
        return None
    return WaterfallData(part, str(experiment.get("baseline")), str(fall.get("run")), start, end, tuple(given))


def gathered(causes: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """The causes that are drawn, in their order; small ones and those beyond MOST are one bar at the end."""
    top = max((abs(value) for _, value in causes), default=0.0)
    ordered = sorted(causes, key=lambda c: -abs(c[1]))[:MOST]
    kept = {cause for cause, value in ordered if abs(value) >= SMALL * top and value}
    rest = sum(value for cause, value in causes if cause not in kept)
    return [c for c in causes if c[0] in kept] + ([(REST, rest)] if abs(rest) > 1e-9 * top else [])


@figure
def draw(data: WaterfallData) -> Picture:
    """A bar for each cause beginning where the one before it ended, then their sum, between the totals of the runs."""
    size, unit = words.unit([data.start, data.end], LADDERS[data.part])
    places = words.decimals(max(abs(data.start), abs(data.end)) / size, 4)
    causes = [c for c in gathered(data.causes) if c[0] != REST or round(c[1] / size, places)]  # what prints as zero
    lie = bars.rows(len(causes) + 3, 6.6, pitch=4.8)
    sheet = Sheet(f"{NAME}-{data.part.replace('_', '-')}", style.HALF, lie.height)
    totals = [words.number(v / size, places) for v in (data.start, data.end)]
    values = [words.number(round(v / size, places), places, signed=True) for _, v in causes]
    whole = words.number(round((data.end - data.start) / size, places), places, signed=True)
    names = [capital(CAUSES.get(cause, cause)) for cause, _ in causes]
    left = bars.names_room([*names, SUM, data.baseline, data.run], widest=34.0)
    room = max(width(unit), *(width(t, weight=600) for t in (*totals, *values, whole))) + 3.0
    levels = running([value / size for _, value in causes])
    scale = _scale(levels, left, style.HALF - room - 1.0)
    sheet.text(style.HALF - 0.5, 2.2, unit, color=MUTE, align="right")
    value_axis(sheet, scale, lie.first - 3.0, lie.bottom, f"{TITLES[data.part]} ({unit})", ticks=scale.ticks(5))
    sheet.line([(scale.at(0.0), lie.first - 3.0), (scale.at(0.0), lie.bottom)], INK, 0.8, z=5)
    _end(sheet, data.baseline, totals[0], left, lie.at(0))
    for i, (name, value) in enumerate(zip(names, values, strict=True), 1):
        _cause(sheet, name, value, (levels[i - 1], levels[i]), scale, left, (lie.at(i), lie.pitch))
    _sum(sheet, whole, levels[-1], scale, left, lie.at(len(causes) + 1))
    _end(sheet, data.run, totals[1], left, lie.at(len(causes) + 2))
    return sheet.finish(_alt(data, list(zip(names, values, strict=True)), totals, unit))


def running(values: Sequence[float]) -> list[float]:
    """The levels before the first and after each value."""
    levels = [0.0]
    for value in values:
        levels.append(levels[-1] + value)
    return levels


def _scale(levels: Sequence[float], left: float, right: float) -> Scale:
    low, high = min(levels), max(levels)
    margin = 0.04 * (high - low) or 1.0
    return Scale(low - margin, high + margin, left, right)


def _end(sheet: Sheet, name: str, total: str, left: float, y: float) -> None:
    """The row of a run: its name and total in bold; no bar, as the axis is that of differences."""
    bars.name(sheet, name, left, y, bold=True)
    sheet.text(style.HALF - 0.5, y, total, weight=600, align="right")


def _sum(sheet: Sheet, value: str, level: float, scale: Scale, left: float, y: float) -> None:
    """The row of the difference: a bar from zero to where the causes end."""
    sheet.text(left - 1.2, y, SUM, align="right")
    bars.plain_bar(sheet, scale.at(0.0), scale.at(level), y, style.BLUE, tip=(SUM, "", value))
    sheet.text(style.HALF - 0.5, y, value, align="right")


def _cause(
    sheet: Sheet, name: str, value: str, ends: tuple[float, float], scale: Scale, left: float, at: tuple[float, float]
) -> None:
    """One floating bar, a thin line down to where the next one begins, and its signed amount at the right."""
    y, pitch = at
    start, end = (scale.at(v) for v in ends)
    sheet.text(left - 1.2, y, fitted(name, left - 1.5), align="right")
    bars.plain_bar(sheet, start, end, y, style.NAVY if ends[1] >= ends[0] else style.SKY,
                   tip=(name, "", value))  # fmt: skip
    sheet.line([(end, y + bars.HIGH / 2), (end, y + pitch - bars.HIGH / 2)], RULE, 0.5, z=4)
    sheet.text(style.HALF - 0.5, y, value, align="right")


def _alt(data: WaterfallData, rows: Sequence[tuple[str, str]], totals: Sequence[str], unit: str) -> str:
    said = "; ".join(f"{name} {value}" for name, value in rows)
    what = TITLES[data.part].partition(",")[0]
    return f"{what} from {data.baseline} ({totals[0]} {unit}) to {data.run} ({totals[1]} {unit}): {said}."

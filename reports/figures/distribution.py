"""Figure: the distribution of a result over the samples, with its P10, P50 and P90 and the limit required."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.metrics import BY_NAME
from reports import style, terms
from reports.figures import chart as charts
from reports.figures import words
from reports.figures.frame import height_axis, value_axis
from reports.figures.front import limit
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale
from reports.figures.sheet import Sheet, width
from reports.locales import listed
from reports.prose import capital
from reports.style import FAIL, INK, NAVY, SKY, WHITE

NAME = "distribution"
HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 58.0, 13.0, 9.0, 48.4, style.HALF - 1.0


@dataclass(frozen=True)
class DistributionData:
    """Edges of the bins as shown, the share of samples in each, percentiles, a limit with its relation."""

    title: str
    unit: str
    edges: tuple[float, ...]
    shares: tuple[float, ...]
    percentiles: tuple[tuple[str, float], ...]
    limit: float | None = None


def metrics(experiment: Mapping[str, Any]) -> list[str]:
    """The results with a histogram."""
    found = experiment.get("histogram") or {}
    return [n for n, h in found.items() if n in BY_NAME and len(h.get("counts") or ()) > 0 and sum(h["counts"]) > 0]


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> DistributionData | None:
    """The distribution of one of the results with a histogram, by its place among them."""
    shown = metrics(experiment)
    if which >= len(shown):
        return None
    name = shown[which]
    histogram, bands = experiment["histogram"][name], (experiment.get("bands") or {}).get(name) or {}
    total = sum(histogram["counts"])
    edges = [float(e) for e in histogram["edges"]]
    unit = charts.shown_unit([max(map(abs, edges))], BY_NAME[name].unit)
    marks = [(p.upper(), words.known(bands.get(p))) for p in ("p10", "p50", "p90")]
    bound = limit(experiment, name)
    return DistributionData(
        capital(terms.words(name)), unit.name, tuple(e / unit.factor for e in edges),
        tuple(c / total for c in histogram["counts"]),
        tuple((p, v / unit.factor) for p, v in marks if v is not None), bound and bound / unit.factor,
    )  # fmt: skip


@figure
def draw(data: DistributionData) -> Picture:
    """Bars of the share of samples; dark between P10 and P90; the limit in red where it is near."""
    sheet = Sheet(NAME, style.HALF, HEIGHT)
    across = _across(data)
    up = Scale(0.0, (100 * max(data.shares) or 1.0) * 1.05, BOTTOM, TOP)
    title = f"{data.title} ({data.unit})" if data.unit else data.title
    value_axis(sheet, across, TOP, BOTTOM, title, ticks=across.ticks(6), grid=False)
    height_axis(sheet, up, LEFT, RIGHT, "Samples (%)", ticks=up.ticks(5))
    known = dict(data.percentiles)
    for i, share in enumerate(data.shares):
        a, b = data.edges[i], data.edges[i + 1]
        middle = (a + b) / 2
        inside = known.get("P10", -float("inf")) <= middle <= known.get("P90", float("inf"))
        x, y = across.at(a), up.at(100 * share)
        sheet.rectangle(x, y, across.at(b) - x, BOTTOM - y, NAVY if inside else SKY, edge=WHITE, line=0.3,
                        tip=(f"{words.plain(a)} – {words.plain(b)} {data.unit}".strip(), "samples",
                             words.percent(share)))  # fmt: skip
    _marks(sheet, data, across)
    return sheet.finish(_alt(data))


def _across(data: DistributionData) -> Scale:
    """The range of the bins, and of a limit that lies within half of it beside them."""
    low, high = data.edges[0], data.edges[-1]
    span = (high - low) or abs(high) or 1.0
    near = [data.limit] if data.limit is not None and low - span / 2 <= data.limit <= high + span / 2 else []
    low, high = min([low, *near]), max([high, *near])
    return Scale(low - span * 0.03, (high if high > low else low + span) + span * 0.03, LEFT, RIGHT)


def _marks(sheet: Sheet, data: DistributionData, across: Scale) -> None:
    """Lines at the percentiles and at the limit, named above the plot where there is room, in two rows."""
    lines = [(v, f"{p} {words.plain(v)}", INK) for p, v in data.percentiles]
    if data.limit is not None and across.low <= data.limit <= across.high:
        lines.append((data.limit, f"limit {words.plain(data.limit, 4)}", FAIL))
    for value, text, color in lines:
        x = across.inside(value)
        sheet.line([(x, TOP - 0.6), (x, BOTTOM)], color, 1.2 if color == FAIL else 0.9,
                   dash=() if color == FAIL else (3, 2), z=5)  # fmt: skip
        half = width(text) / 2
        middle = min(max(x, half + 0.3), sheet.width - half - 0.3)
        shifts = [(middle + dx, y, "center") for y in (6.2, 2.4) for dx in (0.0, -half, half)]
        sheet.place(shifts, text, color=color)


def _alt(data: DistributionData) -> str:
    said = listed([f"{p} {words.plain(v)}" for p, v in data.percentiles])
    bound = f" Limit {words.plain(data.limit, 4)}." if data.limit is not None else ""
    ends = f"{words.plain(data.edges[0])} to {words.plain(data.edges[-1])}"
    unit = f" {data.unit}" if data.unit else ""
    return f"Distribution of {data.title.lower()} over the samples, {ends}{unit}: {said}.{bound}"

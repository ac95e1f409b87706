"""Figure: a result against the number of GPUs on a scale of doublings, with its interval; a ring around the plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.metrics import BY_NAME
from reports import style, terms
from reports.figures import chart as charts
from reports.figures import looks, words
from reports.figures.frame import height_axis, value_axis
from reports.figures.line_ends import names_at_ends
from reports.figures.lines import logarithmic
from reports.figures.looks import LOOKS, Look
from reports.figures.panels import Panel
from reports.figures.picture import Picture, Tip, figure
from reports.figures.scale import Scale, labels, log_labels
from reports.figures.sheet import Sheet, width
from reports.prose import capital
from reports.style import INK, MUTE, WHITE

NAME = "scaling"
HIGH, LEFT, ENDS = 50.0, 13.0, 26.0  # mm; ENDS: room at the right for the names of curves
SHOWN = ("mfu", "tokens_per_second")
"""What it can show, in order; the first as shares of the peak, the second beside ideal growth."""


Spot = tuple[float, float | None, float | None, float | None]  # GPUs, value, low, high


@dataclass(frozen=True)
class Curve:
    """One line by GPUs; a value is None where nothing is feasible."""

    name: str
    points: tuple[Spot, ...]


@dataclass(frozen=True)
class ScalingData:
    """The curves, the title and unit of the value, the title of the axis below, the plan's place."""

    curves: tuple[Curve, ...]
    title: str
    unit: str
    over: str
    plan: tuple[float, float] | None = None
    ideal: bool = False


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> ScalingData | None:
    """Utilization (0) or tokens a second (1) of a table over GPU counts; None where fewer than two are known."""
    name, path = SHOWN[which], str(experiment.get("over") or "cluster.gpus")
    each = _gpus_each(experiment) if path == "cluster.nodes" else None
    path = "cluster.gpus" if each else path
    found = [s for p in experiment.get("points") or () if (s := _spot(p, path, name)) is not None]
    own = Curve("", tuple(sorted(found, key=lambda s: s[0])))
    given = [c for c in experiment.get("curves") or () if (c.get("metric") or "mfu") == name]
    others = [Curve(str(c["name"]), _points(c, each or 1.0)) for c in given]
    curves = [c for c in (own, *others) if sum(p[1] is not None for p in c.points) > 1][: len(LOOKS)]
    if not curves:
        return None
    unit = charts.shown_unit([p[1] for c in curves for p in c.points if p[1] is not None], _unit(name))
    if own in curves and len(curves) > 1:
        curves[0] = Curve(str(experiment.get("model") or ""), own.points)
    shown = tuple(Curve(c.name, tuple(_shown(p, unit.factor) for p in c.points)) for c in curves)
    over = capital(terms.setting(path))
    return ScalingData(shown, capital(terms.words(name)), unit.name, over, _plan(experiment, path, name, unit.factor),
                       name == "tokens_per_second")  # fmt: skip


def _shown(point: Spot, factor: float) -> Spot:
    """A point with its values in the unit shown."""
    value, low, high = (None if v is None else v / factor for v in point[1:])
    return point[0], value, low, high


def _unit(name: str) -> str:
    return BY_NAME[name].unit


def _gpus_each(experiment: Mapping[str, Any]) -> float | None:
    """GPUs of a node, from a point that has both counts: a figure over nodes is one over GPUs."""
    for point in experiment.get("points") or ():
        settings = point.get("settings") or {}
        gpus, nodes = words.known(settings.get("cluster.gpus")), words.known(settings.get("cluster.nodes"))
        if gpus and nodes:
            return gpus / nodes
    return None


def _spot(point: Mapping[str, Any], path: str, name: str) -> Spot | None:
    """(x, value, low, high) of a point; without a value where it is infeasible; None without its place."""
    x = words.known((point.get("settings") or {}).get(path))
    value = words.known((point.get("results") or {}).get(name)) if charts.feasible(point) else None
    if x is None or x <= 0:
        return None
    low, high = (words.known(v) for v in ((point.get("interval") or {}).get(name) or (None, None)))
    return (x, value, low, high) if value is not None else (x, None, None, None)


def _points(curve: Mapping[str, Any], each: float) -> tuple[Spot, ...]:
    """The points of a curve of the document, its places times the GPUs that each stands for."""
    x, empty = [words.known(v) for v in curve["x"]], [None] * len(curve["x"])
    sides = [[words.known(v) for v in curve.get(k) or empty] for k in ("y", "low", "high")]
    return tuple((a * each, y, lo, hi) for a, y, lo, hi in zip(x, *sides, strict=True) if a is not None and a > 0)


def _plan(experiment: Mapping[str, Any], path: str, name: str, factor: float) -> tuple[float, float] | None:
    x = words.known((experiment.get("base_settings") or {}).get(path))
    own = [(p.get("settings") or {}, p.get("results") or {}) for p in experiment.get("points") or ()]
    value = words.known((experiment.get("base_results") or {}).get(name))
    at = [words.known(s.get(path)) for s, r in own if words.known(r.get(name)) == value and value is not None]
    place = x if x is not None else next(iter(at), None)
    return None if place is None or value is None else (place, value / factor)


@figure
def draw(data: ScalingData) -> Picture:
    """Curves on logarithmic GPUs with the real counts as ticks; ideal growth dashed; crosses where none is feasible."""
    every = [p for c in data.curves for p in c.points]
    entries = _entries(data, every)
    top = 2.4 + 4.0 * (looks.rows(entries, style.HALF) if entries else 0)
    sheet = Sheet(NAME, style.HALF, top + HIGH + 9.6)
    looks.key(sheet, entries)
    up = _up(data, every, top)
    ticks = up.ticks(6)
    texts = log_labels(ticks) if up.log else labels(ticks)
    left = max(LEFT, 6.4 + max(width(words.printable(t)) for t in texts))
    names = [c.name for c in data.curves if c.name]
    right = style.HALF - (min(ENDS, max(width(n, weight=600) for n in names) + 3.0) if names else 2.0)
    panel = Panel(left, top, right, top + HIGH)
    across = _axes(sheet, data, panel, up, (ticks, texts))
    ends = [_draw(sheet, data, c, LOOKS[i], across, up) for i, c in reversed(list(enumerate(data.curves)))]
    _ideal(sheet, data, across, up)
    names_at_ends(sheet, [e for e in ends if e and e[0]], panel, style.HALF)
    _ring(sheet, data, across, up)
    return sheet.finish(_alt(data))


def _axes(sheet: Sheet, data: ScalingData, panel: Panel, up: Scale,
          heights: tuple[Sequence[float], Sequence[str]]) -> Scale:  # fmt: skip
    """Both axes; the horizontal scale."""
    counts = sorted({p[0] for c in data.curves for p in c.points})
    most = counts[-1] if counts[-1] > counts[0] else counts[0] * 2
    across = Scale(counts[0], most, panel.left + 3.0, panel.right - 3.0, True)
    value_axis(sheet, across, panel.top, panel.bottom, logarithmic(data.over), ticks=counts,
               texts=[words.plain(c, 6) for c in counts], grid=False)  # fmt: skip
    sheet.line([(panel.left, panel.bottom), (panel.right, panel.bottom)], style.RULE, 0.6, z=4)
    title = f"{data.title} ({data.unit})" if data.unit else data.title
    height_axis(sheet, up, panel.left, panel.right, logarithmic(title) if up.log else title, ticks=heights[0],
                texts=heights[1])  # fmt: skip
    return across


def _entries(data: ScalingData, every: Sequence[Spot]) -> list[tuple[str, Look | str]]:
    made: list[tuple[str, Look | str]] = [("in proportion to the GPUs", looks.IDEAL)] if data.ideal else []
    made += [("interval, four in five", looks.BAND)] if any(p[2] is not None for p in every) else []
    return made + ([("infeasible", looks.GAP)] if any(p[1] is None for p in every) else [])


def _up(data: ScalingData, every: Sequence[Spot], top: float) -> Scale:
    """Linear and not from zero for shares; logarithmic for what grows with the GPUs."""
    found = [v for p in every for v in p[1:] if v is not None and v > 0] or [1.0]
    low, high = min(found), max(found)
    if data.ideal and high > 3 * low:
        return Scale(low / 1.25, high * 1.4, top + HIGH, top, True)
    space = (high - low) * 0.15 or abs(high) * 0.1
    return Scale(max(0.0, low - space), high + space, top + HIGH, top)


def _draw(sheet: Sheet, data: ScalingData, curve: Curve, look: Look, across: Scale,
          up: Scale) -> tuple[str, float, float, str] | None:  # fmt: skip
    known = [p for p in curve.points if p[1] is not None]
    band = [p for p in known if p[2] is not None and p[3] is not None]
    if len(band) > 1:
        over = [(across.at(p[0]), up.inside(p[3] or 0.0)) for p in band]
        under = [(across.at(p[0]), up.inside(p[2] or 0.0)) for p in reversed(band)]
        sheet.polygon([*over, *under], look.color, z=1.5, opacity=0.14)
    path = [(across.at(p[0]), up.inside(p[1] or 0.0)) for p in known]
    sheet.line(path, look.color, 1.5, dash=look.dash, z=3)
    sheet.keep_off(path, 2.0)
    for (x, y), point in zip(path, known, strict=True):
        sheet.marker(x, y, look.marker, look.color, tip=_tip(data, curve, point))
    for point in curve.points:
        if point[1] is None:
            sheet.marker(across.at(point[0]), up.start - 1.4, "x", MUTE, 4.0, edge=MUTE, line=1.0,
                         tip=_tip(data, curve, point))  # fmt: skip
    return (curve.name, *path[-1], look.words) if path else None


def _tip(data: ScalingData, curve: Curve, point: Spot) -> Tip:
    """What a point says when pointed at: its curve, its GPUs, its value with the interval."""
    x, value, low, high = point
    band = f" ({words.plain(low)} – {words.plain(high)})" if low is not None and high is not None else ""
    text = "infeasible" if value is None else f"{words.plain(value)} {data.unit}".strip() + band
    return curve.name, f"{data.over} {words.plain(x, 6)}", text


def _ideal(sheet: Sheet, data: ScalingData, across: Scale, up: Scale) -> None:
    """The growth that each further GPU would bring if none was lost: value / GPUs of the smallest count."""
    known = [p for p in data.curves[0].points if p[1] is not None]
    if not data.ideal or not up.log or not known:
        return
    (x0, y0), x1 = (known[0][0], known[0][1] or 0.0), across.high
    path = [(across.at(x0), up.at(y0)), (across.at(x1), up.at(y0 * x1 / x0))]
    sheet.line(path, MUTE, 1.0, dash=(4, 2), z=2, clip=(across.start, up.end, across.end, up.start))


def _ring(sheet: Sheet, data: ScalingData, across: Scale, up: Scale) -> None:
    """A ring around the plan, with its value."""
    if data.plan is None or not across.low <= data.plan[0] <= across.high or not up.low <= data.plan[1] <= up.high:
        return
    x, y = across.at(data.plan[0]), up.at(data.plan[1])
    sheet.marker(x, y, "o", "none", 9.5, edge=INK, line=1.2, z=6)
    text = f"plan {words.plain(data.plan[1])} {data.unit}".strip()
    sides = [(x, y - 4.0, "center"), (x + 2.6, y - 3.0, "left"), (x - 2.6, y - 3.0, "right"), (x, y + 4.0, "center"),
             (x + 2.6, y + 3.4, "left"), (x - 2.6, y + 3.4, "right")]  # fmt: skip
    sheet.place([s for s in sides if s[0] > across.start - 1], text, plate=WHITE)


def _alt(data: ScalingData) -> str:
    said = []
    for curve in data.curves:
        known = [p for p in curve.points if p[1] is not None]
        a, b = known[0], known[-1]
        ends = f"{words.plain(a[1])} at {words.plain(a[0], 6)}, {words.plain(b[1])} at {words.plain(b[0], 6)}"
        said.append(f"{curve.name}: {ends}" if curve.name else ends)
    plan = f" Plan: {words.plain(data.plan[1])} at {words.plain(data.plan[0], 6)}." if data.plan else ""
    unit = f" in {data.unit}" if data.unit else ""
    return f"{data.title}{unit} against {data.over}. {'; '.join(said)}.{plan}"

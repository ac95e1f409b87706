"""Figure: effective training time against the checkpoint interval, one curve per mean time between failures."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import words
from reports.figures.frame import height_axis, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale
from reports.figures.sheet import LINE, Sheet, fitted, width
from reports.style import FAIL, INK, MUTE, VALUE

NAME = "checkpoint-curve"
HEIGHT = 58.0
LEFT, TOP, BOTTOM, LABELS = 12.0, 2.0, 47.5, 22.0  # mm; LABELS: room at the right for the names of the curves
DEEPEST = 0.25  # below the best value, curves are cut
ROUND = {
    "s": (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 36000, 86400),
    "min": (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 240, 480, 1440, 2880, 10080),
    "h": (0.1, 0.2, 0.5, 1, 2, 4, 8, 12, 24, 48, 96, 168, 336, 720, 2160, 8760),
}
"""Ticks by unit: round in the unit itself."""
LOOKS = {
    0: (style.NAVY, style.NAVY, ()),
    1: (style.SKY, style.SKY_TEXT, (6, 2.5)),
    -1: (style.RUST, style.RUST, (3, 1.8)),
    2: (style.GREEN, style.PASS, (9, 2)),
    -2: (style.AMBER, style.WARN, (1.4, 1.4)),
}
"""Color, color of its name, dash: of the base curve, the next with more time between failures, the next with less …"""
Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Curve:
    """Effective shares at intervals (s) for one MTBF (s)."""

    mtbf: float
    points: Points
    base: bool = False


@dataclass(frozen=True)
class CheckpointData:
    """The curves; the planned interval, its rule and Young's (s); the share required, where one is."""

    curves: tuple[Curve, ...]
    planned: float | None = None
    young: float | None = None
    required: float | None = None


def from_point(point: Mapping[str, Any]) -> CheckpointData | None:
    """The figure of a point of the document; None without a checkpoint curve."""
    table = point.get("checkpoint") or {}
    base = words.known(table.get("mtbf")) or 0.0
    own = _points([(p.get("interval"), p.get("effective")) for p in table.get("curve") or ()])
    given = table.get("curves") or ()
    curves = [Curve(words.known(c.get("mtbf")) or 0.0, _points(c.get("points") or ())) for c in given]
    others = [c for c in curves if c.points and not math.isclose(c.mtbf, base)]
    same = [c.points for c in curves if math.isclose(c.mtbf, base)]
    own = own or (same[0] if same else ())
    if not own:
        return None
    planned, young = words.known(table.get("used")), words.known(table.get("young"))
    return CheckpointData(
        (Curve(base, own, True), *others), planned, young, words.limit(point, "effective_training_time")
    )


def _points(pairs: Sequence[Sequence[Any]]) -> Points:
    known = [(words.known(x), words.known(y)) for x, y in pairs]
    return tuple(sorted((x, min(max(y, 0.0), 1.0)) for x, y in known if x is not None and x > 0 and y is not None))


@figure
def draw(data: CheckpointData) -> Picture:
    """Curves on a logarithmic axis; a dot at each optimum; planned interval, Young's and the requirement as lines."""
    looks = _looks(data.curves)
    curves = [c for c in data.curves if c in looks and c.points]
    unit, name = _unit(curves, data.planned)
    sheet = Sheet(NAME, style.HALF, HEIGHT)
    across, up = _scales(curves, data, unit)
    ticks = [float(t) for t in ROUND[name] if across.low <= t <= across.high]
    value_axis(sheet, across, TOP, BOTTOM, f"Checkpoint interval ({name}, log scale)",
               ticks=ticks if len(ticks) > 1 else ())  # fmt: skip
    height_axis(sheet, up, LEFT, across.end, "Effective training time (%)", ticks=up.ticks(8))
    for curve in reversed(curves):
        color, _, dash = looks[curve]
        path = [(across.at(x / unit), up.at(100 * y)) for x, y in curve.points]
        x, y = _best(curve)
        tip = (_name(curve), f"best at {words.rounded(x / unit)}{words.NB}{name}", words.percent(y))
        sheet.line(path, color, 1.5, dash=dash, z=4, clip=(LEFT, TOP, across.end, BOTTOM), tip=tip)
        sheet.keep_off(path)
    for curve in curves:
        x, y = _best(curve)
        if up.low <= 100 * y <= up.high:
            sheet.marker(across.at(x / unit), up.at(100 * y), "o", looks[curve][0])
    _names(sheet, curves, looks, across, up)
    _marks(sheet, data, across, up, unit)
    return sheet.finish(_alt(data, curves, unit, name))


def _looks(curves: Sequence[Curve]) -> dict[Curve, tuple[str, str, tuple[float, ...]]]:
    """Color, text color and dash of each curve drawn: the base one, then the nearest above and below it."""
    base = next((c for c in curves if c.base), curves[0] if curves else None)
    if base is None:
        return {}
    above = sorted((c for c in curves if c is not base and c.mtbf >= base.mtbf), key=lambda c: c.mtbf)
    below = sorted((c for c in curves if c is not base and c.mtbf < base.mtbf), key=lambda c: -c.mtbf)
    ranked = {0: base} | {i + 1: c for i, c in enumerate(above[:2])} | {-i - 1: c for i, c in enumerate(below[:2])}
    return {curve: LOOKS[rank] for rank, curve in ranked.items()}


def _best(curve: Curve) -> tuple[float, float]:
    return max(curve.points, key=lambda p: p[1])


def _unit(curves: Sequence[Curve], planned: float | None) -> tuple[float, str]:
    typical = planned or _best(curves[0])[0]
    return (1.0, "s") if typical < 180 else (60.0, "min") if typical < 6 * 3600 else (3600.0, "h")


def _scales(curves: Sequence[Curve], data: CheckpointData, unit: float) -> tuple[Scale, Scale]:
    xs = [x for c in curves for x, _ in c.points] + [v for v in (data.planned, data.young) if v and v > 0]
    best = [100 * _best(c)[1] for c in curves]
    ys = [100 * y for c in curves for _, y in c.points] + [100 * v for v in (data.required,) if v is not None]
    low = max(min(ys), min(best) - 100 * DEEPEST)
    high = max(best + ([100 * data.required] if data.required is not None else []))
    room = max(high - low, 0.5) * 0.08
    low, high = max(0.0, low - room), min(100.0 + room, high + room)
    names = min(LABELS, max(width(_name(c)) for c in curves) + 2.5)
    more = 1.05 if max(xs) > 1.5 * min(xs) else 3.0
    wide = (min(xs) / more / unit, max(xs) * more / unit)
    return Scale(*wide, LEFT, style.HALF - names, log=True), Scale(low, max(high, low + 1), BOTTOM, TOP)


def _name(curve: Curve) -> str:
    return ("base " if curve.base else "MTBF ") + words.quantity(curve.mtbf or None, words.TIMES)


def _names(sheet: Sheet, curves: Sequence[Curve], looks: Mapping[Curve, tuple[str, str, tuple[float, ...]]],
           across: Scale, up: Scale) -> None:  # fmt: skip
    """The name of each curve at the height where it ends or leaves the plot, moved up where two would touch."""
    order = sorted(curves, key=lambda c: -c.points[-1][1])
    places = [min(max(up.inside(100 * c.points[-1][1]), TOP + 1.5), BOTTOM - 1.0) for c in order]
    for i in reversed(range(len(places) - 1)):
        places[i] = min(places[i], places[i + 1] - LINE)
    for curve, y in zip(order, places, strict=True):
        weight = 600 if curve.base else 400
        text = fitted(_name(curve), style.HALF - across.end - 1.0, weight=weight)
        sheet.text(across.end + 1.0, y, text, color=looks[curve][1], weight=weight)


def _marks(sheet: Sheet, data: CheckpointData, across: Scale, up: Scale, unit: float) -> None:
    """The requirement, the planned interval and Young's, each with its words where they find room."""
    if data.required is not None:
        y = up.at(100 * data.required)
        sheet.line([(LEFT, y), (across.end, y)], FAIL, 1.0, z=3)
        text, places = f"required ≥ {words.plain(100 * data.required)}{words.NB}%", []
        for side in (y - 1.9, y + 2.1):
            places += [(across.end - 0.5, side, "right"), (LEFT + 1, side, "left")]
            places += [((LEFT + across.end) / 2, side, "center")]
        if not sheet.place(places, text, color=FAIL, plate=style.WHITE):
            sheet.place([(across.end + 1.0, y, "left")], text.removeprefix("required "), color=FAIL)
    planned = across.at(data.planned / unit) if data.planned else None
    if planned is not None:
        sheet.line([(planned, TOP), (planned, BOTTOM)], INK, 1.0, dash=(3, 2), z=3)
        sheet.upright(planned, TOP, BOTTOM, f"planned {words.quantity(data.planned, words.TIMES)}", LEFT, across.end)
    if data.young:
        _young(sheet, data.young, across, across.at(data.young / unit), planned)


def _young(sheet: Sheet, young: float, across: Scale, x: float, planned: float | None) -> None:
    """A small triangle on the axis; its words beside it, or past the planned line's words where that is near."""
    sheet.polygon([(x, BOTTOM - 2.2), (x - 1.1, BOTTOM), (x + 1.1, BOTTOM)], MUTE, z=5)
    near = planned is not None and abs(planned - x) < 4
    for text in (f"Young {words.quantity(young, words.TIMES)}", "Young"):
        room, places = width(text, VALUE), []
        for away in (1.8, 5.2) if near else (1.8,):
            if x + away + room < across.end:
                places.append((x + away, BOTTOM - 1.8, "left"))
            if x - away - room > LEFT:
                places.append((x - away, BOTTOM - 1.8, "right"))
        if sheet.place(places, text, color=MUTE, size=VALUE, plate=style.WHITE):
            return


def _alt(data: CheckpointData, curves: Sequence[Curve], unit: float, name: str) -> str:
    said = []
    for curve in curves:
        x, y = _best(curve)
        said.append(f"{_name(curve)}: best {words.percent(y)} at {words.rounded(x / unit)}{words.NB}{name}")
    lines = [("Planned", data.planned), ("Young", data.young)]
    stated = [f"{what}: {words.quantity(value, words.TIMES)}." for what, value in lines if value]
    return f"Effective training time against checkpoint interval. {'; '.join(said)}. {' '.join(stated)}".strip()

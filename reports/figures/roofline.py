"""Figure: the operators of a step against the roof of one GPU.

An operator with FLOPs and bytes is a numbered marker. Where the ledger knows only the rate of one of them (a fused
attention kernel, a memory-bound kernel) it is a numbered dashed line at that rate: nothing is made up.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import roofline_key, words
from reports.figures.frame import height_axis, value_axis
from reports.figures.picture import Picture, Tip, figure
from reports.figures.roofline_key import LOOKS, Entry
from reports.figures.scale import Scale
from reports.figures.sheet import Sheet, width
from reports.prose import capital
from reports.style import INK, MUTE, VALUE
from reports.terms import words as named

NAME = "roofline"
HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 66.0, 13.0, 3.0, 56.0, 82.0  # mm
MOST = 7  # operators: those that take longest
Point = tuple[float, float]


@dataclass(frozen=True)
class Operator:
    """An operator: FLOP/byte, FLOP/s attained and its kind; kind "hbm": no intensity, rate in bytes/s."""

    name: str
    kind: str
    intensity: float | None
    rate: float
    seconds: float = 0.0


@dataclass(frozen=True)
class RooflineData:
    """A GPU's peak (FLOP/s) and memory bandwidth (bytes/s), a second peak where there is one, the operators."""

    gpu: str
    precision: str
    peak: float
    bandwidth: float
    operators: tuple[Operator, ...]
    second: tuple[str, float] | None = None
    of: int = 0


def from_point(point: Mapping[str, Any]) -> RooflineData | None:
    """The figure of a point of the document; None without the GPU's roof or an operator with a rate."""
    settings = point.get("settings") or {}
    precision = str(settings.get("precision") or "bf16")
    peak = words.amount(settings.get(f"cluster.gpu.peak.{precision}"))
    bandwidth = words.amount(settings.get("cluster.gpu.memory_bandwidth"))
    operators = _operators(point.get("ledger") or ())
    if not (peak and bandwidth and operators):
        return None
    other = "fp8" if precision == "bf16" else "bf16"
    second = words.amount(settings.get(f"cluster.gpu.peak.{other}"))
    gpu = settings.get("cluster.gpu")
    return RooflineData(gpu if isinstance(gpu, str) else "GPU", precision, peak, bandwidth, tuple(operators[:MOST]),
                        (other, second) if second > 1.05 * peak else None, len(operators))  # fmt: skip


def _operators(ledger: Sequence[Mapping[str, Any]]) -> list[Operator]:
    """The ledger's rows by operator, the longest first: [FLOPs, bytes, seconds] of a step."""
    sums: dict[tuple[str, str], list[float]] = {}
    for row in ledger:
        found = [words.amount(row.get(key)) for key in ("flops", "bytes", "seconds")]
        if row.get("kind") in LOOKS and found[2] > 0:
            sums[_key(row)] = [a + b for a, b in zip(sums.get(_key(row), [0.0] * 3), found, strict=True)]
    made = [_operator(name, kind, *found) for (name, kind), found in sums.items()]
    return sorted((o for o in made if o.rate > 0), key=lambda o: -o.seconds)


def _key(row: Mapping[str, Any]) -> tuple[str, str]:
    """Which operator a row belongs to: a GEMM's directions are one, attention's two, all memory-bound kernels one."""
    kind, op = str(row["kind"]), str(row.get("op"))
    if kind == "hbm":
        return ("Optimizer" if row.get("block") == "optimizer" else "Memory-bound kernels"), kind
    if kind == "sdpa":
        return f"Attention {'backward' if row.get('phase') == 'backward' else 'forward'}", kind
    return capital(named(op.removesuffix(" dX").removesuffix(" dW"))), kind


def _operator(name: str, kind: str, flops: float, moved: float, seconds: float) -> Operator:
    if kind == "hbm":
        return Operator(name, kind, None, moved / seconds, seconds)
    return Operator(name, kind, flops / moved if flops and moved else None, flops / seconds, seconds)


def share(operator: Operator, data: RooflineData) -> float:
    """Attained rate over the roof: rate / min(peak, intensity x bandwidth); over the peak or bandwidth alone."""
    if operator.kind == "hbm":
        return operator.rate / data.bandwidth
    reach = math.inf if operator.intensity is None else operator.intensity * data.bandwidth
    return operator.rate / min(data.peak, reach)


@figure
def draw(data: RooflineData) -> Picture:
    """Roof and slope, numbered operators, and a key with each one's share of the roof."""
    sheet = Sheet(NAME, style.HALF, HEIGHT)
    shown = data.operators[:MOST]
    across, up = _scales(data, shown)
    value_axis(sheet, across, TOP, BOTTOM, "Arithmetic intensity (FLOP/byte)", ticks=across.ticks(6))
    height_axis(sheet, up, LEFT, RIGHT, "Attained rate (TFLOP/s)", ticks=up.ticks(6))
    roof = _roof(data.peak, data.bandwidth, across, up)
    sheet.line(roof, INK, 1.4, z=4, clip=(LEFT, TOP, RIGHT, BOTTOM))
    sheet.keep_off(roof)
    if data.second:
        second = _roof(data.second[1], data.bandwidth, across, up)[1:]
        sheet.line([roof[1], *second], MUTE, 1.0, dash=(4, 2), z=3, clip=(LEFT, TOP, RIGHT, BOTTOM))
        sheet.keep_off([roof[1], *second])
    entries = [Entry(o.name, o.kind, o.intensity is None, words.percent(share(o, data), 0)) for o in shown]
    corner = roofline_key.draw(sheet, entries, RIGHT - 0.6, BOTTOM - 0.8)
    spots = [_spot(sheet, o, data, across, up, corner) for o in shown]
    _names(sheet, data, roof, up)
    for i, (x, y) in enumerate(spots):
        around = [(x + dx * r, y + dy * r, "center") for r in (2.6, 3.6, 4.8) for dx, dy in AROUND]
        sheet.place([p for p in around if LEFT < p[0] < RIGHT + 1], str(i + 1), size=VALUE, weight=600)
    return sheet.finish(_alt(data, shown))


AROUND = ((0, 1), (-0.9, 0), (0.9, 0), (0, -1), (-0.8, 0.8), (0.8, 0.8), (0.8, -0.8), (-0.8, -0.8))


def _roof(peak: float, bandwidth: float, across: Scale, up: Scale) -> list[Point]:
    corners = [(across.low, across.low * bandwidth), (peak / bandwidth, peak), (across.high, peak)]
    return [(across.at(x), up.at(y / 1e12)) for x, y in corners]


def _spot(sheet: Sheet, o: Operator, data: RooflineData, across: Scale, up: Scale, corner: Point) -> Point:
    """Draws an operator as marker or line; returns where its number belongs."""
    shape, fill = LOOKS[o.kind]
    ridge = data.peak / data.bandwidth
    if o.intensity is None:
        start, end = (across.low, ridge / 3) if o.kind == "hbm" else (ridge, across.high)
        rates = [(x, x * o.rate if o.kind == "hbm" else o.rate) for x in (start, end)]
        path = [(across.at(x), up.at(y / 1e12)) for x, y in rates]
        sheet.line(path, fill, 1.4, dash=(3, 2), z=4, clip=(LEFT, TOP, RIGHT, BOTTOM), tip=_tip(o, data))
        sheet.keep_off(path)
        (x0, y0), (x1, y1) = path
        return (x0 + (x1 - x0) * 0.6, y0 + (y1 - y0) * 0.6) if o.kind == "hbm" else (x0 + 2, y0)
    x, y = across.inside(o.intensity), up.inside(o.rate / 1e12)
    if x < corner[0] - 1 or y < corner[1] - 1:  # one under the key stands in the key alone
        sheet.marker(x, y, shape, fill, z=5, tip=_tip(o, data))
    return x, y


def _scales(data: RooflineData, shown: Sequence[Operator]) -> tuple[Scale, Scale]:
    """Logarithmic scales that show the ridge, every operator, and a place for the key at the lower right."""
    ridge, top = data.peak / data.bandwidth, max(data.peak, data.second[1] if data.second else 0.0)
    at = [o.intensity for o in shown if o.intensity]
    low = 10 ** math.floor(math.log10(max(min([*at, ridge / 300]), ridge / 1e6)) + 1e-9)
    high = 10 ** math.ceil(math.log10(min(max([*at, ridge * 30]), ridge * 1e6)) - 1e-9)
    upper = math.log10(top * 2.5)
    part = (roofline_key.height(len(shown)) + 4.0) / (BOTTOM - TOP)  # of the height: operators lie above the key
    rates = [o.rate for o in shown if o.kind != "hbm"]
    right = [o.rate for o in shown if o.kind != "hbm" and (o.intensity or math.inf) > ridge]
    above = [(math.log10(max(rate, top / 1e6)) - part * upper) / (1 - part) for rate in right]
    bottom = 10 ** min([math.log10(max(v, top / 1e8)) for v in (low * data.bandwidth, *rates)] + above)
    return Scale(low, high, LEFT, RIGHT, log=True), Scale(bottom / 1e12, 10**upper / 1e12, BOTTOM, TOP, log=True)


def _names(sheet: Sheet, data: RooflineData, roof: Sequence[Point], up: Scale) -> None:
    """Names on the roofs and along the slope, turned to its angle in millimeters."""
    (x0, y0), (x1, y1) = roof[0], roof[1]
    peak = f"{data.precision.upper()} {words.quantity(data.peak, words.TERA)}"
    over, under = (RIGHT - 0.5, y1 - 2.4, "right"), (RIGHT - 0.5, y1 + 2.4, "right")
    sheet.place([(x1 - 1.0, y1 - 1.8, "right"), over, (LEFT + 1.0, y1 - 1.8, "left"), under], peak)
    if data.second:
        y = up.at(data.second[1] / 1e12)
        places = [(RIGHT - 0.3, y - 2.4, "right"), (RIGHT - 0.3, y + 2.4, "right"), (LEFT + 1.0, y, "left")]
        sheet.place(places, f"{data.second[0].upper()} {words.quantity(data.second[1], words.TERA)}", color=MUTE)
    along, text = math.hypot(x1 - x0, y1 - y0), f"memory {words.quantity(data.bandwidth, words.RATES)}"
    slope = math.degrees(math.atan2(y0 - y1, x1 - x0))
    for part in (0.55, 0.4, 0.7, 0.3) if along > width(text) + 6 else ():
        if sheet.turned(x0 + (x1 - x0) * part, y0 + (y1 - y0) * part, text, slope):
            return


def _tip(o: Operator, data: RooflineData) -> Tip:
    """What an operator says when pointed at: its rate and its share of the roof."""
    rate = words.quantity(o.rate, words.RATES if o.kind == "hbm" else words.TERA)
    return o.name, rate, f"{words.percent(share(o, data), 0)} of the roof"


def _alt(data: RooflineData, shown: Sequence[Operator]) -> str:
    rates = []
    for o in shown:
        rate = words.quantity(o.rate, words.RATES if o.kind == "hbm" else words.TERA)
        rates.append(f"{o.name} {rate}, {words.percent(share(o, data), 0)}")
    more = words.shown_of(len(shown), max(data.of, len(data.operators)), "operators", ", those that take longest")
    peak, ridge = words.quantity(data.peak, words.TERA), words.rounded(data.peak / data.bandwidth)
    roof = f"Roofline of one {data.gpu}: peak {peak} {data.precision}, ridge at {ridge} FLOP/byte."
    return f"{roof} Share of the roof: {'; '.join(rates)}. {more}".strip()

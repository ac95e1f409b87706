"""Figure: the operators of a step against the roof of one GPU."""

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
from reports.style import HAIRLINE, INK, MUTE, VALUE, WHITE

NAME = "roofline"
HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 66.0, 13.0, 3.0, 56.0, 82.0  # mm
MOST = 7  # operators: those that take longest
LOOKS = {"gemm": ("o", style.NAVY), "sdpa": ("s", style.BLUE), "hbm": ("D", style.AMBER)}
NAMES = {"qkv": "QKV", "sdpa": "Attention", "attn_out": "Attention output", "mlp_up": "MLP up", "mlp_down": "MLP down",
         "head": "Head"}  # fmt: skip


@dataclass(frozen=True)
class Operator:
    """An operator: FLOP per byte, FLOP/s attained, seconds a step, its kind (gemm, sdpa, hbm)."""

    name: str
    kind: str
    intensity: float
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
    """The figure of a point of the document; None without the GPU's roof or an operator with FLOPs and bytes."""
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
    """The ledger's rows by operator (attention by direction too), the longest first."""
    sums: dict[tuple[str, str], list[float]] = {}
    for row in ledger:
        found = [words.amount(row.get(key)) for key in ("flops", "bytes", "seconds")]
        if row.get("kind") in LOOKS and min(found) > 0:
            phase = {"backward": " backward"}.get(str(row.get("phase")), " forward") if row["kind"] == "sdpa" else ""
            op = str(row.get("op"))
            key = (NAMES.get(op, op.replace("_", " ").capitalize()) + phase, str(row["kind"]))
            sums[key] = [a + b for a, b in zip(sums.get(key, [0.0] * 3), found, strict=True)]
    made = [Operator(name, kind, f / b, f / s, s) for (name, kind), (f, b, s) in sums.items()]
    return sorted(made, key=lambda o: -o.seconds)


@figure
def draw(data: RooflineData) -> Picture:
    """Roof and slope, numbered markers, and a key with each operator's share of the roof at its intensity."""
    sheet = Sheet(NAME, style.HALF, HEIGHT)
    across, up = _scales(data)
    value_axis(sheet, across, TOP, BOTTOM, "Arithmetic intensity (FLOP/byte)", ticks=across.ticks(6))
    height_axis(sheet, up, LEFT, RIGHT, "Attained rate (TFLOP/s)", ticks=up.ticks(6))
    ridge = data.peak / data.bandwidth
    corners = [(across.low, across.low * data.bandwidth), (ridge, data.peak), (across.high, data.peak)]
    roof = [(across.at(x), up.at(y / 1e12)) for x, y in corners]
    clip = (LEFT, TOP, RIGHT, BOTTOM)
    sheet.line(roof, INK, 1.4, z=4, clip=clip)
    sheet.keep_off(roof)
    if data.second:
        x, y = across.at(data.second[1] / data.bandwidth), up.at(data.second[1] / 1e12)
        sheet.line([roof[1], (x, y), (RIGHT, y)], MUTE, 1.0, dash=(4, 2), z=3, clip=clip)
        sheet.keep_off([roof[1], (x, y), (RIGHT, y)])
    shown = data.operators[:MOST]
    _key(sheet, data, shown)
    spots = [(across.inside(o.intensity), up.inside(o.rate / 1e12)) for o in shown]
    for o, (x, y) in zip(shown, spots, strict=True):
        sheet.marker(x, y, *LOOKS.get(o.kind, LOOKS["gemm"]), z=5)
    _roof_names(sheet, data, roof, up)
    for i, (x, y) in enumerate(spots):
        around = [(x + dx * r, y + dy * r, "center") for r in (2.6, 3.6, 4.8) for dx, dy in _DIRECTIONS]
        sheet.place(around, str(i + 1), size=VALUE, weight=600)
    return sheet.finish(_alt(data, shown))


_DIRECTIONS = ((0, 1), (-0.9, 0), (0.9, 0), (0, -1), (-0.8, 0.8), (0.8, 0.8), (0.8, -0.8), (-0.8, -0.8))


def _scales(data: RooflineData) -> tuple[Scale, Scale]:
    """Logarithmic scales that show the ridge, every operator, and a place for the key at the lower right."""
    ridge, top = data.peak / data.bandwidth, max(data.peak, data.second[1] if data.second else 0.0)
    at, rates = [o.intensity for o in data.operators], [o.rate for o in data.operators]
    low = 10 ** math.floor(math.log10(max(min([*at, ridge / 300]), ridge / 1e6)) + 1e-9)
    high = 10 ** math.ceil(math.log10(min(max([*at, ridge * 30]), ridge * 1e6)) - 1e-9)
    bottom = max(min([low * data.bandwidth, *rates]), top / 1e8)
    return (Scale(low, high, LEFT, RIGHT, log=True), Scale(bottom / 1e12, top * 2.5 / 1e12, BOTTOM, TOP, log=True))


def share(operator: Operator, data: RooflineData) -> float:
    """Attained rate over the roof at the operator's intensity: rate / min(peak, intensity x bandwidth)."""
    return operator.rate / min(data.peak, operator.intensity * data.bandwidth)


def _key(sheet: Sheet, data: RooflineData, shown: Sequence[Operator]) -> None:
    """The box at the lower right: number, name and share of the roof of every marker."""
    shares = [words.percent(share(o, data), 0) for o in shown]
    room = max(width(s, VALUE) for s in shares)
    names = [fitted(o.name, 26.0, VALUE) for o in shown]
    wide = 8.5 + max(width(n, VALUE) for n in names) + 3.0 + room + 1.2
    high = LINE * len(shown) + 1.6
    left, top = RIGHT - wide - 0.6, BOTTOM - high - 0.8
    sheet.rectangle(left, top, wide, high, WHITE, edge=HAIRLINE, z=4)
    sheet.take(left, top, left + wide, top + high)
    for i, (o, name, text) in enumerate(zip(shown, names, shares, strict=True)):
        y = top + 0.8 + LINE * (i + 0.5)
        shape, fill = LOOKS.get(o.kind, LOOKS["gemm"])
        sheet.marker(left + 2.2, y, shape, fill, 4.2, z=6)
        sheet.text(left + 6.6, y, str(i + 1), size=VALUE, weight=600, align="right")
        sheet.text(left + 8.2, y, name, size=VALUE)
        sheet.text(left + wide - 1.2, y, text, size=VALUE, align="right")


def _roof_names(sheet: Sheet, data: RooflineData, roof: Sequence[tuple[float, float]], up: Scale) -> None:
    """Names on the roofs and along the slope, turned to its angle in millimeters."""
    peak = f"{data.precision.upper()} {words.quantity(data.peak, words.TERA)}"
    sheet.place([(roof[1][0] - 1.0, roof[1][1] - 1.8, "right"), (RIGHT - 0.5, roof[1][1] - 2.4, "right"),
                 (LEFT + 1.0, roof[1][1] - 1.8, "left"), (RIGHT - 0.5, roof[1][1] + 2.4, "right")], peak)  # fmt: skip
    if data.second:
        name = f"{data.second[0].upper()} {words.quantity(data.second[1], words.TERA)}"
        y = up.at(data.second[1] / 1e12)
        places = [(RIGHT - 0.3, y - 2.4, "right"), (RIGHT - 0.3, y + 2.4, "right"), (LEFT + 1.0, y, "left")]
        sheet.place(places, name, color=MUTE)
    (x0, y0), (x1, y1) = roof[0], roof[1]
    along, text = math.hypot(x1 - x0, y1 - y0), f"memory {words.quantity(data.bandwidth, words.RATES)}"
    if along < width(text) + 6:
        return
    for part in (0.55, 0.4, 0.7, 0.3):
        slope = math.degrees(math.atan2(y0 - y1, x1 - x0))
        if sheet.turned(x0 + (x1 - x0) * part, y0 + (y1 - y0) * part, text, slope):
            return


def _alt(data: RooflineData, shown: Sequence[Operator]) -> str:
    rates = [f"{o.name} {words.quantity(o.rate, words.TERA)}, {words.percent(share(o, data), 0)}" for o in shown]
    more = words.shown_of(len(shown), max(data.of, len(data.operators)), "operators", ", those that take longest")
    peak, ridge = words.quantity(data.peak, words.TERA), words.rounded(data.peak / data.bandwidth)
    roof = f"Roofline of one {data.gpu}: peak {peak} {data.precision}, ridge at {ridge} FLOP/byte."
    return f"{roof} Share of the roof: {'; '.join(rates)}. {more}".strip()

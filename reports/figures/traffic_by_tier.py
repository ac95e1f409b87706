"""Figure: what each parallel axis sends per GPU and step, how long it takes, and how much of that is not hidden."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import bars, words
from reports.figures.frame import Kind, legend, legend_rows, note, value_axis
from reports.figures.picture import Picture, Tip, figure
from reports.figures.scale import Scale, linear
from reports.figures.sheet import Sheet, fitted, width
from reports.figures.tree import FILLS
from reports.style import MUTE

NAME = "traffic-by-tier"
HIDDEN = Kind("Hidden behind computation", style.PAPER, edge=MUTE)


@dataclass(frozen=True)
class TrafficRow:
    """One collective: bytes per rank and step, seconds it is busy, seconds of them that are exposed."""

    name: str
    tier: str
    bytes: float | None
    seconds: float | None
    exposed: float | None


@dataclass(frozen=True)
class TrafficData:
    """The collectives, and the tiers of the cluster from the innermost outwards."""

    rows: tuple[TrafficRow, ...]
    tiers: tuple[str, ...] = ()
    of: int = 0


def from_point(point: Mapping[str, Any]) -> TrafficData | None:
    """The figure of a point of the document; None where nothing is sent."""
    rows = [_row(row) for row in point.get("traffic") or ()]
    rows = [row for row in rows if words.amount(row.bytes) or words.amount(row.seconds)]
    if not rows:
        return None
    longest = sorted(sorted(range(len(rows)), key=lambda i: -words.amount(rows[i].seconds))[: bars.MOST])
    tiers = (point.get("settings") or {}).get("cluster.tier") or tuple(dict.fromkeys(r.tier for r in rows))
    return TrafficData(tuple(rows[i] for i in longest), tuple(str(t) for t in tiers), len(rows))


def _row(row: Mapping[str, Any]) -> TrafficRow:
    axis = str(row.get("axis"))
    name = f"{words.LETTERS.get(axis, axis)} {words.number(words.known(row.get('size')), 0)}"
    what = str(row.get("collective") or "").replace("_", "-")
    seconds, exposed = words.known(row.get("seconds")), words.known(row.get("exposed"))
    return TrafficRow(f"{name}, {what}" if what else name, str(row.get("tier") or ""), words.known(row.get("bytes")),
                      seconds, exposed)  # fmt: skip


@figure
def draw(data: TrafficData) -> Picture:
    """Bars of bytes at the left and of time at the right, in the color of the outermost tier reached."""
    rows = data.rows[: bars.MOST]
    fills = {tier: FILLS[min(i, len(FILLS) - 1)] for i, tier in enumerate(data.tiers)}
    used = [t for t in data.tiers if any(r.tier == t for r in rows)]
    hidden = any(_busy(r) > words.amount(r.exposed) for r in rows)
    kinds = [Kind(f"Over {fitted(tier, 40)}", fills[tier]) for tier in used] + ([HIDDEN] if hidden else [])
    left_out = words.shown_of(len(rows), max(data.of, len(data.rows)), "collectives", ", those that take longest")
    lie = bars.rows(len(rows), 8.0 + 4.0 * (legend_rows(kinds, style.FULL) - 1), left_out, 5.2)
    sheet = Sheet(NAME, style.FULL, lie.height)
    legend(sheet, kinds)
    start = bars.names_room([r.name for r in rows], bold=False, widest=62.0)
    half = (style.FULL - start - 6.0) / 2
    size, unit = words.unit([words.amount(r.bytes) for r in rows], words.BYTES)
    step, second = words.unit([_busy(r) for r in rows], words.SECONDS)
    sent = _scale([words.amount(r.bytes) / size for r in rows], start, half, [_bytes(r, size) for r in rows])
    busy = _scale([_busy(r) / step for r in rows], start + half + 6.0, half, [_time(r, step) for r in rows])
    top, title = lie.first - 3.4, f"Time per step ({second}), exposed part solid"
    value_axis(sheet, sent, top, lie.bottom, f"Sent per GPU and step ({unit})", marks=False, ticks=sent.ticks(5))
    value_axis(sheet, busy, top, lie.bottom, title, marks=False, ticks=busy.ticks(5))
    for i, row in enumerate(rows):
        tips = _tips(row, (size, unit), (step, second))
        _bars(sheet, row, (sent, busy), lie.at(i), (size, step), fills.get(row.tier, style.NAVY), tips)
    note(sheet, left_out)
    return sheet.finish(_alt(rows, size, unit, step, second, left_out))


def _busy(row: TrafficRow) -> float:
    return max(words.amount(row.seconds), words.amount(row.exposed))


def _bytes(row: TrafficRow, size: float) -> str:
    return words.rounded(None if row.bytes is None else row.bytes / size)


def _time(row: TrafficRow, step: float) -> str:
    return words.rounded(None if row.seconds is None else _busy(row) / step)


def _scale(values: Sequence[float], start: float, room: float, texts: Sequence[str]) -> Scale:
    """A scale whose longest bar leaves room for the value at its end."""
    return linear(values, start, start + room - max(width(t, weight=600) for t in texts) - 2.0)


def _bars(
    sheet: Sheet,
    row: TrafficRow,
    scales: tuple[Scale, Scale],
    y: float,
    units: tuple[float, float],
    fill: str,
    tips: Sequence[Tip],
) -> None:
    """Bytes at the left; time at the right, its exposed part solid over the whole."""
    (sent, busy), (size, step) = scales, units
    bars.name(sheet, row.name, sent.start, y)
    end = sent.at(words.amount(row.bytes) / size)
    bars.plain_bar(sheet, sent.start, end, y, fill, tip=tips[0])
    sheet.text(end + 1.2, y, _bytes(row, size), weight=600, plate=style.WHITE)
    end, shown = busy.at(_busy(row) / step), busy.at(min(words.amount(row.exposed), _busy(row)) / step)
    bars.plain_bar(sheet, busy.start, end, y, HIDDEN.color, MUTE, tips[1])
    bars.plain_bar(sheet, busy.start, shown, y, fill, tip=tips[2])
    sheet.text(end + 1.2, y, _time(row, step), weight=600, plate=style.WHITE)


def _tips(row: TrafficRow, sent: tuple[float, str], busy: tuple[float, str]) -> tuple[Tip, Tip, Tip]:
    """What the three bars of a row say: sent, busy, exposed."""
    exposed = words.rounded(words.amount(row.exposed) / busy[0])
    return ((row.name, f"sent over {row.tier}", f"{_bytes(row, sent[0])}{words.NB}{sent[1]}"),
            (row.name, "busy", f"{_time(row, busy[0])}{words.NB}{busy[1]}"),
            (row.name, "exposed", f"{exposed}{words.NB}{busy[1]}"))  # fmt: skip


def _alt(rows: Sequence[TrafficRow], size: float, unit: str, step: float, second: str, left_out: str) -> str:
    said = []
    for row in rows[:6]:
        sent, busy = f"{_bytes(row, size)}{words.NB}{unit}", f"{_time(row, step)}{words.NB}{second}"
        exposed = f"{words.rounded(words.amount(row.exposed) / step)} exposed"
        said.append(f"{row.name} over {row.tier or 'no network'}: {sent}, {busy}, {exposed}")
    return f"Traffic per GPU and step. {'; '.join(said)}. {left_out}".strip()

"""Figure: tokens and cost over calendar time, with the interruptions to expect and what they cost in days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import words
from reports.figures.frame import Kind, height_axis, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale, labels
from reports.figures.sheet import Sheet, fitted, width
from reports.prose import capital
from reports.style import FAIL, INK, NAVY, SKY_TEXT

NAME = "over-time"
HIGH, LEFT = 44.0, 13.0
DAY = 86400.0
TICKS = 80  # interruptions drawn one by one; more are said in words alone
COLORS = (style.NAVY, style.SKY, style.BLUE, style.AMBER, style.RUST, style.GREEN)  # neighbors differ on a grey print
NEAR = 1.3  # a limit further out than so many times the end is not drawn


@dataclass(frozen=True)
class OverTimeData:
    """Days and tokens at the end of each stretch; the end without failures; the interval of the end; cost by line."""

    path: tuple[tuple[float, float], ...]
    ideal: float | None = None
    ends: tuple[float, float] | None = None
    mtbf: float | None = None  # hours
    cost: tuple[tuple[str, float], ...] = ()
    deadline: float | None = None
    budget: float | None = None


def from_point(point: Mapping[str, Any]) -> OverTimeData | None:
    """The figure of a point of the document; None without tokens and a time to train."""
    results, settings = point.get("results") or {}, point.get("settings") or {}
    time, tokens = words.amount(results.get("time_to_train")), words.amount(settings.get("tokens"))
    if not time or not tokens:
        return None
    share = words.known(results.get("effective_training_time"))
    interval = (point.get("intervals") or {}).get("time_to_train") or {}
    low, high = (words.known(interval.get(side)) for side in ("low", "high"))
    mtbf = words.known(results.get("mtbf"))
    cost = [(capital(str(r["line"])), words.amount(r.get("usd"))) for r in point.get("cost") or ()]
    deadline, budget = words.limit(point, "time_to_train"), words.limit(point, "cost")
    return OverTimeData(
        _path(point, time, tokens), time * share / DAY if share else None,
        (low / DAY, high / DAY) if low and high else None, mtbf / 3600 if mtbf else None,
        tuple((n, usd) for n, usd in cost if usd),
        deadline and deadline / DAY, budget,
    )  # fmt: skip


def _path(point: Mapping[str, Any], time: float, tokens: float) -> tuple[tuple[float, float], ...]:
    """(day, tokens) from the start to the end; a corner after each phase."""
    at, seen, made = 0.0, 0.0, [(0.0, 0.0)]
    for part in point.get("phases") or ():
        at, seen = at + words.amount(part.get("time")) / DAY, seen + words.amount(part.get("tokens"))
        made.append((at, seen))
    return tuple(made) if len(made) > 2 else ((0.0, 0.0), (time / DAY, tokens))


@figure
def draw(data: OverTimeData) -> Picture:
    """Tokens at the left, cost by line at the right, both over the same days."""
    kinds = [Kind(name, COLORS[i % len(COLORS)]) for i, (name, _) in enumerate(_lines(data.cost))]
    top = 7.4 + 4.0 * max(0, _rows(kinds) - 1)
    sheet = Sheet(NAME, style.FULL if kinds else style.HALF, top + HIGH + 10.0)
    end = data.path[-1][0]
    last = max([end, *(data.ends or ()), *([data.deadline] if _near(data.deadline, end) else [])])
    title = "Days from the start"
    _tokens(sheet, data, last, top, title)
    if kinds:
        _cost(sheet, data, kinds, last, top, title)
    return sheet.finish(_alt(data))


def _near(limit: float | None, end: float) -> bool:
    return limit is not None and limit <= NEAR * end


def _lines(cost: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """The largest lines, the others as one."""
    ordered = sorted(cost, key=lambda c: -c[1])
    most = len(COLORS)
    if len(ordered) <= most:
        return ordered
    return [*ordered[: most - 1], ("Other", sum(usd for _, usd in ordered[most - 1 :]))]


def _tokens(sheet: Sheet, data: OverTimeData, last: float, top: float, title: str) -> None:
    """Tokens trained, with and without failures; a tick at the foot for each interruption to expect."""
    size, unit = words.unit([data.path[-1][1]], words.COUNTS)
    bottom, right = top + HIGH, style.HALF - 2.0
    up = Scale(0.0, data.path[-1][1] / size * 1.12, bottom, top)
    ticks = up.ticks(6)
    left = max(LEFT, 6.4 + max(width(t) for t in labels(ticks)))
    across = Scale(0.0, last * 1.04, left, right)
    value_axis(sheet, across, top, bottom, title, ticks=across.ticks(6), grid=False)
    height_axis(sheet, up, left, right, f"Tokens ({unit})" if unit else "Tokens", ticks=ticks)
    end, total = data.path[-1][0], up.at(data.path[-1][1] / size)
    if data.ends:
        x = [across.at(d) for d in data.ends]
        sheet.polygon([(across.start, bottom), (x[0], total), (x[1], total)], NAVY, z=1.5, opacity=0.14)
    if data.ideal:
        sheet.line([(across.start, bottom), (across.at(data.ideal), total)], SKY_TEXT, 1.2, dash=(4, 2), z=3)
    days = f"{words.number(end, 1)} days"
    said = ("Tokens", days, words.quantity(data.path[-1][1], words.COUNTS))
    sheet.line([(across.at(d), up.at(t / size)) for d, t in data.path], NAVY, 1.6, z=4, tip=said)
    sheet.marker(across.at(end), total, "o", NAVY)
    if _near(data.deadline, end) and data.deadline is not None:
        x0 = across.at(data.deadline)
        sheet.line([(x0, top), (x0, bottom)], FAIL, 1.2, z=3)
    _said(sheet, data, left, top)
    _interruptions(sheet, data, across, bottom)


def _said(sheet: Sheet, data: OverTimeData, left: float, top: float) -> None:
    """What the lines are, in a row above the plot."""
    parts: list[tuple[str, str, tuple[float, ...]]] = [(f"{words.number(data.path[-1][0], 1)} days", NAVY, ())]
    parts += [(f"without failures {words.number(data.ideal, 1)}", SKY_TEXT, (4, 2))] if data.ideal else []
    parts += [(f"limit {words.plain(data.deadline, 4)}", FAIL, ())] if _near(data.deadline, data.path[-1][0]) else []
    x = 0.5
    for text, color, dash in parts:
        sheet.line([(x, top - 4.6), (x + 4.0, top - 4.6)], color, 1.5, dash=dash)
        sheet.text(x + 5.0, top - 4.6, text)
        x += 5.0 + width(text) + 3.5


def _interruptions(sheet: Sheet, data: OverTimeData, across: Scale, bottom: float) -> None:
    """A tick at each interruption to expect, evenly; beyond so many none, the alternative text says how many."""
    if not ticked(data) or data.mtbf is None:
        return
    for i in range(1, _count(data) + 1):
        x = across.at(i * data.mtbf / 24)
        sheet.line([(x, bottom - 1.6), (x, bottom)], FAIL, 0.5, z=3)


def ticked(data: OverTimeData) -> bool:
    """Whether the interruptions to expect are few enough to be drawn, and at least one."""
    return 0 < _count(data) <= TICKS


def _count(data: OverTimeData) -> int:
    return int(data.path[-1][0] * 24 / data.mtbf) if data.mtbf else 0


def _cost(sheet: Sheet, data: OverTimeData, kinds: Sequence[Kind], last: float, top: float, title: str) -> None:
    """Cost by line, each spread evenly over the run, stacked."""
    lines = _lines(data.cost)
    total = sum(usd for _, usd in lines)
    size, unit = words.unit([total], words.MONEY)
    bottom, shift = top + HIGH, style.HALF + style.GUTTER
    limit = data.budget if data.budget is not None and data.budget <= NEAR * total else None
    up = Scale(0.0, max(total, limit or 0.0) / size * 1.08, bottom, top)
    ticks = up.ticks(6)
    left = shift + max(LEFT, 6.4 + max(width(t) for t in labels(ticks)))
    across = Scale(0.0, last * 1.04, left, style.FULL - 1.0)
    _legend(sheet, kinds, shift)
    end, below = across.at(data.path[-1][0]), 0.0
    for kind, (_, usd) in zip(kinds, lines, strict=True):
        above = below + usd / size
        tip = (kind.name, "at the end", words.quantity(usd, words.MONEY))
        sheet.polygon([(left, bottom), (end, up.at(above)), (end, up.at(below))], kind.color, z=2, tip=tip)
        below = above
    value_axis(sheet, across, top, bottom, title, ticks=across.ticks(6), grid=False)
    _money_axis(sheet, up, left, f"Cost ({unit})")
    if limit is not None:
        y = up.at(limit / size)
        sheet.line([(left, y), (across.end, y)], FAIL, 1.2, z=3)
        sheet.place([(left + 1.0, y - 2.0, "left"), (left + 1.0, y + 2.0, "left")],
                    f"limit {words.plain(limit / size, 4)}", color=FAIL)  # fmt: skip
    text = f"{words.plain(total / size)} {unit}"
    sheet.place([(end, up.at(total / size) - 2.2, "right"), (end + 1.0, up.at(total / size), "left")], text,
                weight=600, color=INK)  # fmt: skip


def _rows(kinds: Sequence[Kind]) -> int:
    """The rows that the names of the lines take above their panel."""
    x, rows = 0.5, 1
    for kind in kinds:
        wide = 4.6 + width(fitted(kind.name, 36.0))
        if x > 0.5 and x + wide > style.FULL - style.HALF - style.GUTTER:
            x, rows = 0.5, rows + 1
        x += wide + 3.5
    return rows


def _legend(sheet: Sheet, kinds: Sequence[Kind], shift: float) -> None:
    """The lines of the cost above their panel."""
    x, y = shift + 0.5, 2.0
    for kind in kinds:
        name = fitted(kind.name, 36.0)
        if x > shift + 0.5 and x + 4.6 + width(name) > style.FULL:
            x, y = shift + 0.5, y + 4.0
        sheet.rectangle(x, y - 1.15, 3.4, 2.3, kind.color)
        sheet.text(x + 4.6, y, name)
        x += 4.6 + width(name) + 3.5


def _money_axis(sheet: Sheet, up: Scale, left: float, title: str) -> None:
    """The axis of the second panel."""
    ticks = up.ticks(6)
    for tick, text in zip(ticks, labels(ticks), strict=True):
        sheet.line([(left - 0.9, up.at(tick)), (left, up.at(tick))], style.RULE, 0.6, z=4)
        sheet.text(left - 1.6, up.at(tick), text, align="right")
    sheet.line([(left, up.start), (left, up.end)], style.RULE, 0.6, z=4)
    sheet.text(style.HALF + style.GUTTER + 2.8, (up.start + up.end) / 2, title, align="center", angle=90)


def _alt(data: OverTimeData) -> str:
    """Days, tokens, interruptions and cost."""
    days, tokens = data.path[-1]
    said = [f"{words.quantity(tokens, words.COUNTS)} tokens in {words.number(days, 1)} days"]
    said += [f"{words.number(data.ideal, 1)} without failures"] if data.ideal else []
    said += [f"{_count(data)} interruptions to expect"] if data.mtbf else []
    total = sum(usd for _, usd in data.cost)
    said += [f"cost {words.quantity(total, words.MONEY)}"] if total else []
    return f"{'; '.join(said)}."

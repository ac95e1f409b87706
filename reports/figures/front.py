"""Figure: cost against days: the frontier filled with its step line, dominated points hollow, limits shaded."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import chart as charts
from reports.figures import looks, words
from reports.figures.frame import height_axis, note, value_axis
from reports.figures.looks import LOOKS, Look
from reports.figures.picture import Picture, figure
from reports.figures.point_names import names_of
from reports.figures.scale import Scale, labels
from reports.figures.scatter import spread
from reports.figures.sheet import Sheet, fitted, width
from reports.style import FAIL, INFEASIBLE, INK, MUTE, WHITE

NAME = "front"
HIGH, LEFT, RIGHT = 58.0, 13.0, style.HALF - 1.0
MOST = 300  # markers
DAY = 86400.0
REACH = 1.8  # points further out than so many times the frontier's ends, or the limits, are left out
NEAR = 1.6  # a limit further out than so many times the data's end is not drawn
SIDES = ((-1.6, 2.6, "right"), (-2.2, 0.0, "right"), (0.0, -3.0, "center"), (2.2, 0.0, "left"), (-1.6, -2.6, "right"),
         (1.6, 2.6, "left"))  # fmt: skip
"""Where a name goes, in order: lower left, left, above, right, upper left, lower right."""


@dataclass(frozen=True)
class Option:
    """One feasible point: days and cost as shown, its name, series, and whether nothing is cheaper and faster."""

    days: float
    cost: float
    name: str
    series: int = 0
    front: bool = False
    chosen: bool = False
    met: bool = True  # every requirement but deadline and budget, which are drawn


@dataclass(frozen=True)
class FrontData:
    """The points, the unit of the cost, names of series, deadline and budget in the same units."""

    options: tuple[Option, ...]
    money: str
    series: tuple[str, ...] = ()
    deadline: float | None = None
    budget: float | None = None
    of: int = 0
    beyond: bool = False  # points further out than REACH are left out


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> FrontData | None:
    """The feasible points of a table with days and cost; None where there are fewer than two."""
    points = [p for p in experiment.get("points") or () if charts.feasible(p) and all(_both(p))]
    if len(points) < 2:
        return None
    size, money = words.unit([_both(p)[1] or 0.0 for p in points], words.MONEY)
    kinds = _series([*map(_kind, points), *((experiment.get("cloud") or {}).get("kind") or ())])
    front = frontier(points) if not experiment.get("front") else set(experiment["front"])
    best = next(iter(experiment.get("best") or ()), None)
    told = [p for p in points if p.get("index") in front or p.get("index") == best]
    names = dict(zip([p.get("index") for p in told], names_of(experiment, told), strict=True))
    made = []
    for point in points:
        days, cost = _both(point)
        kind = kinds.index(_kind(point)) if kinds else 0
        index = point.get("index")
        name = names.get(index, "")
        option = Option((days or 0.0) / DAY, (cost or 0.0) / size, name, kind, index in front, index == best,
                        _met(experiment, point))  # fmt: skip
        made.append(option)
    made += _cloud(experiment, {int(p["index"]) for p in points}, size, kinds)
    deadline, budget = limit(experiment, "time_to_train"), limit(experiment, "cost")
    close = near(made, (deadline or 0.0) / DAY, (budget or 0.0) / size)
    return FrontData(tuple(chosen(close)), money, tuple(kinds), deadline and deadline / DAY, budget and budget / size,
                     _count(experiment, len(made)), len(close) < len(made))  # fmt: skip


def chosen(options: Sequence[Option]) -> list[Option]:
    """The points drawn: the choice, the frontier, and evenly of the others as many as there is room for."""
    groups = ([o for o in options if o.chosen], [o for o in options if o.front and not o.chosen],
              [o for o in options if o.met and not (o.front or o.chosen)],
              [o for o in options if not (o.met or o.front or o.chosen)])  # fmt: skip
    kept: list[Option] = []
    for group in groups:
        room = min(MOST - len(kept), len(group))
        kept += [group[i * len(group) // room] for i in range(room)]
    return kept


def _count(experiment: Mapping[str, Any], known: int) -> int:
    """How many points fit: of a large search the document holds in brief only some."""
    counts = experiment.get("counts") or {}
    return max(known, int(counts.get("met") or 0) + int(counts.get("failed") or 0) if experiment.get("cloud") else 0)


def near(options: Sequence[Option], deadline: float, budget: float) -> list[Option]:
    """The points within reach of the frontier and of the limits: those far beyond would press it into a corner."""
    on = [o for o in options if o.front or o.chosen] or list(options)
    days, cost = max([deadline, *(o.days for o in on)]), max([budget, *(o.cost for o in on)])
    return [o for o in options if o.days <= REACH * days and o.cost <= REACH * cost]


def _cloud(experiment: Mapping[str, Any], known: set[int], size: float, kinds: Sequence[str]) -> list[Option]:
    """The feasible points of a large search that the document holds in brief only."""
    cloud = experiment.get("cloud") or {}
    rows = [cloud.get(k) or () for k in ("index", "time_to_train", "cost", "met")]
    own = cloud.get("kind") or [""] * len(rows[0])
    return [
        Option(days / DAY, cost / size, "", kinds.index(kind) if kind in kinds else 0, met=bool(met))
        for index, days, cost, met, kind in zip(*rows, own, strict=True)
        if index not in known
    ]


def _met(experiment: Mapping[str, Any], point: Mapping[str, Any]) -> bool:
    """Whether a point meets the requirements that the figure does not draw as lines."""
    rules = experiment.get("requires") or ()
    drawn = [(r.get("limit") or {}).get("name") in ("time_to_train", "cost") for r in rules]
    return not any(v is False and not d for v, d in zip(point.get("verdicts") or (), drawn, strict=False))


def _both(point: Mapping[str, Any]) -> tuple[float | None, float | None]:
    results = point.get("results") or {}
    return words.known(results.get("time_to_train")), words.known(results.get("cost"))


def frontier(points: Sequence[Mapping[str, Any]]) -> set[int]:
    """The points that none other beats in days without costing more; requirements must hold."""
    kept = sorted((p for p in points if charts.kept(p)), key=lambda p: (_both(p)[0] or 0.0, _both(p)[1] or 0.0))
    found, least = set(), float("inf")
    for point in kept:
        cost = _both(point)[1] or 0.0
        if cost < least:
            found.add(int(point["index"]))
            least = cost
    return found


def limit(experiment: Mapping[str, Any], name: str) -> float | None:
    """The tightest upper limit that the requirements set on a result, in base units."""
    stated = [r.get("limit") or {} for r in experiment.get("requires") or ()]
    found = [words.known(s.get("value")) for s in stated if s.get("name") == name and str(s.get("op")).startswith("<")]
    return min((v for v in found if v is not None), default=None)


def _series(kinds: Iterable[str]) -> list[str]:
    """The kinds of hardware, where they vary."""
    found = list(dict.fromkeys(kinds))
    return found if 1 < len(found) <= len(LOOKS) else []


def _kind(point: Mapping[str, Any]) -> str:
    settings = point.get("settings") or {}
    return str(settings.get("cluster.gpu") or settings.get("cluster") or "")


@figure
def draw(data: FrontData) -> Picture:
    """Axes over all points; regions beyond the limits tinted; names where they touch nothing."""
    entries: list[tuple[str, Look | str]] = [(name, LOOKS[i]) for i, name in enumerate(data.series)]
    entries += [("on the frontier", LOOKS[0])] if not data.series and any(o.front for o in data.options) else []
    entries += [("dominated", looks.MEASURED)] if any(o.met and not o.front for o in data.options) else []
    entries += [("another requirement fails", looks.GAP)] if not all(o.met for o in data.options) else []
    reach = f", up to {words.plain(REACH)} × frontier or limit" if data.beyond else ""
    left_out = words.shown_of(len(data.options), max(data.of, len(data.options)), "points", reach)
    top = 1.8 + 4.0 * looks.rows(entries, style.HALF)
    sheet = Sheet(NAME, style.HALF, top + HIGH + 9.6 + 4.0 * bool(left_out))
    looks.key(sheet, entries, line=False)
    up = _range([o.cost for o in data.options], data.budget, top + HIGH, top)
    ticks = up.ticks(6)
    left = max(LEFT, 6.4 + max(width(words.printable(t)) for t in labels(ticks)))
    across = _range([o.days for o in data.options], data.deadline, left, RIGHT)
    _beyond(sheet, data, across, up)
    value_axis(sheet, across, top, top + HIGH, "Time to train (days)", ticks=across.ticks(6))
    height_axis(sheet, up, left, RIGHT, f"Cost ({data.money})", ticks=ticks)
    _steps(sheet, data, across, up)
    for option in reversed(data.options):
        _mark(sheet, data, option, across.at(option.days), up.at(option.cost))
    _limits(sheet, data, across, up)
    _names(sheet, data, across, up)
    note(sheet, left_out)
    return sheet.finish(f"{_alt(data)} {left_out}".strip())


def _range(values: Sequence[float], bound: float | None, start: float, end: float) -> Scale:
    """A scale over the points, and over a limit that lies near them."""
    low, high = min(values), max(values)
    near = [bound] if bound is not None and low / NEAR <= bound <= high * NEAR else []
    return spread([*values, *near], start, end, zero=False)


def _beyond(sheet: Sheet, data: FrontData, across: Scale, up: Scale) -> None:
    """Tints the region after the deadline and that over the budget."""
    if data.deadline is not None and across.low < data.deadline < across.high:
        x = across.at(data.deadline)
        sheet.rectangle(x, up.end, across.end - x, up.start - up.end, INFEASIBLE, z=0.5)
        sheet.line([(x, up.end), (x, up.start)], FAIL, 1.1, z=2.5)
    if data.budget is not None and up.low < data.budget < up.high:
        y = up.at(data.budget)
        sheet.rectangle(across.start, up.end, across.end - across.start, y - up.end, INFEASIBLE, z=0.5)
        sheet.line([(across.start, y), (across.end, y)], FAIL, 1.1, z=2.5)


def _limits(sheet: Sheet, data: FrontData, across: Scale, up: Scale) -> None:
    """Names deadline and budget where that touches no marker."""
    if data.deadline is not None and across.low < data.deadline < across.high:
        x = across.at(data.deadline)
        text = f"after the {words.plain(data.deadline, 4)}-day deadline"
        heights = [up.end + 2.4 + 2.0 * i for i in range(int(HIGH / 2) - 1)]
        sides = [(x + 1.2, y, "left") for y in heights] + [(x - 1.2, y, "right") for y in heights]
        sheet.place(sides, text, color=FAIL, plate=INFEASIBLE)
    if data.budget is not None and up.low < data.budget < up.high:
        y = up.at(data.budget)
        text = f"over {words.plain(data.budget, 4)} {data.money}"
        places = [(across.end - 1.0 - 2.0 * i, y - 2.0, "right") for i in range(24)]
        sheet.place(places, text, color=FAIL)


def _steps(sheet: Sheet, data: FrontData, across: Scale, up: Scale) -> None:
    """The frontier as steps: what the least cost is within so many days."""
    on = sorted((o for o in data.options if o.front), key=lambda o: (o.days, -o.cost))
    path: list[tuple[float, float]] = []
    for option in on:
        x, y = across.at(option.days), up.at(option.cost)
        path += [(x, path[-1][1])] if path else []
        path.append((x, y))
    if len(path) > 1:
        sheet.line(path, MUTE, 0.8, z=2.6)
        sheet.keep_off(path, 2.0)


def _mark(sheet: Sheet, data: FrontData, option: Option, x: float, y: float) -> None:
    look = LOOKS[option.series]
    kind = data.series[option.series] if data.series else ""
    name = ", ".join(filter(None, (kind, option.name))) or "a point"
    tip = (name, f"{words.number(option.days, 1)} days", f"{words.plain(option.cost)} {data.money}")
    if not option.met:
        sheet.marker(x, y, "x", style.RULE, 3.0, edge=style.RULE, line=0.8, z=2.4, tip=tip)
    elif option.front:
        sheet.marker(x, y, look.marker, look.color, tip=tip)
    else:
        sheet.marker(x, y, look.marker, WHITE, 4.0, edge=look.color, line=0.8, z=4, tip=tip)
    if option.chosen:
        sheet.marker(x, y, "o", "none", 9.5, edge=INK, line=1.2, z=6)


def _names(sheet: Sheet, data: FrontData, across: Scale, up: Scale) -> None:
    """Names the chosen point, the ends of the frontier, and the rest of it where there is room."""
    on = sorted((o for o in data.options if o.front), key=lambda o: o.days)
    ends = [o for o in data.options if o.chosen] + on[:1] + on[-1:]
    for option in dict.fromkeys([*ends, *(on if len(on) <= 8 else [])]):
        far = 9.0 if option.chosen else 7.0 if option in ends else 1.6
        _name(sheet, option, (across.at(option.days), up.at(option.cost)), (across.start, up.end, up.start), far)


def _name(sheet: Sheet, option: Option, at: tuple[float, float], edges: tuple[float, float, float], far: float) -> None:
    """Writes a name beside its marker; up to so far out, with a line to it, where it does not fit there."""
    (x, y), weight = at, 600 if option.chosen else 400
    text = fitted(option.name, 44.0, weight=weight)
    for away in (d for d in (1.0, 1.6, 2.5, 3.5, 4.5, 5.5, 7.0, 9.0) if d <= far):
        for dx, dy, align in SIDES:
            place = (x + dx * away, y + dy * away, align)
            if _inside(place, width(text, weight=weight), edges) and sheet.place([place], text, weight=weight):
                if away > 2:
                    sheet.line([(x, y), (place[0], place[1])], INK, 0.5, z=2.7)
                return


def _inside(place: tuple[float, float, str], wide: float, edges: tuple[float, float, float]) -> bool:
    x, y, align = place
    left = x - {"left": 0.0, "center": wide / 2, "right": wide}[align]
    return left > edges[0] + 0.4 and left + wide < style.HALF and edges[1] + 1.5 < y < edges[2] - 1.5


def _alt(data: FrontData) -> str:
    on = [o for o in data.options if o.front]
    said = [f"{o.name} {words.number(o.days, 1)} days, {words.plain(o.cost)} {data.money}" for o in on[:6]]
    chosen = next((f" Chosen: {o.name}." for o in data.options if o.chosen), "")
    limits = [f" Deadline {words.plain(data.deadline, 4)} days."] if data.deadline is not None else []
    limits += [f" Budget {words.plain(data.budget, 4)} {data.money}."] if data.budget is not None else []
    return f"Cost against days of {len(data.options)} points. Frontier: {'; '.join(said)}.{chosen}{''.join(limits)}"

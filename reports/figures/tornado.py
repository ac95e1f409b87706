"""Figure: how far each input moves a result over its stated range, one input at a time, the largest swing first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.metrics import BY_NAME
from reports import style, terms
from reports.figures import chart as charts
from reports.figures import words
from reports.figures.frame import Kind, legend, note, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale, labels
from reports.figures.sheet import Sheet, fitted, width
from reports.prose import capital
from reports.style import INK, MUTE, WHITE

NAME = "tornado"
MOST = 10
HIGH, PITCH = 3.2, 4.9
FAVORABLE, ADVERSE = Kind("favorable end", style.SKY), Kind("adverse end", style.NAVY)


@dataclass(frozen=True)
class Swing:
    """One input: its name, its range in words, and the result at the favorable and at the adverse end."""

    name: str
    range: str
    favorable: float
    adverse: float


@dataclass(frozen=True)
class TornadoData:
    """The result's title and unit, its value at the base, the inputs."""

    title: str
    unit: str
    base: float
    swings: tuple[Swing, ...]
    of: int = 0


def metrics(experiment: Mapping[str, Any]) -> list[str]:
    """The results that a tornado can show: those that have a value at the base and that some input moves."""
    base = experiment.get("base_results") or {}
    wanted = [c["text"] for c in experiment.get("columns") or () if c["text"] in base]
    wanted = wanted or [n for n in ("cost", "time_to_train", "memory_per_gpu") if n in base]
    return [n for n in dict.fromkeys(wanted) if words.known(base[n]) is not None and _moved(experiment, n)]


def _moved(experiment: Mapping[str, Any], name: str) -> bool:
    """Whether an input moves a result at all."""
    return any(_result(row, "low", name) != _result(row, "high", name) for row in _rows(experiment, name))


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> TornadoData | None:
    """The tornado of one of the results that it can show, by its place among them."""
    shown = metrics(experiment)
    if which >= len(shown):
        return None
    name = shown[which]
    rows = _rows(experiment, name)
    base = words.known((experiment.get("base_results") or {}).get(name)) or 0.0
    metric = BY_NAME[name]
    unit = charts.shown_unit([base], metric.unit)
    swings = []
    for row in rows:
        ends = {side: _result(row, side, name) / unit.factor for side in ("low", "high")}
        better = charts.measure({"text": name, "values": []}).better
        good, bad = ("low", "high") if better(ends["low"], ends["high"]) else ("high", "low")
        shown_ends = ends_text(experiment, row)
        said = f"{shown_ends[good]} – {shown_ends[bad]}" + (f" ({PERCENTILES})" if row.get("percentiles") else "")
        label = input_name(row)
        swings.append(Swing(label, said, ends[good], ends[bad]))
    swings.sort(key=lambda s: -abs(s.adverse - s.favorable))
    title = capital(terms.words(name))
    return TornadoData(title, unit.name, base / unit.factor, tuple(swings[:MOST]), len(swings))


def input_name(row: Mapping[str, Any]) -> str:
    """The name of an input: the words for its setting, else the label that the table gives it, as words."""
    path = str(row["path"])
    own = path.rpartition(".")[2]
    label = str(row.get("label") or own)
    plain = path in terms.SETTINGS or label == own.replace("_", " ")
    return capital(terms.setting(path) if plain else label)


PERCENTILES = "P10, P90"  # what the ends are where they are not those of a range


def ends_text(experiment: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, str]:
    """Both ends of an input's range, and its value in the base run, in print, in one unit; the table's own texts where
    they are no numbers."""
    values = {side: words.known(row[side].get("value")) for side in ("low", "high")}
    known = [v for v in values.values() if v is not None]
    if len(known) < 2:
        return {side: str(row[side].get("text")) for side in ("low", "high")}
    holds = {str(a["path"]): str(a.get("unit") or "") for a in experiment.get("axes") or ()}
    path = str(row["path"])
    unit = charts.shown_unit(known, holds.get(path, ""))
    name = f"{words.NB}{unit.name}" if unit.name else ""
    values |= {"base": own} if (own := words.known(row.get("base"))) is not None else {}
    return {side: f"{words.plain((v or 0.0) / unit.factor)}{name}" for side, v in values.items()}


def _rows(experiment: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    rows = experiment.get("tornado") or ()
    return [r for r in rows if all(words.known((r[s].get("results") or {}).get(name)) is not None
                                   for s in ("low", "high"))]  # fmt: skip


def _result(row: Mapping[str, Any], side: str, name: str) -> float:
    return words.known(row[side]["results"][name]) or 0.0


@figure
def draw(data: TornadoData) -> Picture:
    """Two columns of words at the left; bars from the base line; signed differences at their ends."""
    swings = data.swings[:MOST]
    left_out = words.shown_of(len(swings), max(data.of, len(data.swings)), "inputs", ", those with the largest swing")
    first = 12.4
    bottom = first + PITCH * (len(swings) - 1) + 4.2
    sheet = Sheet(NAME, style.FULL, bottom + 9.4 + 4.0 * bool(left_out))
    legend(sheet, [FAVORABLE, ADVERSE])
    name_end = min(46.0, max([12.0, *(width(s.name) for s in swings)])) + 0.5
    range_end = name_end + 4.0 + min(46.0, max([width("favorable – adverse"), *(width(s.range) for s in swings)]))
    sheet.text(0.5, first - 5.4, "Input", color=MUTE)
    sheet.text(range_end, first - 5.4, "favorable – adverse", color=MUTE, align="right")
    scale = _scale(data, swings, range_end + 4.0)
    ticks = scale.ticks(6)
    value_axis(sheet, scale, first - 3.2, bottom, f"{data.title} ({data.unit})" if data.unit else data.title,
               ticks=ticks, texts=labels(ticks))  # fmt: skip
    zero = scale.at(data.base)
    _base(sheet, data, zero, range_end, first - 5.4)
    for i, swing in enumerate(swings):
        y = first + PITCH * i
        sheet.text(0.5, y, fitted(swing.name, name_end - 0.5))
        sheet.text(range_end, y, fitted(swing.range, range_end - name_end - 4.0), color=MUTE, align="right")
        _ends(sheet, data, swing, scale, y)
    sheet.line([(zero, first - 3.2), (zero, bottom)], INK, 0.9, z=5)
    note(sheet, left_out)
    return sheet.finish(_alt(data, swings, left_out))


def _base(sheet: Sheet, data: TornadoData, zero: float, left: float, y: float) -> None:
    text = f"base {words.plain(data.base)} {data.unit}".strip()
    text = fitted(text, sheet.width - left - 3.5, weight=600)
    half = width(text, weight=600) / 2
    sheet.text(min(max(zero, left + 3.0 + half), sheet.width - half), y, text, weight=600, align="center")


def difference(data: TornadoData, value: float) -> str:
    """The signed difference to the base, with the decimals that the largest swing needs."""
    most = max((abs(v - data.base) for s in data.swings for v in (s.favorable, s.adverse)), default=0.0)
    return words.number(value - data.base, words.decimals(most, 3), signed=True)


def _scale(data: TornadoData, swings: Sequence[Swing], left: float) -> Scale:
    """A scale over all ends with room for the words beyond them."""
    values = [v for s in swings for v in (s.favorable, s.adverse)]
    low, high = min([data.base, *values]), max([data.base, *values])
    span = (high - low) or abs(data.base) * 0.1 or 1.0
    room = max([width(difference(data, v)) for v in values] or [4.0]) + 2.2
    each = span / max(10.0, style.FULL - 0.5 - left - 2 * room)
    return Scale(low - room * each, low + span + room * each, left, style.FULL - 0.5)


def _ends(sheet: Sheet, data: TornadoData, swing: Swing, scale: Scale, y: float) -> None:
    """Both bars of an input; where they lie on one side the longer one lies behind and both ends stand beyond it."""
    zero = scale.at(data.base)
    ends = sorted(((scale.at(swing.favorable), swing.favorable, FAVORABLE), (scale.at(swing.adverse), swing.adverse,
                  ADVERSE)), key=lambda e: -abs(e[0] - zero))  # fmt: skip
    for x, value, kind in ends:
        tip = (swing.name, kind.name, f"{difference(data, value)} {data.unit}".strip())
        sheet.rectangle(min(zero, x), y - HIGH / 2, abs(x - zero), HIGH, kind.color, z=3, tip=tip)
    (far, far_value, _), (near, near_value, _) = ends
    side = 1 if far >= zero else -1
    opposite = (near - zero) * side < 0 or near == zero
    _written(sheet, far, y, difference(data, far_value), side)
    if opposite:
        _written(sheet, near, y, difference(data, near_value), -side)
    elif abs(far - near) > 0.3:
        _written(sheet, zero, y, difference(data, near_value), -side)


def _written(sheet: Sheet, x: float, y: float, text: str, side: int) -> None:
    sheet.text(x + 1.2 * side, y, text, align="left" if side > 0 else "right", plate=WHITE)


def _alt(data: TornadoData, swings: Sequence[Swing], left_out: str) -> str:
    said = [f"{s.name} {difference(data, s.favorable)} to {difference(data, s.adverse)}" for s in swings[:5]]
    base = f"{words.plain(data.base)} {data.unit}".strip()
    return f"{data.title} from a base of {base}, by input: {'; '.join(said)}. {left_out}".strip()

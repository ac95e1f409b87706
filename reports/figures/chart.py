"""What a chart of a table of points shows: its axes as values with a title and a unit, its panels, its best points.

A chart of the document names expressions; here each is a Measure with one value a point, in the unit it is shown in.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.metrics import BY_NAME
from reports import terms
from reports.figures import words
from reports.prose import capital
from reports.units import BINARY, Unit, scaled, unit_of
from reports.units import SCALES as OF_UNITS

Json = Mapping[str, Any]
Value = float | str | None
LARGER = ("mfu", "hfu", "tokens_per_second", "model_flops", "effective_training_time", "memory_headroom",
          "scaling_efficiency", "mtbf", "micro_batches")  # fmt: skip
"""Results of which more is better; of every other less is."""
SCALES = OF_UNITS | {"tokens/s": ("tokens/s", "k tokens/s", "M tokens/s")}
AXES = ("x", "y", "color", "series", "facet")


@dataclass(frozen=True)
class Measure:
    """An expression of a chart: its text, its title in print, and its value at every point in the unit shown."""

    text: str
    title: str
    unit: str
    values: tuple[Value, ...]

    @property
    def numbers(self) -> tuple[float, ...]:
        """The values that are numbers."""
        return tuple(v for v in self.values if isinstance(v, float))

    @property
    def numeric(self) -> bool:
        """Whether it can be an axis of numbers: no value is a word."""
        return bool(self.numbers) and not any(isinstance(v, str) for v in self.values)

    @property
    def decimals(self) -> int:
        """The decimals with which the largest value shows three digits."""
        return words.decimals(max(map(abs, self.numbers), default=0.0), 3)

    @property
    def heading(self) -> str:
        """Title and unit: "Bubble (%)"."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    def show(self, value: Value) -> str:
        """A value in print, with the same decimals for all of them."""
        return terms.words(value) if isinstance(value, str) else words.number(value, self.decimals)

    def name(self, value: Value) -> str:
        """A value as a label: no decimals that say nothing."""
        return terms.words(value) if isinstance(value, str) else words.plain(value, 4)

    def kinds(self) -> tuple[Value, ...]:
        """The values it takes, each once: numbers by size, words in the order of the points."""
        found = dict.fromkeys(v for v in self.values if v is not None)
        return tuple(sorted(found, key=lambda v: (isinstance(v, str), v if isinstance(v, float) else 0.0)))

    def better(self, a: float, b: float) -> bool:
        """Whether a value is better than another."""
        return a > b if self.text.startswith(LARGER) else a < b


@dataclass(frozen=True)
class Chart:
    """A chart of a table: its measures by axis and the points behind them."""

    kind: str
    axes: Mapping[str, Measure]
    points: tuple[Json, ...]
    of: int = 0

    def __getitem__(self, axis: str) -> Measure:
        return self.axes[axis]

    def get(self, axis: str) -> Measure | None:
        return self.axes.get(axis)

    def places(self, axis: str, kind: Value) -> list[int]:
        """The points at which an axis has that value; all of them where the chart has no such axis."""
        measure = self.get(axis)
        return [i for i in range(len(self.points)) if measure is None or measure.values[i] == kind]

    def shared(self, *axes: str) -> str:
        """The sentence that a place shows the best of several points; empty where each has its own."""
        rows = [tuple(own.values[i] for a in axes if (own := self.get(a))) for i in range(len(self.points))]
        return "" if len(set(rows)) == len(rows) else "Shown: the best of the points that share a place."

    def best(self, places: Sequence[int], measure: Measure, allowed: Callable[[Json], bool]) -> int | None:
        """The place whose value is best among those allowed; the first of equals."""
        found: int | None = None
        for i in places:
            value = measure.values[i]
            if isinstance(value, float) and allowed(self.points[i]):
                held = None if found is None else measure.values[found]
                found = i if not isinstance(held, float) or measure.better(value, held) else found
        return found


def chart_of(experiment: Json, which: int) -> Chart | None:
    """The chart of a table at that place; a default one where the table has none."""
    charts = charts_of(experiment)
    if which >= len(charts):
        return None
    stated, points = charts[which], tuple(experiment.get("points") or ())
    axes = {axis: measure(stated[axis]) for axis in AXES if stated.get(axis)}
    return Chart(str(stated.get("kind")), axes, points) if points else None


def charts_of(experiment: Json) -> list[Json]:
    """The charts of a table as stated, else one made from its first axes and what it shows first."""
    stated = list(experiment.get("charts") or ())
    return stated or [c for c in (_default(experiment),) if c]


def _default(experiment: Json) -> Json | None:
    """Two settings that vary: a heat map; one: a line. A table with more axes states its charts."""
    axes = [a for a in experiment.get("axes") or () if len(a.get("values") or ()) > 1]
    steps = [a.get("together") or -i for i, a in enumerate(axes, 1)]
    alone = [a for i, a in enumerate(axes) if steps[i] not in steps[:i]]
    columns = list(experiment.get("columns") or ())
    if not columns or not 1 <= len(alone) <= 2:
        return None
    y = shown(experiment, columns, 0)
    made = {"x": setting(experiment, alone[0]), "facet": None, "series": None}
    if len(alone) == 1:
        return made | {"kind": "line", "y": y}
    return made | {"kind": "heatmap", "y": setting(experiment, alone[1]), "color": y}


def setting(experiment: Json, axis: Json) -> Json:
    """The values of a setting that varies, by point, in the form of a chart's axis."""
    values = [(p.get("settings") or {}).get(axis["path"]) for p in experiment.get("points") or ()]
    return {"text": axis["path"], "unit": axis.get("unit"), "values": values}


def shown(experiment: Json, columns: Sequence[Json], index: int) -> Json:
    """The values of a column that the table shows, by point, in the form of a chart's axis."""
    values = [cell(p, index) for p in experiment.get("points") or ()]
    column = columns[index]
    return {"text": column["text"], "called": column.get("called"), "unit": column.get("unit"), "values": values}


def cell(point: Json, index: int) -> Any:
    """What a point shows in a column; None where it has no such cell."""
    cells = point.get("shown") or ()
    return cells[index] if index < len(cells) else None


def measure(stated: Json) -> Measure:
    """An axis of the document in the unit it is shown in."""
    values = [v if isinstance(v, str) else words.known(v) for v in stated.get("values") or ()]
    text = str(stated.get("text") or "")
    named = BY_NAME[text].unit if text in BY_NAME else ""
    unit = shown_unit([v for v in values if isinstance(v, float)], str(stated.get("unit") or named))
    title = str(stated.get("called") or "") or capital(terms.setting(text))
    scaled_values = tuple(float(f"{v / unit.factor:.12g}") if isinstance(v, float) else v for v in values)
    return Measure(text, title, "" if unit.name.lower() in title.lower() else unit.name, scaled_values)


def shown_unit(values: Sequence[float], name: str) -> Unit:
    """The unit that suits the largest value, where the one given is a base unit; bytes by powers of two if whole."""
    unit, top = unit_of(name), max(map(abs, values), default=0.0)
    if unit.factor != 1.0 or unit.base not in SCALES or not top:
        return unit
    binary = unit.base == "B" and all(v % 2**20 == 0 for v in values)
    return scaled(top, unit, BINARY if binary else SCALES)


def feasible(point: Json) -> bool:
    """Whether a point can be built and fits."""
    return point.get("status") == "ok"


def kept(point: Json) -> bool:
    """Whether a point is feasible and every requirement holds."""
    return feasible(point) and not any(v is False for v in point.get("verdicts") or ())

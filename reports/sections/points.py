"""Tables of design points: what the sections of sweeps, searches, scalings and sensitivities share."""

from collections.abc import Callable, Sequence
from typing import Any

from engine.metrics import BY_NAME
from reports import terms
from reports.figures import chart as charts
from reports.figures.point_names import SHORT, name_of, names_of
from reports.locales import listed
from reports.plan import Json
from reports.prose import amount, capital, count, joined
from reports.quantities import Quantity
from reports.sections.assumptions import input_value
from reports.tables import Cell, Column, Table, number, text

HEAD = 14  # rows of a table in the body: it never breaks; the appendix and the CSV hold the rest
LISTED = 8  # values of an axis named one by one
PORTRAIT, LANDSCAPE, OUTCOME = 174.0, 261.0, 27.0  # mm: text blocks, and what the column of outcomes takes at least
DEGREES = tuple(p for p in SHORT if p.startswith("layout.") and p != "layout.micro_batch")
FIGURES = {"heatmap": "heatmap", "line": "lines", "bar": "columns", "scatter": "scatter"}
Pick = Callable[[Json], bool]


def title(column: Json) -> str:
    """The words over a column: those the author chose, else the name's."""
    return str(column.get("called") or "") or capital(terms.setting(str(column["text"])))


def result_column(column: Json, values: Sequence[Any], width: float | None = None) -> Column:
    """A column of what a table shows: the unit as stated, the decimals of the result."""
    head, metric = title(column), BY_NAME.get(str(column["text"]))
    unit = str(column.get("unit") or (metric.unit if metric else ""))
    if any(isinstance(v, str) for v in values):
        return text(head, width or 24)
    same = metric is not None and unit == metric.unit
    return number(head, unit, metric.decimals if metric and same else places(values, unit), width or wide(head))


def places(values: Sequence[Any], unit: str) -> int:
    """Decimals with which the largest value has four digits; none for whole numbers."""
    factor = Quantity(0.0, unit).display.factor
    known = [abs(v) / factor for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
    if not known or all(v == int(v) for v in known):
        return 0
    return next((d for d in range(4) if max(known) >= 10 ** (3 - d)), 4)


def wide(head: str) -> float:
    """The width of a column of numbers in mm: its longest word, at least seven digits."""
    return min(26.0, max(15.0, 1.75 * max(map(len, head.split())) + 3.0))


def setting_column(axis: Json, values: Sequence[Any]) -> Column:
    """A column of a setting that varies."""
    path = str(axis["path"])
    head = SHORT[path] if path in DEGREES else capital(terms.setting(path))
    known = [v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
    if len(known) < len([v for v in values if v is not None]):
        longest = max([len(terms.words(str(v))) for v in values] + [len(w) for w in head.split()])
        return text(head, min(34.0, 1.7 * longest + 3.5))
    unit = charts.shown_unit([float(v) for v in known], str(axis.get("unit") or ""))
    own = "" if unit.name.lower() == head.lower() else unit.name
    return number(head, own, places(known, unit.name), 11.0 if path in DEGREES else wide(head))


def axes_of(experiment: Json) -> list[Json]:
    """The settings that vary, and the GPUs where only the nodes do."""
    found: list[Json] = list(experiment.get("axes") or ())
    if not found and experiment.get("over"):
        found = [{"path": experiment["over"], "unit": "", "values": [], "texts": []}]
    paths = [a["path"] for a in found]
    if "cluster.nodes" in paths:
        found.insert(paths.index("cluster.nodes"), {"path": "cluster.gpus", "unit": "gpus", "values": [], "texts": []})
        found = [a for a in found if a["path"] != "cluster.nodes"]
    return found


def state(experiment: Json, point: Json) -> str:
    """What became of a point in a few words: "meets all", "fails 1 of 2", "does not fit: 102 GiB"."""
    if point["status"] != "ok":
        reason = point.get("reason")
        said = terms.words(point["status"]) + (f": {reason}" if reason else "")
        return said if len(said) < 60 else said[:57] + "…"
    verdicts = point.get("verdicts") or []
    failing = list(dict.fromkeys(short_rule(experiment["requires"][i]) for i, v in enumerate(verdicts) if v is False))
    if failing:
        return f"fails {joined(failing[:2])}" + (", …" if len(failing) > 2 else "")
    if None in verdicts:
        return "open"
    return "meets all" if verdicts else "feasible"


def short_rule(rule: Json) -> str:
    """The result that a requirement speaks of, where it speaks of one."""
    limit = rule.get("limit")
    return terms.words(limit["name"]) if limit else str(rule["text"])


def points_table(
    experiment: Json, key: str, caption: str, points: Sequence[Json], more: str = "", ranked: bool = False,
    room: float = PORTRAIT,
) -> Table | None:  # fmt: skip
    """A row a point: its settings, what the table shows of it, what became of it; ranked: a place before them.

    Settings that all the points share stand in the caption; results that the room (mm) does not hold are left out.
    """
    if not points:
        return None
    axes, shown = axes_of(experiment), list(experiment.get("columns") or ())
    settings = [[(p["settings"] or {}).get(a["path"]) for p in points] for a in axes]
    sought = [a["text"] for a in experiment.get("aims") or ()]
    order = sorted(range(len(shown)), key=lambda i: (rank(sought, shown[i]["text"]), i))
    shown, values = [shown[i] for i in order], [[charts.cell(p, i) for p in points] for i in order]
    same = [len({str(v) for v in own}) == 1 and len(points) > 1 for own in settings]
    columns = [(setting_column(a, v), v) for a, v, s in zip(axes, settings, same, strict=True) if not s]
    lead = [text("No.", 8)] if ranked or not columns else []
    results = [(result_column(c, v), v) for c, v in zip(shown, values, strict=True)]
    kept = fitting(results, room - OUTCOME - 8.0 * len(lead) - sum(c.width or 0.0 for c, _ in columns))
    columns += results[:kept]
    rows = [(*(as_cell(c, v[i]) for c, v in columns), state(experiment, p)) for i, p in enumerate(points)]
    shared = [setting_text(a, v[0]) for a, v, s in zip(axes, settings, same, strict=True) if s]
    numbered = tuple((str(i), *row) if lead else tuple(row) for i, row in enumerate(rows, 1))
    heads = (*lead, *(c for c, _ in columns), text("Outcome"))
    more = " ".join(filter(None, (more, all_have(shared), left_out(len(results) - kept))))
    return Table(key, caption, heads, numbered, chosen=0 if ranked else None, wide=len(columns) > 5, more=more)


def rank(sought: Sequence[str], name: str) -> int:
    """The place of a result among those that a search is after; the others follow."""
    return sought.index(name) if name in sought else len(sought)


def all_have(shared: Sequence[str]) -> str:
    """The settings that all the points of a table share."""
    return f"All have {joined(shared)}." if shared else ""


def left_out(results: int) -> str:
    """How many results the width of a table leaves to the JSON."""
    return f"{capital(count(results, 'more result'))} {'is' if results == 1 else 'are'} in the JSON." if results else ""


def fitting(results: Sequence[tuple[Column, Any]], room: float) -> int:
    """How many of the columns the room holds, one at least."""
    used = 0.0
    for i, (column, _) in enumerate(results):
        used += column.width or 0.0
        if used > room:
            return max(1, i)
    return len(results)


def as_cell(column: Column, value: Any) -> Cell:
    """A value as a cell of its column."""
    if value is None or isinstance(value, str):
        return terms.words(value) if value else None
    return float(value) if column.kind == "number" else str(value)


def varied(axis: Json) -> str:
    """A setting that varies with its values: "tensor-parallel degree (1, 2, 4, 8)"."""
    name, texts = terms.setting(str(axis["path"])), [str(t) for t in axis["texts"]]
    values = axis["values"]
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values) and values:
        unit = charts.shown_unit([float(v) for v in values], str(axis.get("unit") or ""))
        texts = [Quantity(float(v), unit.name).number() for v in values]
        end = f"\u00a0{unit.name}" if unit.name and unit.name.lower() not in name.lower() else ""
    else:
        texts, end = [terms.words(t) for t in texts], ""
    if len(texts) > LISTED:
        return f"{name} (from {texts[0]} to {texts[-1]}{end} in {len(texts)} values)"
    return f"{name} ({listed(texts)}{end})"


def steps(experiment: Json) -> list[str]:
    """What varies; settings that move in step are one item."""
    made: list[tuple[int, list[str]]] = []
    for axis in experiment.get("axes") or ():
        together = int(axis.get("together") or 0)
        if together and made and made[-1][0] == together:
            made[-1][1].append(varied(axis))
        else:
            made.append((together, [varied(axis)]))
    return [f"{joined(parts)} in step" if len(parts) > 1 else parts[0] for _, parts in made]


def outcome(experiment: Json) -> list[str]:
    """How many points there are of each kind, as parts of a sentence."""
    c = experiment.get("counts") or {}
    words = (
        ("dropped", "is dropped by where", "are dropped by where"),
        ("cannot_be_built", "cannot be built", "cannot be built"),
        ("does_not_fit", "does not fit", "do not fit"),
        ("not_evaluated", "lacks an input", "lack an input"),
        ("failed", "fails a requirement", "fail a requirement"),
    )
    parts = [f"{amount(int(c[k]))}\u00a0{one if c[k] == 1 else many}" for k, one, many in words if c.get(k)]
    met = int(c.get("met") or 0)
    required = experiment.get("requires") or ()
    if required:
        what = "all requirements" if len(required) > 1 else "the requirement"
        last = f"{amount(met) if met else 'none'}\u00a0{'meet' if met > 1 else 'meets'} {what}"
    else:
        last = f"{amount(met) if met else 'none'}\u00a0{'are' if met > 1 else 'is'} feasible"
    return [*parts, last]


def head_of(experiment: Json) -> tuple[list[Json], bool]:
    """The points that the body shows, and whether these are all: those that meet all first, the best of them first."""
    points = list(experiment["points"])
    if len(points) <= HEAD:
        return points, True
    columns = experiment.get("columns") or ()
    if not columns or columns[0]["text"] not in BY_NAME:
        return points[:HEAD], False
    measure = charts.measure(charts.shown(experiment, columns, 0))

    def order(point: Json) -> tuple[bool, bool, float]:
        value = charts.cell(point, 0)
        known = value if isinstance(value, (int, float)) else float("inf")
        larger = measure.better(1.0, 0.0)
        return not charts.kept(point), not charts.feasible(point), -known if larger and known < float("inf") else known

    return sorted(points, key=order)[:HEAD], False


def chart_keys(experiment: Json) -> list[tuple[str, str]]:
    """(key, caption) of the figures of a table's charts."""
    name = experiment["name"]
    return [
        (f"{FIGURES[str(c['kind'])]}/{name}/{i}", str(c.get("title") or "") or caption(c))
        for i, c in enumerate(charts.charts_of(experiment))
        if c["kind"] in FIGURES
    ]


def caption(chart: Json) -> str:
    """What a chart shows, in one line: "MFU by pipeline stages and tensor-parallel degree, a panel each …"."""
    said = {axis: terms.setting(str(chart[axis]["text"])) for axis in charts.AXES if chart.get(axis)}
    if chart["kind"] == "heatmap":
        line = f"{said.get('color', '')} by {said.get('x', '')} and {said.get('y', '')}"
    else:
        line = f"{said.get('y', '')} against {said.get('x', '')}"
    line += f", by {said['series']}" if "series" in said else ""
    line += f", a panel for each {said['facet']}" if "facet" in said else ""
    return capital(line)


def names(experiment: Json, places: Sequence[int]) -> dict[int, str]:
    """Names of some points by their index, of what tells them apart."""
    own = {int(p["index"]): p for p in experiment["points"]}
    found = [own[i] for i in places if i in own]
    return dict(zip([int(p["index"]) for p in found], names_of(experiment, found), strict=True))


def named(experiment: Json, settings: Any) -> str:
    """A point by all the settings that vary."""
    return name_of({"settings": settings}, [a["path"] for a in axes_of(experiment)])


def setting_text(axis: Json, value: Any) -> str:
    """A setting with its value in words: "pipeline stages 4", "global batch 512 sequences"; a unit is said once."""
    name = terms.setting(str(axis["path"]))
    shown, _ = input_value(value, axis.get("unit"))
    if not isinstance(shown, Quantity):
        return f"{name} {terms.words(str(shown or '–'))}"
    named = shown.display.name.lower() in name.lower()
    return f"{name} {shown.number() if named else shown.text()}"

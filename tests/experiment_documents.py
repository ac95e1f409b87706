"""Documents of experiments, small, with numbers that the engine gave: each point of a table evaluated alone."""

import copy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dsl import points
from dsl.fitting import shown_in
from dsl.scenario import Item, Scenario, Table
from engine.evaluate import Result, evaluate
from engine.metrics import BY_NAME
from engine.read import read
from reports.commands.source import read as scenario_of
from reports.document import build, names_of, summary
from reports.intervals import intervals
from reports.judgement import plain, verdict
from reports.point import number
from tests import experiment_extras as extras
from tests.experiment_extras import settings_at
from tests.report_documents import Json

TABLES = Path(__file__).parent / "data" / "tables.scn"
CAUSES = ("batch", "pipeline", "tensor", "layers", "GPUs")


@cache
def scenario() -> Scenario:
    """The file of small tables."""
    found = scenario_of(TABLES)
    assert not found.in_error, found.shown
    return found.scenario


def table(name: str) -> Table:
    return next(t for t in scenario().tables if t.name == name)


@cache
def _experiment(name: str) -> Json:
    own = table(name)
    assert own.base is not None
    plain_table = own.base.plain()
    found = [_point(own, plain_table, i, p) for i, p in enumerate(_places(own))]
    base = evaluate(read(plain_table), advise=False)
    requires = _requires(own, found, base)
    made = {
        "kind": own.kind, "name": own.name, "title": own.title, "where": own.where, "base": own.base.name,
        "base_results": number_results(base), "axes": [_axis(own, i) for i in range(len(own.axes))],
        "columns": [{"text": i.text, "called": i.called, "unit": _unit(i)} for i in own.show],
        "points": found, "requires": requires, "charts": [_chart(own, c, found) for c in own.charts],
        "counts": _counts(found), "removed": [],
    }  # fmt: skip
    if own.kind == "optimize":
        return made | extras.optimize(own, found, requires)
    if own.kind == "scale":
        return made | extras.scale(own, found)
    return made | extras.sensitivity(own, requires) if own.kind == "sensitivity" else made


def _places(own: Table) -> list[dict[str, Any]]:
    """The points of a table that its rules leave: of a scale those of its list, of a sensitivity none."""
    if own.kind == "scale":
        path = own.aims["over"][0].text
        return [{path: value} for value in own.settings["points"].value]
    if own.kind == "sensitivity":
        return []
    assert own.base is not None
    every = [(p, settings_at(own.base, own.base.plain(), p)) for p in points.points(own.axes)]
    return [p for p, settings in every if all(bool(np.all(w.holds(settings))) for w in own.wheres)]


def _unit(item: Item) -> str:
    metric = BY_NAME.get(item.text)
    return item.unit or (metric.unit if metric else item.compute.type.unit)


def experiment(name: str) -> Json:
    """A fresh copy of one evaluated table, by the name of its block."""
    return copy.deepcopy(_experiment(name))


def number_results(result: Result) -> dict[str, float | None]:
    return {name: number(value) for name, value in result.columns.items()}


def _point(own: Table, plain_table: dict[str, Any], index: int, point: dict[str, Any]) -> Json:
    assert own.base is not None
    settings = settings_at(own.base, plain_table, point)
    result = evaluate(read(settings), advise=False)
    values = names_of(own.base, result) | settings | {n: v[0] for n, v in result.columns.items()}
    ok = result.status == "ok"
    held = [verdict(r, values) for r in own.requires] if result.status != "cannot_be_built" else []
    shown = {p: plain(settings[p]) for p in (*point, "cluster.gpus", "layout.data")}
    results = number_results(result)
    return {
        "index": index, "settings": shown, "results": results, "status": result.status,
        "reason": None if ok else _short(result), "reasons": list(result.reasons),
        "verdicts": [v["holds"] for v in held], "measured": None,
        "shown": [plain(i(values)) for i in own.show] if result.status != "cannot_be_built" else [None] * len(own.show),
        "interval": {n: [e["low"], e["high"]] for n, e in (intervals(settings, results) or {}).items()} or None,
    }  # fmt: skip


def _short(result: Result) -> str:
    if result.status == "does_not_fit":
        return f"{float(result.columns['memory_per_gpu'][0]) / 2**30:.0f} GiB"
    return next((c for c in CAUSES if c in " ".join(result.reasons)), "layout")


def _requires(own: Table, found: list[Json], base: Result) -> list[Json]:
    assert own.base is not None
    values = names_of(own.base, base)
    limits = [verdict(r, values)["limit"] for r in own.requires]
    return [{"text": r.text, "because": r.because or None, "where": r.where, "limit": limit}
            for r, limit in zip(own.requires, limits, strict=True)]  # fmt: skip


def _axis(own: Table, index: int) -> Json:
    from dsl.schema import run_row

    axis = own.axes[index]
    row = run_row(axis.path)
    values = [t if isinstance(v, dict) else plain(v) for v, t in zip(axis.values, axis.texts, strict=True)]
    return {"path": axis.path, "label": "", "unit": shown_in(row) if row else "", "together": axis.together,
            "values": values, "texts": list(axis.texts)}  # fmt: skip


def _chart(own: Table, chart: Any, found: list[Json]) -> Json:
    return {"kind": chart.kind, "title": chart.title} | {
        axis: _values(own, chart.axes.get(axis), found) for axis in ("x", "y", "color", "series", "facet")
    }


def _values(own: Table, item: Item | None, found: list[Json]) -> Json | None:
    if item is None:
        return None
    assert own.base is not None
    values = [plain(item(own.base.plain() | p["settings"] | _arrays(p["results"]))) for p in found]
    return {"text": item.text, "called": item.called, "unit": _unit(item), "values": values}


def _arrays(results: Json) -> Json:
    return {name: None if v is None else np.array(v) for name, v in results.items()}


def _counts(found: list[Json]) -> Json:
    words = [p["status"] for p in found]
    met = sum(p["status"] == "ok" and all(p["verdicts"]) for p in found)
    return {"points": len(found), "dropped": 0, "cannot_be_built": words.count("cannot_be_built"),
            "does_not_fit": words.count("does_not_fit"), "failed": words.count("ok") - met, "met": met,
            "evaluated": len(found), "partial": False}  # fmt: skip


def document(*names: str, runs: bool = False) -> Json:
    """A document that holds those tables and, where asked for, the run that they vary."""
    made: Json = copy.deepcopy(_built())
    own = [experiment(n) for n in names]
    of_runs = [e for e in made["experiments"] if e["kind"] == "run"] if runs else []
    made |= {"experiments": of_runs + own, "not_evaluated": []}
    return made if runs else made | summary(scenario(), [], own, made["report"], []) | {"provenance": []}


@cache
def _built() -> Json:
    return build(scenario())

"""A `scale` evaluated: its points, how much of ideal growth each keeps, and the curve of the other model beside it.

Over GPUs the efficiency of a point is its tokens a second and GPU over those of the smallest cluster of its series;
over any other setting it is compute time over step time. Strong scaling keeps the batch, weak each replica's part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dsl.scaling import SIZES
from dsl.scenario import Table
from dsl.space import Space
from engine.metrics import METRICS
from reports.experiments.evaluation import OK, evaluated, run
from reports.experiments.parts import Part, parts
from reports.experiments.table import evaluate_table
from reports.experiments.work import CHUNK
from reports.point import Json, number

OTHER = {"operator": "reduced", "reduced": "operator"}
CURVES = ("mfu", "tokens_per_second")


def evaluate_scale(table: Table) -> Json:
    """The experiment of one scale block."""
    assert table.space is not None and table.base is not None
    space = table.space()
    made = evaluate_table(table, space)
    over = str(table.settings["over"].value)
    mode = table.settings.get("mode")
    return made | {
        "mode": str(mode.value) if mode is not None and over in SIZES else None,
        "over": over,
        "efficiency": efficiencies(made["points"], over),
        "efficiency_of": "tokens a second and GPU over those of the smallest cluster" if over in SIZES
        else "compute time over step time",
        "base_results": base_results(table),
        "model": f"{fidelity(table)} model",
        "curves": curves(table, space, over),
    }  # fmt: skip


def base_results(table: Table) -> dict[str, float | None]:
    """The results of the base run as it stands."""
    assert table.base is not None
    found = run(table.base, table.base.plain())
    return {m.name: number(found.columns.get(m.name)) for m in METRICS}


def efficiencies(points: Sequence[Json], over: str) -> list[float | None]:
    """The efficiency of every point; None where it has no place."""
    if over not in SIZES:
        return [_ratio(p["results"].get("compute_time"), p["results"].get("step_time")) if p["status"] == "ok" else None
                for p in points]  # fmt: skip
    series: dict[str, list[Json]] = {}
    for p in points:
        series.setdefault(_others(p, over), []).append(p)
    first = {
        key: min((p for p in own if p["status"] == "ok"), key=lambda p: float(p["settings"][over]), default=None)
        for key, own in series.items()
    }
    return [_efficiency(p, first[_others(p, over)]) for p in points]


FOLLOW = ("cluster.gpus", "cluster.nodes", "layout.data", "batch", "accumulation")


def _others(point: Json, over: str) -> str:
    """The settings of a point that do not grow: points of one series share them."""
    return repr([(p, v) for p, v in point["settings"].items() if p not in (*FOLLOW, over)])


def _efficiency(point: Json, first: Json | None) -> float | None:
    if first is None or point["status"] != "ok":
        return None
    return _ratio(_each(point), _each(first))


def _each(point: Json) -> float | None:
    """Tokens a second and GPU of the cluster, idle ones included."""
    return _ratio(point["results"].get("tokens_per_second"), point["settings"].get("cluster.gpus"))


def _ratio(a: float | None, b: float | None) -> float | None:
    return None if a is None or not b else number(a / b)


def fidelity(table: Table) -> str:
    """The model that the run is evaluated by."""
    assert table.base is not None
    return str(table.base.plain().get("fidelity") or "operator")


def curves(table: Table, space: Space, over: str) -> list[Json]:
    """The same points by the other model, where the run states what that one needs."""
    other = OTHER.get(fidelity(table))
    if other is None:
        return []
    found: dict[float, Mapping[str, Any]] = {}
    for piece in parts(space, CHUNK):
        swapped = piece_of(piece, other)
        result = evaluated(table._replace(requires=()), swapped)
        for k in range(result.size):
            x = _at(result.settings.get(over), k)
            if x is not None and x not in found:
                found[x] = {
                    name: float(result.results[name][k]) if name in result.results and result.status[k] == OK else None
                    for name in CURVES
                }
    places = sorted(found)
    rows = [(name, [_finite(found[x][name]) for x in places]) for name in CURVES]
    return [{"name": f"{other} model", "metric": name, "x": places, "y": y, "low": None, "high": None}
            for name, y in rows if any(v is not None for v in y)]  # fmt: skip


def _at(value: Any, k: int) -> float | None:
    """The value of a setting at one of some points."""
    found = value[k] if isinstance(value, np.ndarray) and len(value) > 1 else value
    return None if found is None or isinstance(found, str) else float(np.ravel(found)[0])


def piece_of(piece: Part, fidelity: str) -> Part:
    """The same points by another model; the reduced one takes the link that the run states, or its outermost tier's."""
    settings = dict(piece.settings) | {"fidelity": fidelity}
    if fidelity == "reduced" and settings.get("cluster.link") is None:
        settings["cluster.link"] = link(settings)
    return replace(piece, settings=settings, moved=frozenset(), shared=None)


def link(settings: Mapping[str, Any]) -> Any:
    """bytes/s of the outermost tier, per GPU and direction, that are left where all of it is in use."""
    tiers = settings.get("cluster.tier") or ()
    if not tiers:
        return None
    bandwidth, over = (settings.get(f"cluster.tier.{tiers[-1]}.{name}") for name in ("bandwidth", "oversubscription"))
    return bandwidth if bandwidth is None or over is None else bandwidth / over


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else number(value)

"""What optimize, scale and sensitivity add to a table of points, worked out by plain loops over evaluated points."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dsl import points
from dsl.scenario import Run, Table
from engine.evaluate import evaluate
from engine.read import read
from reports.point import number
from tests.report_documents import Json

DAY = 86400.0


def settings_at(base: Run, plain: Mapping[str, Any], point: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a run at a point; the outermost tier spans whatever GPUs there are."""
    found = points.settings(base, plain, point)
    outermost = found["cluster.tier"][-1]
    return found | {f"cluster.tier.{outermost}.span": found["cluster.gpus"]}


def kept(point: Json) -> bool:
    return point["status"] == "ok" and all(v is True for v in point["verdicts"])


def optimize(own: Table, found: Sequence[Json], requires: Sequence[Json]) -> Json:
    """Best points, frontier, what each rule removed, nearest misses, and the winner's margins."""
    by_cost = sorted((p for p in found if kept(p)), key=lambda p: (p["results"]["cost"], p["results"]["time_to_train"]))
    best = [p["index"] for p in by_cost[: int(own.settings["keep"].value)]]
    front: list[int] = []
    for p in sorted(by_cost, key=lambda p: float(p["results"]["time_to_train"])):
        if not front or p["results"]["cost"] < found[front[-1]]["results"]["cost"]:
            front.append(p["index"])
    return {
        "aims": [{"text": "cost", "direction": "minimize", "unit": "$M"}], "best": best, "front": front,
        "nearest": nearest(found, requires), "winner": winner(found, best),
        "removed": removed(found, requires),
    }  # fmt: skip


def removed(found: Sequence[Json], requires: Sequence[Json]) -> list[Json]:
    rows = [("a number of micro-batches that divides the batch", "layout", "cannot_be_built", None),
            ("memory of a GPU", "memory", "does_not_fit", None)]  # fmt: skip
    made = [_rule(text, kind, sum(p["status"] == word for p in found)) for text, kind, word, _ in rows]
    ok = [p for p in found if p["status"] == "ok"]
    for i, rule in enumerate(requires):
        failing = [p for p in ok if p["verdicts"][i] is False]
        alone = [p for p in failing if sum(v is False for v in p["verdicts"]) == 1]
        made.append(_rule(rule["text"], "require", len(failing), len(alone)) | {"because": rule["because"]})
    return made


def _rule(text: str, kind: str, count: int, alone: int = 0) -> Json:
    return {"rule": text, "kind": kind, "points": count, "alone": alone, "nearest": None, "because": None,
            "gap": None, "needs": None}  # fmt: skip


def nearest(found: Sequence[Json], requires: Sequence[Json]) -> list[Json]:
    """Of the points that fail one requirement alone, the one nearest to its limit."""
    rows = []
    for i, rule in enumerate(requires):
        name, value = rule["limit"]["name"], rule["limit"]["value"]
        failing = [p for p in found if p["status"] == "ok" and list(p["verdicts"]).count(False) == 1
                   and p["verdicts"][i] is False]  # fmt: skip
        if failing:
            near = min(failing, key=lambda p: float(p["results"][name]))
            gap = near["results"][name] / value - 1
            rows.append({"index": near["index"], "require": rule["text"], "gap": gap,
                         "needs": f"{name} <= {near['results'][name]:.6g}"})  # fmt: skip
    return rows


def winner(found: Sequence[Json], best: Sequence[int]) -> Json | None:
    if not best:
        return None
    own = found[best[0]]
    margins = [
        {"against": i, "rows": [
            {"name": n, "winner": own["results"][n], "other": found[i]["results"][n],
             "difference": found[i]["results"][n] - own["results"][n]}
            for n in ("cost", "time_to_train", "mfu", "memory_per_gpu")]}
        for i in best[1:3]
    ]  # fmt: skip
    ratio = found[best[1]]["results"]["cost"] / own["results"]["cost"] if len(best) > 1 else 1.0
    return {"settings": own["settings"], "margins": margins, "break_even": [
        {"what": "price", "value": ratio * 2.1 / 3600, "unit": "$/gpu-hour",
         "sentence": f"the runner-up costs less once a GPU-hour of the winner costs ${2.1 * ratio:.2f}"}]}  # fmt: skip


def scale(own: Table, found: Sequence[Json]) -> Json:
    """Efficiency against the smallest cluster, and a curve of a slower network."""
    assert own.base is not None
    first = next(p for p in found if p["status"] == "ok")
    each = first["results"]["tokens_per_second_per_gpu"]
    efficiency = [None if p["status"] != "ok" else p["results"]["tokens_per_second_per_gpu"] / each for p in found]
    plain = own.base.plain()
    slow: Json = {"name": "200 Gb/s a GPU", "metric": "mfu", "x": [], "y": [], "low": None, "high": None}
    for p in found:
        at = settings_at(own.base, plain, {"cluster.nodes": p["settings"]["cluster.nodes"]})
        result = evaluate(read(at | {"cluster.tier.pod.bandwidth": 25e9}), advise=False)
        slow["x"].append(p["settings"]["cluster.nodes"])
        slow["y"].append(number(result.columns["mfu"]) if result.status == "ok" else None)
    return {"mode": "strong", "over": "cluster.nodes", "efficiency": efficiency, "curves": [slow]}


def sensitivity(own: Table, requires: Sequence[Json]) -> Json:
    """Every input at both ends, and samples of all of them together."""
    assert own.base is not None
    base, plain = own.base, own.base.plain()

    def at(settings: dict[str, Any]) -> dict[str, float | None]:
        result = evaluate(read(settings_at(base, plain, settings)), advise=False)
        return {n: number(result.columns.get(n)) for n in ("cost", "time_to_train", "memory_per_gpu", "mfu")}

    ends = {a.path: a.values[0]["arguments"] for a in own.axes}
    said = {a.path: a.texts[0].partition("(")[2].rstrip(")").split(", ") for a in own.axes}
    tornado = [
        {"path": path, "label": "", "low": {"value": low, "text": said[path][0], "results": at({path: low})},
         "high": {"value": high, "text": said[path][1], "results": at({path: high})}}
        for path, (low, high) in ends.items()
    ]  # fmt: skip
    random = np.random.default_rng(int(own.settings["seed"].value))
    draws = [at({p: random.uniform(*e) for p, e in ends.items()}) for _ in range(int(own.settings["samples"].value))]
    columns = {n: np.array([d[n] for d in draws]) for n in ("cost", "time_to_train")}
    bands = {n: {f"p{q}": float(np.percentile(v, q)) for q in (10, 50, 90)} for n, v in columns.items()}
    made = {n: np.histogram(v, 24) for n, v in columns.items()}
    chances = [
        {"require": r["text"], "share": float(np.mean([(d[r["limit"]["name"]] or 0.0) <= r["limit"]["value"]
                                                       for d in draws]))}
        for r in requires
    ]  # fmt: skip
    return {
        "tornado": tornado, "bands": bands, "chances": chances, "samples": len(draws), "seed": 7,
        "shares": {n: [{"from": "inputs", "share": 1.0}, {"from": "predictor", "share": 0.0},
                       {"from": "failures", "share": 0.0}] for n in columns},  # only inputs are drawn here
        "histogram": {n: {"edges": m[1].tolist(), "counts": m[0].tolist()} for n, m in made.items()},
    }  # fmt: skip

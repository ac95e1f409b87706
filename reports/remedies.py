"""What would mend a run that fails: runs with one or two settings of the layout changed, each evaluated and judged.

Where it cannot be built, or does not fit, these are the nearest that can; where a requirement does not hold, those
that meet all requirements, else the one that comes nearest to them. Their numbers are predictions like any other.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dsl.scenario import Run
from engine.alternatives import Alternative
from engine.evaluate import evaluate
from engine.improvements import improvements
from engine.inputs import Run as Inputs
from engine.layout import resolve
from engine.result import Result
from reports.judgement import miss, verdict
from reports.point import Json, number

Names = Callable[[Run, Result], dict[str, Any]]
SHOWN = ("memory_per_gpu", "step_time", "time_to_train", "cost", "mfu")
DEGREES = ("tensor", "context", "expert", "expert_tensor", "micro_batch")
UNKNOWN = 1.0  # the gap of a requirement that sets no number


def remedies(run: Run, result: Result, verdicts: Iterable[Json], names: Names) -> list[Json]:
    """Up to three changes of the layout with their results and the requirements that they miss."""
    valid = result.columns.get("valid_layout")
    if run.phases or valid is None or valid.size != 1:
        return []
    found = result.nearest
    failing = any(v["holds"] is False for v in verdicts)
    if result.status == "ok" and failing and result.run.fidelity != "reduced":
        found = improvements(result.run, lambda changed: gap(*judged(run, changed, names)))
    return [row(a, *judged(run, a.run, names)) for a in found]


def judged(run: Run, changed: Inputs, names: Names) -> tuple[Result, list[Json]]:
    """A changed run evaluated, and the requirements of the run held against it."""
    result = evaluate(changed, advise=False)
    values = names(run, result) | laid_out(changed)
    return result, [verdict(rule, values) for rule in run.requires]


def laid_out(changed: Inputs) -> dict[str, Any]:
    """The settings of a changed layout by their paths."""
    own, d = changed.layout, resolve(changed)
    found: dict[str, Any] = {f"layout.{name}": float(getattr(own, name)[0]) for name in DEGREES}
    found |= {f"layout.{kind}": getattr(own, kind).kind for kind in ("schedule", "recompute", "shard")}
    found |= {"layout.pipeline": float(own.pipeline), "layout.data": float(d.dp[0])}
    return found if changed.batch is None else found | {"batch": float(changed.batch[0])}


def gap(result: Result, verdicts: Sequence[Json]) -> float:
    """How far a run is from what is required: the sum of its misses, each as a share of its limit."""
    if result.status != "ok":
        return math.inf
    return sum(UNKNOWN if v["holds"] is None else miss(v) or UNKNOWN for v in verdicts if v["holds"] is not True)


def row(a: Alternative, result: Result, verdicts: Iterable[Json]) -> Json:
    """One change as the document has it."""
    d = resolve(a.run)
    return {
        "changes": [{"setting": c.setting, "value": c.value} for c in a.changes],
        "status": result.status,
        "results": {name: number(result.columns.get(name)) for name in SHOWN},
        "used_gpus": number(d.used),
        "idle_gpus": number(d.idle),
        "misses": [missed(v) for v in verdicts if v["holds"] is False],
    }


def missed(v: Mapping[str, Any]) -> Json:
    """A requirement that does not hold, and by what share of its limit."""
    far = miss(v)
    return {"require": v["require"], "over": None if far is None else float(f"{far:.12g}")}

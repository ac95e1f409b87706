"""One evaluated design point as the JSON document has it: plain numbers in base units, null where a value is missing.

This is the only place where the engine's columns become numbers; tables, figures and prose read the result of
``point_of`` and nothing else.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine import goodput, memory
from engine.columns import Column
from engine.evaluate import Result
from engine.ledger import Entry
from engine.metrics import METRICS
from reports.locales import reworded

Json = dict[str, Any]

CURVE_POINTS = 48
MTBF_FACTORS = (0.5, 1.0, 2.0)  # curves drawn beside the planned one
DRAWN_STAGES = 8
FORMULAS = {
    "gemm": "2 M N K / (P eta) + W / (2 beta eps)",
    "sdpa": "F / (P phi eta s/(s + s_half))",
    "hbm": "c bytes / (beta eps)",
    "launch": "kernels x gap, or the host's time",
    "wait": "",
    "host": "bytes / beta_h",
    "collective": "t0 + hops + (n-1)/n S / (alpha beta)",
}


def number(value: Column | float | None, digits: int = 12) -> float | None:
    """The first row of a column with 12 significant digits; None where it is missing, NaN or infinite."""
    if value is None:
        return None
    found = float(np.ravel(np.asarray(value, dtype=np.float64))[0])
    return float(f"{found:.{digits}g}") if math.isfinite(found) else None


def point_of(result: Result) -> Json:
    """Results, ledger, memory, traffic, stages, timeline, counts, checkpoint, cost and power of one design point."""
    return {
        "results": {m.name: number(result.columns.get(m.name)) for m in METRICS},
        "figures": {m.name: {"unit": m.unit, "precision": m.decimals, "limit": None, "source": None} for m in METRICS},
        "ledger": ledger(result),
        "memory": stage_memory(result),
        "traffic": traffic(result),
        "stages": stages(result),
        "sharding": sharding(result),
        "timeline": timeline(result),
        "parameters": parameters(result),
        "checkpoint": checkpoint(result),
        "cost": cost(result),
        "power": power(result),
        "gpus": gpus(result),
        "phases": phases(result),
        "notes": list(map(reworded, result.notes)),
        "unavailable": [{"result": name, "missing": list(settings)} for name, settings in result.missing.items()],
        "status": result.status,
        "reasons": list(map(reworded, result.reasons)),
        "alternatives": [reworded(a.text) for a in result.nearest],
    }


def ledger(result: Result) -> list[Json]:
    """The ledger of the stage that sets the pace, per step; rows that never run are left out."""
    if result.step is None or "step_time" not in result.columns:
        return []
    pace = int(result.step.timing.pace[0])
    return [_ledger_row(e, pace) for e in result.step.entries if number(e.count) and _moves(e)]


def _moves(entry: Entry) -> bool:
    return bool(number(entry.row.seconds)) or entry.row.op in ("bubble", "fixed")


def _ledger_row(entry: Entry, stage: int) -> Json:
    row, count = entry.row, entry.count
    return {
        "stage": stage,
        "block": row.block,
        "op": row.op,
        "phase": row.phase,
        "kind": row.kind,
        "count": number(count),
        "flops": number(count * row.flops),
        "bytes": number(count * row.bytes),
        "efficiency": number(row.efficiency),
        "axis": row.axis,
        "algorithm": row.algorithm,
        "seconds": number(count * row.seconds),
        "exposed": number(entry.exposed),
        "hidden_by": row.hidden_by,
        "formula": FORMULAS[row.kind],
    }


def stage_memory(result: Result) -> list[Json]:
    """Memory of every stage in bytes, with the verdict of each."""
    rows = []
    for stage in result.memory:
        row: Json = {k: v if isinstance(v, int) else number(v) for k, v in vars(stage).items()}
        capacity = result.run.gpu.memory
        words = memory.verdict(stage.total, stage.reserved, stage.allocated, capacity)
        rows.append(row | {"capacity": number(capacity), "fits": words[0]})
    return rows


def traffic(result: Result) -> list[Json]:
    """Every parallel axis: its group, the tier it reaches, and its traffic per rank and step."""
    return [
        {
            "axis": t.axis,
            "size": number(t.group.size),
            "members_per_domain": number(t.group.per_domain),
            "domains": number(t.group.domains),
            "tier": t.tier(),
            "pods": number(t.pods),
            "bandwidth": number(t.bandwidth),
            "collective": ", ".join(t.collectives) or None,
            "bytes": number(t.bytes),
            "seconds": number(t.seconds),
            "exposed": number(t.exposed),
            "oversubscription": None if t.slowdown is None else number(t.slowdown),
        }
        for t in result.traffic
    ]


def sharding(result: Result) -> Json:
    """Ranks that dense states are sharded over, of data and context together, and the copies of such a group."""
    found = result.degrees
    return {"ranks": number(found.shard if found else None), "copies": number(found.copies if found else None)}


def stages(result: Result) -> list[Json]:
    """Layers and times of every pipeline stage, seconds per micro-batch."""
    if result.step is None or "step_time" not in result.columns:
        return []
    made = result.step.timing
    return [
        {"stage": s.index, "layers": s.layers, "forward": number(f), "backward": number(b), "send": number(made.send)}
        for s, f, b in zip(made.stages, made.forward, made.backward, strict=True)
    ]


def timeline(result: Result) -> Json | None:
    """The simulated schedule of a step of at most 12 micro-batches, on at most 8 stages; the note says so."""
    line = result.timeline
    if line is None:
        return None
    micro_batches = int(number(result.columns["micro_batches"]) or line.micro_batches)
    shown = [s for stage in line.stages[:DRAWN_STAGES] for s in stage]
    fewer = len(line.stages) > DRAWN_STAGES
    parts = [f"{DRAWN_STAGES} of {len(line.stages)} stages"] if fewer else []
    if line.micro_batches < micro_batches:
        parts.append(f"a step of {line.micro_batches} micro-batches; this run has {micro_batches}")
    return {
        "schedule": line.schedule,
        "micro_batches": line.micro_batches,
        "passes": [
            {
                "stage": s.stage,
                "kind": s.kind,
                "micro_batch": s.micro_batch,
                "chunk": s.chunk,
                "start": number(s.start),
                "end": number(s.end),
            }
            for s in shown
        ],
        "total": number(line.total),
        "shown_note": ", ".join(parts),
    }


def parameters(result: Result) -> list[Json]:
    """Parameter counts by part; they sum to the total."""
    n = result.parameters
    if n is None:
        return []
    parts = {
        "attention": n.over(lambda x: x.attention),
        "mixer": n.over(lambda x: x.mixer),
        "mlp": n.over(lambda x: x.mlp + x.experts + x.shared + x.router),
        "norms": n.norms,
        "embedding": n.embedding + n.positions,
        "head": n.head + n.head_bias,
    }
    rest = n.total - sum(parts.values())
    parts |= {"biases and other": rest} if number(rest) else {}
    if not number(parts["mixer"]):
        del parts["mixer"]
    return [{"part": name, "count": number(value, 17)} for name, value in parts.items()]


def checkpoint(result: Result) -> Json | None:
    """The checkpoint plan with the curve of effective training time over the interval."""
    plan = result.goodput
    if plan is None:
        return None
    named = ("size", "size_per_gpu", "save", "pause", "mtbf", "restart", "young", "daly", "best", "used")
    found: Json = {name: number(getattr(plan, name)) for name in named}
    found |= {"wait": number(plan.wait), "tiers": tiers(plan), "shared_share": number(plan.share)}
    return found | {"curve": _curve(plan, 1.0), "curves": _curves(plan)}


def _grid(plan: goodput.Goodput) -> Column | None:
    return None if plan.best is None or not plan.best[0] > 0 else goodput.interval_grid(plan.best, CURVE_POINTS)


def _curve(plan: goodput.Goodput, factor: float) -> list[Json]:
    grid = _grid(plan)
    if grid is None or plan.mtbf is None:
        return []
    shares = plan.curve(grid, plan.mtbf * factor)
    return (
        []
        if shares is None
        else [{"interval": number(i), "effective": number(e)} for i, e in zip(grid, shares, strict=True)]
    )


def _curves(plan: goodput.Goodput) -> list[Json]:
    if plan.mtbf is None:
        return []
    return [
        {"mtbf": number(plan.mtbf * f), "points": [[p["interval"], p["effective"]] for p in _curve(plan, f)]}
        for f in MTBF_FACTORS
    ]


def failures(rates: Mapping[str, float], gpus: Column | None) -> list[Json]:
    """Failures by component: per GPU-year as the hazard table has them, and per day of this job's GPUs, if known."""
    day, used = 86400.0, float("nan") if gpus is None else float(gpus[0])
    return [
        {"component": name, "rate_per_gpu_year": rate, "per_day": number(goodput.per_gpu_year(rate) * used * day)}
        for name, rate in rates.items()
    ]


def phases(result: Result) -> list[Json]:
    """The stretches of a run: tokens, batch and sequence of each, its rate, memory and time."""
    rows = []
    for part in result.stretches:
        own, results = part.result.run, part.result.columns
        named = ("step_time", "tokens_per_second", "tokens_per_step", "memory_per_gpu", "effective_training_time")
        rows.append(
            {"name": part.name, "tokens": number(part.tokens), "batch": number(own.batch),
             "sequence": number(None if part.result.degrees is None else part.result.degrees.sequence)}
            | {name: number(results.get(name)) for name in named}
            | {"time": number(part.seconds), "status": part.status}
        )  # fmt: skip
    return rows


def tiers(plan: goodput.Goodput) -> list[Json]:
    """Places that checkpoints are kept in, faster ones first: interval, pause, restart and share of the failures."""
    named = ("interval", "pause", "restart", "share")
    return [{"name": t.name} | {name: number(getattr(t, name)) for name in named} for t in plan.inner]


def gpus(result: Result) -> Json:
    """GPUs bought, used, idle and spare, and the rule by which they are billed."""
    found = result.gpus
    if found is None:
        return dict.fromkeys(("bought", "used", "idle", "spare", "billed_rule"))
    counts = {name: number(getattr(found, name)) for name in ("bought", "used", "idle", "spare")}
    return counts | {"billed_rule": found.billed_rule}


def cost(result: Result) -> list[Json]:
    """Every cost line with its basis and the setting it comes from; null = not included."""
    return [{"line": c.line, "usd": number(c.usd), "basis": c.basis, "source": c.source} for c in result.cost]


def power(result: Result) -> list[Json]:
    """Every line of power, peak and mean; null = not included."""
    return [
        {"line": p.line, "peak": number(p.peak), "mean": number(p.mean), "basis": p.basis, "source": p.source}
        for p in result.power
    ]

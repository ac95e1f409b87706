"""Memory of one GPU: every term, per pipeline stage, against the capacity."""

from typing import Any

from reports.plan import Json, Plan, Section
from reports.quantities import Quantity
from reports.tables import Cell, Table, number, share, text
from reports.terms import words

TERMS = (  # key, name of its row
    ("weights", "Weights"),
    ("gradients", "Gradients"),
    ("optimizer", "Optimizer states"),
    ("gathered", "Gathered weights and gradients (ZeRO-3)"),
    ("activations", "Activations kept for backward"),
    ("logits", "Logits"),
    ("working", "Working set of a recomputed layer and its backward"),
    ("buffers", "Framework buffers"),
    ("communicators", "NCCL communicators"),
    ("context", "CUDA context"),
    ("slack", "Allocator slack, fragmentation and memory.reserve"),
)
COLUMNS = (  # name of a column, the terms it holds
    ("Weights", ("weights",)),
    ("Gradi\u00adents", ("gradients",)),
    ("Opti\u00admizer", ("optimizer",)),
    ("Gath\u00adered", ("gathered",)),
    ("Activa\u00adtions", ("activations",)),
    ("Logits", ("logits",)),
    ("Work\u00ading", ("working",)),
    ("Buffers, context", ("buffers", "communicators", "context")),
    ("Slack", ("slack",)),
)


def memory(plan: Plan) -> Section | None:
    stages = plan.point["memory"]
    if not stages:
        return None
    worst = max(stages, key=lambda s: float(s["total"]))
    table = parts_table(stages[0]) if len(stages) == 1 else stages_table(stages)
    return Section(
        "memory",
        "Memory",
        (table,),
        ("memory",),
        ("memory",),
        facts={
            "stages": len(stages),
            "worst": worst["stage"],
            "total": gib(worst["total"]),
            "capacity": gib(worst["capacity"]),
            "used": Quantity(share(worst["total"], worst["capacity"]), "%", 1),
            "fits": worst["fits"],
            "over": gib(less(worst["total"], worst["capacity"])),
            "allocated": gib(worst["allocated"]),
            "reserved": gib(worst["reserved"]),
            "outside": gib(less(worst["total"], worst["reserved"])),
            "largest": largest(worst),
            "ends": ends(plan),
            "alternatives": plan.point.get("alternatives", []),
        },
    )


def ends(plan: Plan) -> dict[str, Any] | None:
    """The interval of the fullest stage, and whether a fit is in doubt: its upper end is over the capacity."""
    found = (plan.point.get("intervals") or {}).get("memory_per_gpu")
    if not found:
        return None
    capacity = plan.number("cluster.gpu.memory")
    crosses = capacity is not None and plan.point["status"] == "ok" and found["high"] > capacity
    return {"low": gib(found["low"]), "high": gib(found["high"]), "crosses": crosses}


def gib(value: float | None) -> Quantity:
    return Quantity(value, "GiB", 1)


def less(whole: float, part: float | None) -> float | None:
    return None if part is None else whole - part


def largest(stage: Json) -> list[dict[str, object]]:
    """The two largest terms of a stage."""
    terms = sorted(((stage[key] or 0.0, name) for key, name in TERMS), reverse=True)[:2]
    return [
        {"name": name[0].lower() + name[1:] if name[1].islower() else name, "size": gib(size)} for size, name in terms
    ]


def parts_table(stage: Json) -> Table:
    """One stage: a row a term."""
    rows: list[tuple[Cell, ...]] = [
        (name, stage[key], share(stage[key], stage["capacity"])) for key, name in TERMS if stage[key]
    ]
    rows += [
        ("Total, as the driver shows it", stage["total"], share(stage["total"], stage["capacity"])),
        ("Capacity", stage["capacity"], share(stage["capacity"], stage["capacity"])),
    ]
    columns = (text("Term"), number("Memory", "GiB", 2, width=30), number("Share of capacity", "%", 1, width=34))
    return Table("memory", "Memory of one GPU at its peak", columns, tuple(rows), totals=2)


def stages_table(stages: list[Json]) -> Table:
    """Several stages: a row each; terms that are 0 on all of them are left out."""
    terms = [(name, keys) for name, keys in COLUMNS if any(term(s, keys) for s in stages)]
    rows = tuple(
        (
            str(s["stage"]),
            s["layers"],
            s["in_flight"],
            *(term(s, keys) for _, keys in terms),
            s["total"],
            share(s["total"], s["capacity"]),
            words(s["fits"]),
        )
        for s in stages
    )
    columns = (
        text("Stage", 11),
        number("Layers", width=11),
        number("In flight", decimals=1, width=11),
        *(number(name, "GiB", 1, width=12) for name, _ in terms),
        number("Total", "GiB", 1, width=12),
        number("Share", "%", 0, width=11),
        text("Verdict"),
    )
    worst = max(range(len(stages)), key=lambda i: float(stages[i]["total"]))
    return Table(
        "memory",
        "Memory of one GPU at its peak, by pipeline stage",
        columns,
        rows,
        chosen=worst,
        wide=True,
        more="The fullest stage is shaded; shares are of the capacity.",
    )


def term(stage: Json, keys: tuple[str, ...]) -> float:
    return sum(stage[key] or 0.0 for key in keys)

"""Documents the report tests render: the fixture as it stands, and variants of it that lack or exceed something."""

import json
from functools import cache
from pathlib import Path
from typing import Any

GIB = 2.0**30
Json = dict[str, Any]


@cache
def _fixture() -> str:
    return (Path(__file__).parent / "data" / "document.json").read_text(encoding="utf-8")


def document() -> Json:
    """A fresh copy of the fixture."""
    loaded: Json = json.loads(_fixture())
    return loaded


def main_point(given: Json) -> Json:
    point: Json = given["experiments"][0]["points"][0]
    return point


def bare() -> Json:
    """One GPU; no tokens, no price, no tiers, no checkpoints, no power; nothing required, nothing in the report."""
    given = document()
    given |= {"report": {}, "title": "", "not_evaluated": [], "experiments": given["experiments"][:1]}
    point = main_point(given)
    absent = ("cost", "cost_per_token", "time_to_train", "gpu_hours", "energy", "carbon", "effective_training_time")
    point["results"] |= dict.fromkeys(absent)
    point["unavailable"] = [{"result": name, "missing": ["tokens", "cluster.price"]} for name in absent]
    point |= {
        "traffic": [],
        "verdicts": [],
        "checks": [],
        "failures": [],
        "power": [],
        "parameters": [],
        "measured": [],
    }
    point |= {"checkpoint": None, "timeline": None, "formula_days": None, "gpus": None}
    point["cost"] = [row | {"usd": None} for row in point["cost"]]
    point["settings"] |= {
        "cluster.gpus": 1.0,
        "layout.tensor": 1.0,
        "layout.data": 1.0,
        "cluster.tier": [],
        "tokens": None,
    }
    given["key_numbers"] = [row | {"value": None, "margin": None} for row in given["key_numbers"]]
    given["verdict"] = {"word": "not_decided", "sentences": ["the file states no tokens"], "counts": {}}
    return given


def cannot_be_built() -> Json:
    """A layout that no framework accepts: no step, no memory, no cost."""
    given = document()
    point = main_point(given)
    parts = ("ledger", "memory", "traffic", "stages", "power", "failures", "cost", "parameters")
    point |= {name: [] for name in parts} | {"checkpoint": None, "status": "cannot_be_built"}
    point |= {"reasons": ["64 heads do not divide by tensor = 12"], "alternatives": ["tensor = 8", "tensor = 16"]}
    point["results"] = dict.fromkeys(point["results"])
    given["verdict"] = {"word": "not_feasible", "sentences": ["64 heads do not divide by tensor = 12"], "counts": {}}
    return given


def does_not_fit() -> Json:
    """Sixteen pipeline stages of which three do not fit, failing requirement, warnings, measured values."""
    given = document()
    point = main_point(given)
    stage = point["memory"][0] | {"layers": 5, "capacity": 79.6 * GIB}
    point["memory"] = [
        stage | {"stage": i, "total": (84.0 - 1.5 * i) * GIB, "fits": "does_not_fit" if i < 3 else "fits"}
        for i in range(16)
    ]
    point["stages"] = [{"stage": i, "layers": 5, "forward": 0.04, "backward": 0.08, "send": 1e-3} for i in range(16)]
    point["settings"] |= {
        "layout.pipeline": 16.0,
        "layout.schedule": "interleaved",
        "layout.schedule.virtual_stages": 5.0,
    }
    point["timeline"] = {"schedule": "interleaved", "micro_batches": 2, "total": 6.0, "shown_note": None, "passes": [
        {"stage": s, "kind": k, "micro_batch": m, "chunk": 0, "start": s + m + at, "end": s + m + at + 1}
        for s in range(2) for m in range(2) for k, at in (("F", 0), ("B", 2))]}  # fmt: skip
    point |= {"status": "does_not_fit", "reasons": ["stage 0 needs 4.4 GiB more than the GPU has"],
              "alternatives": ["recompute = full: 61 GiB"]}  # fmt: skip
    rule = {"title": "A rule", "severity": "warn", "limit": 10.0, "result": 12.0, "unit": "s", "margin": -0.2}
    rule |= {"values": {}, "reason": "it is over", "advice": "lower it", "source": "rule of thumb"}
    words = ("fail", "warn", "warn", "warn", "pass")
    point["checks"] = [rule | {"id": f"C{i}", "status": word} for i, word in enumerate(words)]
    compared = {"time_to_train": {"value": 4e6, "unit": "seconds"}}
    failed = {"require": "time_to_train <= 30 days", "holds": False, "because": "the slot ends", "where": "a.scn:3"}
    point["verdicts"] = [failed | {"values": compared}]
    point["measured"] = [{"name": "mfu", "value": 0.41, "predicted": 0.4, "error": -0.0244, "source": "a paper"}]
    given["verdict"] = {"word": "not_feasible", "sentences": ["it does not fit"], "counts": {"fail": 1}}
    return given


def no_run() -> Json:
    """A file that holds nothing this version evaluates."""
    nothing = {"word": "not_decided", "sentences": [], "counts": {}}
    return document() | {"experiments": [], "key_numbers": [], "verdict": nothing}


VARIANTS = {
    "fixture": document,
    "bare": bare,
    "cannot be built": cannot_be_built,
    "does not fit": does_not_fit,
    "no run": no_run,
}


def hostile(given: Any, text: str) -> Any:
    """The document with every free text of a person replaced: titles, names, sources, notes, reasons."""
    if isinstance(given, dict):
        return {k: text if k in FREE and isinstance(v, str) else hostile(v, text) for k, v in given.items()}
    if isinstance(given, list):
        return [text if isinstance(v, str) else hostile(v, text) for v in given]
    return given


FREE = frozenset(
    [
        "title",
        "author",
        "reviewer",
        "document",
        "classification",
        "subtitle",
        "decision",
        "owner",
        "effect",
        "check",
        "change",
        "role",
        "source",
        "because",
        "require",
        "reason",
        "advice",
        "basis",
        "billed_rule",
        "note",
        "component",
        "where",
        "confidence",
        "file",
        "line",
        "op",
        "formula",
        "hidden_by",
        "label",
        "collective",
        "tier",
    ]
)

"""The JSON document of a validation: every table held against predictions, as one experiment of kind `validation`.

Sections, figures, HTML and PDF read this document and nothing else. Values are in base units: seconds, bytes.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dsl.scope import EDITION
from reports.document import ENGINE_VERSION
from reports.plan import EMPTY_REPORT
from reports.validation import layouts
from reports.validation.errors import Errors, Prediction, as_json, errors_of, grouped, groups_of, worst
from reports.validation.fit import Fit, studied
from reports.validation.kinds import Kind
from reports.validation.refit import told
from reports.validation.rows import Row, number, source_of, stack_of
from reports.validation.text import WORST, common, reasons

Json = dict[str, Any]
GOALS = {"time": (0.05, 0.15), "memory": (0.05, 0.12)}  # median and 90th percentile on sources left out


@dataclass(frozen=True)
class Held:
    """A file of measured rows with its predictions."""

    file: str
    sha256: str
    kind: Kind
    rows: Sequence[Row]
    found: Sequence[Prediction]
    conditions: Sequence[str] = ()
    refit: Fit | None = None  # the library's numbers fitted anew on these rows


def build(tables: Sequence[Held]) -> Json:
    """The document of one table of step times, one of memory, or both."""
    experiments = [experiment(t) for t in tables]
    return {
        "kind": "validation",
        "edition": EDITION,
        "engine_version": ENGINE_VERSION,
        "file": " and ".join(t.file for t in tables),
        "sha256": tables[0].sha256 if len(tables) == 1 else None,
        "title": "Predictions against published runs",
        "imports": [{"path": t.file, "sha256": t.sha256} for t in tables],
        "overrides": [],
        "varied": [],
        "report": {**EMPTY_REPORT, "kind": "validation", "conditions": [], "approvals": [], "revisions": []},
        "verdict": {"word": "not_decided", "sentences": [], "counts": {}},
        "key_numbers": [],
        "not_evaluated": [],
        "notes": [],
        "source": "",
        "experiments": experiments,
    }


def experiment(table: Held) -> Json:
    """One table: what was compared, errors of all rows and by group, the worst, the layouts, and every row."""
    kind, found = table.kind, table.found
    sources = {row.get("id", ""): row.get("source", "") for row in table.rows}
    bad = worst(found, WORST)
    return {
        "kind": "validation",
        "name": kind.name,
        "title": kind.title,
        "where": "",
        "points": [],
        "file": table.file,
        "sha256": table.sha256,
        "conditions": list(table.conditions),
        "what": kind.what,
        "unit": kind.unit,
        "required": list(kind.required),
        "goal": dict(zip(("median", "p90"), GOALS[kind.name], strict=True)),
        "of": len(table.rows),
        "sources": len({source_of({"source": sources[p.row.get("id", "")]}) for p in found}),
        "errors": error_row(errors_of("all", found), found),
        "fitted_on": sum(map(studied, table.rows)) if kind.name == "time" else 0,
        "refit": told(table.refit) if table.refit else None,
        "groups": groups(table, sources),
        "worst": [row_of(p, sources) for p in bad],
        "common": common([p.row for p in bad], [p.row for p in found], kind) if bad else [],
        "reasons": [
            {"kind": name, "why": why, "rows": n}
            for name, counted in reasons(table.rows, found, kind)
            for why, n in counted.most_common()
        ],
        "layouts": layout_groups(found, sources) if kind.name == "time" else [],
        "left_out": as_json(table.rows, found, kind)["left_out"],
        "rows": [row_of(p, sources) for p in found],
    }


def error_row(e: Errors, found: Sequence[Prediction]) -> Json:
    """The errors of a group, with how many of its rows lie in their interval."""
    held = [
        p.low <= p.measured <= p.high
        for p in found
        if p.low is not None and p.high is not None and p.measured is not None
    ]
    return asdict(e) | {"with_interval": len(held), "inside": sum(held)}


def groups(table: Held, sources: dict[str, str]) -> list[Json]:
    """The errors by framework, GPU and so on, and by source; largest groups first."""
    keys = groups_of(table.kind) | {"source": lambda row: sources.get(row.get("id", ""), "") or "not stated"}
    made = []
    for name, key in keys.items():
        own: dict[str, list[Prediction]] = {}
        for p in table.found:
            own.setdefault(key(p.row), []).append(p)
        made.append({"by": name, "rows": [error_row(e, own[e.name]) for e in grouped(table.found, key)]})
    return made


def row_of(p: Prediction, sources: dict[str, str]) -> Json:
    """One row: what it was, what was predicted and measured."""
    row = p.row
    return {
        "id": row.get("id", ""),
        "source": sources.get(row.get("id", ""), ""),
        "model": layouts.name_of(row),
        "gpu": row.get("gpu", ""),
        "gpus": number(row, "n_gpus"),
        "framework": row.get("framework", ""),
        "stack": stack_of(row),
        "precision": row.get("precision", ""),
        "layout": layouts.spelled([row.get(k, "") for k in layouts.LAYOUT]),
        **p.told,
    }


def layout_groups(found: Sequence[Prediction], sources: dict[str, str]) -> list[Json]:
    """Groups of runs that differ in layout alone: the measured best, the predicted best, and pairs in order."""
    made = []
    for group in layouts.groups(found, sources):
        apart, right = group.pairs
        same = dict(zip(layouts.SAME, group.same, strict=True))
        best, chosen = group.choices[0], group.predicted_best
        made.append(
            same
            | {"model": layouts.name_of(same), "layouts": len(group.choices), "best": layouts.spelled(best.layout),
               "predicted_best": layouts.spelled(chosen.layout), "best_seconds": best.measured,
               "predicted_best_seconds": chosen.measured, "regret": group.regret, "pairs": apart, "right": right}
        )  # fmt: skip
    return made

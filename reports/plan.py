"""One run of the document as the sections read it: results as quantities, settings, inputs, other runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reports.quantities import Quantity, legible
from reports.tables import Table

Json = Mapping[str, Any]


EMPTY_REPORT: Json = dict.fromkeys(
    (
        "kind",
        "sections",
        "show",
        "author",
        "reviewer",
        "status",
        "document",
        "date",
        "classification",
        "subtitle",
        "paper",
        "locale",
        "currency",
        "rate",
        "logo",
        "start",
        "decision",
        "conditions",
        "approvals",
        "revisions",
    )
)
EMPTY_POINT: Json = {
    "settings": {},
    "results": {},
    "figures": {},
    "status": "ok",
    "checkpoint": None,
    "timeline": None,
    "gpus": None,
    "formula_days": None,
    "trace": None,
    "progress": None,
    "intervals": None,
    **dict.fromkeys(
        (
            "verdicts",
            "checks",
            "inputs",
            "measured",
            "ledger",
            "memory",
            "traffic",
            "stages",
            "parameters",
            "failures",
            "cost",
            "power",
            "notes",
            "unavailable",
            "reasons",
            "alternatives",
            "remedies",
            "acceptance",
            "bus_bandwidth",
        ),
        (),
    ),
}


@dataclass(frozen=True)
class Section:
    """What one section shows: tables, figures and equations in the order of its template; facts for its prose."""

    key: str
    title: str  # empty: it stands directly under its chapter's heading
    tables: tuple[Table, ...] = ()
    figures: tuple[str, ...] = ()
    equations: tuple[str, ...] = ()
    facts: Mapping[str, Any] | None = None
    template: str = ""  # of templates/sections, where it is not the key: one file serves every sweep of a document

    @property
    def form(self) -> str:
        """The name of its template."""
        return self.template or self.key


@dataclass(frozen=True)
class Plan:
    """The run a document is about (its first), with the document around it."""

    document: Json
    experiment: Json

    @cached_property
    def point(self) -> Json:
        """The run's only point; parts it does not hold are empty."""
        return {**EMPTY_POINT, **(self.experiment["points"] or [{}])[0]}

    @cached_property
    def results(self) -> dict[str, float | None]:
        return dict(self.point["results"])

    @cached_property
    def settings(self) -> dict[str, Any]:
        return dict(self.point["settings"])

    @cached_property
    def verdicts(self) -> list[Json]:
        """What the run must meet, as page 1 judges it."""
        return binding(self.experiment["name"], self.point["verdicts"], self.document["experiments"])

    @cached_property
    def report(self) -> Json:
        """The report block; settings it does not state are None."""
        return {**EMPTY_REPORT, **(self.document.get("report") or {})}

    @cached_property
    def stated(self) -> dict[str, Json]:
        """The inputs by their path."""
        return {row["path"]: row for row in self.point["inputs"]}

    def result(self, name: str) -> Quantity:
        """A result as it is shown, with the unit, precision, limit and source the document gives for it."""
        shown = self.point["figures"].get(name) or {}
        stated = Quantity(
            self.results.get(name),
            shown.get("unit") or "",
            shown.get("precision"),
            shown.get("limit"),
            source=shown.get("source") or "",
        )
        return legible(stated)

    def setting(self, path: str, default: Any = None) -> Any:
        value = self.settings.get(path)
        return default if value is None else value

    def number(self, path: str) -> float | None:
        """A setting as a number; None where it is missing or not a number."""
        value = self.settings.get(path)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def name_of(self, kind: str) -> str:
        """The name of the model, cluster or gpu the run refers to."""
        return str(self.setting(kind) or self.setting(f"{kind}.name") or "")

    def missing_for(self, name: str) -> list[str]:
        """What a result needs and the file does not state."""
        return [str(m) for row in self.point["unavailable"] if row["result"] == name for m in row["missing"]]

    def experiments(self, kind: str) -> list[Json]:
        """The evaluated experiments of a kind, in the order of the file."""
        return [e for e in self.document["experiments"] if e["kind"] == kind and e["points"]]

    @cached_property
    def programme(self) -> Json | None:
        """The portfolio whose cluster this run stands on, where it says how many GPUs that has."""
        found, own = self.experiments("portfolio"), self.setting("cluster")
        return next((p for p in found if p.get("gpus") and p.get("cluster") == own), None)

    @cached_property
    def others(self) -> tuple["Plan", ...]:
        """The other runs of the file, without those that a portfolio of it holds: its section is about them."""
        programmes = (e for e in self.document["experiments"] if e["kind"] == "portfolio")
        held = {entry["run"] for e in programmes for entry in e["entries"]}
        runs = (e for e in self.document["experiments"] if e["kind"] == "run" and e["points"])
        return tuple(Plan(self.document, e) for e in runs if e is not self.experiment and e["name"] not in held)


def binding(name: str, own: Sequence[Json], experiments: Sequence[Json]) -> list[Json]:
    """The verdicts of all that binds a run: its own requirements, then those that comparisons of it add, each once."""
    beside = [p for e in experiments if e["kind"] == "compare" for p in e["points"] if p["name"] == name]
    found = {v["require"]: v for v in own}
    for verdict in (v for p in beside for v in p["verdicts"]):
        found.setdefault(verdict["require"], verdict)
    return list(found.values())


def plan_of(document: Json) -> Plan:
    """The run the document is about: the first one of the file, else the first baseline, else an empty one."""
    runs = [e for e in document["experiments"] if e["kind"] == "run" and e["points"]]
    runs += [baseline(e) for e in document["experiments"] if e["kind"] == "compare"]
    return Plan(document, runs[0] if runs else {"kind": "run", "name": "", "title": "", "points": []})


def baseline(experiment: Json) -> Json:
    """The baseline of a comparison as the experiment of a run."""
    point = next(p for p in experiment["points"] if p["name"] == experiment["baseline"])
    return {"kind": "run", "name": point["name"], "title": point["title"], "points": [point]}

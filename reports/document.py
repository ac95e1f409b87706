"""The JSON document: a scenario evaluated, as programs, tests and every page of the report read it.

``build`` is the one way from a resolved scenario to results. Numbers are in base units with 12 significant digits;
what is missing is null and named. Paths are logical, so that the same file gives the same bytes anywhere.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dsl.scenario import Check, Compare, Portfolio, Report, Roofline, Run, Scenario, Value
from dsl.schema import run_row
from engine import cost
from engine.evaluate import Result, evaluate_phases
from engine.metrics import BY_NAME, METRICS
from engine.read import read
from reports import table_summary
from reports.acceptance.rows import acceptance_of
from reports.better import better
from reports.comparison import Side, comparison, sides_of
from reports.dates import dates
from reports.experiments.scaling import evaluate_scale
from reports.experiments.search import evaluate_search
from reports.experiments.sensitivity import evaluate_sensitivity
from reports.experiments.sizing import evaluate_size
from reports.experiments.table import evaluate_table
from reports.intervals import intervals
from reports.judgement import check, plain, verdict
from reports.locales import reworded, written_in
from reports.plan import binding
from reports.point import Json, failures, number, point_of
from reports.prices import prices
from reports.profiled import profiled
from reports.programme import off_plan, programme, with_programmes
from reports.progress import progress
from reports.prose import count
from reports.provenance import formulas, provenance
from reports.quantities import Quantity
from reports.remedies import remedies
from reports.roofline_point import roofline_point
from reports.summary import failed, key_numbers
from reports.summary import verdict as summary_verdict
from reports.withheld import is_money, without_prices, without_results

ENGINE_VERSION = "0.1.0"


def build(scenario: Scenario) -> Json:
    """The document of a scenario: every run of the file evaluated, judged and summed up; a design review that is asked
    for holds no prices.
    """
    report = report_of(scenario.report)
    with written_in(report.get("locale")):
        document = whole(scenario)
    return without_prices(document) if report.get("kind") == "design_review" else document


def whole(scenario: Scenario) -> Json:
    """Everything that there is to say about a scenario."""
    runs = [(run, evaluated(run)) for run in scenario.runs]
    start = str(report_of(scenario.report).get("start") or "")
    points = [point(run, result, scenario.checks, start) for run, result in runs]
    compared = comparisons(scenario, runs, points)
    points = points or [p for e in compared[:1] for p in baseline_first(e)]
    found = tables(scenario)
    report = report_of(scenario.report)
    shown = [] if scenario.report is None else [(i.text, i.called, i.unit) for i in scenario.report.show]
    if report.get("kind") is None:
        priced = any(p["results"]["cost"] is not None for p in points)
        report["kind"] = "procurement" if priced else "design_review"
    planned, main = programmes(scenario), judged(points, scenario, compared)
    page_one = with_programmes(summary(scenario, main, [*compared, *found], report, shown, planned), planned)
    trees = origins(scenario, origin_names(page_one["key_numbers"], report))
    return {
        "edition": scenario.edition,
        "engine_version": ENGINE_VERSION,
        "file": scenario.file,
        "sha256": scenario.sha256,
        "title": (scenario.report.title if scenario.report else "") or scenario.title,
        "imports": [{"path": i.path, "sha256": i.sha256} for i in scenario.imports],
        "overrides": list(scenario.overrides),
        "varied": list(scenario.varied),
        "report": report,
        **page_one,
        "prices": prices([*points, *(p for e in [*compared, *planned] for p in e["points"])], report),
        "provenance": trees,
        "formulas": formulas(trees),
        "not_evaluated": not_evaluated(scenario),
        "notes": list(map(reworded, scenario.notes)),
        "source": scenario.source,
        "experiments": [
            *rooflines(scenario),
            *run_experiments(runs, points),
            *compared,
            *found,
            *planned,
        ],
    }


def summary(
    scenario: Scenario, points: Sequence[Json], beside: Sequence[Json], report: Json, shown: Sequence[Any],
    planned: Sequence[Json] = (),
) -> Json:  # fmt: skip
    """Verdict and key numbers of page 1: of the first run, else of the first table of the file."""
    conditions, about = len(report["conditions"]), table_summary.subject(beside)
    if points:
        first = without_results(points[0]) if report.get("kind") == "design_review" else points[0]
        late = dates(points[0], report).late
        word = summary_verdict(points, conditions, planned, better(points[0], beside), late)
        return {"verdict": word, "key_numbers": key_numbers(first, shown)}
    if about is None and planned:
        return {"verdict": summary_verdict([NO_RUN], conditions, planned), "key_numbers": []}
    if about is None:
        return {"verdict": nothing(scenario), "key_numbers": []}
    return {
        "verdict": table_summary.verdict(about, conditions),
        "key_numbers": table_summary.key_numbers(about, shown),
    }


# A file of programmes alone: what is judged is theirs.
NO_RUN: Json = {"status": "ok", "verdicts": [], "checks": [], "reasons": [], "intervals": None, "settings": {}}


def origin_names(keys: Sequence[Json], report: Json) -> list[str]:
    """The numbers of page 1 whose trees the document holds."""
    reviewed = report.get("kind") == "design_review"
    return [key["name"] for key in keys if not (reviewed and is_money(key["name"]))]


def origins(scenario: Scenario, names: Sequence[str]) -> list[Json]:
    """The trees behind the numbers of page 1: those of the first run, else of the first comparison's baseline."""
    compared = [run for block in scenario.compares[:1] for run in block.runs if run.name == block.baseline]
    run = next(iter((*scenario.runs, *compared)), None)
    return [] if run is None else provenance(run, names, phased)


def comparisons(scenario: Scenario, runs: Sequence[tuple[Run, Result]], points: Sequence[Json]) -> list[Json]:
    """The compare blocks of the file, each with its runs evaluated once."""
    sides = (Side(run, r, p, names_of(run, r)) for (run, r), p in zip(runs, points, strict=True))
    found = {side.run.where: side for side in sides}

    def make(run: Run) -> Side:
        result = evaluated(run)
        return Side(run, result, point(run, result, scenario.checks), names_of(run, result))

    return [comparison(block, sides_of(block, found, make)) for block in scenario.compares]


def judged(points: Sequence[Json], scenario: Scenario, compared: Sequence[Json]) -> list[Json]:
    """The points of the runs as page 1 judges them: a run that comparisons hold also meets what those require."""
    names = [run.name for run in scenario.runs] or [p["name"] for p in points]
    return [p | {"verdicts": binding(n, p["verdicts"], compared)} for n, p in zip(names, points, strict=True)]


def programmes(scenario: Scenario) -> list[Json]:
    """The portfolio blocks of the file, evaluated."""
    return [programme(block, evaluated, names_of) for block in scenario.portfolios]


def baseline_first(experiment: Json) -> list[Json]:
    """The points of a comparison, its baseline's before the others."""
    return sorted(experiment["points"], key=lambda p: bool(p["name"] != experiment["baseline"]))


FOLLOWS = ("layout.data", "layout.sequence_parallel")  # settings that a phase works out anew where none is stated


Settings = dict[str, Any]


def phased(run: Run, table: Callable[[Settings, str], Settings]) -> tuple[Settings, list[tuple[str, Settings]]]:
    """The flat table of a run and those of its phases: each the run's settings with some of its own.

    ``table`` makes each from settings and the name of the phase that they are of, empty for the run's own.
    """
    own = table(run.plain(), "")
    anew = {path: None for path in FOLLOWS if path in run.settings and run.settings[path].origin == "default"}
    return own, [
        (name, own | anew | table({p: v.value for p, v in values.items()}, name)) for name, values in run.phases
    ]


def evaluated(run: Run) -> Result:
    """A run evaluated, with its phases."""
    own, phases = phased(run, lambda settings, _: settings)
    return evaluate_phases(read(own), [(name, read(settings)) for name, settings in phases])


def rooflines(scenario: Scenario) -> list[Json]:
    """The roofline blocks of the file, evaluated."""
    return [
        {"kind": "roofline", "name": r.name, "title": r.title, "where": r.where, "points": [roofline_point(r)]}
        for r in scenario.experiments
        if isinstance(r, Roofline)
    ]


def run_experiments(runs: Sequence[tuple[Run, Result]], points: Sequence[Json]) -> list[Json]:
    """The runs of the file, each with its one point."""
    return [
        {"kind": "run", "name": run.name, "title": run.title, "where": run.where, "points": [p]}
        for (run, _), p in zip(runs, points[: len(runs)], strict=True)
    ]


def tables(scenario: Scenario) -> list[Json]:
    """The tables of design points that are evaluated."""
    return [TABLES[table.kind](table) for table in scenario.tables if table.kind in TABLES and table.space is not None]


# How each kind of table is evaluated.
TABLES = {
    "sweep": evaluate_table,
    "optimize": evaluate_search,
    "scale": evaluate_scale,
    "sensitivity": evaluate_sensitivity,
    "size": evaluate_size,
}


def nothing(scenario: Scenario) -> Json:
    """The verdict of a file without a run: there is nothing to decide."""
    operations = sum(isinstance(e, Roofline) for e in scenario.experiments)
    said = f"The file holds {count(operations, 'operation')} and no run" if operations else "The file holds no run"
    return {"word": "nothing_to_decide", "sentences": [said], "counts": {}}


def exit_code(document: Json) -> int:
    """1 where a require or a check of severity fail does not hold, or a layout does not fit or cannot be built,
    or a search finds nothing that meets what it requires, or an order on the day of the document is too late.
    """
    judged = ("run", "compare", "portfolio")
    found = [e for e in document["experiments"] if e["kind"] in judged]
    failing = any(failed(p) for e in found for p in e["points"]) or any(off_plan(e) for e in found)
    late = bool(document["verdict"].get("late"))
    return int(failing or late or table_summary.without_an_answer(document["experiments"]))


def not_evaluated(scenario: Scenario) -> list[Json]:
    """Experiments of kinds that this version checks but does not evaluate."""
    return [
        {"kind": e.kind, "name": e.name, "title": e.title, "where": e.where}
        for e in scenario.experiments
        if not isinstance(e, (Run, Roofline, Compare, Portfolio)) and e.kind not in TABLES
    ]


def report_of(report: Report | None) -> Json:
    """Every setting of the report block, null where it is not stated."""
    stated = {} if report is None else {name: plain(value.value) for name, value in report.settings.items()}
    lists = {"conditions": (), "approvals": (), "revisions": ()} if report is None else report._asdict()
    return stated | {name: [dict(row) for row in lists[name]] for name in ("conditions", "approvals", "revisions")}


def point(run: Run, result: Result, checks: tuple[Check, ...], start: str = "") -> Json:
    """One run evaluated: the engine's part, the settings with their origin, verdicts, checks, measured values."""
    found = point_of(result)
    values = names_of(run, result)
    found["settings"] = {path: plain(value.value) for path, value in run.settings.items()}
    found["inputs"] = [input_row(path, value) for path, value in replaced(stated(run))]
    found["verdicts"] = [verdict(rule, values) for rule in run.requires]
    found["checks"] = [check(rule, values) for rule in checks] if result.status in ("ok", "does_not_fit") else []
    found["measured"] = measured(run, result)
    found["trace"] = profiled(found["settings"], result)
    found["progress"] = progress(found["settings"], result, start)
    found["failures"] = failures(hazards(run), result.columns.get("used_gpus"))
    found["formula_days"] = formula(result)
    found["remedies"] = remedies(run, result, found["verdicts"], names_of)
    found["intervals"] = intervals(found["settings"], found["results"])
    found["notes"] = [*map(reworded, run.notes), *found["notes"]]
    found |= acceptance_of(result, found, run.name)
    for limit in (v["limit"] for v in found["verdicts"] if v["limit"]):
        if limit["name"] in found["figures"]:
            found["figures"][limit["name"]]["limit"] = limit["value"]
    return found


def stated(run: Run) -> list[tuple[str, Value]]:
    """The settings that have a value; the run's own name and what was measured of it are no inputs."""
    beside = ("name", "trace", "actual")
    return [(p, v) for p, v in run.settings.items() if v.value is not None and p.partition(".")[0] not in beside]


# What a measured value stands in the place of, by its path behind "calibration.".
MEASURED = {
    "gemm": "efficiency.gemm", "gemm_fp8": "efficiency.gemm_fp8", "gemm_fp4": "efficiency.gemm_fp4",
    "half_k": "efficiency.half_k", "memory": "efficiency.memory", "attention.forward": "attention.forward",
    "attention.backward": "attention.backward",
}  # fmt: skip


def replaced(rows: list[tuple[str, Value]]) -> list[tuple[str, Value]]:
    """The inputs, those that a calibration stands in for with a note that says so."""
    own = {path.removeprefix("calibration.") for path, _ in rows if path.startswith("calibration.")}
    name = next((value.value for path, value in rows if path == "calibration"), "")
    gone = {f"cluster.gpu.{MEASURED[p]}" for p in own if p in MEASURED}
    gone |= {f"cluster.{p}" for p in own if p.startswith("tier.") and p.endswith(".latency")}
    note = f"replaced by calibration {name}"
    return [(path, value._replace(note=note) if path in gone else value) for path, value in rows]


def names_of(run: Run, result: Result) -> dict[str, Any]:
    """All that a condition may name: settings by path, results and facts; a name that is both is the result."""
    values: dict[str, Any] = {path: value.value for path, value in run.settings.items()}
    values |= {m.name: None for m in METRICS}
    values |= {name: found[0] for name, found in result.columns.items()}
    values |= {name: fact if isinstance(fact, str) else fact[0] for name, fact in result.facts.items()}
    return values


def input_row(path: str, value: Value) -> Json:
    """One input with where it comes from."""
    row = run_row(path)
    return {
        "path": path,
        "value": plain(value.value),
        "unit": "" if row is None else row.holds,
        "written": value.unit_written or None,
        "origin": value.origin,
        "where": value.where or None,
        "source": value.source or None,
        "confidence": value.confidence or None,
        "verified": value.verified or None,
        "as_of": value.as_of or None,
        "quote": value.quote or None,
        "note": reworded(value.note) or None,
    }


def measured(run: Run, result: Result) -> list[Json]:
    """Measured values beside the prediction; error = predicted / measured - 1."""
    rows = []
    for block in run.measured:
        for name, value in block.values.items():
            predicted, own = number(result.columns.get(name)), plain(value.value)
            error = None if predicted is None or not own else float(f"{predicted / own - 1:.12g}")
            rows.append({"name": name, "value": own, "predicted": predicted, "error": error,
                         "unit": BY_NAME[name].unit, "source": block.source, "where": block.where,
                         "suspect": suspect(name, own, result)})  # fmt: skip
    return rows


SUSPECT = 0.05  # utilization below which a measured step time is not believed


def suspect(name: str, value: float | None, result: Result) -> str | None:
    """Why a measured step time is hard to believe: the utilization that it implies is under 5 %, or over the peak."""
    mfu, step = result.columns.get("mfu_attention"), result.columns.get("step_time")
    if name != "step_time" or not value or mfu is None or step is None:
        return None
    implied = float(mfu[0] * step[0] / value)
    if SUSPECT <= implied <= 1.0:
        return None
    return f"implies a utilization of {Quantity(implied, '%', 1).text()} (6N and attention, dense peak)"


def hazards(run: Run) -> Mapping[str, float]:
    """Failures per GPU-year by component, where the library's table is what the run uses."""
    prefix = "hazard."
    return {p.removeprefix(prefix): v.value for p, v in run.settings.items() if p.startswith(prefix) and v.value}


def formula(result: Result) -> Json | None:
    """Days by the rule of thumb 6 N D over GPUs, peak and a stated utilization; without failures."""
    run, used = result.run, result.columns.get("used_gpus")
    peak = getattr(run.gpu.peak, run.precision)
    if run.tokens is None or used is None or peak is None or result.parameters is None:
        return None
    flops = cost.training_flops(result.parameters.active, run.tokens)
    seconds = cost.formula_time(flops, used, peak, run.utilization)
    text = "6 x active parameters x tokens / (GPUs x peak x utilization), no failures"
    return {"utilization": number(run.utilization), "days": number(seconds), "text": text}

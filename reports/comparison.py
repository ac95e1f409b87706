"""Runs side by side with a baseline: differences with signs, what causes each, and every input that differs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from dsl.quantities import display_unit
from dsl.scenario import Compare, Item, Rule, Run
from dsl.schema import run_row
from engine import differences
from engine.evaluate import Result
from engine.metrics import BY_NAME
from reports.judgement import plain, verdict
from reports.point import Json, number

USUAL = (
    "step_time",
    "mfu",
    "tokens_per_second",
    "memory_per_gpu",
    "effective_training_time",
    "time_to_train",
    "gpu_hours",
    "cost",
    "cost_per_token",
    "energy",
    "peak_power",
)
HIGHER = (
    *("mfu", "mfu_attention", "mfu_causal", "mfu_bf16", "hfu", "model_flops", "scaling_efficiency", "mtbf"),
    *("tokens_per_second", "tokens_per_second_per_gpu", "effective_training_time", "memory_headroom"),
)
LOWER = (
    *("step_time", "simulated_step_time", "time_to_train", "gpu_hours", "cost", "cost_per_token", "energy", "carbon"),
    *("peak_power", "mean_power", "memory_per_gpu", "memory_allocated", "exposed_communication", "bubble"),
    *("communication_fraction", "bubble_share", "launch_share", "restart_time", "straggler_time", "straggler_cost"),
    *("idle_gpus", "compute_time", "bubble_time", "optimizer_time", "launch_time", "overhead_time", "offload_time"),
    *(f"{axis}_communication" for axis in ("tensor", "context", "pipeline", "expert", "data")),
)
DIGITS = 15  # of the bars of a waterfall, which add up to 1e-9 of the whole

Names = Mapping[str, Any]


class Side(NamedTuple):
    """One run of a comparison: its result, its point of the document, and all that a condition may name."""

    run: Run
    result: Result
    point: Json
    names: Names


def comparison(compare: Compare, sides: Sequence[Side]) -> Json:
    """The experiment of one compare block; ``sides`` are its runs in order."""
    base = next(i for i, side in enumerate(sides) if side.run.name == compare.baseline)
    return {
        "kind": "compare",
        "name": compare.name,
        "title": compare.title,
        "where": compare.where,
        "baseline": compare.baseline,
        "points": [judged(compare, side, sides[base]) for side in sides],
        "rows": [row(item, sides, base) for item in shown(compare)],
        "inputs": inputs([side.run for side in sides]),
        "waterfall": waterfalls(sides, base),
        "refused": None,
    }


def judged(compare: Compare, side: Side, baseline: Side) -> Json:
    """A run's point with the conditions of the comparison: the block's own, and the baseline's that it lacks."""
    own = {rule.text for rule in side.run.requires}
    inherited = [(rule, baseline.run.name) for rule in baseline.run.requires if rule.text not in own]
    rules: list[tuple[Rule, str]] = [*inherited, *((rule, compare.name) for rule in compare.requires)]
    verdicts = [verdict(rule, side.names) | {"origin": origin} for rule, origin in rules]
    bound = [v | {"origin": rule.origin or side.run.name}
             for v, rule in zip(side.point["verdicts"], side.run.requires, strict=True)]  # fmt: skip
    return side.point | {"name": side.run.name, "title": side.run.title, "verdicts": [*bound, *verdicts]}


class Shown(NamedTuple):
    """A row: its text, the words over it, the unit it is shown in, its decimals, and how it is worked out."""

    text: str
    called: str
    unit: str
    decimals: int | None
    compute: Callable[[Names], Any]


def shown(compare: Compare) -> list[Shown]:
    """What the block shows, or the usual results."""
    if compare.show:
        return [_of_item(item) for item in compare.show]
    return [Shown(m.name, "", m.unit, m.decimals, _named(m.name)) for m in (BY_NAME[name] for name in USUAL)]


def _named(name: str) -> Callable[[Names], Any]:
    return lambda values: values.get(name)


def _of_item(item: Item) -> Shown:
    metric = BY_NAME.get(item.text)
    own = item.compute.type
    usual = metric.unit if metric else display_unit(own.dimension) or own.unit
    decimals = metric.decimals if metric and item.unit in ("", metric.unit) else None
    return Shown(item.text, item.called, item.unit or usual, decimals, item.__call__)


def row(item: Shown, sides: Sequence[Side], base: int) -> Json:
    """One row: the value of each run, its difference to the baseline and its ratio to it, and which run is best."""
    values = [value if isinstance(value := plain(item.compute(side.names)), (float, str, bool)) else None
              for side in sides]  # fmt: skip
    numbers = [v if isinstance(v, float) else None for v in values]
    own = numbers[base]
    gaps = [None if v is None or own is None else number(v - own) for v in numbers]
    ratios = [None if v is None or not own else number(v / own) for v in numbers]
    better = "high" if item.text in HIGHER else "low" if item.text in LOWER else None
    return {
        "text": item.text,
        "called": item.called or None,
        "unit": item.unit,
        "decimals": item.decimals,
        "values": values,
        "differences": gaps,
        "ratios": ratios,
        "better": better,
        "best": best(numbers, better, [side.run.name for side in sides]),
    }


def best(values: Sequence[float | None], better: str | None, names: Sequence[str]) -> list[str]:
    """The runs that are best by one row; none where nobody says which end is, or where all are the same."""
    given = [v for v in values if v is not None]
    if better is None or len(set(given)) < 2:
        return []
    top = max(given) if better == "high" else min(given)
    return [name for name, v in zip(names, values, strict=True) if v == top]


def inputs(runs: Sequence[Run]) -> list[Json]:
    """Every setting in which the runs differ, in the order of the first run that has it; null where one has none."""
    paths = dict.fromkeys(path for run in runs for path in run.settings if path != "name")
    rows = []
    for path in paths:
        stated = [run.settings.get(path) for run in runs]
        values = [None if value is None else plain(value.value) for value in stated]
        if any(value != values[0] for value in values[1:]):
            schema = run_row(path)
            rows.append({
                "path": path,
                "unit": "" if schema is None else schema.holds,
                "values": values,
                "written": [value.unit_written or None if value else None for value in stated],
                "origins": [value.origin if value else None for value in stated],
            })  # fmt: skip
    return [*rows, *_phases(runs)]


def _phases(runs: Sequence[Run]) -> list[Json]:
    """Settings of phases in which the runs differ."""
    tables = [{f"phase.{name}.{path}": v for name, own in run.phases for path, v in own.items()} for run in runs]
    rows = []
    for path in dict.fromkeys(p for table in tables for p in table):
        values = [plain(table[path].value) if path in table else None for table in tables]
        if any(value != values[0] for value in values[1:]):
            schema = run_row(path.split(".", 2)[2])
            written = [table[path].unit_written or None if path in table else None for table in tables]
            origins = ["stated" if path in table else None for table in tables]
            rows.append({"path": path, "unit": schema.holds if schema else "", "values": values, "written": written,
                         "origins": origins})  # fmt: skip
    return rows


def waterfalls(sides: Sequence[Side], base: int) -> Json:
    """From the baseline to each other run: seconds of a step by cause, USD by cause, in the order in which they add."""
    old = sides[base].result
    others = [side for i, side in enumerate(sides) if i != base]
    made = {
        "step_time": ("seconds", differences.step_bars),
        "cost": ("usd", differences.cost_bars),
    }
    return {
        name: [waterfall(name, unit, side, old, bars(old, side.result)) for side in others]
        for name, (unit, bars) in made.items()
    } | {"order": list(differences.ORDER)}


def waterfall(name: str, unit: str, side: Side, old: Result, bars: differences.Bars | None) -> Json:
    """One waterfall; without bars where one of the two runs lacks the result."""
    before, after = old.columns.get(name), side.result.columns.get(name)
    return {
        "run": side.run.name,
        "from": number(before, DIGITS),
        "to": number(after, DIGITS),
        "difference": None if before is None or after is None or bars is None else number(after - before, DIGITS),
        "bars": [{"cause": cause, unit: number(value, DIGITS)} for cause, value in bars or ()],
    }


def sides_of(compare: Compare, found: Mapping[str, Side], make: Callable[[Run], Side]) -> list[Side]:
    """The runs of a comparison, those of the file as they were evaluated, imported ones evaluated now."""
    return [found[run.where] if run.where in found else make(run) for run in compare.runs]

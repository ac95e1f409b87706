"""A `sensitivity` evaluated: each input at both ends of its range, and samples of all of them together.

Tornado: one input at a time, the others as the base run has them. Samples: every input drawn at once, and with them
what published runs of the framework took against the prediction (a factor on every time), and the failures of the run
(a factor on the days). A band is P10 to P90 of the samples that can be built, whether they fit or not; one that is
predicted not to fit, or cannot be built, meets no requirement.

Shares of the variance: of a result's variance with the inputs alone, with the predictor's factor alone and with
failures alone, each over the sum of the three; what they do to each other is left out.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsl.scenario import Axis, Rule, Table
from dsl.schema import run_row
from engine.columns import Column
from engine.metrics import BY_NAME, METRICS
from reports.experiments import draws
from reports.experiments.evaluation import CANNOT_BE_BUILT, NO_RESULTS, OK, STATUS, evaluated, run
from reports.experiments.parts import parts
from reports.experiments.table import axes, chart, columns, requirements
from reports.experiments.work import CHUNK
from reports.intervals import memory as memory_of
from reports.intervals import shares as shares_of
from reports.point import Json, number
from reports.quantiles import quantile
from reports.quantities import readable

SHOWN = ("time_to_train", "cost", "memory_per_gpu")
BINS = 24
SAME = 1e-9  # relative spread of what is a constant
PERCENTILES = (10, 50, 90)
TIMES = ("step_time", "simulated_step_time")  # what grows as a step does
RATES = ("tokens_per_second", "tokens_per_second_per_gpu", "model_flops", "mfu", "mfu_attention", "mfu_causal",
         "mfu_bf16", "hfu")  # fmt: skip
DURATIONS = ("time_to_train", "gpu_hours", "energy", "carbon")
PAID = ("cost", "cost_per_token")
Results = dict[str, Column]


def evaluate_sensitivity(table: Table) -> Json:
    """The experiment of one sensitivity block."""
    assert table.base is not None and table.space_over is not None
    count, seed = int(table.settings["samples"].value), int(table.settings["seed"].value)
    base = {m.name: c[0] for m in METRICS if (c := run(table.base, table.base.plain()).columns.get(m.name)) is not None}
    random = draws.generators(seed, len(table.axes) + 2)
    samples = [draws.drawn(axis, own, count) for axis, own in zip(table.axes, random[2:], strict=True)]
    settings, results, status = at(table, samples)
    ok, made = status == OK, status != CANNOT_BE_BUILT
    names = [n for n in wanted(table) if n in results]
    factor, luck = factors(table, results, random[0], random[1])
    whole = of_memory(scaled(results, factor, luck, table), table, seed)
    predictor, failures = alone_of(table, base, count, draws.generators(seed, 2))
    alone = [results, of_memory(predictor, table, seed), failures]
    return {
        "kind": table.kind,
        "name": table.name,
        "title": table.title,
        "where": table.where,
        "base": table.base.name,
        "axes": [a | {"values": [], "texts": list(own.texts)} for a, own in zip(axes(table), table.axes, strict=True)],
        "columns": columns(table) if table.show else usual(),
        "counts": counts(status, _met(table, settings, whole, ok)),
        "removed": [],
        "points": [],
        "requires": requirements(table),
        "charts": [chart(c, [], table) for c in table.charts],
        "base_results": {name: number(value) for name, value in base.items()},
        "tornado": tornado(table, base),
        "bands": {n: band(whole[n][made]) for n in names},
        "chances": [{"require": r.text, "share": chance(r, settings, whole, ok)} for r in table.requires],
        "shares": {n: shares(n, alone, made) for n in names},
        "histogram": {n: histogram(whole[n][made]) for n in names if _variance(whole[n], made)},
        "samples": count,
        "seed": seed,
        "sources": sources(table, base.get("used_gpus")),
        "method": "variance with each source alone over the sum of the three",
    }  # fmt: skip


def counts(status: NDArray[np.int8], met: int) -> Json:
    """How many samples there are of each kind; ``evaluated`` are those that can be built."""
    of = {name: int(np.count_nonzero(status == k)) for k, name in enumerate(STATUS)}
    built = len(status) - of["cannot_be_built"] - of["not_evaluated"]
    return {"points": len(status), "cannot_be_built": of["cannot_be_built"], "does_not_fit": of["does_not_fit"],
            "not_evaluated": of["not_evaluated"], "failed": of["ok"] - met, "met": met, "evaluated": built,
            "partial": False}  # fmt: skip


def usual() -> list[Json]:
    """What is shown where the block names nothing."""
    return [{"text": name, "called": "", "unit": BY_NAME[name].unit} for name in SHOWN]


def wanted(table: Table) -> list[str]:
    """Results that bands are worked out for: time, cost and memory, then others that the block shows."""
    return list(dict.fromkeys([*SHOWN, *(i.text for i in table.show if i.text in BY_NAME)]))


def at(table: Table, values: list[Column]) -> tuple[dict[str, Any], Results, NDArray[np.int8]]:
    """Settings, results and the status of some points, for these values of the axes in step."""
    assert table.space_over is not None
    count = len(values[0]) if values else 1
    axes_in_step = tuple(
        Axis(a.path, tuple(map(float, v)), ("",) * count, 1, a.span)
        for a, v in zip(table.axes, values, strict=True)
    )
    settings: dict[str, Any] = {}
    results: Results = {m.name: np.full(count, np.nan) for m in METRICS}
    status = np.full(count, CANNOT_BE_BUILT, dtype=np.int8)
    for piece in parts(table.space_over(axes_in_step), CHUNK):
        found = evaluated(table._replace(requires=(), wheres=()), piece)
        status[found.index] = found.status
        for name, column in found.results.items():
            results[name][found.index] = column
        for path, value in found.settings.items():
            if isinstance(value, np.ndarray):
                settings.setdefault(path, np.full(count, np.nan))[found.index] = value
            else:
                settings[path] = value
    return settings, {n: c for n, c in results.items() if not np.all(np.isnan(c))}, status


def factors(
    table: Table, results: Results, predictor: draws.Generator, failures: draws.Generator
) -> tuple[Column, Column]:
    """(factor on a step, factor on the days) of every sample."""
    assert table.base is not None
    plain, count = table.base.plain(), len(next(iter(results.values())))
    used = float(np.nanmax(results["used_gpus"])) if "used_gpus" in results else None  # the least known of them
    step = draws.predictor(predictor, shares_of(plain, used), count)
    names = ("time_to_train", "mtbf", "checkpoint_interval", "restart_time")
    known = [results[n] for n in names if n in results]
    if len(known) < len(names):
        return step, np.ones(count)
    seconds, mtbf, interval, restart = known
    lost = interval + results.get("checkpoint_save", np.zeros(count))
    return step, draws.failures(failures, seconds * step, mtbf, lost, restart)


def scaled(results: Results, step: Column, days: Column, table: Table) -> Results:
    """The results with these factors on every step and on the days; what an owned cluster costs grows with time too."""
    found = dict(results)
    found |= {n: results[n] * step for n in TIMES if n in results}
    found |= {n: results[n] / step for n in RATES if n in results}
    found |= {n: results[n] * step * days for n in (*DURATIONS, *PAID) if n in results}
    return found


def of_memory(results: Results, table: Table, seed: int) -> Results:
    """The results with the predictor's error of memory in every sample: peak and headroom of a GPU."""
    assert table.base is not None
    plain, peak = table.base.plain(), results.get("memory_per_gpu")
    if peak is None:
        return results
    found = {"memory_per_gpu": peak * draws.predictor(draws.of_memory(seed), memory_of(plain), len(peak))}
    if "memory_headroom" in results:
        found["memory_headroom"] = results["memory_headroom"] + peak - found["memory_per_gpu"]
    return results | found


def alone_of(table: Table, base: Mapping[str, float], count: int, random: list[draws.Generator]) -> list[Results]:
    """The base run with the predictor's factor alone, and with failures alone."""
    flat: Results = {name: np.full(count, value) for name, value in base.items()}
    step, _ = factors(table, flat, random[0], np.random.Generator(np.random.PCG64(0)))
    ones = np.ones(count)
    plain = table._replace(base=None if table.base is None else _exact(table.base))
    _, days = factors(plain, flat, np.random.Generator(np.random.PCG64(0)), random[1])
    return [scaled(flat, step, ones, table), scaled(flat, ones, days, table)]


def _exact(base: Any) -> Any:
    """The run with a framework that states no interval: its steps are as predicted."""
    kept = {p: v for p, v in base.settings.items() if p not in ("stack.measured_low", "stack.measured_high")}
    return base._replace(settings=kept)


def tornado(table: Table, base: Mapping[str, float]) -> list[Json]:
    """Every input at both of its ends, the others as they are: the results that are shown."""
    assert table.base is not None
    plain = table.base.plain()
    spans = [draws.ends(axis) for axis in table.axes]
    own = [_base_value(axis, plain) for axis in table.axes]
    rows = [[end if i == k else value for i, value in enumerate(own)] for k in range(len(spans)) for end in spans[k]]
    if not rows:
        return []
    _, results, _ = at(table, [np.array(column, dtype=np.float64) for column in zip(*rows, strict=True)])
    names = [n for n in wanted(table) if n in results and n in base]

    def end(k: int, side: int) -> Json:
        place = 2 * k + side
        value = spans[k][side]
        return {"value": number(value), "text": _text(table.axes[k], value),
                "results": {n: number(results[n][place]) for n in names}}  # fmt: skip

    return [{"path": axis.path, "label": axis.path.rpartition(".")[2].replace("_", " "), "low": end(k, 0),
             "high": end(k, 1), "percentiles": draws.are_percentiles(axis), "base": number(own[k])}
            for k, axis in enumerate(table.axes)]  # fmt: skip


def _base_value(axis: Axis, plain: Mapping[str, Any]) -> float:
    """What the base run has; the middle of the range where it has nothing."""
    value = plain.get(axis.path)
    low, high = draws.ends(axis)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else (low + high) / 2


def _text(axis: Axis, value: float) -> str:
    row = run_row(axis.path)
    return readable(value, "" if row is None else row.holds).text()


def band(values: Column) -> dict[str, float | None]:
    """P10, P50 and P90."""
    known = values[np.isfinite(values)]
    return {f"p{p}": number(quantile(known, p / 100)) if len(known) else None for p in PERCENTILES}


def histogram(values: Column) -> Json:
    """Counts in bins of equal width."""
    known = values[np.isfinite(values)]
    counts, edges = np.histogram(known, BINS) if len(known) else (np.zeros(0), np.zeros(0))
    return {"edges": [number(e) for e in edges], "counts": [int(c) for c in counts]}


def shares(name: str, alone: list[Results], made: Any) -> list[Json]:
    """The share of each source in the variance of a result."""
    found = [_variance(results.get(name), made if k == 0 else None) for k, results in enumerate(alone)]
    total = sum(found)
    return [{"from": source, "share": number(v / total) if total else None}
            for source, v in zip(("inputs", "predictor", "failures"), found, strict=True)]  # fmt: skip


def _variance(values: Column | None, chosen: Any) -> float:
    if values is None:
        return 0.0
    known = values if chosen is None else values[chosen]
    known = known[np.isfinite(known)]
    spread = float(np.var(known)) if len(known) else 0.0
    return spread if spread > (SAME * float(np.mean(known))) ** 2 else 0.0


def chance(rule: Rule, settings: Mapping[str, Any], results: Results, ok: Any) -> float | None:
    """The share of samples in which a requirement holds; one that does not fit, or cannot be built, holds none."""
    held = rule.holds({**settings, **NO_RESULTS, **results})
    if held is None:
        return None
    flags = np.broadcast_to(np.asarray(held, dtype=bool), ok.shape)
    return number(float(np.mean(flags & ok)))


def _met(table: Table, settings: Mapping[str, Any], results: Results, ok: Any) -> int:
    """Samples in which every requirement holds."""
    found = np.array(ok)
    for rule in table.requires:
        held = rule.holds({**settings, **NO_RESULTS, **results})
        found &= np.broadcast_to(np.asarray(bool(held) if held is None else held, dtype=bool), ok.shape)
    return int(np.sum(found))


def sources(table: Table, used: float | None) -> list[Json]:
    """What is uncertain, in words."""
    assert table.base is not None
    plain = table.base.plain()
    rows: list[Json] = [{"from": "inputs", "what": [f"{a.path} = {a.texts[0]}" for a in table.axes]}]
    known = (("step time", shares_of(plain, used)), ("memory", memory_of(plain)))
    said = [f"measured over predicted {what}, {ends[0]:.2f} to {ends[1]:.2f} in four of five runs"
            for what, ends in known if ends]  # fmt: skip
    return [*rows, {"from": "predictor", "what": said},
            {"from": "failures", "what": ["a Poisson process of the job's mean time between failures"]}]  # fmt: skip

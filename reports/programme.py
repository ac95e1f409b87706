"""A portfolio evaluated: every entry's run on its GPUs, the calendar, the cluster's utilization and the whole cost.

The cluster is paid for from the start of the programme to its end, or for as long as it is held: an idle GPU costs
what a busy one does. Energy is that of the GPUs at work and of those that idle.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dsl.scenario import Portfolio, PortfolioEntry, Run
from engine import cost, portfolio, power
from engine.columns import Column, column
from engine.evaluate import Result
from engine.metrics import METRICS, PROGRAMME
from engine.read import read
from reports.intervals import intervals
from reports.judgement import plain, verdict
from reports.locales import reworded
from reports.point import Json, number
from reports.summary import MOST, failed

PARTS = ("training", "trials", "evaluation", "restarts")
Evaluate = Callable[[Run], Result]
Names = Callable[[Run, Result], Mapping[str, Any]]


@dataclass(frozen=True)
class Job:
    """An entry with its run's result, and the seconds of each part; none of them where the run takes no time."""

    entry: PortfolioEntry
    result: Result
    parts: dict[str, float]

    @property
    def seconds(self) -> float:
        return sum(self.parts.values())

    @property
    def share_busy(self) -> float:
        """Share of its time in which its GPUs compute."""
        plan = self.result.goodput
        return 1.0 if plan is None or plan.busy is None else float(plan.busy[0])


def job(entry: PortfolioEntry, result: Result) -> Job:
    """Seconds by part: training x runs, and the shares of it that come with it."""
    time = result.columns.get("time_to_train")
    if time is None or result.status != "ok":
        return Job(entry, result, {})
    training = float(time[0]) * entry.runs
    shares = {"training": 1.0, "trials": entry.trials, "evaluation": entry.evaluation, "restarts": entry.restarts}
    return Job(entry, result, {part: training * share for part, share in shares.items()})


def programme(block: Portfolio, evaluate: Evaluate, names: Names) -> Json:
    """The experiment of one portfolio block."""
    jobs = [job(entry, evaluate(entry.run)) for entry in block.entries]
    planned = [portfolio.Entry(j.entry.name, j.entry.gpus, j.seconds, j.entry.start, j.entry.after)
               for j in jobs if j.parts]  # fmt: skip
    spans, wished = portfolio.placed(planned, block.gpus), portfolio.wished(planned)
    points = [point(j, names(j.entry.run, j.result)) for j in jobs]
    slow = {j.entry.name: slowest(p) for j, p in zip(jobs, points, strict=True)}
    latest = portfolio.placed([replace(e, seconds=e.seconds * slow[e.name]) for e in planned], block.gpus)
    levels, wanted = portfolio.profile(planned, spans), portfolio.profile(planned, wished)
    end = max((span.end for span in spans.values()), default=0.0)
    held = max(end, block.hold or 0.0)
    bill = Bill(block, jobs, set(spans), held)
    results = {
        "programme.time": end or None,
        "programme.cost": bill.total,
        "programme.energy": bill.energy,
        "programme.gpu_hours": bill.bought * held or None,
        "programme.utilization": portfolio.busy(levels) / (block.gpus * held) if held else None,
        "programme.peak_gpus": portfolio.peak(wanted) or None,
        "programme.shortfall": portfolio.beyond(wanted, block.gpus),
        "programme.lateness": max((late(j.entry, spans) or 0.0 for j in jobs), default=0.0),
    }
    values = {m.name: None for m in (*METRICS, *PROGRAMME)} | block.whole.plain() | results
    return {
        "kind": "portfolio",
        "name": block.name,
        "title": block.title,
        "where": block.where,
        "cluster": block.cluster,
        "gpus": block.gpus,
        "start": block.start or None,
        "held": number(held),
        "stated_hold": block.hold,
        "entries": [entry_row(j, spans, wished, latest) for j in jobs],
        "profile": [list(map(number, level)) for level in levels],
        "wanted": [list(map(number, level)) for level in wanted],
        "results": {name: number(value) for name, value in results.items()},
        "cost": bill.rows,
        "missing": bill.missing,
        "verdicts": [verdict(rule, values) for rule in block.requires],
        "notes": bill.notes,
        "points": points,
    }


def off_plan(e: Json) -> bool:
    """Whether a portfolio does not hold: a condition of its own fails, an entry is late or has no place."""
    rows = e.get("entries") or ()
    return any(v["holds"] is False for v in e.get("verdicts") or ()) or any(r["late"] or not r["placed"] for r in rows)


def with_programmes(page_one: Json, planned: Sequence[Json]) -> Json:
    """Page 1 with what does not hold of the file's programmes: then the plan is not feasible."""
    off = [e for e in planned if off_plan(e) or any(failed(p) for p in e["points"])]
    if not off:
        return page_one
    names = ", ".join(f"`{e['name']}`" for e in off)
    verdict = page_one["verdict"]
    said = f"The programme {names} does not hold: a condition fails, or an entry is late or has no place"
    return page_one | {"verdict": verdict | {"word": "not_feasible", "sentences": [said, *verdict["sentences"]][:MOST]}}


def late(entry: PortfolioEntry, spans: Mapping[str, portfolio.Span]) -> float | None:
    """Seconds by which an entry ends after its deadline; None where it has none, or has no place."""
    if entry.deadline is None or entry.name not in spans:
        return None
    return max(0.0, spans[entry.name].end - entry.deadline)


def slowest(p: Json) -> float:
    """Upper end of an entry's time over the predicted one; 1 where it has no interval."""
    own, value = (p["intervals"] or {}).get("time_to_train"), p["results"].get("time_to_train")
    return float(own["high"] / value) if own and value else 1.0


Spans = Mapping[str, portfolio.Span]


def entry_row(j: Job, spans: Spans, wished: Spans, latest: Spans) -> Json:
    """One entry of the calendar, times in seconds from the start of the programme; ``latest`` is its end where every
    entry takes as long as the upper end of its interval."""
    entry, span, wish = j.entry, spans.get(j.entry.name), wished.get(j.entry.name)
    return {
        "name": entry.name,
        "title": entry.title,
        "where": entry.where,
        "run": entry.run.name,
        "runs": entry.runs,
        "gpus": entry.gpus,
        "after": list(entry.after),
        "earliest": entry.start,
        "start": number(span.start) if span else None,
        "end": number(span.end) if span else None,
        "latest": number(latest[entry.name].end) if entry.name in latest else None,
        "delay": number(span.start - wish.start) if span and wish else None,
        "deadline": entry.deadline,
        "late": number(late(entry, spans)),
        "parts": {part: number(j.parts.get(part)) for part in PARTS},
        "gpu_hours": number(j.seconds * entry.gpus) if j.parts else None,
        "placed": span is not None,
        "status": j.result.status,
        "reasons": list(map(reworded, j.result.reasons)) or ([] if span else [_why(j)]),
    }


def _why(j: Job) -> str:
    """Why an entry has no place on the calendar."""
    missing = j.result.missing.get("time_to_train")
    if not j.parts:
        return f"it has no time to train{': it needs ' + ', '.join(missing) if missing else ''}"
    return f"it waits for {', '.join(j.entry.after)}, which {'has' if len(j.entry.after) == 1 else 'have'} no place"


def point(j: Job, names: Mapping[str, Any]) -> Json:
    """The entry's run on its GPUs: results, and the conditions that the run states."""
    run, result = j.entry.run, j.result
    results = {m.name: number(result.columns.get(m.name)) for m in METRICS}
    settings = {path: plain(value.value) for path, value in run.settings.items()}
    return {
        "name": j.entry.name,
        "settings": {path: settings.get(path) for path in ("model", "cluster", "cluster.gpus", "tokens")},
        "results": results,
        "status": result.status,
        "reasons": list(map(reworded, result.reasons)),
        "verdicts": [verdict(rule, names) for rule in run.requires],
        "intervals": intervals(settings, results),
        "checks": [],
    }


class Bill:
    """What the cluster costs for as long as it is held: the GPUs' line by what they did, then every other line."""

    def __init__(self, block: Portfolio, jobs: Sequence[Job], there: set[str], held: float) -> None:
        self.block, self.held = block, held
        self.jobs = [j for j in jobs if j.entry.name in there]
        run = read(block.whole.plain())
        self.notes: list[str] = []
        used = self.busy / held if held else 0.0
        counts = cost.gpus(run.cluster, column(used))
        assert counts is not None, "a portfolio's cluster says how many GPUs it has"
        self.bought = float(counts.bought[0])
        drawn = power.total(power.lines(run.cluster, counts, column(self.share_busy)))
        joules = None if drawn is None or not held else power.energy(drawn[1], column(held))
        self.energy = None if joules is None else float(joules[0])
        lines = cost.lines(run, counts, column(held), joules) if held else ()
        self.lines = self._without_trials(lines)
        self.missing = [] if self.total is not None or not held else ["cluster.price"]

    @property
    def busy(self) -> float:
        """GPU-seconds of all entries."""
        return sum(j.seconds * j.entry.gpus for j in self.jobs)

    @property
    def share_busy(self) -> float:
        """Share of the entries' GPU time in which GPUs compute."""
        return sum(j.seconds * j.entry.gpus * j.share_busy for j in self.jobs) / self.busy if self.busy else 1.0

    def _without_trials(self, lines: tuple[cost.Line, ...]) -> tuple[cost.Line, ...]:
        """The lines; that of trial runs as a share is left out where entries hold their own trials."""
        if not any(j.parts["trials"] for j in self.jobs):
            return lines
        if any(line.line == "trial runs" and line.usd is not None for line in lines):
            self.notes.append("the cluster's own share for trial runs is left out: the entries state their trials")
        return tuple(line for line in lines if line.line != "trial runs")

    @property
    def total(self) -> float | None:
        found = cost.total(self.lines) if self.lines else None
        return None if found is None else float(found[0])

    @property
    def rows(self) -> list[Json]:
        """The cost lines of the document; that of the GPUs in proportion to what their hours were for."""
        if not self.lines:
            return []
        gpus, *rest = self.lines
        whole, basis = self.bought * self.held, "share of the GPU-hours held"
        hours = {part: sum(j.parts[part] * j.entry.gpus for j in self.jobs) for part in PARTS}
        hours["idle GPUs and spares"] = whole - sum(hours.values())
        rows: list[Json] = [
            {"line": f"GPUs: {name}", "usd": _share(gpus.usd, own / whole), "basis": basis, "source": gpus.source,
             "gpu_hours": number(own)}
            for name, own in hours.items() if own
        ]  # fmt: skip
        return rows + [{"line": line.line, "usd": number(line.usd), "basis": line.basis, "source": line.source,
                        "gpu_hours": None} for line in rest]  # fmt: skip


def _share(usd: Column | None, share: float) -> float | None:
    return None if usd is None else number(usd * share)

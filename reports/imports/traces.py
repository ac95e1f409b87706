"""Profiler traces as a `trace` block: seconds a step by class of work, and with a plan a calibration of every class.

Several files are several ranks: means stand beside the slowest rank and the longest single call, because one straggler
moves every mean. Hidden time is told apart from exposed time on each rank before ranks are averaged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from dsl.importers import kineto, nsight
from dsl.importers.kineto import Event, Trace
from dsl.importers.nsight import Sum
from dsl.importers.printed import block, name_of
from dsl.kinds import CALIBRATION, TRACE
from dsl.kinds_measured import CLASSES, SCALED
from dsl.problems import Problem
from engine.classes import totals
from engine.collectives.bus import bus_bandwidth
from engine.columns import column
from engine.evaluate import evaluate
from engine.inputs import Run
from engine.read import read as read_run
from engine.trace import exposed, running
from reports.imports.asked import Asked, Made, Plan, opening, refused

STRAGGLER = 5.0  # a call this many times its class's median is told apart
SEEN = 0.01  # share of a step that is worth a line
OPERATIONS = {"allreduce": "all_reduce", "allgather": "all_gather", "reducescatter": "reduce_scatter",
              "alltoall": "all_to_all", "sendrecv": "point to point", "send": "point to point",
              "recv": "point to point"}  # fmt: skip


@dataclass
class Class:
    """One class over all ranks, seconds a step: mean busy and exposed, the slowest rank, the longest call, calls."""

    busy: float = 0.0
    exposed: float | None = 0.0
    slowest: float = 0.0
    longest: float = 0.0
    calls: float = 0.0


@dataclass(frozen=True)
class Profile:
    """A step as profiled."""

    step: float
    longest_step: float
    steps: int
    ranks: int
    classes: dict[str, Class]
    notes: tuple[str, ...]


def kineto_traces(asked: Asked) -> Made:
    """Kineto files, a rank each."""
    traces, problems = list[Trace](), list[Problem]()
    for file in asked.files:
        found, wrong = kineto.read(file.data, file.name)
        problems += wrong
        traces += [found] if found is not None else []
    return refused(problems) if problems else printed(asked, profile(traces, asked), "PyTorch profiler")


def nsight_tables(asked: Asked) -> Made:
    """Tables of nsys stats: kernels one by one, or sums (which do not say what was hidden)."""
    traces, sums, problems = list[Trace](), list[Sum](), list[Problem]()
    for file in asked.files:
        found, wrong = nsight.read(file.data, file.name)
        problems += wrong
        traces += found.traces
        sums += found.sums
    if problems:
        return refused(problems)
    made = profile(traces, asked) if traces else summed(sums, asked)
    return printed(asked, made, "Nsight Systems")


def profile(traces: Sequence[Trace], asked: Asked) -> Profile:
    """The ranks' traces as one profile."""
    notes = [note for trace in traces for note in trace.notes]
    whole = [replaced(t, asked.plan, notes) for t in traces]
    counts = [len(t.steps) or asked.steps or 1 for t in whole]
    if not any(t.steps for t in whole) and not asked.steps:
        notes.append("no ProfilerStep is marked: the file is taken as one step; say how many with --steps")
    lengths = [list(t.steps) or [span(t) / n] for t, n in zip(whole, counts, strict=True)]
    step = sum(sum(own) / len(own) for own in lengths) / len(whole)
    classes = merged(whole, counts, [sum(own) / len(own) for own in lengths])
    notes += [*stragglers(whole, classes, step), *bandwidths(whole)]
    longest = max(max(own) for own in lengths)
    return Profile(step, longest, sum(counts) // len(counts), len(whole), classes, tuple(dict.fromkeys(notes)))


def span(trace: Trace) -> float:
    """Seconds from the first kernel to the last."""
    return max(e.start + e.seconds for e in trace.events) - min(e.start for e in trace.events)


def merged(traces: Sequence[Trace], counts: Sequence[int], steps: Sequence[float]) -> dict[str, Class]:
    """Every class over all ranks; what is left of each rank's step is idle."""
    found: dict[str, Class] = {}
    ranks = len(traces)
    for trace, n, step in zip(traces, counts, steps, strict=True):
        starts, seconds = column([e.start for e in trace.events]), column([e.seconds for e in trace.events])
        shown = exposed([e.kind for e in trace.events], starts, seconds)
        for kind, adds in shown.items():
            own = [e.seconds for e in trace.events if e.kind == kind]
            _add(found, kind, sum(own) / n, adds / n, max(own), len(own) / n, ranks)
        idle = max(step - running(starts, seconds) / n, 0.0)
        _add(found, "idle", idle, idle, 0.0, 0.0, ranks)
    return {kind: found[kind] for kind in CLASSES if kind in found}


def _add(
    found: dict[str, Class], kind: str, busy: float, adds: float, longest: float, calls: float, ranks: int
) -> None:
    own = found.setdefault(kind, Class())
    own.busy += busy / ranks
    own.exposed = (own.exposed or 0.0) + adds / ranks
    own.slowest, own.longest = max(own.slowest, busy), max(own.longest, longest)
    own.calls += calls / ranks


def summed(sums: Sequence[Sum], asked: Asked) -> Profile:
    """Sums by kernel: busy times only, of arithmetic also as exposed, because nothing hides it."""
    notes = ["sums by kernel do not say what was hidden: export cuda_gpu_trace for exposed times"]
    steps, found = asked.steps or 1, dict[str, Class]()
    if not asked.steps:
        notes.append("the table is taken as one step; say how many with --steps")
    wire = single_users(asked.plan) if asked.plan is not None else {}
    for row in sums:
        kind = wire.get(row.collective, row.kind) if row.collective else row.kind
        own = found.setdefault(kind, Class())
        own.busy += row.seconds / steps
        own.slowest, own.longest = own.busy, max(own.longest, row.longest)
        own.calls += row.calls / steps
        own.exposed = own.busy if kind in ("gemm", "sdpa", "hbm", "optimizer") else None
    if any(r.collective and r.collective not in wire for r in sums):
        notes.append(UNTOLD)
    total = sum(c.busy for c in found.values())
    notes.append("the step time is the sum of all kernels: replace it with the one that was measured")
    return Profile(total, total, steps, 1, {k: found[k] for k in CLASSES if k in found}, tuple(notes))


UNTOLD = "kernels of NCCL do not name their group: those that several groups of the run use are counted as other"


def replaced(trace: Trace, plan: Plan | None, notes: list[str]) -> Trace:
    """A trace whose collectives name no group, with the class of the one axis of the plan that uses each."""
    if not any(e.kind == "other" and e.collective for e in trace.events):
        return trace
    wire = single_users(plan) if plan is not None else {}
    events = tuple(_placed(e, wire) for e in trace.events)
    if any(e.kind == "other" and e.collective for e in events):
        notes.append(UNTOLD)
    return trace._replace(events=events)


def _placed(event: Event, wire: dict[str, str]) -> Event:
    known = wire.get(event.collective.lower().replace("_", "")) if event.kind == "other" else None
    return event if known is None or event.group else event._replace(kind=known)


def single_users(plan: Plan) -> dict[str, str]:
    """Collectives that one class alone of the plan's ledger uses, by NCCL's name."""
    users: dict[str, set[str]] = {}
    made = evaluate(plan.engine, advise=False).step
    for entry in made.entries if made is not None else ():
        kind = (entry.row.algorithm or "").partition(" (")[0]
        if entry.row.axis is None or not kind or float(entry.count[0]) * float(entry.row.seconds[0]) <= 0:
            continue
        names = ("sendrecv", "alltoall") if kind.startswith("all_to_all") else ("sendrecv",) if "point" in kind else (
            kind.replace("_", ""),)  # fmt: skip
        for name in names:
            users.setdefault(name, set()).add({"expert_tensor": "expert"}.get(entry.row.axis, entry.row.axis))
    return {name: next(iter(own)) for name, own in users.items() if len(own) == 1}


def stragglers(traces: Sequence[Trace], classes: dict[str, Class], step: float) -> list[str]:
    """Calls far longer than their class's median, and ranks that are busy longer than the others."""
    said = []
    for kind, own in classes.items():
        calls = [(e.seconds, t.rank, e.name) for t in traces for e in t.events if e.kind == kind]
        if not calls:
            continue
        usual, (longest, rank, name) = median(s for s, *_ in calls), max(calls)
        if longest > STRAGGLER * usual and longest > SEEN * step:
            said.append(f"{kind}: the longest call takes {longest:.4g} s on rank {rank} ({name[:48]}), "
                        f"{longest / max(usual, 1e-9):,.0f} times the median one")  # fmt: skip
        if own.busy and own.slowest > 1.05 * own.busy and own.slowest - own.busy > SEEN * step:
            said.append(f"{kind}: the slowest rank is busy {own.slowest:.4g} s a step, the mean {own.busy:.4g} s")
    return said


def bandwidths(traces: Sequence[Trace]) -> list[str]:
    """Bus bandwidth of the largest collective of each kind and group size, its fastest call: waiting is not in it."""
    best: dict[tuple[str, int, float], float] = {}
    for event in (e for t in traces for e in t.events if e.size and e.ranks > 1):
        kind = OPERATIONS.get(event.collective.lower().replace("_", "").removesuffix("base"), "")
        if kind:
            key = (kind, event.ranks, event.size)
            best[key] = min(best.get(key, event.seconds), event.seconds)
    largest: dict[tuple[str, int], tuple[float, float]] = {}
    for (kind, ranks, size), seconds in best.items():
        largest[kind, ranks] = max(largest.get((kind, ranks), (0.0, 0.0)), (size, seconds))
    said = []
    for (kind, ranks), (size, seconds) in sorted(largest.items()):
        bus = float(bus_bandwidth(kind, column(size), column(ranks), column(max(seconds, 1e-9)))[0])
        said.append(f"{kind} of {size / 1e9:.3g} GB over {ranks} ranks: {seconds * 1e3:.4g} ms at best, bus bandwidth "
                    f"{bus / 1e9:.1f} GB/s")  # fmt: skip
    return said[:8]


def printed(asked: Asked, found: Profile, program: str) -> Made:
    """The trace block; with a plan also factors by class, and runs that name both."""
    name = name_of(asked.name or asked.files[0].stem, "trace")
    source = f"{program}, {asked.sources}"
    settings = {"step_time": found.step, "longest_step": found.longest_step, "steps": found.steps,
                "ranks": found.ranks, "source": source, "confidence": "measured", "verified": "read"}  # fmt: skip
    rows = [("row", kind, _row(own)) for kind, own in found.classes.items()]
    text = opening(asked.plan) + block(TRACE, name, settings, rows, notes=[f"{n}." for n in found.notes])
    if asked.plan is None:
        return Made(text, [])
    factors = calibration(asked.plan, found)
    run, own = asked.plan.run.name, f"{name}-factors"
    what: dict[str, object] = {f"factor.{kind}": value for kind, value in factors.items()}
    what |= {"source": f"{source}, against run {run}", "confidence": "measured", "verified": "read"}
    text += "\n" + block(CALIBRATION, own, what, notes=["Measured over predicted busy time, class by class."])
    text += f"\nrun {run}-measured from {run} {{\n  trace = {name}\n}}\n"
    return Made(text + f"\nrun {run}-calibrated from {run} {{\n  calibration = {own}\n}}\n", [])


def _row(own: Class) -> dict[str, object]:
    values: dict[str, object] = {"busy": own.busy}
    if own.exposed is not None:
        values["exposed"] = own.exposed
    if own.calls:
        values |= {"slowest": own.slowest, "longest": own.longest, "calls": round(own.calls, 2)}
    return values


def calibration(plan: Plan, found: Profile) -> dict[str, float]:
    """Measured over predicted busy seconds by class, and of the step that those leave."""
    own = {p: v for p, v in plan.run.plain().items() if p.partition(".")[0] not in ("calibration", "trace", "actual")}
    predicted = by_class(read_run(own))
    factors = {
        kind: measured.busy / predicted[kind]
        for kind, measured in found.classes.items()
        if kind in SCALED and measured.busy > 0 and predicted.get(kind, 0.0) > 0
    }
    scaled = own | {"calibration": "own"} | {f"calibration.factor.{kind}": f for kind, f in factors.items()}
    step = evaluate(read_run(scaled), advise=False).columns.get("step_time")
    return factors | ({"step": found.step / float(step[0])} if step is not None else {})


def by_class(run: Run) -> dict[str, float]:
    """Predicted busy seconds a step by class."""
    made = evaluate(replace(run), advise=False).step
    return {kind: float(t.busy[0]) for kind, t in totals(made.entries).items()} if made is not None else {}

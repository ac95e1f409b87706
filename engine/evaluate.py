"""Evaluation: the named steps, in order, from a run's inputs to its result columns.

    layout -> counts -> step -> rates -> memory -> goodput -> money

``evaluate`` takes one group of design points that share their structure and returns columns. A result that lacks an
input is absent, and ``missing`` names the settings it lacks; nothing is ever filled with 0. A layout that cannot be
built, or does not fit, is a result too: the status says so and the reasons say why.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields

import numpy as np

from engine import (
    cost,
    entries,
    flops,
    goodput,
    layout,
    memory,
    models,
    network,
    power,
    reduced,
    simulate,
    step,
    validity,
)
from engine import traffic as traffic_by_axis
from engine.columns import ONE, ZERO, Column, column
from engine.cost import Gpus
from engine.cost import Line as CostLine
from engine.goodput import Goodput
from engine.inputs import Run
from engine.kernels import device
from engine.layout import Degrees
from engine.ledger import Entry, Row
from engine.memory import StageMemory
from engine.metrics import BY_NAME
from engine.models import Parameters
from engine.power import Line as PowerLine
from engine.reduced import Reduced
from engine.schedules import SCHEDULES
from engine.simulate import Timeline
from engine.step import Step
from engine.traffic import AxisTraffic

SIMULATED_PASSES = 40_000  # a schedule with more passes is not simulated beside the closed form
DRAWN = 12  # micro-batches of the timeline that is drawn
DEVIATION = 0.02  # from which a difference between closed form and simulation is noted

Columns = dict[str, Column]

STEP_RESULTS = (
    "step_time", "simulated_step_time", "compute_time", "tensor_communication", "context_communication",
    "expert_communication", "pipeline_communication", "data_communication", "exposed_communication",
    "communication_fraction", "bubble_time", "bubble", "bubble_share", "optimizer_time", "launch_time", "launch_share",
    "overhead_time", "tokens_per_second", "tokens_per_second_per_gpu", "model_flops", "mfu", "mfu_attention",
    "mfu_causal", "mfu_bf16", "hfu",
)  # fmt: skip
MEMORY_RESULTS = (
    "weights_memory", "gradients_memory", "optimizer_memory", "gathered_memory", "activation_memory", "logits_memory",
    "buffer_memory", "memory_per_gpu", "memory_allocated", "memory_headroom",
)  # fmt: skip
DURATION_RESULTS = ("time_to_train", "gpu_hours", "cost", "cost_per_token", "energy", "carbon")


@dataclass
class Result:
    """Everything one evaluation knows. ``columns`` holds the results; the rest is for tables and figures."""

    run: Run
    columns: Columns = field(default_factory=dict)
    missing: dict[str, tuple[str, ...]] = field(default_factory=dict)
    status: str = "ok"  # ok | does_not_fit | cannot_be_built | not_evaluated
    reasons: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    degrees: Degrees | None = None
    parameters: Parameters | None = None
    step: Step | None = None
    memory: list[StageMemory] = field(default_factory=list)
    traffic: list[AxisTraffic] = field(default_factory=list)
    facts: dict[str, Column | str] = field(default_factory=dict)
    timeline: Timeline | None = None  # as drawn: of at most DRAWN micro-batches
    goodput: Goodput | None = None
    gpus: Gpus | None = None
    cost: tuple[CostLine, ...] = ()
    power: tuple[PowerLine, ...] = ()
    reduced: Reduced | None = None

    def lack(self, names: Iterable[str], settings: Iterable[str]) -> None:
        """Marks results as unavailable for want of ``settings``."""
        for name in names:
            self.missing[name] = tuple(dict.fromkeys((*self.missing.get(name, ()), *settings)))


def evaluate(run: Run) -> Result:
    """The result columns of a run, by its fidelity; and what stands behind them."""
    result = Result(run)
    if run.fidelity == "reduced":
        return evaluate_reduced(result)
    lay_out(result)
    if result.status == "ok":
        count(result)
        time_step(result)
        rate(result)
        fill_memory(result)
    if result.status != "cannot_be_built":
        keep_going(result)
        pay(result)
    return result


REDUCED_RESULTS = tuple(f.name for f in fields(Reduced) if f.name in BY_NAME)


def evaluate_reduced(result: Result) -> Result:
    """S1's reduced model under the same result names; it has no memory, and needs no GPU but its rate."""
    run = result.run
    given = reduced.read(run)
    d = result.degrees = layout.resolve(run)
    if isinstance(given, tuple):
        result.lack((*STEP_RESULTS, *DURATION_RESULTS), given)
    else:
        found = result.reduced = reduced.evaluate(given)
        result.columns |= {name: getattr(found, name) * ONE for name in REDUCED_RESULTS}
        result.columns["model_flops"] = found.achieved
        if not np.all(found.valid_layout):
            result.status = "cannot_be_built"
            result.reasons.append("the layout needs more GPUs than the cluster has")
    count(result)
    result.lack(MEMORY_RESULTS, ("fidelity = operator",))
    result.notes.append(
        "fidelity = reduced charges tensor collectives of all layers on every stage and one link without latency; "
        "mfu is a share of the stated compute rate"
    )
    keep_going(result)
    pay(result)
    assert d is not None
    return result


def lay_out(result: Result) -> None:
    """Degrees, and whether this can be built: a layout that cannot says why and names the nearest that can."""
    run = result.run
    lacking = models.missing_dimensions(run.model)
    if lacking:
        result.lack((*STEP_RESULTS, *MEMORY_RESULTS), lacking)
        result.status = "not_evaluated"
        result.reasons.append("the model's dimensions are not given: " + ", ".join(lacking))
    d = result.degrees = layout.resolve(run)
    result.columns |= {
        "used_gpus": d.used,
        "idle_gpus": d.idle,
        "data_parallel": d.dp,
    }
    if run.cluster.mtbf is not None:
        result.columns["mtbf"] = run.cluster.mtbf
    broken = [rule for rule in validity.rules(run, d) if not np.all(rule.holds)] if result.status == "ok" else []
    result.columns["valid_layout"] = ONE * (not broken)
    if broken:
        result.status = "cannot_be_built"
        result.reasons += [rule.reason for rule in broken]
        result.alternatives = validity.alternatives(run)


def count(result: Result) -> None:
    """Exact parameter counts."""
    n = result.parameters = models.count(result.run.model)
    result.columns |= {"parameters": n.total, "active_parameters": n.active, "parameters_matmul": n.matmul}


def time_step(result: Result) -> None:
    """The step: seconds by cause, summed from the ledger, and the simulated schedule beside it."""
    run, d, n = result.run, result.degrees, result.parameters
    assert d is not None and n is not None
    lacking = _step_lacks(run, d)
    if lacking:
        result.lack((*STEP_RESULTS, *DURATION_RESULTS), lacking)
    made = result.step = entries.step(run, d, n)
    if lacking:
        return
    total = made.seconds
    parts = {name: step.add(e.exposed for e in _of(made.entries, name)) for name in _CAUSES}
    exposed = step.add(parts[f"{axis}_communication"] for axis in ("tensor", "context", "expert", "pipeline", "data"))
    useful = d.micro_batches * made.timing.slowest
    result.columns |= parts | {
        "step_time": total,
        "exposed_communication": exposed,
        "communication_fraction": exposed / total,
        "bubble": made.bubble / useful,
        "bubble_share": made.bubble / total,
        "launch_share": parts["launch_time"] / total,
        "micro_batches": d.micro_batches,
        "tokens_per_step": d.tokens_per_step,
    }
    result.traffic = traffic_by_axis.traffic(run, d, made)
    result.facts = traffic_by_axis.facts(run, d, made)
    result.columns["smallest_collective"] = traffic_by_axis.smallest_collective(made)
    _simulate(result, total)


_CAUSES: dict[str, Callable[[Row], bool]] = {
    "compute_time": lambda r: r.kind in ("gemm", "sdpa", "hbm") and r.block != "optimizer",
    "tensor_communication": lambda r: r.axis == "tensor",
    "context_communication": lambda r: r.axis == "context",
    "expert_communication": lambda r: r.axis in ("expert", "expert_tensor"),
    "pipeline_communication": lambda r: r.axis == "pipeline",
    "data_communication": lambda r: r.axis == "data",
    "bubble_time": lambda r: r.op == "bubble",
    "optimizer_time": lambda r: r.block == "optimizer",
    "launch_time": lambda r: r.kind == "launch",
    "overhead_time": lambda r: r.block == "step",
}  # every ledger row has exactly one cause


def _of(entries: Iterable[Entry], cause: str) -> list[Entry]:
    return [e for e in entries if _CAUSES[cause](e.row)]


def _step_lacks(run: Run, d: Degrees) -> tuple[str, ...]:
    """Settings without which a step has no time."""
    lacking = []
    if np.any(np.isnan(d.micro_batches)):
        lacking.append("batch")
    if np.any(np.isnan(d.sequence)):
        lacking.append("sequence")
    if np.any(np.isnan(device(run).peak)):
        lacking.append(f"cluster.gpu.peak.{run.precision}")
    if network.missing_link(run.cluster, d.used):
        lacking.append("cluster.tier")
    return tuple(lacking)


def _simulate(result: Result, total: Column) -> None:
    """The schedule pass by pass, for one design point; a difference of over 2 % is noted."""
    run, d, made = result.run, result.degrees, result.step
    assert d is not None and made is not None
    m = float(d.micro_batches[0])
    if len(total) > 1 or d.pp == 1 or 2 * m * d.vp * d.pp > SIMULATED_PASSES:
        return
    forward, backward = ([float(x[0]) for x in times] for times in (made.timing.forward, made.timing.backward))
    line = simulate.simulate(run.layout.schedule.kind, forward, backward, int(m), d.vp, float(made.timing.send[0]))
    drawn = _drawable(run, d, int(m))
    send = float(made.timing.send[0])
    shorter = simulate.simulate(run.layout.schedule.kind, forward, backward, drawn, d.vp, send)
    result.timeline = line if drawn == int(m) else shorter
    pipeline = [e for e in made.entries if e.row.block == "pipeline"]
    slowest = m * max(f + b for f, b in zip(forward, backward, strict=True))
    simulated = total - step.add(e.exposed for e in pipeline) - slowest + line.total
    result.columns["simulated_step_time"] = simulated
    if abs(simulated[0] / total[0] - 1) > DEVIATION:
        result.notes.append(
            f"simulated pass by pass the step takes {simulated[0]:.4g} s, {simulated[0] / total[0] - 1:+.1%} "
            "against the closed form that the results use"
        )


def _drawable(run: Run, d: Degrees, micro_batches: int) -> int:
    """Micro-batches of the timeline that is drawn: DRAWN, or the next number that the schedule can run."""
    rules = SCHEDULES[run.layout.schedule.kind].rules
    allowed = (m for m in range(DRAWN, micro_batches) if all(r.holds.all() for r in rules(d.pp, column(m), d.vp)))
    return next(allowed, micro_batches)


def rate(result: Result) -> None:
    """Tokens per second, and utilization in its named conventions."""
    run, d, made = result.run, result.degrees, result.step
    if "step_time" not in result.columns:
        return
    assert d is not None and made is not None
    per_token = flops.flops_per_token(run.model, d.sequence)
    tokens = d.tokens_per_step / result.columns["step_time"]
    per_gpu, dev = tokens / d.used, device(run)
    again = step.recomputed_flops(run, d, made.timing)
    result.columns |= {
        "tokens_per_second": tokens,
        "tokens_per_second_per_gpu": per_gpu,
        "model_flops": per_token.six_n * per_gpu,
        "mfu": per_token.six_n * per_gpu / dev.peak,
        "mfu_attention": per_token.with_attention * per_gpu / dev.peak,
        "mfu_causal": per_token.causal * per_gpu / dev.peak,
        "mfu_bf16": per_token.six_n * per_gpu / dev.peak_bf16,
        "hfu": (per_token.causal + again) * per_gpu / dev.peak,
    }
    result.columns["ridge"] = dev.peak / run.gpu.memory_bandwidth


def fill_memory(result: Result) -> None:
    """Memory of every stage; the fullest decides whether it fits."""
    run, d, made = result.run, result.degrees, result.step
    assert d is not None and made is not None
    if np.any(np.isnan(d.tokens)) or np.any(np.isnan(d.micro_batches)):
        result.lack(MEMORY_RESULTS, ("batch",))
        return
    stages = result.memory = [memory.stage_memory(run, d, made.timing, s) for s in made.timing.stages]
    totals = np.stack(np.broadcast_arrays(*(s.total for s in stages)))
    fullest = np.argmax(totals, axis=0)

    def at(name: str) -> Column:
        values = np.stack(np.broadcast_arrays(*(getattr(s, name) for s in stages)))
        return np.asarray(np.take_along_axis(values, fullest[None, :], axis=0)[0])

    peak = np.max(totals, axis=0)
    named = {"weights": "weights_memory", "gradients": "gradients_memory", "optimizer": "optimizer_memory",
             "gathered": "gathered_memory", "activations": "activation_memory", "logits": "logits_memory"}  # fmt: skip
    parts = {result_name: at(part) for part, result_name in named.items()}
    parts["buffer_memory"] = peak - step.add(parts.values())
    result.columns |= parts | {
        "memory_per_gpu": peak,
        "memory_allocated": at("allocated"),
        "memory_headroom": run.gpu.memory - peak,
    }
    if len(peak) == 1 and peak[0] > run.gpu.memory[0]:
        result.status = "does_not_fit"
        over = (peak[0] - run.gpu.memory[0]) / 2**30
        result.reasons.append(f"stage {int(fullest[0])} needs {over:.1f} GiB more than the GPU has")


def keep_going(result: Result) -> None:
    """Failures and checkpoints: the interval used, and the effective training time it leaves."""
    run, d, n = result.run, result.degrees, result.parameters
    if d is None or n is None:
        return
    size = goodput.checkpoint_size(n.total, run.states, run.checkpoint.weights)
    plan = result.goodput = goodput.plan(run, size, d.used)
    found = {
        "checkpoint_size": plan.size,
        "checkpoint_save": plan.pause,
        "checkpoint_interval": plan.used,
        "checkpoint_best": plan.best,
        "effective_training_time": plan.effective,
    }
    result.columns |= {name: value for name, value in found.items() if value is not None}
    absent = [name for name, value in found.items() if value is None]
    if absent:
        result.lack((*absent, *DURATION_RESULTS), plan.missing)


def pay(result: Result) -> None:
    """Days, GPU-hours, power, energy, carbon and cost, each as far as its inputs go."""
    run, d, columns = result.run, result.degrees, result.columns
    assert d is not None
    owned = cost.gpus(run.cluster, d.used)
    result.gpus = (
        owned if owned is not None else cost.Gpus(d.used + run.cluster.spares, d.used, ZERO, run.cluster.spares)
    )
    busy = ONE if result.goodput is None or result.goodput.busy is None else result.goodput.busy
    result.power = power.lines(run.cluster, result.gpus, busy)
    watts = power.total(result.power)
    if watts is None:
        result.lack(("peak_power", "mean_power", "energy", "carbon"), ("cluster.gpu.power",))
    else:
        columns |= {"peak_power": watts[0], "mean_power": watts[1]}
    if run.tokens is None:
        result.lack((*DURATION_RESULTS, "steps"), ("tokens",))
        return
    if "tokens_per_step" in columns:
        columns["steps"] = np.ceil(run.tokens / columns["tokens_per_step"])
    if "tokens_per_second" not in columns or "effective_training_time" not in columns:
        return
    seconds = cost.time_to_train(run.tokens, columns["tokens_per_second"], columns["effective_training_time"])
    columns |= {"time_to_train": seconds, "gpu_hours": cost.gpu_time(result.gpus, seconds)}
    _bill(result, seconds, None if watts is None else power.energy(watts[1], seconds))


def _bill(result: Result, seconds: Column, joules: Column | None) -> None:
    """Cost lines and their total; energy and carbon."""
    cluster, columns, tokens = result.run.cluster, result.columns, result.run.tokens
    assert result.gpus is not None and tokens is not None
    if joules is not None:
        columns["energy"] = joules
        if cluster.carbon_intensity is None:
            result.lack(("carbon",), ("cluster.carbon_intensity",))
        else:
            columns["carbon"] = power.carbon(joules, cluster.carbon_intensity)
    result.cost = cost.lines(result.run, result.gpus, seconds, joules)
    total = cost.total(result.cost)
    if total is None:
        result.lack(("cost", "cost_per_token"), ("cluster.price",))
        return
    columns |= {"cost": total, "cost_per_token": cost.cost_per_token(total, tokens)}

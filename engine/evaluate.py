"""Evaluation: the named steps, in order, from a run's inputs to its result columns.

    layout -> counts -> step -> rates -> memory -> goodput -> money

``evaluate`` takes one group of design points that share their structure and returns columns. A result that lacks an
input is absent, and ``missing`` names the settings it lacks; nothing is ever filled with 0. A layout that cannot be
built, or does not fit, is a result too: the status says so and the reasons say why.
Source: definition.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields

import numpy as np

from engine import alternatives, entries, flops, layout, memory, models, network, reduced, simulate, step, validity
from engine import traffic as traffic_by_axis
from engine.columns import ONE, ZERO, Column, Flags, column
from engine.inputs import Run
from engine.kernels import device
from engine.layout import Degrees
from engine.ledger import Entry, Row
from engine.ledger import exposed as exposed_seconds
from engine.metrics import BY_NAME
from engine.operators import lora
from engine.operators.head import padded_vocabulary
from engine.operators.layer import doubts
from engine.outcome import in_stretches, keep_going, pay
from engine.reduced import Reduced
from engine.result import DURATION_RESULTS, MEMORY_RESULTS, STEP_RESULTS, Columns, Result
from engine.schedules import SCHEDULES
from engine.states import first_largest, largest

__all__ = ["Columns", "Result", "evaluate", "evaluate_phases"]

SIMULATED_PASSES = 40_000  # a schedule with more passes is not simulated beside the closed form
DRAWN = 12  # micro-batches of the timeline that is drawn
DEVIATION = 0.02  # from which a difference between closed form and simulation is noted


def evaluate(run: Run, advise: bool = True) -> Result:
    """The result columns of a run, by its fidelity; and what stands behind them.

    With ``advise`` a single design point is also simulated pass by pass, and where it cannot be built or does not fit
    the nearest that can are evaluated too.
    """
    result = Result(run)
    if run.fidelity == "reduced":
        return evaluate_reduced(result)
    lay_out(result)
    if result.status == "ok":
        count(result)
        time_step(result, advise)
        rate(result)
        fill_memory(result, advise)
    if result.status != "cannot_be_built":
        keep_going(result)
        pay(result)
    _hide_partly(result)
    if advise and result.status in ("cannot_be_built", "does_not_fit") and result.columns["valid_layout"].size == 1:
        result.nearest = alternatives.alternatives(run, _tried)
    return result


def evaluate_phases(run: Run, phases: Sequence[tuple[str, Run]], advise: bool = True) -> Result:
    """The result of a run with stretches of other settings, each a run with its own tokens (engine/outcome.py)."""
    return in_stretches(evaluate(run, advise), phases, lambda own: evaluate(own, advise=False))


def _tried(run: Run) -> alternatives.Evaluated:
    """What an alternative comes to: its status, bytes a GPU and seconds a step."""
    found = evaluate(run, advise=False)
    size, seconds = found.columns.get("memory_per_gpu"), found.columns.get("step_time")
    return found.status, None if size is None else float(size[0]), None if seconds is None else float(seconds[0])


REDUCED_RESULTS = tuple(f.name for f in fields(Reduced) if f.name in BY_NAME)


def evaluate_reduced(result: Result) -> Result:
    """The reduced model under the same result names; it has no memory, and needs no GPU but its rate."""
    run = result.run
    given = reduced.read(run)
    d = result.degrees = layout.resolve(run)
    if isinstance(given, tuple):
        result.lack((*STEP_RESULTS, *DURATION_RESULTS), given)
    else:
        found = result.reduced = reduced.evaluate(given)
        result.columns |= {name: getattr(found, name) * ONE for name in REDUCED_RESULTS}
        result.columns["model_flops"] = found.achieved
        if not np.any(found.valid_layout):
            result.status = "cannot_be_built"
            result.reasons.append("the layout needs more GPUs than the cluster has")
    if run.cluster.mtbf is not None:
        result.columns["mtbf"] = run.cluster.mtbf
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
        "expert_data_parallel": d.edp,
        "expert_tensor_parallel": d.etp,
        "sequence_multiple": layout.sequence_multiple(d),
        "kv_replication": layout.kv_replication(run, d),
    }
    if run.model.vocabulary is not None:
        result.columns["padded_vocabulary"] = padded_vocabulary(run)
    if run.cluster.mtbf is not None:
        result.columns["mtbf"] = run.cluster.mtbf
    rules = validity.rules(run, d) if result.status == "ok" else ()
    result.rules = rules
    result.columns["valid_layout"] = functools.reduce(np.multiply, (rule.holds * ONE for rule in rules), ONE)
    if not np.any(result.columns["valid_layout"]):
        result.status = "cannot_be_built"
        result.reasons += [rule.reason for rule in rules if not np.all(rule.holds)]


def count(result: Result) -> None:
    """Exact parameter counts."""
    n = result.parameters = models.count(result.run.model)
    whole = not models.missing_dimensions(result.run.model)
    trained = lora.trained_share(result.run) * n.total + (lora.parameters(result.run) if whole else ZERO)
    result.columns["trained_parameters"] = trained
    result.columns |= {"parameters": n.total, "active_parameters": n.active, "parameters_matmul": n.matmul}


def time_step(result: Result, simulated: bool = True) -> None:
    """The step: seconds by cause, summed from the ledger, and the simulated schedule beside it."""
    run, d, n = result.run, result.degrees, result.parameters
    assert d is not None and n is not None
    lacks = _step_lacks(run, d)
    lacking = tuple(name for name, flags in lacks.items() if np.all(flags))
    if lacking:
        result.lack((*STEP_RESULTS, *DURATION_RESULTS), lacking)
    result.partly = {name: flags for name, flags in lacks.items() if np.any(flags) and not np.all(flags)}
    made = result.step = entries.step(run, d, n)
    if lacking:
        return
    total = made.seconds
    result.notes += doubts(run.model)
    parts = {name: exposed_seconds(_of(made.entries, name)) for name in _CAUSES}
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
    if simulated:
        result.traffic = traffic_by_axis.traffic(run, d, made)
        result.facts = traffic_by_axis.facts(run, d, made)
    result.columns["smallest_collective"] = traffic_by_axis.smallest_collective(made)
    if simulated:
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
    "offload_time": lambda r: r.kind == "host",
}  # every ledger row has exactly one cause


def _of(entries: Iterable[Entry], cause: str) -> list[Entry]:
    return [e for e in entries if _CAUSES[cause](e.row)]


def _step_lacks(run: Run, d: Degrees) -> dict[str, Flags]:
    """Settings without which a step has no time, and the points that lack them."""
    dev = device(run)
    return {
        "batch": np.isnan(d.micro_batches),
        "sequence": np.isnan(d.sequence),
        "cluster.gpu.peak.bf16": np.isnan(dev.peak_bf16),
        f"cluster.gpu.peak.{run.precision}": np.isnan(dev.peak),
        "cluster.tier": network.missing_link(run.cluster, d.used),
    }


def _hide_partly(result: Result) -> None:
    """Takes a step's time, and what follows from it, from the points of a table that lack a setting."""
    if not result.partly:
        return
    absent = functools.reduce(np.logical_or, result.partly.values())
    for name in {*STEP_RESULTS, *DURATION_RESULTS} & result.columns.keys():
        result.columns[name] = np.where(absent, np.nan, result.columns[name])


def _simulate(result: Result, total: Column) -> None:
    """The schedule pass by pass, for one design point; a difference of over 2 % is noted."""
    run, d, made = result.run, result.degrees, result.step
    assert d is not None and made is not None
    m = float(np.ravel(d.micro_batches)[0])
    if total.size > 1 or d.pp == 1 or 2 * m * d.vp * d.pp > SIMULATED_PASSES:
        return
    forward, backward = ([float(x[0]) for x in times] for times in (made.timing.forward, made.timing.backward))
    line = simulate.simulate(run.layout.schedule.kind, forward, backward, int(m), d.vp, float(made.timing.send[0]))
    drawn = _drawable(run, d, int(m))
    send = float(made.timing.send[0])
    shorter = simulate.simulate(run.layout.schedule.kind, forward, backward, drawn, d.vp, send)
    result.timeline = line if drawn == int(m) else shorter
    pipeline = [e for e in made.entries if e.row.block == "pipeline"]
    slowest = m * made.timing.slowest
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
    """Tokens per second, and utilization in its named conventions.

    Source: definition; MFU as in Chowdhery et al. 2022 (PaLM) appendix B.
    """
    run, d, made = result.run, result.degrees, result.step
    if "step_time" not in result.columns:
        return
    assert d is not None and made is not None
    per_token = flops.flops_per_token(run.model, d.sequence)
    tokens = d.tokens_per_step / result.columns["step_time"]
    per_gpu, dev = tokens / d.used, device(run)
    again = step.recomputed_flops(run, d, made.timing)
    untrained = 2 * (1 - lora.trained_share(run))  # weight gradients that are not computed
    n = models.count(run.model)
    adapters = 6 * lora.parameters(run)
    six_n = per_token.six_n - untrained * n.active + adapters
    with_attention = per_token.with_attention - untrained * n.active + adapters
    causal = per_token.causal - untrained * n.matmul + adapters
    result.columns |= {
        "tokens_per_second": tokens,
        "tokens_per_second_per_gpu": per_gpu,
        "model_flops": six_n * per_gpu,
        "mfu": six_n * per_gpu / dev.peak,
        "mfu_attention": with_attention * per_gpu / dev.peak,
        "mfu_causal": causal * per_gpu / dev.peak,
        "mfu_bf16": six_n * per_gpu / dev.peak_bf16,
        "hfu": (causal + again) * per_gpu / dev.peak,
    }
    result.columns["ridge"] = dev.peak / run.gpu.memory_bandwidth


def fill_memory(result: Result, every: bool = True) -> None:
    """Memory of every stage; the fullest decides whether it fits.

    Without ``every`` only of stages that can be the fullest: of ranks that hold the same layers the first one, since
    no schedule keeps more micro-batches on a later stage than on an earlier one.
    """
    run, d, made = result.run, result.degrees, result.step
    assert d is not None and made is not None
    if np.all(np.isnan(d.tokens)) or np.all(np.isnan(d.micro_batches)):
        result.lack(MEMORY_RESULTS, ("batch",))
        return
    wanted = made.timing.stages if every else [made.timing.stages[i] for i in made.timing.first_of_kind]
    stages = result.memory = [memory.stage_memory(run, d, made.timing, s) for s in wanted]
    totals = [s.total for s in stages]
    fullest = first_largest(totals)

    def at(name: str) -> Column:
        result: Column = getattr(stages[0], name)
        for i, stage in enumerate(stages[1:], start=1):
            result = np.where(fullest == i, getattr(stage, name), result)
        return result

    peak = largest(totals)
    named = {"weights": "weights_memory", "gradients": "gradients_memory", "optimizer": "optimizer_memory",
             "gathered": "gathered_memory", "activations": "activation_memory", "logits": "logits_memory"}  # fmt: skip
    parts = {result_name: at(part) for part, result_name in named.items()}
    parts["buffer_memory"] = peak - step.add(parts.values())
    result.columns |= parts | {
        "memory_per_gpu": peak,
        "memory_allocated": at("allocated"),
        "memory_headroom": run.gpu.memory - peak,
        "memory_host": run.cluster.gpus_per_node * largest([s.host for s in stages]),
        "memory_step": largest([s.step for s in stages]),
        "memory_load": largest([s.load for s in stages]),
        "memory_update": largest([s.update for s in stages]),
        "memory_save": largest([s.save for s in stages]),
    }
    room = run.cluster.host_memory
    if room is not None and peak.size == 1 and result.columns["memory_host"][0] > room[0]:
        result.status = "does_not_fit"
        over = (result.columns["memory_host"][0] - room[0]) / 2**30
        result.reasons.append(f"what is offloaded needs {over:.1f} GiB more than a node's host memory has")
    if peak.size == 1 and peak[0] > run.gpu.memory[0]:
        result.status = "does_not_fit"
        over = (peak[0] - run.gpu.memory[0]) / 2**30
        stage = stages[int(np.ravel(fullest)[0])].stage
        result.reasons.append(f"stage {stage} needs {over:.1f} GiB more than the GPU has")

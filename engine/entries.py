"""The ledger of a step: rows of the slowest stage times their counts, the bubble, sends, and once-a-step rows.

Source: definition; once-a-step rows fitted on published runs.
"""

from dataclasses import replace

import numpy as np

from engine import calibrate, offload, overlap
from engine.columns import ONE, ZERO, Column
from engine.inputs import Run
from engine.layout import Degrees
from engine.ledger import Entry, Row, call_seconds, exposed, price
from engine.models import Parameters
from engine.operators import lora
from engine.operators.optimizer import optimizer
from engine.overlap import Bucket
from engine.schedules import SCHEDULES, StageTimes
from engine.states import gradient_bytes, largest, reduce_bytes
from engine.step import Step, Timing, add, rank_states, recomputed, send_bytes, timing

SLOW_RANK = "slow rank"
NODE = 8.0  # GPUs from which stragglers and synchronization are counted


def step(run: Run, d: Degrees, n: Parameters) -> Step:
    """The step of one group of design points."""
    made = timing(run, d, n)
    schedule, m = SCHEDULES[run.layout.schedule.kind], d.micro_batches
    times = StageTimes(made.forward, made.backward)
    bubble = np.maximum(schedule.steady(times, m, d.vp) - m * made.slowest, 0.0)
    bubble = calibrate.factor(run, "pipeline") * bubble
    entries = [*stage_entries(run, d, made), wait("pipeline", "bubble", bubble)]
    if d.pp > 1:
        entries.append(sends(run, d, made, exposed_sends(run, d, times, made.send)))
    entries += once(run, d, made)
    return Step(made, bubble, (*entries, *overheads(run, d, entries)))


def stage_entries(run: Run, d: Degrees, made: Timing) -> list[Entry]:
    """Rows of the stage that sets the pace, with their counts per step."""
    pace, m = made.pace, d.micro_batches
    index = pace.astype(int)
    entries: list[Entry] = []
    for kind, found in made.layers.items():
        layers = m * made.mean([s.count(made.kinds, kind) for s in made.stages])[index]
        again = m * made.mean([recomputed(run, s).count(made.kinds, kind) for s in made.stages])[index]
        for block in found:
            entries += [Entry(r, layers) for r in (*block.forward, *block.backward)]
            entries += [Entry(r, again) for r in block.recompute]
    for block, here in ((made.embedding, [s.first for s in made.stages]), (made.head, [s.last for s in made.stages])):
        count = m * made.mean(here)[index]
        entries += [Entry(r, count) for r in (*block.forward, *block.backward)]
    modules = m * made.mean([s.last for s in made.stages])[index] * run.model.mtp
    for block in made.prediction:
        entries += [Entry(r, modules) for r in (*block.forward, *block.recompute, *block.backward)]
    return entries


def wait(block: str, op: str, seconds: Column) -> Entry:
    """Time in which nothing runs."""
    return Entry(Row(block, op, "step", "wait", ZERO, ZERO, None, None, None, seconds, seconds, None, ZERO), ONE)


def exposed_sends(run: Run, d: Degrees, times: StageTimes, send: Column) -> Column:
    """Seconds of sends that a step waits for, by schedule; of the sends an interleaved schedule overlaps the stack's
    share that is not hidden (all of it where overlap is off).
    """
    chain = SCHEDULES[run.layout.schedule.kind].exposed_sends(times, d.micro_batches, d.vp, send)
    if d.vp == 1:
        return chain
    share = run.stack.pipeline_exposed if run.layout.overlap.pipeline else ONE
    return chain + share * np.maximum(2 * d.micro_batches * d.vp * send - chain, 0.0)


def sends(run: Run, d: Degrees, made: Timing, exposed: Column) -> Entry:
    """The pipeline's sends as one entry: 2 m v sends a rank and step."""
    count = 2 * d.micro_batches * d.vp
    behind = "compute of other micro-batches" if d.vp > 1 else None
    return Entry(_collective("pipeline", "send and receive", "point to point", send_bytes(run, d), made.send,
                             exposed / count, behind), count)  # fmt: skip


def _collective(
    block: str, op: str, algorithm: str, size: Column, busy: Column, exposed: Column, behind: str | None
) -> Row:
    """A once-a-step row of the pipeline's axis."""
    return Row(block, op, "step", "collective", ZERO, size, None, "pipeline", algorithm, busy, exposed, behind, ONE)


def once(run: Run, d: Degrees, made: Timing) -> list[Entry]:
    """Once-a-step rows: data-parallel traffic, the optimizer, the all-reduce of a tied embedding."""
    dense, experts = (
        largest(held) for held in zip(*(rank_states(run, d, made, rank) for rank in made.ranks), strict=True)
    )
    adapters = largest([add(made.parameters.stage_adapters(made.stages[s]) for s in rank) for rank in made.ranks])
    share = lora.trained_share(run)
    trained, trained_experts = share * dense + adapters, share * experts
    layers = max(s.layers for s in made.stages)
    f, b = made.forward[0] / d.vp, made.backward[0] / d.vp
    waves = 1 + (d.vp - 1) * np.minimum(d.micro_batches, d.pp)  # passes of a chunk before the last one has finished
    buckets = [Bucket("", dense + adapters, trained, "shard", layers)]
    if run.model.experts is not None:
        buckets.append(Bucket("expert ", experts, trained_experts, "expert_data", layers))
    entries = overlap.data_rows(run, d, made.prices, buckets, waves * f, waves * b)
    kind = run.layout.shard.kind
    whole = trained + trained_experts
    shard = whole if kind == "none" else trained / d.shard + trained_experts / d.edp
    buffer = whole if kind in ("none", "zero1") else shard
    plain = replace(made.prices, device=replace(made.prices.device, passes=ONE))
    here = (1 - offload.of(run).optimizer) * shard
    rows = price(optimizer(run, here, buffer, gradient_bytes(run)), "optimizer", "step", plain)
    entries += [Entry(r, ONE) for r in rows]
    entries += offload.optimizer_rows(run, shard, b)
    if kind == "zero3":
        entries += offload.weight_rows(run, d, dense / d.shard + experts / d.edp, f)
    if (run.model.tied or run.model.mtp) and d.pp > 1:
        entries.append(tied(run, made))
    return entries


def tied(run: Run, made: Timing) -> Entry:
    """All-reduce of the tied embedding's gradient between the first and the last stage."""
    group = replace(made.prices.groups["pipeline"], size=ONE * 2)
    size = reduce_bytes(run) * made.parameters.embedding
    seconds = call_seconds(made.prices, "all_reduce", size, "pipeline", group)
    return Entry(_collective("embedding", "tied gradient", "all_reduce", size, seconds, seconds, None), ONE)


def overheads(run: Run, d: Degrees, entries: list[Entry]) -> list[Entry]:
    """Stragglers, a share of everything per doubling beyond a node of eight, the fixed time, a stated slow rank.
    Every collective waits for its slowest member, so a slow rank makes the whole step that share longer.
    Left out: variation from step to step; throttling beyond the sustained clock; data loading beyond the fixed time.
    Source: fitted on weak-scaling series of published runs.
    """
    doublings = np.log2(np.maximum(d.used / NODE, 1.0))
    rest = exposed(entries)
    idle = calibrate.factor(run, "idle")
    fixed = idle * run.stack.step_time * (1 + doublings / 2)
    waits = [wait("step", "stragglers", idle * run.stack.straggler * doublings * rest), wait("step", "fixed", fixed)]
    slow = run.cluster.slow_rank * (rest + add(e.exposed for e in waits))
    waits.append(wait("step", SLOW_RANK, slow))
    whole = rest + add(e.exposed for e in waits)
    return [*waits, wait("step", "calibration", (calibrate.factor(run, "step") - 1.0) * whole)]

"""Whether a layout can be built at all, before anything else is computed, and the nearest ones that can.

Every rule is a column of truth values with the reason in words, so that a table keeps its infeasible rows with their
reason (decisions 15). What one framework refuses and another replicates is decided by the stack.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.columns import ONE, Column, Flags, column
from engine.inputs import Run
from engine.layout import Degrees, resolve
from engine.schedules import SCHEDULES
from engine.stages import assign

NEAR = (1, 2, 4, 8, 16, 32)


@dataclass(frozen=True)
class Rule:
    """One rule: whether it holds for each point, and what is wrong where it does not."""

    name: str
    holds: Flags
    reason: str


def _text(value: Column) -> str:
    number = float(np.ravel(value)[0])
    if not np.isfinite(number):
        return "unknown"
    return f"{number:,.0f}".replace(",", "_") if number == round(number) else f"{number:g}"


def divides(part: Column, whole: Column) -> Flags:
    """Whether ``whole`` is a whole number of ``part``."""
    return np.asarray(np.mod(whole, part) == 0)


def rules(run: Run, d: Degrees) -> tuple[Rule, ...]:
    """Every rule of this layout; the reasons quote the first point's values."""
    return (*_sizes(run, d), *_pipeline(run, d), *_sharding(run, d), *_model(run, d))


def _sizes(run: Run, d: Degrees) -> Iterator[Rule]:
    """GPUs, batch and micro-batches."""
    split = run.layout
    gpus = d.used if run.cluster.gpus is None else run.cluster.gpus
    yield Rule(
        "gpus",
        np.asarray(d.used <= gpus),
        f"tensor {_text(d.tp)} x context {_text(d.cp)} x pipeline {d.pp} x data {_text(d.dp)} = {_text(d.used)} GPUs, "
        f"the cluster has {_text(gpus)}",
    )
    if run.batch is not None:
        yield Rule(
            "batch",
            np.asarray(divides(d.dp * split.micro_batch, run.batch)),
            f"the batch of {_text(run.batch)} sequences is not a whole number of micro-batches: "
            f"data {_text(d.dp)} x micro_batch {_text(split.micro_batch)} = {_text(d.dp * split.micro_batch)}",
        )
    if run.model.experts is None:
        yield Rule("expert", np.asarray((d.ep == 1) & (d.etp == 1)), "expert parallelism needs a model with experts")
        return
    routed, ranks = run.model.experts.routed, d.tp * d.cp * d.dp
    yield Rule("experts", divides(d.ep, routed), f"{_text(routed)} experts do not divide by expert {_text(d.ep)}")
    reason = f"expert {_text(d.ep)} x expert_tensor {_text(d.etp)} does not divide the {_text(ranks)} ranks of a stage"
    yield Rule("expert ranks", divides(d.ep * d.etp, ranks), reason)


def _pipeline(run: Run, d: Degrees) -> Iterator[Rule]:
    """Stages, chunks and the schedule's own demands on pipeline stages and micro-batches."""
    layers, kind, m = run.model.layers or 0, run.layout.schedule.kind, d.micro_batches
    chunks = d.pp * d.vp
    yield Rule(
        "chunks",
        np.asarray(ONE * chunks <= layers + (2 if run.layout.split == "balanced" else 0)),
        f"pipeline {d.pp} x virtual_stages {d.vp} = {chunks} chunks for {layers} layers",
    )
    if run.stack.refuses_uneven_stages:
        yield Rule(
            "even stages",
            np.asarray(ONE * (layers % chunks) == 0),
            f"{run.stack.name} needs {layers} layers to divide by pipeline x virtual_stages = {chunks}",
        )
    if run.layout.stages is not None:
        stated = run.layout.stages
        yield Rule(
            "stages",
            np.asarray(ONE * (sum(stated) == layers and len(stated) == d.pp) == 1),
            f"stages list {sum(stated)} layers on {len(stated)} stages, the model has {layers} on {d.pp}",
        )
    known = np.maximum(
        np.round(np.where(np.isnan(m), 2.0 * d.pp, m)), 1.0
    )  # a batch that does not divide is said above
    for i, (holds, reason) in enumerate(SCHEDULES[kind].rules(d.pp, known, d.vp)):
        yield Rule(
            f"schedule {i}", holds, f"schedule {kind} with pipeline {d.pp} and {_text(m)} micro-batches: {reason}"
        )


def _sharding(run: Run, d: Degrees) -> Iterator[Rule]:
    """Sharding of the states over data parallelism."""
    shard = run.layout.shard
    if shard.kind == "zero2":
        yield Rule(
            "zero2",
            np.asarray(ONE * d.pp == 1),
            "zero2 reduces gradients after every micro-batch and cannot run with pipeline stages; use zero1 or zero3",
        )
    if shard.kind == "zero3":
        yield Rule(
            "shard group",
            divides(d.shard, d.dp * d.cp),
            f"{_text(d.dp * d.cp)} data ranks do not split into equal shard groups of {_text(d.shard)}; "
            "with placement = balanced the pods hold equal parts",
        )


def _model(run: Run, d: Degrees) -> Iterator[Rule]:
    """What the model's dimensions allow."""
    model = run.model
    if model.heads is not None:
        yield Rule(
            "heads", divides(d.tp, model.heads), f"{_text(model.heads)} heads do not divide by tensor {_text(d.tp)}"
        )
    if model.kv_heads is not None and model.heads is not None:
        fits = divides(d.tp, model.kv_heads) | divides(model.kv_heads, d.tp)
        if not run.stack.replicates_kv_heads:
            fits = np.asarray(divides(d.tp, model.kv_heads))
        yield Rule(
            "kv heads",
            np.asarray(fits),
            f"{_text(model.kv_heads)} kv_heads do not divide by tensor {_text(d.tp)}"
            + ("" if run.stack.replicates_kv_heads else f", and {run.stack.name} does not replicate them"),
        )
    pieces = 2 * d.cp * np.where(d.sequence_parallel, d.tp, 1.0)
    yield Rule(
        "sequence",
        divides(np.where(d.cp > 1, pieces, np.where(d.sequence_parallel, d.tp, 1.0)), d.sequence)
        | np.isnan(d.sequence),
        f"a sequence of {_text(d.sequence)} tokens does not split over context {_text(d.cp)} and tensor {_text(d.tp)}",
    )


def alternatives(run: Run, limit: int = 3) -> list[str]:
    """The nearest layouts that can be built: other tensor, pipeline, micro-batch or data degrees, nearest first."""
    found: list[tuple[float, str]] = []
    base = run.layout
    for tensor in NEAR[:4]:
        for pipeline in NEAR[:5]:
            for micro_batch in NEAR[:4]:
                for change in _with_data(run, tensor, pipeline, micro_batch):
                    if _buildable(change):
                        found.append(
                            (
                                _distance(base.tensor, tensor)
                                + _distance(column(base.pipeline), pipeline)
                                + _distance(base.micro_batch, micro_batch)
                                + 0.1 * float(resolve(change).idle[0]),
                                describe(change),
                            )
                        )
    return [text for _, text in sorted(set(found))[:limit]]


def _distance(value: Column, other: float) -> float:
    return abs(float(np.log2(value[0])) - float(np.log2(other)))


def _with_data(run: Run, tensor: int, pipeline: int, micro_batch: int) -> Iterator[Run]:
    """The run with other degrees; data follows, or is the largest below it that divides the batch."""
    layout = replace(
        run.layout, tensor=column(tensor), pipeline=pipeline, micro_batch=column(micro_batch), data=None, stages=None
    )
    if pipeline == 1 and layout.schedule.kind == "interleaved":
        return
    changed = replace(run, layout=layout)
    yield changed
    if run.batch is None:
        return
    most, batch = int(resolve(changed).dp[0]), int(run.batch[0]) // micro_batch
    fewer = next((n for n in range(most, max(most // 2, 0), -1) if batch % n == 0), None)
    if fewer is not None and fewer != most:
        yield replace(run, layout=replace(layout, data=column(fewer)))


def _buildable(run: Run) -> bool:
    layers = run.model.layers or 0
    if layers == 0 or min(s.layers for s in assign(layers, run.layout.pipeline, 1, run.layout.split, None)) < 0:
        return False
    return all(bool(np.all(rule.holds)) for rule in rules(run, resolve(run)))


def describe(run: Run) -> str:
    """A layout in one line."""
    d = resolve(run)
    return (
        f"tensor = {_text(d.tp)}, pipeline = {d.pp}, data = {_text(d.dp)}, "
        f"micro_batch = {_text(run.layout.micro_batch)}"
        f" ({_text(d.used)} GPUs used, {_text(d.idle)} idle)"
    )

"""The reduced model of a step: arithmetic at a stated rate, three collectives on one link, a bubble.

N    parameters        L, h, s    layers, hidden size, sequence        b    sequences of a micro-batch
m    micro-batches of one step and pipeline (accumulation)             F    stated compute rate, FLOP/s per GPU
tp, pp, dp    parallel degrees    n = tp pp dp GPUs that work          W    bytes/s of the one link, per GPU

Four simplifications are part of the record and kept under this name only: tensor collectives are charged for all L
layers on every stage (not divided by pp), pipeline sends are not divided by tp, every collective crosses the same
link without latency, and the gradients' all-reduce hides behind the whole backward (two thirds of the arithmetic:
the record hides 9.7 ms behind 1,720 ms and does not determine the window any closer).
Source: the recorded run that this model reproduces (tests/data/reduced_record.json).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.columns import Column, Flags, column
from engine.inputs import Run

ELEMENT = 2.0  # bytes of an activation and of a gradient
BACKWARD = 2.0 / 3.0  # of the arithmetic of a step
EFFICIENT = 0.7  # efficiency from which a step counts as limited by its arithmetic (our choice)
FIRST_LINK = column(20e9)
SETTINGS = {
    "parameters": "model.parameters",
    "layers": "model.layers",
    "hidden": "model.hidden",
    "sequence": "sequence",
    "accumulation": "accumulation",
    "data": "cluster.gpus",
    "gpus": "cluster.gpus",
    "link": "cluster.link",
    "compute": "efficiency.compute",
}
TERMS = ("compute", "tensor", "pipeline", "data", "bubble")


@dataclass(frozen=True)
class Inputs:
    """What the reduced model reads; all columns but the pipeline degree."""

    parameters: Column
    layers: Column
    hidden: Column
    sequence: Column
    micro_batch: Column
    accumulation: Column
    tensor: Column
    pipeline: int
    data: Column
    gpus: Column
    link: Column
    compute: Column


@dataclass(frozen=True)
class Reduced:
    """Results by the names that the operator model uses, and those that only this one has."""

    step_time: Column
    compute_time: Column
    tensor_communication: Column
    pipeline_communication: Column
    data_communication: Column  # exposed
    data_communication_raw: Column
    exposed_communication: Column
    bubble_time: Column
    bubble: Column  # over useful time
    bubble_share: Column  # over step time
    communication_fraction: Column
    mfu: Column  # against the stated compute rate, as the record counts it
    scaling_efficiency: Column
    achieved: Column  # FLOP/s per GPU that works
    tokens_per_step: Column
    tokens_per_second: Column
    tokens_per_second_per_gpu: Column
    micro_batches: Column
    data_parallel: Column
    used_gpus: Column
    idle_gpus: Column
    valid_layout: Flags
    bottleneck: NDArray[np.str_]
    verdict_class: NDArray[np.str_]

    def verdict(self, row: int = 0) -> str:
        """The verdict of one design point as a sentence."""
        return VERDICTS[str(self.verdict_class[row])].format(f"{100.0 * self.mfu[row]:.0f} %")


VERDICTS = {
    "compute-limited": "Compute-limited: {} of the stated compute rate goes into the model; faster arithmetic would "
    "shorten the step.",
    "overhead-limited": "Overhead-limited: arithmetic is the largest single term, yet communication and the pipeline "
    "bubble together leave {} of the stated compute rate. More micro-batches shrink the bubble, a faster link the "
    "collectives.",
    "communication-limited": "Communication-limited: collectives are the largest term, and {} of the stated compute "
    "rate is left. A faster link, or less tensor parallelism, would help.",
    "bubble-limited": "Bubble-limited: stages wait longer than they compute, and {} of the stated compute rate is "
    "left. More micro-batches or fewer stages would help.",
}
CLASSES = ("overhead-limited", *("communication-limited",) * 3, "bubble-limited")  # by the largest of TERMS


def ring_factor(size: Column) -> Column:
    """2 (n-1)/n: what each rank sends in a ring all-reduce, over its data."""
    return 2.0 * (size - 1.0) / size


def evaluate(i: Inputs) -> Reduced:
    """The step of one group of design points.

    compute = 6 N tokens / (n F); tensor = 4 L m ring(tp) s b h w / W; pipeline = 2 m s b h w / W (none with one stage);
    bubble = compute (pp-1)/m; data = ring(dp) N w / (tp pp) / W, exposed as far as it exceeds the backward. The step is
    their sum.
    """
    used = i.tensor * i.pipeline * i.data
    tokens = i.data * i.micro_batch * i.accumulation * i.sequence
    compute = 6.0 * i.parameters * tokens / (used * i.compute)
    layer = i.micro_batch * i.sequence * i.hidden * ELEMENT / i.link
    tensor = 4.0 * i.layers * i.accumulation * ring_factor(i.tensor) * layer
    pipeline = 2.0 * i.accumulation * layer * min(i.pipeline - 1, 1)
    bubble = compute * (i.pipeline - 1) / i.accumulation
    raw = ring_factor(i.data) * i.parameters * ELEMENT / (i.tensor * i.pipeline) / i.link
    data: Column = np.maximum(raw - BACKWARD * compute, 0.0)
    return _results(i, used, tokens, (compute, tensor, pipeline, data, bubble), raw)


def _results(i: Inputs, used: Column, tokens: Column, terms: tuple[Column, ...], raw: Column) -> Reduced:
    """The named results of a step's five terms: compute, tensor, pipeline, data, bubble."""
    compute, tensor, pipeline, data, bubble = terms
    communication = tensor + pipeline + data
    step = compute + communication + bubble
    efficiency = compute / step
    largest = np.argmax(np.stack(np.broadcast_arrays(*terms)), axis=0)
    kinds = np.take(np.array(CLASSES), largest)
    limited = np.where((largest == 0) & (efficiency >= EFFICIENT), "compute-limited", kinds)
    return Reduced(
        step_time=step,
        compute_time=compute,
        tensor_communication=tensor,
        pipeline_communication=pipeline,
        data_communication=data,
        data_communication_raw=raw,
        exposed_communication=communication,
        bubble_time=bubble,
        bubble=bubble / compute,
        bubble_share=bubble / step,
        communication_fraction=communication / step,
        mfu=efficiency,
        scaling_efficiency=efficiency,
        achieved=efficiency * i.compute,
        tokens_per_step=tokens,
        tokens_per_second=tokens / step,
        tokens_per_second_per_gpu=tokens / step / used,
        micro_batches=i.accumulation,
        data_parallel=i.data,
        used_gpus=used,
        idle_gpus=np.maximum(i.gpus - used, 0.0),
        valid_layout=used <= i.gpus,
        bottleneck=np.take(np.array(TERMS), largest),
        verdict_class=limited,
    )


def whole_replicas(gpus: Column, tensor: Column, pipeline: int) -> Column:
    """dp = floor(GPUs / (tp pp)), at least one: a layout that does not fit is marked invalid, not divided by zero."""
    return np.maximum(np.floor(gpus / (tensor * pipeline)), 1.0)


def read(run: Run) -> Inputs | tuple[str, ...]:
    """The inputs in ``run``, or the names of the settings that are missing."""
    model, layout = run.model, run.layout
    data = layout.data
    if data is None and run.cluster.gpus is not None:
        data = whole_replicas(run.cluster.gpus, layout.tensor, layout.pipeline)
    micro_batches = run.accumulation
    if micro_batches is None and run.batch is not None and data is not None:
        micro_batches = run.batch / (data * layout.micro_batch)
    gpus = run.cluster.gpus if data is None or run.cluster.gpus is not None else layout.tensor * layout.pipeline * data
    found = {
        "parameters": model.parameters,
        "layers": None if model.layers is None else column(model.layers),
        "hidden": model.hidden,
        "sequence": model.sequence if run.sequence is None else run.sequence,
        "accumulation": micro_batches,
        "data": data,
        "gpus": gpus,
        "link": run.cluster.link,
        "compute": run.efficiency.compute,
    }
    given = {name: value for name, value in found.items() if value is not None}
    if len(given) < len(found):
        return tuple(dict.fromkeys(SETTINGS[name] for name in found if name not in given))
    return Inputs(**given, micro_batch=layout.micro_batch, tensor=layout.tensor, pipeline=layout.pipeline)


def over_gpus(i: Inputs, points: int = 48, last: Column | None = None) -> tuple[Column, Column]:
    """(GPU counts, efficiency): counts in equal ratios from one replica to ``last``, floored to whole replicas.

    Weak scaling: the micro-batches of a replica are kept, so the batch grows with the GPUs. ``last`` is 32 times the
    GPUs of the run where not given, as in the record.
    """
    replica = i.tensor * i.pipeline
    end = 32.0 * i.gpus if last is None else last
    counts = replica * (end / replica) ** np.linspace(0.0, 1.0, points)
    data = whole_replicas(counts * (1.0 + 1e-12), i.tensor, i.pipeline)  # 2048 may come out as 2047.999...
    return data * replica, evaluate(replace(i, data=data, gpus=data * replica)).scaling_efficiency


def over_link(
    i: Inputs, points: int = 48, first: Column = FIRST_LINK, last: Column | None = None
) -> tuple[Column, Column]:
    """(bytes/s of the link, efficiency), in equal steps from 20 GB/s to twice the run's link where not given."""
    end = 2.0 * i.link if last is None else last
    links = first + (end - first) * np.linspace(0.0, 1.0, points)
    return links, evaluate(replace(i, link=links)).scaling_efficiency

"""Whether a layout can be built at all, before anything else is computed; the nearest that can are in alternatives.py.

Every rule is a column of truth values with the reason in words, so that a table keeps its infeasible rows with their
reason. What one framework refuses and another replicates is decided by the stack.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt

import numpy as np

from engine.columns import ONE, Column, Flags, column
from engine.inputs import Run
from engine.layout import Degrees, sequence_multiple
from engine.operators import lora
from engine.operators.head import padded_vocabulary
from engine.schedules import SCHEDULES

MANY = 12  # divisors listed in a reason


@dataclass(frozen=True)
class Rule:
    """One rule: whether it holds for each point, and what is wrong where it does not."""

    name: str
    holds: Flags
    reason: str


def text(value: Column) -> str:
    """A number as reasons print it."""
    number = float(np.ravel(value)[0])
    if not np.isfinite(number):
        return "unknown"
    return f"{number:,.0f}".replace(",", "_") if number == round(number) else f"{number:.4g}"


def divides(part: Column, whole: Column) -> Flags:
    """Whether ``whole`` is a whole number of ``part``."""
    return np.asarray(np.mod(whole, part) == 0)


def divisors(value: Column) -> list[int]:
    """The whole numbers that divide the first row, smallest first: the tensor degrees that so many heads allow."""
    return list(_divisors(int(np.ravel(value)[0])))


@lru_cache(maxsize=256)
def _divisors(number: int) -> tuple[int, ...]:
    small = [n for n in range(1, isqrt(max(number, 0)) + 1) if number % n == 0]
    return tuple(sorted({*small, *(number // n for n in small)}))


def rules(run: Run, d: Degrees) -> tuple[Rule, ...]:
    """Every rule of this layout; the reasons quote the first point's values."""
    return (
        *_sizes(run, d),
        *_experts(run, d),
        *_stages(run, d),
        *_schedule(run, d),
        *_sharding(run, d),
        *_heads(run, d),
        *_context(run, d),
        *_widths(run, d),
        *_adapters(run, d),
    )


def _sizes(run: Run, d: Degrees) -> Iterator[Rule]:
    """GPUs, batch and micro-batches."""
    split = run.layout
    gpus = d.used if run.cluster.gpus is None else run.cluster.gpus
    yield Rule(
        "gpus",
        np.asarray(d.used <= gpus),
        f"tensor {text(d.tp)} x context {text(d.cp)} x pipeline {d.pp} x data {text(d.dp)} = {text(d.used)} GPUs, "
        f"the cluster has {text(gpus)}",
    )
    if run.batch is None:
        return
    each = d.dp * split.micro_batch
    times, size = (float(np.ravel(x)[0]) for x in (d.micro_batches, each))
    near = sorted({f * size for f in (np.floor(times), np.ceil(times)) if f})
    yield Rule(
        "batch",
        np.asarray(divides(each, run.batch)),
        f"the batch of {text(run.batch)} sequences is not a whole number of micro-batches: data {text(d.dp)} x "
        f"micro_batch {text(split.micro_batch)} = {text(each)}, {text(d.micro_batches)} times; "
        f"the nearest {'are' if len(near) > 1 else 'is'} {' and '.join(text(column(n)) for n in near)}",
    )


def _experts(run: Run, d: Degrees) -> Iterator[Rule]:
    """Experts over their ranks: ep divides the experts, and ep etp the tp cp dp ranks of a stage."""
    experts = run.model.experts
    if experts is None:
        yield Rule("expert", np.asarray((d.ep == 1) & (d.etp == 1)), "expert parallelism needs a model with experts")
        return
    routed, ranks = experts.routed, d.tp * d.cp * d.dp
    yield Rule("experts", divides(d.ep, routed), f"{text(routed)} experts do not divide by expert {text(d.ep)}")
    reason = f"expert {text(d.ep)} x expert_tensor {text(d.etp)} does not divide the {text(ranks)} ranks of a stage"
    yield Rule("expert ranks", divides(d.ep * d.etp, ranks), reason)
    if experts.ffn is not None:
        reason = f"an expert's ffn of {text(experts.ffn)} does not divide by expert_tensor {text(d.etp)}"
        yield Rule("expert ffn", divides(d.etp, experts.ffn), reason)


def _stages(run: Run, d: Degrees) -> Iterator[Rule]:
    """Layers over stages and chunks."""
    layers, split, chunks = run.model.layers or 0, run.layout.split, d.pp * d.vp
    yield Rule(
        "chunks",
        np.asarray(ONE * chunks <= layers + (2 if split == "balanced" else 0)),
        f"pipeline {d.pp} x virtual_stages {d.vp} = {chunks} chunks for {layers} layers",
    )
    stated = run.layout.stages
    if stated is not None:
        yield Rule(
            "stages",
            np.asarray(ONE * (sum(stated) == layers and len(stated) == d.pp) == 1),
            f"stages list {sum(stated)} layers on {len(stated)} stages, the model has {layers} on {d.pp}",
        )
    refused = run.stack.refuses_uneven_stages or (run.stack.even_split_divides and split == "even" and stated is None)
    if refused:
        yield Rule(
            "even stages",
            np.asarray(ONE * (layers % chunks) == 0),
            f"{run.stack.name} needs {layers} layers to divide by pipeline x virtual_stages = {chunks}: "
            f"{layers / d.pp:.4g} a stage, {layers / chunks:.4g} a chunk; rounded down, "
            f"{layers // chunks * chunks} of {layers} layers would be built",
        )


def _schedule(run: Run, d: Degrees) -> Iterator[Rule]:
    """The schedule's own demands on pipeline stages and micro-batches, and the stack's on interleaving."""
    kind, m = run.layout.schedule.kind, d.micro_batches
    # a batch that does not divide is said above
    known = np.maximum(np.round(np.where(np.isnan(m), 2.0 * d.pp, m)), 1.0)
    said = f"schedule {kind} with pipeline {d.pp} and {text(m)} micro-batches: "
    for i, (holds, reason) in enumerate(SCHEDULES[kind].rules(d.pp, known, d.vp)):
        yield Rule(f"schedule {i}", holds, said + reason)
    if kind != "interleaved":
        return
    if run.stack.interleaved_micro_batches == "at_least_stages":
        reason = f"{run.stack.name} needs at least one micro-batch a stage, {d.pp} or more"
        yield Rule("micro-batch group", np.asarray(known >= d.pp), said + reason)
    if run.stack.interleaved_micro_batches == "whole_rounds":
        rounds = np.maximum(np.floor(known / d.pp), 1.0)
        reason = f"{run.stack.name} needs a multiple of the {text(rounds)} rounds"
        yield Rule("micro-batch rounds", divides(rounds, known), said + reason)


def _sharding(run: Run, d: Degrees) -> Iterator[Rule]:
    """Sharding of the states over data parallelism."""
    shard = run.layout.shard
    if shard.kind == "zero2":
        yield Rule(
            "zero2",
            np.asarray(ONE * d.pp == 1),
            "zero2 reduces gradients after every micro-batch and cannot run with pipeline stages; use zero1 or zero3",
        )
    if shard.kind != "zero3":
        return
    yield Rule(
        "shard group",
        divides(d.shard, d.dp * d.cp),
        f"{text(d.dp * d.cp)} data ranks do not split into equal shard groups of {text(d.shard)}; "
        "with placement = balanced the pods hold equal parts",
    )
    if not run.stack.zero3_with_pipeline:
        reason = f"{run.stack.name} refuses zero3 with pipeline stages; use zero1, or one stage"
        yield Rule("zero3 pipeline", np.asarray(ONE * d.pp == 1), reason)


def _heads(run: Run, d: Degrees) -> Iterator[Rule]:
    """Query and key/value heads over tensor ranks."""
    model = run.model
    if model.heads is None:
        return
    degrees = divisors(model.heads)
    reason = f"{text(model.heads)} heads do not divide by tensor {text(d.tp)}"
    yield Rule(
        "heads",
        divides(d.tp, model.heads),
        reason + (f"; tensor can be {_listed(degrees)}" if len(degrees) <= MANY else ""),
    )
    mixer = model.mixer
    if mixer is not None and mixer.heads is not None:
        reason = f"{text(mixer.heads)} heads of the mixer do not divide by tensor {text(d.tp)}"
        yield Rule("mixer heads", divides(d.tp, mixer.heads), reason)
    kv = model.kv_heads
    if kv is None or (model.attention is not None and model.attention.kind == "latent"):
        return
    fits, said = divides(d.tp, kv), f"{text(kv)} kv_heads do not divide by tensor {text(d.tp)}"
    if run.stack.replicates_kv_heads:
        yield Rule("kv heads", np.asarray(fits | divides(kv, d.tp)), said + ", nor tensor by them")
    else:
        yield Rule("kv heads", fits, f"{said}, and {run.stack.name} does not replicate them")


def _context(run: Run, d: Degrees) -> Iterator[Rule]:
    """The sequence over context and tensor ranks, and heads where all-to-all hands them out."""
    multiple = sequence_multiple(d)
    yield Rule(
        "sequence",
        divides(multiple, d.sequence) | np.isnan(d.sequence),
        f"a sequence of {text(d.sequence)} tokens does not split over context {text(d.cp)} and tensor {text(d.tp)}: "
        f"it must be a multiple of {text(multiple)}",
    )
    if run.layout.context_method != "all_to_all" or run.model.heads is None:
        return
    own = run.model.heads / d.tp
    reason = f"context_method = all_to_all: {text(own)} heads of a tensor rank do not divide by context {text(d.cp)}"
    yield Rule("context heads", divides(d.cp, own), reason)
    fits, said = divides(d.cp, d.kv_heads), f"context_method = all_to_all: {text(d.kv_heads)} kv_heads of a tensor rank"
    said += f" do not divide by context {text(d.cp)}"
    if run.stack.context_replicates_kv_heads:
        yield Rule("context kv heads", np.asarray(fits | divides(d.kv_heads, d.cp)), said)
    else:
        yield Rule("context kv heads", fits, f"{said}, and {run.stack.name} does not replicate them; use ring")


def _widths(run: Run, d: Degrees) -> Iterator[Rule]:
    """Matrices that tensor ranks cut: the MLP's and the vocabulary's."""
    model = run.model
    if model.ffn is not None and model.experts is None:
        yield Rule(
            "ffn", divides(d.tp, model.ffn), f"an ffn of {text(model.ffn)} does not divide by tensor {text(d.tp)}"
        )
    if model.vocabulary is None:
        return
    padded = padded_vocabulary(run)
    fits, step = divides(d.tp, padded), 128 * d.tp
    yield Rule(
        "vocabulary",
        fits,
        f"a vocabulary of {text(padded)} does not divide by tensor {text(d.tp)}, and {run.stack.name} does not pad it; "
        f"pad the model's to {text(np.ceil(padded / step) * step)}",
    )


def _adapters(run: Run, d: Degrees) -> Iterator[Rule]:
    """Low-rank adapters: names of matrices that there are."""
    if run.lora is None:
        return
    unknown = [t for t in lora.targets(run) if t not in lora.TARGETS]
    known = f"lora adapts {', '.join(lora.TARGETS)}"
    yield Rule("lora targets", np.asarray([not unknown]), f"{known}; there is no {', '.join(unknown)}")
    latent = run.model.attention is not None and run.model.attention.kind == "latent"
    low = [t for t in lora.targets(run) if t in lora.ATTENTION] if latent else []
    reason = f"{known}; {', '.join(low)} of a latent attention are low-rank already"
    yield Rule("lora attention", np.asarray([not low]), reason)
    yield Rule("lora parameters", lora.parameters(run) > 0, f"{known}; none of them is in a layer of this model")


def _listed(numbers: list[int]) -> str:
    """1, 2 or 4."""
    words = [str(n) for n in numbers]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

"""The layout: parallel degrees that follow from others, and whether a layout can be built at all.

Symbols: tp, cp, pp, dp tensor, context, pipeline, data degree; ep, etp expert and expert-tensor; b micro-batch;
B global batch; m = B/(dp b) micro-batches; T = b s/cp tokens of one micro-batch on one rank; D the group over which
dense states are sharded (dp cp, or less for HSDP), R = dp cp / D copies of it.
Source: Narayanan et al. 2021 section 3 (tensor, pipeline, data); Megatron-Core's definitions of context and expert
groups.
"""

from dataclasses import dataclass

import numpy as np

from engine.columns import ONE, Column, column
from engine.inputs import Run


@dataclass(frozen=True)
class Degrees:
    """Every degree of the layout, with those that follow from the rest. All columns except pp and vp."""

    tp: Column
    cp: Column
    pp: int
    vp: int
    dp: Column
    ep: Column
    etp: Column
    edp: Column
    used: Column  # GPUs that work
    idle: Column  # GPUs of the cluster that the layout leaves out
    micro_batches: Column
    tokens: Column  # T, of one micro-batch on one rank
    tokens_per_step: Column
    sequence: Column
    shard: Column  # D
    copies: Column  # R
    sequence_parallel: bool
    kv_heads: Column  # on one tensor rank, at least 1


def virtual_stages(run: Run) -> int:
    """Model chunks a rank holds: 1 unless the schedule is interleaved."""
    return (run.layout.schedule.virtual_stages or 2) if run.layout.schedule.kind == "interleaved" else 1


def data_parallel(run: Run) -> Column:
    """dp as stated, else what the GPUs leave: floor(GPUs / (tp cp pp)), at least 1; dp excludes cp."""
    split = run.layout
    if split.data is not None:
        return split.data
    gpus = ONE if run.cluster.gpus is None else run.cluster.gpus
    return np.maximum(np.floor(gpus / (split.tensor * split.context * split.pipeline)), 1.0)


def shard_group(run: Run, dp: Column, used: Column) -> Column:
    """D, ranks over which dense states are sharded.

    zero3(within = tier): the dp·cp ranks that one element of that tier holds; zero3(group = n gpus): of n GPUs.
    """
    split = run.layout
    ranks = dp * split.context
    if split.shard.kind != "zero3" or (split.shard.within == "all" and split.shard.group is None):
        return ranks
    inner = split.tensor * (split.pipeline if _inside(split.order, "pipeline", "data") else 1)
    if split.shard.group is not None:
        gpus = split.shard.group
    else:
        gpus = element_gpus(run, split.shard.within, used)
    return np.clip(np.floor(gpus / inner), 1.0, ranks)


def element_gpus(run: Run, tier: str, used: Column) -> Column:
    """GPUs of the job in one element of ``tier``: its span, or an equal part of it where placement is balanced."""
    spans = {t.name: t.span for t in run.cluster.tier}
    span = spans.get(tier)
    if span is None:
        return used
    if run.cluster.placement == "balanced":
        return used / np.ceil(used / span)
    return np.minimum(span, used)


def _inside(order: tuple[str, ...], inner: str, outer: str) -> bool:
    return order.index(inner) < order.index(outer)


def resolve(run: Run) -> Degrees:
    """All degrees of the layout. Without a batch ``accumulation`` gives the micro-batches, else they are unknown."""
    split = run.layout
    dp = data_parallel(run)
    used = split.tensor * split.context * split.pipeline * dp
    gpus = used if run.cluster.gpus is None else run.cluster.gpus
    sequence = run.sequence if run.sequence is not None else run.model.sequence
    if sequence is None:
        sequence = column(np.nan)
    if run.batch is not None:
        m = run.batch / (dp * split.micro_batch)
    elif run.accumulation is not None:
        m = run.accumulation
    else:
        m = column(np.nan)
    kv = run.model.kv_heads if run.model.kv_heads is not None else run.model.heads
    shard = shard_group(run, dp, used)
    wanted = run.stack.sequence_parallel if split.sequence_parallel is None else split.sequence_parallel
    return Degrees(
        tp=split.tensor,
        cp=split.context,
        pp=split.pipeline,
        vp=virtual_stages(run),
        dp=dp,
        ep=split.expert,
        etp=split.expert_tensor,
        edp=split.tensor * split.context * dp / (split.expert * split.expert_tensor),
        used=used,
        idle=gpus - used,
        micro_batches=m,
        tokens=split.micro_batch * sequence / split.context,
        tokens_per_step=m * dp * split.micro_batch * sequence,
        sequence=sequence,
        shard=shard,
        copies=dp * split.context / shard,
        sequence_parallel=wanted,
        kv_heads=np.maximum((ONE if kv is None else kv) / split.tensor, 1.0),
    )


def sequence_multiple(d: Degrees) -> Column:
    """What a sequence must be a multiple of: cp lcm(2, tp) with context parallelism (causal balance cuts 2 cp pieces),
    tp without; tp counts under sequence parallelism only.

    Source: padding rules of Megatron-Core and NeMo (NVIDIA-NeMo/RL#3563).
    """
    tensor = d.tp if d.sequence_parallel else ONE
    both = np.where(np.mod(tensor, 2) == 0, tensor, 2 * tensor)
    return np.asanyarray(np.where(d.cp > 1, d.cp * both, tensor))


def kv_replication(run: Run, d: Degrees) -> Column:
    """Tensor ranks that hold the same key/value head: tp/k where tp exceeds the k heads, else 1."""
    kv = run.model.kv_heads if run.model.kv_heads is not None else run.model.heads
    return np.maximum(d.tp / (d.tp if kv is None else kv), 1.0)

"""What other people's estimators print, under their own names: to hold our count against, never to plan with.

Symbols: L layers, h hidden, a, k query and key/value heads, d, dv head dimensions, V vocabulary, G 3 gated or 2 plain;
E experts, fe and fs inner size of one and of the shared one; rq, rk, dr ranks and rotary part of latent attention.
"""

from dataclasses import dataclass

import numpy as np

from engine.columns import ONE, ZERO, Column
from engine.dimensions import Shape, expert_ffn, given, shape
from engine.inputs import Run
from engine.layer_counts import Layer
from engine.layers import LayerKind, counted_kinds, layer_kinds
from engine.layout import Degrees
from engine.model_inputs import Model
from engine.models import count

FEW, SHARDED, ALL = 6.0, 12.0, 18.0  # bytes a parameter: weight and fp32 gradient, master and moments, together
ZERO_BUFFER = 1.5  # DeepSpeed's additional buffer factor of host memory


# Megatron-LM's theoretical memory usage


def megatron_parameters(model: Model) -> Column:
    """Parameters as Megatron-LM's theoretical memory script counts them: matrices, two norms a layer, embeddings.

    Sum of layers + V h (twice untied) + final norm. It leaves out biases, learned positions, norms on queries and keys,
    sinks and indexers, and takes every layer to have two norms of one kind. Source: Megatron-LM at d98e8a64; 133
    totals in tests/data/megatron_theoretical.csv.
    """
    dims = shape(model)
    result = dims.vocabulary * dims.hidden * (1.0 if model.tied else 2.0) + _one_norm(model, dims)
    for kind, layers in counted_kinds(model).items():
        attention, mlp, experts = _megatron_layer(model, dims, kind)
        result = result + layers * (attention + mlp + experts + 2.0 * _one_norm(model, dims))
    return result


def _one_norm(model: Model, dims: Shape) -> Column:
    return dims.hidden * (1.0 if model.norm == "rmsnorm" else 2.0)


def _megatron_layer(model: Model, dims: Shape, kind: LayerKind) -> tuple[Column, Column, Column]:
    """Matrices of a layer: attention, dense MLP with router and shared experts, routed experts."""
    attention, experts, h = model.attention, model.experts, dims.hidden
    matrices = 3.0 if model.gated else 2.0
    if attention is not None and attention.kind == "latent":
        rank, latent, rotary = (given(x, ZERO) for x in (attention.query_rank, attention.kv_rank, attention.rope_head))
        wide = dims.heads * dims.head
        query = np.where(rank > 0, rank * (h + wide + 1.0), h * wide)
        values = latent * (h + dims.heads * (dims.head - rotary + dims.value_head) + 1.0) + h * rotary
        own = query + values + dims.heads * dims.value_head * h
    else:
        own = 2.0 * h * dims.head * (dims.heads + dims.kv_heads)
    if not kind.experts or experts is None:
        inner = dims.ffn if experts is None else given(experts.dense_ffn, dims.ffn)
        return own, matrices * h * inner, ZERO
    inner = expert_ffn(model, experts)
    shared = given(experts.shared_ffn, experts.shared * inner)
    routed = experts.routed * matrices * h * inner
    return own, matrices * h * shared + experts.routed * h + h * experts.shared_gate, routed


def megatron_differences(model: Model) -> dict[str, Column]:
    """Our exact count minus Megatron's, by reason; the reasons add up to the whole difference.

    norms: a family with one or four norms a layer, or a LayerNorm without bias, where two are taken.
    """
    n, dims = count(model), shape(model)
    two = 2.0 * _one_norm(model, dims)

    def attended(x: Layer) -> Column:
        latent = model.attention is not None and model.attention.kind == "latent"
        return ZERO if latent else x.attention_norms

    return {
        "biases": n.over(lambda x: x.biases + x.expert_biases) + n.head_bias,
        "learned positions": n.positions,
        "norms on queries and keys": n.over(attended),
        "norms": n.over(lambda x: x.norms - two) + n.final_norm + n.embedding_norm - _one_norm(model, dims),
        "sinks": n.over(lambda x: x.sinks),
        "indexers": n.over(lambda x: x.index),
        "attention gates": n.over(lambda x: x.query + x.key_value + x.output) - _attention(model),
        "narrow embeddings": n.embedding + n.head + n.projections - _tables(model, dims),
    }


def _attention(model: Model) -> Column:
    """Megatron's attention matrices of all layers; latent norms are in ours too, and are taken out here."""
    dims, result = shape(model), ZERO
    for kind, layers in counted_kinds(model).items():
        own, _, _ = _megatron_layer(model, dims, kind)
        found = count(model).of(kind)
        latent = model.attention is not None and model.attention.kind == "latent"
        result = result + layers * (own - (found.attention_norms if latent else ZERO))
    return result


def _tables(model: Model, dims: Shape) -> Column:
    return dims.vocabulary * dims.hidden * (1.0 if model.tied else 2.0)


def megatron_states(run: Run, d: Degrees) -> Column:
    """Bytes of weights and optimizer on the most loaded rank as Megatron-LM's script prints them.

    (6 + 12/D) [dense layers/(tp pp) + embeddings/tp] + (6 + 12/edp) experts/(etp ep pp), 18 without a distributed
    optimizer; norms and routers are whole on every tensor rank. The embedding counts once with pipeline stages,
    twice in one stage untied.
    Source: NVIDIA/Megatron-LM#654, #4050 (experts over their own ranks).
    """
    model, dims = run.model, shape(run.model)
    dense, whole, experts = ZERO, _one_norm(model, dims), ZERO
    for kind, layers in counted_kinds(model).items():
        attention, mlp, routed = _megatron_layer(model, dims, kind)
        router = dims.hidden * (model.experts.routed if kind.experts and model.experts is not None else ZERO)
        dense = dense + layers * (attention + mlp - router)
        whole = whole + layers * (2.0 * _one_norm(model, dims) + router)
        experts = experts + layers * routed
    tables = dims.vocabulary * dims.hidden * (1.0 if model.tied or d.pp > 1 else 2.0)
    sharded = run.layout.shard.kind != "none"
    each = FEW + SHARDED / d.shard if sharded else ALL * ONE
    each_expert = FEW + SHARDED / d.edp if sharded else ALL * ONE
    return each * ((dense / d.pp + tables) / d.tp + whole / d.pp) + each_expert * experts / (d.etp * d.ep * d.pp)


def megatron_activations(run: Run, d: Degrees) -> Column:
    """Activation bytes of the first stage as Megatron-LM's script prints them, for sequence parallelism and selective
    recomputation: s b h L (18 + 4 f/h), embedding 8 s b p + s b h p, loss 4 s b h (1 + V/h) with one stage, all / tp.

    Interleaved stages multiply layers and embedding by 1 + (p-1)/(p v); fewer micro-batches than stages by m/p.
    Source: Megatron-LM, training/theoretical_memory_usage.py; Korthikanti et al. 2022.
    """
    model, dims = run.model, shape(run.model)
    rows, p, v = d.tokens * dims.hidden, float(d.pp), float(d.vp)
    layers = rows * float(len(layer_kinds(model))) * (18.0 + 4.0 * dims.ffn / dims.hidden)
    ends = 8.0 * d.tokens * p + rows * p
    flying = (1.0 + (p - 1.0) / (p * v)) if v > 1 else np.minimum(1.0, d.micro_batches / p)
    loss = 4.0 * rows * (1.0 + dims.vocabulary / dims.hidden) if d.pp == 1 else ZERO
    return ((layers + ends) * flying + loss) / d.tp


# DeepSpeed's ZeRO-3 estimator


@dataclass(frozen=True)
class ZeroEstimate:
    """Bytes of model states on one GPU and in the memory of one node's host."""

    gpu: Column
    host: Column


def deepspeed_zero3(
    parameters: Column, largest_layer: Column, gpus: Column, nodes: Column = ONE, offload: str = "none"
) -> ZeroEstimate:
    """DeepSpeed's ZeRO-3 estimate, model states only; ``offload`` is none, optimizer or all.

    GPU: 4 x largest layer + {18 P/n, 2 P/n, 0}; host: {4 x largest layer x GPUs of a node, 16 P/nodes, 18 P/nodes}
    x 1.5. No activations. Source: DeepSpeed's estimate_zero3_model_states_mem_needs; deepspeedai/DeepSpeed#4093.
    """
    gathered = 4.0 * largest_layer
    if offload == "all":
        return ZeroEstimate(gathered, ZERO_BUFFER * 18.0 * parameters / nodes)
    if offload == "optimizer":
        return ZeroEstimate(gathered + 2.0 * parameters / gpus, ZERO_BUFFER * 16.0 * parameters / nodes)
    return ZeroEstimate(gathered + 18.0 * parameters / gpus, ZERO_BUFFER * gathered * gpus / nodes)

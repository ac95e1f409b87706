"""Parameters of one rank, stage by stage: what it computes with and what it keeps the optimizer's states of.

Dense parameters are sharded over the data group (D ranks), experts over their own (edp ranks), so they are counted
apart. Symbols: tp, ep, etp degrees; k_r key/value heads of a rank, at least one; Vp padded vocabulary; P parameters of
a rank after tensor, expert and pipeline splitting, before sharding over data parallelism.
Source: Shoeybi et al. 2019 (tensor split), Rajbhandari et al. 2020 (sharding); counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from engine.columns import ZERO, Column
from engine.inputs import Run
from engine.layer_counts import Layer, norm
from engine.layers import LayerKind, counted_kinds, layer_kinds
from engine.layout import Degrees
from engine.models import Parameters, shape
from engine.operators import lora
from engine.operators.head import padded_vocabulary
from engine.stages import Stage


@dataclass(frozen=True)
class RankParameters:
    """Parameters on one tensor rank: dense and expert part of a layer of each kind, the embedding, the head."""

    kinds: tuple[LayerKind, ...]  # of every layer of the model
    dense: dict[LayerKind, Column]
    experts: dict[LayerKind, Column]
    embedding: Column
    head: Column
    prediction: Column  # dense part of all multi-token-prediction modules
    prediction_experts: Column
    modules: int
    adapters: dict[LayerKind, Column] = field(default_factory=dict)

    def stage(self, stage: Stage, tied: bool, pipeline: int) -> Column:
        """Dense P of a stage; a tied matrix stands on both ends of a pipeline, once where there is only one stage."""
        result = self._sum(self.dense, stage)
        if stage.first:
            result = result + self.embedding
        if stage.last and not (tied and pipeline == 1):
            result = result + self.head
        if stage.last and self.modules:
            copied = pipeline > 1 and not tied  # its embedding is a copy of the first stage's
            result = result + self.prediction + copied * self.embedding
        return result

    def stage_experts(self, stage: Stage) -> Column:
        """Expert P of a stage."""
        own = self.prediction_experts if stage.last else ZERO
        return self._sum(self.experts, stage) + own

    def stage_adapters(self, stage: Stage) -> Column:
        """P of the low-rank adapters of a stage."""
        return self._sum(self.adapters, stage)

    def _sum(self, by_kind: dict[LayerKind, Column], stage: Stage) -> Column:
        result = ZERO
        for kind, parameters in by_kind.items():
            result = result + stage.count(self.kinds, kind) * parameters
        return result

    @property
    def largest_layer(self) -> Column:
        """Dense parameters of the last kind of layer, the unit FSDP gathers."""
        return list(self.dense.values())[-1]


def dense_parameters(run: Run, layer: Layer, d: Degrees) -> Column:
    """Parameters of one layer on one tensor rank, routed experts left out.

    Matrices are split over tp; key/value heads are replicated where tp exceeds them; norms, the router and latent
    down-projections are not split.
    """
    dims, attention = shape(run.model), run.model.attention
    shared = layer.norms + layer.attention_norms + layer.router + layer.index + layer.sinks / d.tp
    split = layer.output + layer.mlp + layer.shared + layer.biases + layer.mixer + layer.mixer_vectors
    if not np.any(layer.query > 0):
        return split / d.tp + shared
    if attention is not None and attention.kind == "latent":
        known = [ZERO if x is None else x for x in (attention.query_rank, attention.kv_rank, attention.rope_head)]
        down = dims.hidden * (known[0] + known[1] + known[2])
        return (split + layer.query + layer.key_value - down) / d.tp + down + shared
    key_value = dims.hidden * d.kv_heads * (dims.head + dims.value_head)
    return (split + layer.query) / d.tp + key_value + shared


def rank_parameters(run: Run, n: Parameters, d: Degrees) -> RankParameters:
    """The parts of one tensor rank, with the padded vocabulary."""
    assert run.model.hidden is not None
    table = padded_vocabulary(run) * shape(run.model).embedding / d.tp
    kinds = layer_kinds(run.model)
    counted = {kind: n.of(kind) for kind in counted_kinds(run.model)}
    dense = {kind: dense_parameters(run, layer, d) for kind, layer in counted.items()}
    experts = {kind: (layer.experts + layer.expert_biases) / (d.ep * d.etp) for kind, layer in counted.items()}
    modules, h = run.model.mtp, run.model.hidden
    joined = 2.0 * h**2 / d.tp + 3.0 * norm(run.model, h)
    return RankParameters(
        kinds=kinds,
        dense=dense,
        experts=experts,
        prediction=modules * (dense[kinds[-1]] + joined),
        prediction_experts=modules * experts[kinds[-1]],
        modules=modules,
        embedding=table + n.projections / 2 + n.positions + n.embedding_norm,
        head=table + n.projections / 2 + n.head_bias / d.tp + n.final_norm + ZERO,
        adapters={} if run.lora is None else {kind: lora.rank_parameters(run, kind, d) for kind in counted},
    )


def gradient_bytes(run: Run) -> Column:
    """Bytes of a gradient while it is summed: the run's, else the stack's, which may have its own under fp16."""
    if run.states.gradients is not None:
        return run.states.gradients
    narrow = run.stack.fp16_gradient_bytes if run.precision == "fp16" else None
    return run.stack.gradient_bytes if narrow is None else narrow


def shard_bytes(run: Run) -> Column:
    """Bytes of the optimizer per parameter of its shard: master copy, moments, what a step of fp16 makes anew."""
    anew = run.stack.fp16_shard_bytes if run.precision == "fp16" else ZERO
    return run.states.master + run.states.moments + anew


def weight_bytes(run: Run) -> Column:
    """Bytes of a weight that a rank holds: the run's, or 8 bits under fp8 where the stack keeps no other copy.

    A GPU whose fp8 GEMMs read one layout only (Hopper) keeps the transposed copy as well; one with an fp4 peak reads
    both. Source: MLPerf 405B on H200 and GB200 at the same layout.
    """
    if run.precision == "bf16":
        return run.states.weights + run.stack.unflattened_bytes
    if run.precision != "fp8" or not run.stack.eight_bit_weights:
        return run.states.weights
    return np.minimum(run.states.weights, 1.0 if run.gpu.peak.fp4 is not None else 2.0)


def accumulated_bytes(run: Run) -> Column:
    """Bytes per parameter that a weight-gradient GEMM moves: the stack's, else the gradient read and written.

    Megatron adds in place into fp32 (8), FSDP writes a 16-bit gradient (2), DeepSpeed writes one and adds it (8).
    """
    own = run.stack.accumulate_bytes
    return own if own is not None else 2 * gradient_bytes(run)


def reduce_bytes(run: Run) -> Column:
    """Bytes of a gradient in the reduction (a_g): bf16 where the run keeps bf16 gradients, else the stack's."""
    return run.states.gradients if run.states.gradients is not None else run.stack.reduce_bytes


def largest(parts: Sequence[Column]) -> Column:
    """The largest of some columns, row by row."""
    return np.asanyarray(reduce(np.maximum, parts))


def first_largest(parts: Sequence[Column]) -> Column:
    """Which of some columns is the largest, row by row; the first of those that are."""
    best, index = parts[0], np.zeros_like(parts[0])
    for i, own in enumerate(parts[1:], start=1):
        index = np.where(own > best, float(i), index)
        best = np.maximum(best, own)
    return np.asarray(index)

"""Parameters of one rank, stage by stage: what it computes with and what it keeps the optimizer's states of.

Symbols: tp tensor degree; k_r key/value heads of a rank, at least one; Vp padded vocabulary; P parameters of a rank
after tensor and pipeline splitting, before sharding over data parallelism.
"""

from dataclasses import dataclass

from engine.columns import ZERO, Column
from engine.inputs import Run
from engine.layout import Degrees
from engine.models import Layer, Parameters, shape
from engine.operators.head import padded_vocabulary
from engine.stages import Stage


@dataclass(frozen=True)
class RankParameters:
    """Parameters on one tensor rank: of one layer, of the embedding and of the head."""

    layer: Column
    embedding: Column
    head: Column

    def stage(self, stage: Stage, tied: bool, pipeline: int) -> Column:
        """P of a stage; a tied matrix stands on both ends of a pipeline, once where there is only one stage."""
        result = stage.layers * self.layer
        if stage.first:
            result = result + self.embedding
        if stage.last and not (tied and pipeline == 1):
            result = result + self.head
        return result


def layer_parameters(run: Run, layer: Layer, d: Degrees) -> Column:
    """Parameters of one dense layer on one tensor rank.

    Matrices are split over tp (key/value heads are replicated where tp exceeds them, ruling 6), norms are not.
    """
    dims = shape(run.model)
    key_value = dims.hidden * d.kv_heads * (dims.head + dims.value_head)
    return (
        (layer.query + layer.output + layer.mlp + layer.biases) / d.tp + key_value + layer.norms + layer.attention_norms
    )


def rank_parameters(run: Run, n: Parameters, d: Degrees) -> RankParameters:
    """The parts of one tensor rank, with the padded vocabulary (ruling 7)."""
    assert run.model.hidden is not None
    table = padded_vocabulary(run) * run.model.hidden / d.tp
    return RankParameters(
        layer=layer_parameters(run, n.dense, d),
        embedding=table + n.positions + n.embedding_norm,
        head=table + n.head_bias / d.tp + n.final_norm + ZERO,
    )


def gradient_bytes(run: Run) -> Column:
    """Bytes of a gradient while it is summed: the run's, else the stack's."""
    return run.states.gradients if run.states.gradients is not None else run.stack.gradient_bytes


def reduce_bytes(run: Run) -> Column:
    """Bytes of a gradient in the reduction (a_g): bf16 where the run keeps bf16 gradients, else the stack's."""
    return run.states.gradients if run.states.gradients is not None else run.stack.reduce_bytes

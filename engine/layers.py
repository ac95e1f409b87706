"""Which kind every layer is: full or windowed attention, a dense MLP or experts.

Layers of one kind do the same work, so a model is priced once per kind and summed by counts.
"""

from dataclasses import dataclass

from engine.inputs import Model
from engine.models import Layer, Parameters


@dataclass(frozen=True)
class LayerKind:
    """What tells the work of one layer from that of another."""

    windowed: bool
    experts: bool

    @property
    def name(self) -> str:
        parts = ("window" if self.windowed else "full", "experts" if self.experts else "dense")
        return " ".join(parts)


def is_windowed(model: Model, index: int) -> bool:
    """Sliding attention everywhere but in the last of every so many layers."""
    attention = model.attention
    if attention is None or attention.kind != "sliding":
        return False
    return attention.every is None or (index + 1) % attention.every != 0


def has_experts(model: Model, index: int) -> bool:
    """Experts in the last of every so many layers after the first dense ones."""
    experts = model.experts
    if experts is None or index < experts.dense_layers:
        return False
    return (index - experts.dense_layers + 1) % experts.every == 0


def layer_kinds(model: Model) -> tuple[LayerKind, ...]:
    """The kind of every layer, in the order of the model."""
    return tuple(LayerKind(is_windowed(model, i), has_experts(model, i)) for i in range(model.layers or 0))


def parameters_of(kind: LayerKind, n: Parameters) -> Layer:
    """The counted parts of a layer of this kind."""
    return n.expert if kind.experts else n.dense

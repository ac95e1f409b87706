"""Which kind every layer is: what mixes its tokens (attention, full or windowed, or a scan), a dense MLP or experts.

Layers of one kind do the same work, so a model is priced once per kind and summed by counts.
"""

from dataclasses import dataclass

from engine.model_inputs import Model
from engine.once import once

ALONE = {"M": ("mixer", ""), "*": ("attention", ""), "-": ("", "dense"), "E": ("", "experts")}
WINDOWED = ("sliding", "chunked")


@dataclass(frozen=True)
class LayerKind:
    """What tells the work of one layer from that of another."""

    windowed: bool
    experts: bool
    first: str = "attention"  # attention | mixer | "" (a layer that is an MLP or experts alone)
    second: bool = True  # an MLP or experts after it

    @property
    def name(self) -> str:
        """The kind in words: "full dense", "mixer experts", "mixer"."""
        first = {"attention": "window" if self.windowed else "full", "mixer": "mixer", "": ""}[self.first]
        second = ("experts" if self.experts else "dense") if self.second else ""
        return " ".join(part for part in (first, second) if part)


def is_windowed(model: Model, index: int) -> bool:
    """Sliding or chunked attention everywhere but in the last of every so many layers."""
    attention = model.attention
    if attention is None or attention.kind not in WINDOWED:
        return False
    return attention.every is None or (index + 1) % attention.every != 0


def has_experts(model: Model, index: int) -> bool:
    """Experts in the last of every so many layers after the first dense ones."""
    experts = model.experts
    if experts is None or index < experts.dense_layers:
        return False
    return (index - experts.dense_layers + 1) % experts.every == 0


def attends(model: Model, index: int) -> bool:
    """Attention everywhere without mixers; with them in the layer at the offset of every so many (the last one)."""
    mixer = model.mixer
    if mixer is None:
        return True
    if mixer.every is None:
        return False
    offset = mixer.every - 1 if mixer.offset is None else mixer.offset
    return index % mixer.every == offset


def layer_kind(model: Model, index: int) -> LayerKind:
    """The kind of one layer. A pattern's letters are layers of one block each, and repeat."""
    pattern = model.mixer.pattern if model.mixer is not None else None
    if pattern:
        first, second = ALONE[pattern[index % len(pattern)]]
        return LayerKind(first == "attention" and is_windowed(model, index), second == "experts", first, bool(second))
    if attends(model, index):
        return LayerKind(is_windowed(model, index), has_experts(model, index))
    return LayerKind(False, has_experts(model, index), "mixer")


@once
def layer_kinds(model: Model) -> tuple[LayerKind, ...]:
    """The kind of every layer, in the order of the model."""
    return tuple(layer_kind(model, i) for i in range(model.layers or 0))


@once
def counted_kinds(model: Model) -> dict[LayerKind, int]:
    """How many layers there are of each kind, kinds in the order of their first layer."""
    counts: dict[LayerKind, int] = {}
    for kind in layer_kinds(model):
        counts[kind] = counts.get(kind, 0) + 1
    return counts

"""Exact parameter counts of a transformer, from its dimensions; those of one layer are in engine/layer_counts.py.

Symbols
  L  layers    h  hidden size    V  vocabulary, not padded    w  width of the embedding, h unless stated

Counts are whole numbers held in float64, exact below 2^53. A count names its scope: ``total`` and ``active``
leave out multi-token-prediction modules (``mtp``), buffers and vision towers; a tied matrix counts once.
Source: matrices of the published model code, counted; held against published totals (tests/data/oracle.json).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.columns import ZERO, Column, column
from engine.dimensions import Shape, expert_ffn, given, missing_dimensions, shape
from engine.layer_counts import Layer, dense_layer, expert_layer, layer, norm
from engine.layers import LayerKind, counted_kinds, is_windowed, layer_kinds
from engine.model_inputs import Model
from engine.once import once

__all__ = [
    "Counted",
    "Layer",
    "Parameters",
    "Shape",
    "count",
    "dense_layer",
    "expert_ffn",
    "expert_layer",
    "full_attention_layers",
    "missing_dimensions",
    "shape",
]


@dataclass(frozen=True)
class Counted:
    """Layers of one kind: the parameters of one of them, and how many there are."""

    kind: LayerKind
    layer: Layer
    layers: int


@dataclass(frozen=True)
class Parameters:
    """Parameter counts of a model; ``stated`` is the whole count where no dimensions are given, else 0.

    head is 0 where it is tied to the embedding; head_matmul is V w either way, since it multiplies once.
    """

    kinds: tuple[Counted, ...]
    embedding: Column
    head: Column
    head_bias: Column
    projections: Column  # between an embedding of another width and the layers
    positions: Column
    embedding_norm: Column
    final_norm: Column
    mtp: Column
    stated: Column
    head_matmul: Column

    def over(self, part: Callable[[Layer], Column]) -> Column:
        """A part of every layer, summed over all layers."""
        result = ZERO
        for found in self.kinds:
            result = result + found.layers * part(found.layer)
        return result

    def of(self, kind: LayerKind) -> Layer:
        """The counted parts of a layer of this kind."""
        return next(found.layer for found in self.kinds if found.kind == kind)

    @property
    def expert_layers(self) -> int:
        """Layers with experts."""
        return sum(found.layers for found in self.kinds if found.kind.experts)

    @property
    def dense_layers(self) -> int:
        """Layers without."""
        return sum(found.layers for found in self.kinds if not found.kind.experts)

    @property
    def outside(self) -> Column:
        """Parameters outside the layers: embedding, head, positions, their projections and norms."""
        tables = self.embedding + self.head + self.head_bias + self.projections + self.positions
        return tables + self.embedding_norm + self.final_norm

    @property
    def total(self) -> Column:
        """All trained parameters, each once, without multi-token prediction."""
        return self.stated + self.outside + self.over(lambda x: x.total)

    @property
    def active(self) -> Column:
        """Parameters one token uses, both embeddings included (the all-in convention)."""
        return self.stated + self.outside + self.over(lambda x: x.active)

    @property
    def matmul(self) -> Column:
        """Active parameters without lookup tables (untied input embedding, positions): ``parameters_matmul``."""
        tied = self.head == 0.0
        return self.active - self.positions - np.where(tied, 0.0, self.embedding)

    @property
    def with_mtp(self) -> Column:
        """All trained parameters, multi-token-prediction modules included."""
        return self.total + self.mtp

    @property
    def norms(self) -> Column:
        """All norm gains and biases, those on queries, keys and latents included."""
        return self.over(lambda x: x.norms + x.attention_norms) + self.embedding_norm + self.final_norm


@once
def count(model: Model) -> Parameters:
    """Parameters of the model, part by part, to the last one.

    N = sum of layers by kind (engine/layer_counts.py) + V w (twice when untied) + positions·h + norms. Where dimensions
    are missing (``missing_dimensions``) the stated count is all there is. A multi-token-prediction module is one layer
    of the last kind, a projection of 2 h to h, and three norms.
    Source: the published totals in tests/data/oracle.json.
    """
    if missing_dimensions(model):
        return _stated(model)
    dims = shape(model)
    one, table = norm(model, dims.hidden), dims.vocabulary * dims.embedding
    kinds = tuple(Counted(kind, layer(model, kind), n) for kind, n in counted_kinds(model).items())
    last = layer(model, layer_kinds(model)[-1])
    return Parameters(
        kinds=kinds,
        embedding=table,
        head=ZERO * table if model.tied else table,
        head_bias=dims.vocabulary * model.bias.head,
        projections=np.where(dims.embedding == dims.hidden, 0.0, 2.0 * dims.embedding * dims.hidden),
        positions=model.positions * dims.hidden,
        embedding_norm=one * model.embedding_norm,
        final_norm=one * model.final_norm,
        mtp=model.mtp * (last.total + 2.0 * dims.hidden**2 + 3.0 * one),
        stated=ZERO * table,
        head_matmul=table,
    )


def full_attention_layers(model: Model) -> int:
    """Layers whose queries see every earlier key: all that attend, without those that slide or are chunked."""
    kinds = layer_kinds(model)
    return sum(k.first == "attention" and not is_windowed(model, i) for i, k in enumerate(kinds))


def _stated(model: Model) -> Parameters:
    """A count that is stated and not taken apart."""
    n = given(model.parameters, column(np.nan))
    none = ZERO * n
    return Parameters((), none, none, none, none, none, none, none, none, n, none)

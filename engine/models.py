"""Exact parameter counts of a transformer, from its dimensions.

Symbols
  L  layers                     a   query heads            E   routed experts
  h  hidden size                k   key/value heads        K   experts a token uses
  f  inner size of an MLP       d   head dimension (q, k)  fe  inner size of one expert
  V  vocabulary, not padded     dv  head dimension (v)     fs  inner size of the shared expert
  G  matrices of an MLP: 3 gated, 2 plain
  rq, rk, dr  latent attention: ranks of the query and key/value projections, rotary part of d

Counts are whole numbers held in float64, exact below 2^53. A count names its scope: ``total`` and ``active``
leave out multi-token-prediction modules (``mtp``), buffers and vision towers; a tied matrix counts once.
"""

from dataclasses import dataclass, fields

import numpy as np

from engine.columns import ONE, ZERO, Column, column
from engine.inputs import Attention, Experts, Model

NORM_VECTORS = {"rmsnorm": 1.0, "layernorm": 2.0, "layernorm_no_bias": 1.0, "none": 0.0}


@dataclass(frozen=True)
class Shape:
    """The dimensions of a model with every default filled in; ``head`` is d, rotary part included."""

    hidden: Column
    ffn: Column
    heads: Column
    kv_heads: Column
    head: Column
    value_head: Column
    vocabulary: Column


@dataclass(frozen=True)
class Layer:
    """Parameters of one layer, part by part.

    query to shared are matrices, which multiply; biases, norms, attention_norms and sinks are vectors.
    ``experts`` and ``expert_biases`` hold all E routed experts, ``active_share`` is K/E.
    """

    query: Column
    key_value: Column
    output: Column
    mlp: Column
    router: Column
    experts: Column
    shared: Column
    biases: Column
    expert_biases: Column
    norms: Column
    attention_norms: Column
    sinks: Column
    active_share: Column

    @property
    def attention(self) -> Column:
        """Matrices of the attention block."""
        return self.query + self.key_value + self.output

    @property
    def matmul(self) -> Column:
        """Matrix elements one token multiplies: attention + MLP + router + shared + (K/E) experts."""
        return self.attention + self.mlp + self.router + self.shared + self.experts * self.active_share

    @property
    def vectors(self) -> Column:
        """Parameters that multiply nothing, routed experts' biases left out."""
        return self.biases + self.norms + self.attention_norms + self.sinks

    @property
    def total(self) -> Column:
        return self.attention + self.mlp + self.router + self.shared + self.vectors + self.experts + self.expert_biases

    @property
    def active(self) -> Column:
        """Parameters one token uses."""
        return self.matmul + self.vectors + self.expert_biases * self.active_share


@dataclass(frozen=True)
class Parameters:
    """Parameter counts of a model; ``stated`` is the whole count where no dimensions are given, else 0.

    head is 0 where it is tied to the embedding; head_matmul is V h either way, since it multiplies once.
    """

    dense: Layer
    expert: Layer
    dense_layers: int
    expert_layers: int
    embedding: Column
    head: Column
    head_bias: Column
    positions: Column
    embedding_norm: Column
    final_norm: Column
    mtp: Column
    stated: Column
    head_matmul: Column

    @property
    def outside(self) -> Column:
        """Parameters outside the layers: embedding, head, positions and their norms."""
        return self.embedding + self.head + self.head_bias + self.positions + self.embedding_norm + self.final_norm

    @property
    def total(self) -> Column:
        """All trained parameters, each once, without multi-token prediction."""
        layers = self.dense_layers * self.dense.total + self.expert_layers * self.expert.total
        return self.stated + self.outside + layers

    @property
    def active(self) -> Column:
        """Parameters one token uses, both embeddings included (the all-in convention)."""
        layers = self.dense_layers * self.dense.active + self.expert_layers * self.expert.active
        return self.stated + self.outside + layers

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
        dense = self.dense_layers * (self.dense.norms + self.dense.attention_norms)
        expert = self.expert_layers * (self.expert.norms + self.expert.attention_norms)
        return dense + expert + self.embedding_norm + self.final_norm


def missing_dimensions(model: Model) -> tuple[str, ...]:
    """Settings an exact count lacks ("model.ffn" …); empty when ``count`` can work from dimensions."""
    attention, experts = model.attention, model.experts
    needed = {"layers": model.layers, "hidden": model.hidden, "vocabulary": model.vocabulary}
    needed["heads"] = model.heads if model.heads is not None or attention is None else attention.heads
    inner = [model.ffn] if experts is None else [model.ffn, experts.ffn]
    needed["ffn"] = next((f for f in inner if f is not None), None)
    return tuple(f"model.{name}" for name, value in needed.items() if value is None)


def shape(model: Model) -> Shape:
    """The model's dimensions with defaults: k = a, d = h/a, dv = d; latent attention adds the rotary part to d."""
    attention = model.attention
    hidden, heads = _given(model.hidden), _given(model.heads, attention.heads if attention else None)
    plain = _given(attention.head if attention else None, model.head, hidden / heads)
    value = _given(attention.value_head if attention else None, plain)
    rotary = attention.rope_head if attention and attention.kind == "latent" else None
    return Shape(
        hidden=hidden,
        ffn=_given(model.ffn, ZERO),
        heads=heads,
        kv_heads=_given(model.kv_heads, heads),
        head=plain + _given(rotary, ZERO),
        value_head=value,
        vocabulary=_given(model.vocabulary),
    )


def count(model: Model) -> Parameters:
    """Parameters of the model, part by part, to the last one.

    N = L_dense·dense + L_expert·expert + V h (twice when untied) + positions·h + norms, each layer as
    ``dense_layer`` and ``expert_layer`` count it. Where dimensions are missing (``missing_dimensions``)
    the stated count is all there is. Source: the published totals in tests/data/oracle.json.
    """
    if missing_dimensions(model):
        return _stated(model)
    dims, experts = shape(model), model.experts
    norm, layers = _norm(model, dims.hidden), model.layers or 0
    sparse = expert_layers(model)
    table = dims.vocabulary * dims.hidden
    last = dense_layer(model) if experts is None else expert_layer(model, experts)
    return Parameters(
        dense=dense_layer(model),
        expert=_empty() if experts is None else expert_layer(model, experts),
        dense_layers=layers - sparse,
        expert_layers=sparse,
        embedding=table,
        head=ZERO * table if model.tied else table,
        head_bias=dims.vocabulary * model.bias.head,
        positions=model.positions * dims.hidden,
        embedding_norm=norm * model.embedding_norm,
        final_norm=norm * model.final_norm,
        mtp=model.mtp * (last.total + 2.0 * dims.hidden**2 + 3.0 * norm),
        stated=ZERO * table,
        head_matmul=table,
    )


def expert_layers(model: Model) -> int:
    """Layers with experts: (L - first dense layers) // every; 0 for a dense model."""
    experts = model.experts
    return 0 if experts is None else ((model.layers or 0) - experts.dense_layers) // experts.every


def full_attention_layers(model: Model) -> int:
    """Layers whose queries see every earlier key: L, or with sliding attention one in every so many."""
    attention, layers = model.attention, model.layers or 0
    if attention is None or attention.kind != "sliding":
        return layers
    return layers // attention.every if attention.every else 0


def dense_layer(model: Model) -> Layer:
    """A layer with a plain MLP: attention + G h f, biases (G-1) f + h, and its norms."""
    dims, experts = shape(model), model.experts
    inner = dims.ffn if experts is None else _given(experts.dense_ffn, dims.ffn)
    return _layer(model, dims, mlp=_mlp(model, dims, inner), bias=_mlp_bias(model, dims, inner) * model.bias.mlp)


def expert_layer(model: Model, experts: Experts) -> Layer:
    """A layer with experts: attention + E·G h fe + router E h + shared G h fs (+ its gate h), and norms."""
    dims = shape(model)
    inner = expert_ffn(model, experts)
    shared = _given(experts.shared_ffn, experts.shared * inner)
    return _layer(
        model,
        dims,
        router=experts.routed * dims.hidden,
        experts=experts.routed * _mlp(model, dims, inner),
        shared=_mlp(model, dims, shared) + dims.hidden * experts.shared_gate,
        bias=experts.routed * experts.router_bias,
        expert_bias=experts.routed * _mlp_bias(model, dims, inner) * experts.bias,
        active_share=experts.active / experts.routed,
    )


def expert_ffn(model: Model, experts: Experts) -> Column:
    """Inner size of one routed expert: stated, or the model's f over the granularity."""
    return experts.ffn if experts.ffn is not None else _given(model.ffn) / _given(experts.granularity, ONE)


def _layer(
    model: Model,
    dims: Shape,
    mlp: Column = ZERO,
    router: Column = ZERO,
    experts: Column = ZERO,
    shared: Column = ZERO,
    bias: Column = ZERO,
    expert_bias: Column = ZERO,
    active_share: Column = ZERO,
) -> Layer:
    """A layer from the parts of its MLP and the attention of its kind."""
    attention = model.attention
    latent = attention is not None and attention.kind == "latent"
    query, key_value, rows, norms = _latent(dims, attention) if latent and attention else _plain(model, dims)
    return Layer(
        query=query,
        key_value=key_value,
        output=dims.heads * dims.value_head * dims.hidden,
        mlp=mlp,
        router=router,
        experts=experts,
        shared=shared,
        biases=bias + rows * model.bias.qkv + dims.hidden * model.bias.out,
        expert_biases=expert_bias,
        norms=model.norms_per_layer * _norm(model, dims.hidden),
        attention_norms=norms,
        sinks=dims.heads * model.sinks,
        active_share=active_share,
    )


def _plain(model: Model, dims: Shape) -> tuple[Column, Column, Column, Column]:
    """Query h a d, key and value h k (d + dv), rows a bias would have, and the norms on queries and keys."""
    query = dims.heads * dims.head
    key_value = dims.kv_heads * (dims.head + dims.value_head)
    norms = {"none": ZERO, "per_head": 2.0 * dims.head, "full": (dims.heads + dims.kv_heads) * dims.head}
    return dims.hidden * query, dims.hidden * key_value, query + key_value, norms[model.qk_norm]


def _latent(dims: Shape, attention: Attention) -> tuple[Column, Column, Column, Column]:
    """Query h rq + rq a d (h a d when rq = 0), key/value h (rk + dr) + rk a (d - dr + dv), norms rq + rk.

    A bias, where there is one, sits on the two down-projections.
    """
    rank, latent = _given(attention.query_rank, ZERO), _given(attention.kv_rank, ZERO)
    rotary = _given(attention.rope_head, ZERO)
    wide = dims.heads * dims.head
    query = np.where(rank > 0.0, rank * (dims.hidden + wide), dims.hidden * wide)
    up = latent * dims.heads * (dims.head - rotary + dims.value_head)
    return query, dims.hidden * (latent + rotary) + up, rank + latent + rotary, rank + latent


def _mlp(model: Model, dims: Shape, inner: Column) -> Column:
    return (3.0 if model.gated else 2.0) * dims.hidden * inner


def _mlp_bias(model: Model, dims: Shape, inner: Column) -> Column:
    return (2.0 if model.gated else 1.0) * inner + dims.hidden


def _norm(model: Model, hidden: Column) -> Column:
    """Parameters of one norm: the gain, and for layernorm the bias."""
    return NORM_VECTORS[model.norm] * hidden


def _given(*options: Column | None) -> Column:
    """The first option that is given; the caller has made sure there is one."""
    return next(o for o in options if o is not None)


def _empty() -> Layer:
    return Layer(*(ZERO for _ in fields(Layer)))


def _stated(model: Model) -> Parameters:
    """A count that is stated and not taken apart."""
    n = _given(model.parameters, column(np.nan))
    none = ZERO * n
    return Parameters(_empty(), _empty(), 0, 0, none, none, none, none, none, none, none, n, none)

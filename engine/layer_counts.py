"""Exact parameter counts of one layer, part by part.

Symbols
  h  hidden size                a   query heads            E   routed experts
  f  inner size of an MLP       k   key/value heads        K   experts a token uses
  d  head dimension (q, k)      dv  head dimension (v)     fe  inner size of one expert
  rq, rk, dr  latent attention: ranks of the query and key/value projection, rotary part of d
  G  matrices of an MLP: 3 gated, 2 plain                  fs  inner size of the shared expert
  I, D  heads and head dimension of an indexer that picks keys
Source: matrices of the published model code, counted; held against published totals (tests/data/oracle.json).
"""

from dataclasses import dataclass, fields, replace

import numpy as np

from engine.columns import ZERO, Column
from engine.dimensions import Shape, expert_ffn, given, shape
from engine.layers import LayerKind
from engine.mixers import mixer_parameters
from engine.model_inputs import Attention, Experts, Model

NORM_VECTORS = {"rmsnorm": 1.0, "layernorm": 2.0, "layernorm_no_bias": 1.0, "none": 0.0}


@dataclass(frozen=True)
class Layer:
    """Parameters of one layer, part by part.

    query to shared, and mixer, are matrices, which multiply; biases, norms, attention_norms, sinks and mixer_vectors
    are vectors. ``experts`` and ``expert_biases`` hold all E routed experts, ``active_share`` is K/E.
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
    index: Column  # matrices of an indexer
    mixer: Column
    mixer_vectors: Column

    @property
    def attention(self) -> Column:
        """Matrices of the attention block."""
        return self.query + self.key_value + self.output + self.index

    @property
    def matmul(self) -> Column:
        """Matrix elements one token multiplies: attention + mixer + MLP + router + shared + (K/E) experts."""
        own = self.attention + self.mixer + self.mlp + self.router + self.shared
        return own + self.experts * self.active_share

    @property
    def vectors(self) -> Column:
        """Parameters that multiply nothing, routed experts' biases left out."""
        return self.biases + self.norms + self.attention_norms + self.sinks + self.mixer_vectors

    @property
    def total(self) -> Column:
        """All parameters of the layer."""
        own = self.attention + self.mixer + self.mlp + self.router + self.shared
        return own + self.vectors + self.experts + self.expert_biases

    @property
    def active(self) -> Column:
        """Parameters one token uses."""
        return self.matmul + self.vectors + self.expert_biases * self.active_share


def layer(model: Model, kind: LayerKind) -> Layer:
    """A layer of one kind: what mixes its tokens, what follows it, and its norms."""
    found = replace(_empty(), norms=model.norms_per_layer * norm(model, shape(model).hidden))
    if kind.first == "attention":
        found = _attention(model, found)
    elif kind.first == "mixer" and model.mixer is not None:
        matrices, vectors = mixer_parameters(model.mixer, shape(model).hidden)
        found = replace(found, mixer=matrices, mixer_vectors=vectors)
    if not kind.second:
        return found
    return _experts(model, model.experts, found) if kind.experts and model.experts is not None else _dense(model, found)


def dense_layer(model: Model) -> Layer:
    """A layer with attention and a plain MLP: attention + G h f, biases (G-1) f + h, and its norms."""
    return layer(model, LayerKind(False, False))


def expert_layer(model: Model) -> Layer:
    """A layer with attention and experts: attention + E·G h fe + router E h + shared G h fs (+ its gate h), norms."""
    return layer(model, LayerKind(False, True))


def norm(model: Model, width: Column) -> Column:
    """Parameters of one norm: the gain, and for layernorm the bias."""
    return NORM_VECTORS[model.norm] * width


def _dense(model: Model, found: Layer) -> Layer:
    """With a plain MLP, of the first dense layers' size where the model has experts."""
    dims = shape(model)
    inner = dims.ffn if model.experts is None else given(model.experts.dense_ffn, dims.ffn)
    biases = found.biases + _mlp_bias(model, dims, inner) * model.bias.mlp
    return replace(found, mlp=_mlp(model, dims, inner), biases=biases)


def _experts(model: Model, experts: Experts, found: Layer) -> Layer:
    """With routed and shared experts and their router."""
    dims, inner = shape(model), expert_ffn(model, experts)
    shared = given(experts.shared_ffn, experts.shared * inner)
    return replace(
        found,
        router=experts.routed * dims.hidden,
        experts=experts.routed * _mlp(model, dims, inner),
        shared=_mlp(model, dims, shared) + dims.hidden * experts.shared_gate,
        biases=found.biases + experts.routed * experts.router_bias,
        expert_biases=experts.routed * _mlp_bias(model, dims, inner) * experts.bias,
        active_share=experts.active / experts.routed,
    )


def _attention(model: Model, found: Layer) -> Layer:
    """With an attention block of the model's kind."""
    dims, attention = shape(model), model.attention
    latent = attention is not None and attention.kind == "latent"
    query, key_value, rows, norms = _latent(dims, attention) if latent and attention else _plain(model, dims)
    index, index_norm = index_parameters(dims, attention) if attention else (ZERO, ZERO)
    return replace(
        found,
        query=query,
        key_value=key_value,
        output=dims.heads * dims.value_head * dims.hidden,
        index=index,
        biases=rows * model.bias.qkv + dims.hidden * model.bias.out,
        attention_norms=norms + index_norm,
        sinks=dims.heads * model.sinks,
    )


def _plain(model: Model, dims: Shape) -> tuple[Column, Column, Column, Column]:
    """Query h a d (twice with an output gate), key and value h k (d + dv), rows a bias would have, and the norms on
    queries and keys."""
    gate = 2.0 if model.attention is not None and model.attention.gate else 1.0
    query = dims.heads * dims.head * gate
    key_value = dims.kv_heads * (dims.head + dims.value_head)
    norms = {"none": ZERO, "per_head": 2.0 * dims.head, "full": (dims.heads + dims.kv_heads) * dims.head}
    return dims.hidden * query, dims.hidden * key_value, query + key_value, norms[model.qk_norm]


def _latent(dims: Shape, attention: Attention) -> tuple[Column, Column, Column, Column]:
    """Query h rq + rq a d (h a d when rq = 0), key/value h (rk + dr) + rk a (d - dr + dv), norms rq + rk.

    A bias, where there is one, sits on the two down-projections.
    """
    rank, latent = given(attention.query_rank, ZERO), given(attention.kv_rank, ZERO)
    rotary = given(attention.rope_head, ZERO)
    wide = dims.heads * dims.head
    query = np.where(rank > 0.0, rank * (dims.hidden + wide), dims.hidden * wide)
    up = latent * dims.heads * (dims.head - rotary + dims.value_head)
    return query, dims.hidden * (latent + rotary) + up, rank + latent + rotary, rank + latent


def index_parameters(dims: Shape, attention: Attention) -> tuple[Column, Column]:
    """Matrices and norm of an indexer: rq I D for its queries, h D for its one key, h I for its weights; a layernorm
    2 D on the key. Source: DeepSeek-V3.2 2025 section 2.1."""
    heads, head = given(attention.index_heads, ZERO), given(attention.index_head, ZERO)
    rank = given(attention.query_rank, ZERO)
    return rank * heads * head + dims.hidden * (head + heads), 2.0 * head


def _mlp(model: Model, dims: Shape, inner: Column) -> Column:
    return (3.0 if model.gated else 2.0) * dims.hidden * inner


def _mlp_bias(model: Model, dims: Shape, inner: Column) -> Column:
    return (2.0 if model.gated else 1.0) * inner + dims.hidden


def _empty() -> Layer:
    return Layer(*(ZERO for _ in fields(Layer)))

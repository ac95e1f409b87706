"""FLOPs of one token, in the three conventions a utilization can be quoted in.

Symbols
  N  active parameters                 L   layers               V  vocabulary, not padded
  N_matmul  N without lookup tables    a   query heads          h  hidden size
  s  sequence length                   d   head dimension, q k  w  window of a sliding layer
  m(s)  mean keys a query sees         dv  head dimension, v
  I, D  heads of an indexer and their dimension

A multiply and an add are two FLOPs; the backward pass costs twice the forward. Multi-token-prediction
modules are a term of their own and enter none of the conventions.
"""

from dataclasses import dataclass

import numpy as np

from engine.columns import ZERO, Column
from engine.dimensions import given, missing_dimensions, shape
from engine.layer_counts import Layer
from engine.layers import counted_kinds, layer_kinds
from engine.model_inputs import Attention, Model
from engine.models import Parameters, count


@dataclass(frozen=True)
class ForwardFlops:
    """Forward FLOPs per token: layers' matrices, attention (causal, and the full square), head, one MTP pass."""

    linear: Column
    attention: Column
    attention_full: Column
    head: Column
    mtp: Column

    @property
    def total(self) -> Column:
        return self.linear + self.attention + self.head


@dataclass(frozen=True)
class FlopsPerToken:
    """Training FLOPs per token, forward and backward, in three named conventions, and the forward split."""

    six_n: Column
    with_attention: Column
    causal: Column
    forward: ForwardFlops


def mean_keys(sequence: Column, window: Column | None = None) -> Column:
    """Keys a query sees on average under a causal mask: s/2, in a window layer w - w²/2s (w < s).

    The exact means are (s+1)/2 and w - w(w-1)/2s; the half key is left out so that full attention is
    exactly half the square, as every published convention has it.
    """
    if window is None:
        return sequence / 2.0
    seen = np.minimum(window, sequence)
    return seen - seen**2 / (2.0 * sequence)


def chunk_keys(sequence: Column, chunk: Column) -> Column:
    """Keys a query sees on average in chunks of c tokens: (s/c whole chunks of c² + the rest's square)/2s."""
    whole = np.floor(sequence / chunk)
    rest = sequence - whole * chunk
    return (whole * chunk**2 + rest**2) / (2.0 * sequence)


def keys_seen(attention: Attention | None, windowed: bool, sequence: Column) -> Column:
    """Mean keys of a query in a layer: s/2, fewer in a window or a chunk, or where an indexer picks them.

    Source: causal mask, counted.
    """
    if attention is None:
        return mean_keys(sequence)
    if windowed and attention.window is not None:
        return (chunk_keys if attention.kind == "chunked" else mean_keys)(sequence, attention.window)
    return mean_keys(sequence, attention.index_keys)


def index_pair(attention: Attention | None) -> Column:
    """Forward FLOPs of an indexer per query and key it scores: 2 I D."""
    if attention is None:
        return ZERO
    return 2.0 * given(attention.index_heads, ZERO) * given(attention.index_head, ZERO)


def flops_per_token(model: Model, sequence: Column) -> FlopsPerToken:
    """Training FLOPs of one token at sequence length s, in the three named conventions.

    six_n = 6 N_active; with_attention = six_n + 6 L a (d + dv) s, which is 12 L a d s for plain heads;
    causal = 6 N_matmul + 6 a (d + dv) Σ_layers m(s). A stated count without dimensions has no attention term.
    Source: Kaplan et al. 2020 section 2.1 (6N; there N is without the embeddings, here with them);
    Chowdhery et al. 2022 (PaLM) appendix B (12 L H Q T).
    """
    n = count(model)
    forward = forward_flops(model, n, sequence)
    return FlopsPerToken(
        six_n=6.0 * n.active,
        with_attention=6.0 * n.active + 3.0 * forward.attention_full,
        causal=6.0 * n.matmul + 3.0 * forward.attention,
        forward=forward,
    )


def forward_flops(model: Model, n: Parameters, sequence: Column) -> ForwardFlops:
    """Forward FLOPs: 2 per matrix element, 2 a (d + dv) m(s) per attention layer, 2 V h for the head.

    Only layers that attend have an attention term; an indexer adds 2 I D a key it scores. The scan of a mixer is not a
    matmul and is left out, as every published convention has it.
    """
    if missing_dimensions(model):
        return ForwardFlops(2.0 * n.stated, ZERO, ZERO, ZERO, ZERO)
    dims, attention = shape(model), model.attention
    pair = 2.0 * dims.heads * (dims.head + dims.value_head)
    full, seen = ZERO, ZERO
    for kind, layers in counted_kinds(model).items():
        if kind.first == "attention":
            scored = index_pair(attention) * mean_keys(sequence)
            seen = seen + layers * (pair * keys_seen(attention, kind.windowed, sequence) + scored)
            full = full + layers * pair * sequence
    last = layer_kinds(model)[-1]
    own = pair * keys_seen(attention, last.windowed, sequence) if last.first == "attention" else ZERO
    once = 2.0 * (n.of(last).matmul + 2.0 * dims.hidden**2 + n.head_matmul) + own
    linear = 2.0 * (n.over(_matmul) + n.projections)
    return ForwardFlops(linear, seen, full, 2.0 * n.head_matmul, model.mtp * once)


def _matmul(layer: Layer) -> Column:
    return layer.matmul

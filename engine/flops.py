"""FLOPs of one token, in the three conventions a utilization can be quoted in.

Symbols
  N  active parameters                 L   layers               V  vocabulary, not padded
  N_matmul  N without lookup tables    a   query heads          h  hidden size
  s  sequence length                   d   head dimension, q k  w  window of a sliding layer
  m(s)  mean keys a query sees         dv  head dimension, v

A multiply and an add are two FLOPs; the backward pass costs twice the forward. Multi-token-prediction
modules are a term of their own and enter none of the conventions.
"""

from dataclasses import dataclass

import numpy as np

from engine.columns import ZERO, Column
from engine.inputs import Model
from engine.models import Parameters, count, full_attention_layers, missing_dimensions, shape


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


def flops_per_token(model: Model, sequence: Column) -> FlopsPerToken:
    """Training FLOPs of one token at sequence length s, in the three named conventions.

    six_n = 6 N_active; with_attention = six_n + 6 L a (d + dv) s, which is 12 L a d s for plain heads;
    causal = 6 N_matmul + 6 a (d + dv) Σ_layers m(s). A stated count without dimensions has no attention term.
    Source: Kaplan et al. 2020 (6N), PaLM 2022 appendix B (12 L H Q T).
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
    """Forward FLOPs: 2 per matrix element, 2 a (d + dv) m(s) per attention layer, 2 V h for the head."""
    linear = 2.0 * (n.dense_layers * n.dense.matmul + n.expert_layers * n.expert.matmul)
    if missing_dimensions(model):
        return ForwardFlops(2.0 * n.stated, ZERO, ZERO, ZERO, ZERO)
    dims, layers = shape(model), float(model.layers or 0)
    pair = 2.0 * dims.heads * (dims.head + dims.value_head)
    window = model.attention.window if model.attention else None
    full = float(full_attention_layers(model))
    keys = full * mean_keys(sequence) + (layers - full) * mean_keys(sequence, window)
    last = n.dense if model.experts is None else n.expert
    once = 2.0 * (last.matmul + 2.0 * dims.hidden**2 + n.head_matmul) + pair * mean_keys(sequence)
    return ForwardFlops(linear, pair * keys, pair * layers * sequence, 2.0 * n.head_matmul, model.mtp * once)

"""The indexer of a sparse attention: small heads that score every earlier key, so that each query keeps a few.

Symbols: I, D heads of the indexer and their dimension; rq rank of the query projection; T tokens of a micro-batch on
one rank; s sequence; h hidden. It is not split over tensor ranks. Source: DeepSeek-V3.2 2025 section 2.1.
"""

from dataclasses import dataclass

import numpy as np

from engine.columns import ONE, ZERO, Column
from engine.dimensions import given, shape
from engine.flops import index_pair, mean_keys
from engine.inputs import Attention, Run
from engine.layout import Degrees
from engine.operators.work import ELEMENT, Kept, Sdpa, Traffic, Work, linear

SCORE = 4.0  # bytes of a score


@dataclass(frozen=True)
class Indexer:
    """Its work in both directions, and what it keeps; nothing where an attention has none."""

    forward: tuple[Work, ...] = ()
    backward: tuple[Work, ...] = ()
    keeps: tuple[Kept, ...] = ()


def indexer(run: Run, d: Degrees, attention: Attention, gradient: Column) -> Indexer:
    """Queries from the latent (rq to I D), one key and I weights from h, scores 2 T (s/2) I D, and the choice."""
    heads, head = given(attention.index_heads, ZERO), given(attention.index_head, ZERO)
    if np.all(heads == 0):
        return Indexer()
    t, weight, rank = d.tokens, run.states.weights, given(attention.query_rank, ZERO)
    queries, queries_back = linear("index_q", t, heads * head, rank, weight, gradient)
    keys, keys_back = linear("index_k", t, head + heads, shape(run.model).hidden, weight, gradient)
    seen = t * mean_keys(d.sequence) * index_pair(attention)
    choice = Traffic("index choice", t * d.sequence * SCORE, 2)
    forward = (queries, keys, Sdpa("index", seen, d.sequence, head), choice)
    backward = (Sdpa("index", 2 * seen, d.sequence, head, backward=True), *keys_back, *queries_back)
    kept = Kept("index_q", "index queries and keys", t * (heads * head + head + heads) * ELEMENT * ONE)
    return Indexer(forward, backward, (kept,))

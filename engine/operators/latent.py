"""The attention block of a layer with latent (low-rank) queries and keys: multi-head latent attention, MLA.

Symbols: rq, rk ranks of the query and of the key/value projection; dr rotary, dn plain part of a query head, dv value
head; a query heads; T tokens of a micro-batch on one rank; h hidden; tp tensor degree; w bytes of an element.
The down-projections are not split over tensor ranks; under sequence parallelism each does its own rows.
Source: DeepSeek-V2 2024 section 2.1; counted, with d_qk unlike d_v.
"""

from dataclasses import dataclass

import numpy as np

from engine.columns import ZERO, Column, column
from engine.flops import keys_seen
from engine.inputs import Attention, Run
from engine.layout import Degrees
from engine.models import shape
from engine.operators.attention import CONTEXT_BEHIND, FUSED_BACKWARD
from engine.operators.indexer import indexer
from engine.operators.tensor_parallel import enter, enter_back, leave, leave_back
from engine.operators.work import ELEMENT, Block, Collective, Kept, Sdpa, Traffic, Work, kept_element, linear


@dataclass(frozen=True)
class Ranks:
    """Widths of the projections on one tensor rank."""

    query: Column  # rq, 0 = a full query projection
    latent: Column  # rk
    rotary: Column  # dr
    qk: Column  # d_qk = dn + dr
    value: Column  # dv
    heads: Column  # a/tp


def ranks(run: Run, d: Degrees, attention: Attention) -> Ranks:
    """The widths of a latent attention on one tensor rank."""
    dims = shape(run.model)
    known = [ZERO if x is None else x for x in (attention.query_rank, attention.kv_rank, attention.rope_head)]
    return Ranks(known[0], known[1], known[2], dims.head, dims.value_head, dims.heads / d.tp)


def latent_attention(run: Run, d: Degrees, gradient: Column, fused: bool) -> Block:
    """Work and kept tensors: query down and up, key/value down and up, two latent norms, core, output."""
    attention, dims = run.model.attention, shape(run.model)
    assert attention is not None
    r, h, t, weight = ranks(run, d, attention), dims.hidden, d.tokens, run.states.weights
    split = d.tp if d.sequence_parallel else column(1.0)
    rows, own = t * h * ELEMENT, t / split
    full = r.query == 0  # one projection straight from h
    q_in = r.query + full * h
    q_down, q_down_back = linear("q_down", own, r.query, h, weight, gradient)
    down, down_back = ([q_down], q_down_back) if np.any(r.query > 0) else ([], ())
    q_up, q_up_back = linear("q_up", t, r.heads * r.qk, q_in, weight, gradient)
    kv_down, kv_down_back = linear("kv_down", own, r.latent + r.rotary, h, weight, gradient)
    kv_up, kv_up_back = linear("kv_up", t, r.heads * (r.qk - r.rotary + r.value), r.latent, weight, gradient)
    out, out_back = linear("attn_out", t, h, r.heads * r.value, weight, gradient)
    latents = own * (r.query + r.latent) * ELEMENT
    rope = Traffic("rope", t * (r.heads + 1) * r.rotary * ELEMENT, 3)
    forward: list[Work] = [Traffic("norm", rows / split, 3), *down, kv_down, Traffic("latent norm", latents, 3)]
    forward += [*enter(d, "attention", _gathered(r, t, h, full)), q_up, kv_up, rope, *_context(run, d, r, 1.0)]
    index = indexer(run, d, attention, gradient)
    forward += [*index.forward, _core(run, d, r, fused, backward=False), out, *leave(d, "attention", rows)]
    forward += [Traffic("residual", rows / split, 2)]
    backward: list[Work] = [Traffic("residual", rows / split, 3), *leave_back(d, "attention", rows), *out_back]
    backward += [*_context(run, d, r, 2.0), _core(run, d, r, fused, backward=True), *index.backward]
    backward += [rope, *kv_up_back, *q_up_back]
    backward += [*enter_back(d, "attention", "q_up", _gathered(r, t, h, full)), Traffic("latent norm", latents, 5)]
    backward += [*kv_down_back, *down_back, Traffic("norm", rows / split, 5)]
    kept = (*_keeps(run, d, r, rows / split, split), *index.keeps)
    return Block("attention", tuple(forward), tuple(backward), kept)


def _gathered(r: Ranks, t: Column, h: Column, full: Column) -> Column:
    """Bytes gathered over tensor ranks: the latents, and the input itself where queries come straight from it."""
    return t * ELEMENT * (r.query + full * h + r.latent + r.rotary)


def _core(run: Run, d: Degrees, r: Ranks, fused: bool, backward: bool) -> Sdpa:
    """2 T keys a (d_qk + d_v) FLOPs forward with half the square, the whole square without a fused kernel.

    Source: DeepSeek-V2 2024 section 2.1; counted.
    """
    keys = keys_seen(run.model.attention, False, d.sequence) if fused else d.sequence
    times = (FUSED_BACKWARD if fused else 2.0) if backward else 1.0
    return Sdpa("sdpa", 2 * d.tokens * keys * r.heads * (r.qk + r.value) * times, d.sequence, r.qk, backward, fused)


def _context(run: Run, d: Degrees, r: Ranks, share: float) -> list[Work]:
    """The other context ranks' keys and values, expanded: cp T a (d_qk + d_v) w, twice in the backward; an all-to-all
    moves queries and output too, 2 T a (d_qk + d_v) w each way.
    """
    own = d.tokens * r.heads * (r.qk + r.value) * ELEMENT
    kind = {"ring": "ring_exchange", "all_gather": "all_gather", "all_to_all": "all_to_all"}[run.layout.context_method]
    size = 2 * own if kind == "all_to_all" else d.cp * own * share
    return [
        Collective("keys and values", kind, size, "context", behind=CONTEXT_BEHIND if kind == "ring_exchange" else None)
    ]


def _keeps(run: Run, d: Degrees, r: Ranks, rows: Column, split: Column) -> tuple[Kept, ...]:
    """4h + 2(2 rq + 2 rk + dr) + 2a(2 d_qk + 2 d_v) bytes a token, and a d_n view of the mixed buffer.

    The attention's output is kept once for the kernel and the projection (DeepSeek-V3 report, section 3.3.3).
    """
    t = d.tokens
    kept = [
        Kept("residual", "block input", rows),
        Kept("norm", "norm output", rows * kept_element(run) / ELEMENT),
        Kept("latent norm", "latents and their norms", t / split * (2 * r.query + 2 * r.latent + r.rotary) * ELEMENT),
        Kept("q_up", "queries", t * r.heads * r.qk * ELEMENT),
        Kept("kv_up", "keys and values", t * r.heads * (r.qk + r.value) * ELEMENT),
        Kept("attention", "attention output", t * r.heads * r.value * ELEMENT),
        Kept("sdpa", "softmax statistics", 4 * t * r.heads),
    ]
    if run.stack.mixed_qkv:
        kept.append(Kept("kv_up", "mixed key/value buffer", t * r.heads * (r.qk - r.rotary) * ELEMENT))
    return tuple(kept)

"""The attention block of a dense layer: norm, projections, rotary embedding, attention, residual.

Symbols: T tokens of a micro-batch on one rank (b s/cp); h hidden; a, k query and key/value heads; dh head dimension;
s keys a query sees; tp tensor degree; w bytes of an element. Norms and residuals touch T h w, divided by tp under
sequence parallelism.
"""

from engine.columns import Column, column
from engine.flops import keys_seen
from engine.inputs import Run
from engine.layout import Degrees
from engine.operators.tensor_parallel import enter, enter_back, leave, leave_back
from engine.operators.work import (
    ELEMENT,
    Block,
    Collective,
    Kept,
    Sdpa,
    Traffic,
    Work,
    kept_element,
    linear,
    linear_input,
)

SCORE_FORWARD, SCORE_BACKWARD = 3.2, 3.8  # passes over the scores of an attention without a fused kernel
FUSED_BACKWARD = 2.5  # a fused kernel computes QK^T again
CONTEXT_BEHIND = "sdpa"


def head_dimension(run: Run) -> Column:
    """dh: stated, else h/a. Source: definition."""
    model = run.model
    assert model.hidden is not None and model.heads is not None
    return model.head if model.head is not None else model.hidden / model.heads


def attention(run: Run, d: Degrees, gradient: Column, fused: bool, windowed: bool = False) -> Block:
    """Work and kept tensors of one attention block of one micro-batch on one rank.

    Forward FLOPs of the core: 4 T keys a dh/tp with a fused causal kernel, the whole square without one; backward 2.5x
    and 2x.
    Source: Vaswani et al. 2017, Shoeybi et al. 2019 (tensor split), Korthikanti et al. 2022 eq. 1-4; counted.
    """
    model = run.model
    assert model.hidden is not None and model.heads is not None
    h, a, dh, t, tp = model.hidden, model.heads, head_dimension(run), d.tokens, d.tp
    a_rank, k_rank = a / tp, d.kv_heads
    split = tp if d.sequence_parallel else column(1.0)
    rows = t * h * ELEMENT
    gate = t * a_rank * dh * ELEMENT if gated(run) else None
    qkv_width = (a_rank * (1 if gate is None else 2) + 2 * k_rank) * dh
    qkv, qkv_back = linear("qkv", t, qkv_width, h, run.states.weights, gradient)
    out, out_back = linear("attn_out", t, h, a_rank * dh, run.states.weights, gradient)
    forward: list[Work] = [Traffic("norm", rows / split, 3)]
    forward += enter(d, "attention", rows)
    forward += [qkv, Traffic("rope", t * (a_rank + k_rank) * dh * ELEMENT, 3)]
    forward += _context(run, d, dh, 1.0)
    forward += _core(run, d, dh, fused, windowed, backward=False)
    forward += [] if gate is None else [Traffic("gate", gate, 3)]
    forward += [out, *leave(d, "attention", rows), Traffic("residual", rows / split, 2)]
    backward: list[Work] = [Traffic("residual", rows / split, 3), *leave_back(d, "attention", rows), *out_back]
    backward += [] if gate is None else [Traffic("gate", gate, 5)]
    backward += _context(run, d, dh, 2.0)
    backward += _core(run, d, dh, fused, windowed, backward=True)
    backward += [
        Traffic("rope", t * (a_rank + k_rank) * dh * ELEMENT, 3),
        *qkv_back,
        *enter_back(d, "attention", "qkv", rows),
    ]
    backward += [Traffic("norm", rows / split, 5)]
    return Block("attention", tuple(forward), tuple(backward), _keeps(run, d, dh, fused))


def gated(run: Run) -> bool:
    """Whether a gate as wide as the queries multiplies the attention's output."""
    return run.model.attention is not None and bool(run.model.attention.gate)


def _context(run: Run, d: Degrees, dh: Column, share: float) -> list[Work]:
    """Keys and values of the other context ranks: (cp-1)/cp of 2 cp T k dh w, twice in the backward; an all-to-all
    moves queries and output too, 2 T (a/tp + k) dh w each way.
    """
    keys_values = 2 * d.cp * d.tokens * d.kv_heads * dh * ELEMENT * share
    kind = {"ring": "ring_exchange", "all_gather": "all_gather", "all_to_all": "all_to_all"}[run.layout.context_method]
    if kind == "all_to_all":
        assert run.model.heads is not None
        keys_values = 2 * d.tokens * (run.model.heads / d.tp + d.kv_heads) * dh * ELEMENT
    behind = CONTEXT_BEHIND if kind == "ring_exchange" else None
    return [Collective("keys and values", kind, keys_values, "context", behind=behind)]


def _core(run: Run, d: Degrees, dh: Column, fused: bool, windowed: bool, backward: bool) -> list[Work]:
    """FLOPs of the attention core: 4 T keys a dh/tp forward with a fused causal kernel, the whole square without one;
    backward 2.5 and 2 times that: a fused kernel keeps no scores and computes them again.
    Source: Dao et al. 2022 section 3.1 (scores computed again), Dao 2023 section 4.1 (FLOPs, half under a causal mask).
    """
    assert run.model.heads is not None
    a_rank = run.model.heads / d.tp
    square = 4 * d.tokens * d.sequence * a_rank * dh
    if fused:
        seen = 4 * d.tokens * keys_seen(run.model.attention, windowed, d.sequence) * a_rank * dh
        return [Sdpa("sdpa", seen * (FUSED_BACKWARD if backward else 1.0), d.sequence, dh, backward)]
    scores = d.tokens * d.sequence * a_rank * ELEMENT
    passes = SCORE_BACKWARD if backward else SCORE_FORWARD
    return [
        Sdpa("sdpa", square * (2.0 if backward else 1.0), d.sequence, dh, backward, fused=False),
        Traffic("scores", scores, passes),
    ]


def _keeps(run: Run, d: Degrees, dh: Column, fused: bool) -> tuple[Kept, ...]:
    """Tensors kept for the backward pass. Source: Korthikanti et al. 2022 section 4.1."""
    model, t, tp = run.model, d.tokens, d.tp
    assert model.hidden is not None and model.heads is not None
    a_rank, k_rank = model.heads / tp, d.kv_heads
    split = tp if d.sequence_parallel else column(1.0)
    rows = t * model.hidden * ELEMENT / split
    kept = [
        Kept("residual", "block input", rows),
        Kept("norm", "norm output", linear_input(run, d, t * model.hidden)),
        Kept("qkv", "queries", t * a_rank * dh * ELEMENT),
        Kept("qkv", "keys and values", 2 * t * k_rank * dh * ELEMENT),
        Kept("attention", "attention output", t * a_rank * dh * ELEMENT),
    ]
    if kept_element(run) < ELEMENT:  # the kernel keeps its output, the projection the cast of it
        kept.append(Kept("attention", "attention output cast", t * a_rank * dh * kept_element(run)))
    if gated(run):
        kept.append(Kept("qkv", "gate", t * a_rank * dh * ELEMENT))
    if fused:
        kept.append(Kept("sdpa", "softmax statistics", 4 * t * a_rank))
        if run.stack.mixed_qkv:
            kept.append(Kept("qkv", "mixed qkv buffer", (a_rank + k_rank) * t * dh * ELEMENT))
    else:
        kept.append(Kept("sdpa", "scores", t * d.sequence * a_rank * ELEMENT))
        if model.dropout:
            kept.append(Kept("sdpa", "dropped scores and mask", t * d.sequence * a_rank * (ELEMENT + 1)))
    if model.dropout:
        kept.append(Kept("residual", "dropout mask", rows / ELEMENT))
    return tuple(kept)

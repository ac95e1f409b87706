"""The expert block of a layer: norm, router, dispatch, expert MLPs, combine, shared experts, residual.

Symbols: E routed experts, K of them for each token, fe and fs inner sizes of an expert and of the shared one; ep, etp
expert and expert-tensor degree; T tokens of a micro-batch on one rank; R = T K (/tp under sequence parallelism) rows
that a rank sends and, on the mean, receives; h hidden; w bytes of an element. ``imbalance`` is the busiest rank over
the mean: it multiplies the experts' time and memory, not the all-to-all.
"""

from dataclasses import dataclass

import numpy as np

from engine.columns import ONE, ZERO, Column, column
from engine.inputs import Experts, Run
from engine.layout import Degrees
from engine.models import expert_ffn
from engine.operators.tensor_parallel import enter, enter_back, leave, leave_back
from engine.operators.work import (
    ELEMENT,
    Block,
    Collective,
    Gemm,
    Kept,
    Traffic,
    Work,
    activation_element,
    kept_element,
    linear,
)

SINGLE = 4.0  # bytes of a router logit
GROUPED_GRADIENT = 1.5  # gradient traffic of a grouped GEMM against a single one (measured at 128-9,832 rows an expert)
SORT_PASSES = 4.0  # a second sort where several local experts share what arrives
FORWARD_SHARE = 0.5  # of permutation: what is dispatched; the rest when it comes back


@dataclass(frozen=True)
class Routing:
    """Rows and experts of one rank."""

    local: Column  # experts on a rank, E/ep
    sent: Column  # R, rows a rank sends
    busy: Column  # rows the busiest rank computes on (gathered over etp)
    each: Column  # rows of one local expert
    split: Column  # sequence parallelism
    passes: Column  # memory passes of permutation and its undoing


def routing(run: Run, d: Degrees, experts: Experts) -> Routing:
    """Rows of one rank. A capacity pads every expert to capacity x mean and drops the rest; without one the busiest
    rank sets the pace. With etp > 1 a rank computes on the rows of all etp ranks.
    Source: Lepikhin et al. 2020 section 2.2 (capacity); imbalance as stated.
    """
    split = d.tp if d.sequence_parallel else column(1.0)
    sent = d.tokens * experts.active / split
    load = experts.capacity if experts.capacity is not None else experts.imbalance
    local = experts.routed / d.ep
    busy = sent * load * d.etp
    several = (d.ep > 1) & (local > 1)
    passes = 2 + 2 / experts.active + np.where(several, SORT_PASSES, 0.0)
    return Routing(local, sent, busy, busy / local, split, passes)


def grouped(
    op: str, r: Routing, n: Column, k: Column, weight: Column, gradient: Column
) -> tuple[Gemm, tuple[Gemm, Gemm]]:
    """A GEMM per local expert, each with that expert's rows as M; all experts' weights are streamed.

    Source: Gale et al. 2022 (MegaBlocks) figure 3: blocks as long as each expert's rows.
    """
    forward, (d_input, d_weight) = linear(op, r.each, n, k, weight, GROUPED_GRADIENT * gradient)
    made = [Gemm(g.op, g.m, g.n, g.k, g.weights * r.local, g.tag, r.local) for g in (forward, d_input, d_weight)]
    return made[0], (made[1], made[2])


def expert_mlp(run: Run, d: Degrees, gradient: Column) -> Block:
    """Work and kept tensors of one expert block of one micro-batch on one rank.

    Left out: capacity that changes from step to step. Source: Lepikhin et al. 2020 (GShard), Gale et al. 2022
    (MegaBlocks); bytes counted.
    """
    model, experts = run.model, run.model.experts
    assert model.hidden is not None and experts is not None
    h, t, weight = model.hidden, d.tokens, run.states.weights
    r, inner = routing(run, d, experts), expert_ffn(model, experts)
    width = (2.0 if model.gated else 1.0) * inner / d.etp
    rows, moved = t * h * ELEMENT, r.sent * h * ELEMENT
    outputs = experts.routed + experts.shared_gate  # the shared expert's gate reads the same rows
    router, router_back = linear("router", t / r.split, outputs, h, weight, gradient)
    up, up_back = grouped("expert_up", r, width, h, weight, gradient)
    down, down_back = grouped("expert_down", r, h, inner / d.etp, weight, gradient)
    glu = r.busy * inner / d.etp * ELEMENT
    top_k = Traffic("top k", t / r.split * experts.routed * SINGLE, 2)
    c_forward, c_backward = (3.0, 5.0) if model.gated else (2.0, 3.0)
    forward: list[Work] = [Traffic("norm", rows / r.split, 3), router, top_k, _permute(r, moved)]
    forward += [_exchange(run, d, "dispatch", moved), *_expert_tensor(d, r, h, "all_gather"), up]
    forward += [Traffic("activation", glu, c_forward), down, *_expert_tensor(d, r, h, "reduce_scatter")]
    forward += [_exchange(run, d, "combine", moved), _permute(r, moved)]
    shared_forward, shared_backward, shared_kept = shared_mlp(run, d, experts, gradient)
    forward += [*shared_forward, Traffic("residual", rows / r.split, 2)]
    backward: list[Work] = [Traffic("residual", rows / r.split, 3), *shared_backward, _permute(r, moved)]
    backward += [_exchange(run, d, "combine", moved), *_expert_tensor(d, r, h, "all_gather"), *down_back]
    backward += [Traffic("activation", glu, c_backward), *up_back, *_expert_tensor(d, r, h, "reduce_scatter")]
    backward += [
        _exchange(run, d, "dispatch", moved),
        _permute(r, moved),
        *router_back,
        Traffic("norm", rows / r.split, 5),
    ]
    kept = [
        Kept("residual", "block input", rows / r.split),
        Kept("norm", "norm output", rows / r.split * kept_element(run) / ELEMENT),
        Kept("router", "router logits", t / r.split * experts.routed * SINGLE),
        Kept("permute", "permuted input", r.busy * h * kept_element(run)),
        Kept("expert_up", "activation input", r.busy * width * activation_element(run)),
        Kept("activation", "activation output", glu * kept_element(run) / ELEMENT),
        *shared_kept,
    ]
    return Block("experts", tuple(forward), tuple(backward), tuple(kept))


def _permute(r: Routing, moved: Column) -> Traffic:
    """Half of permutation and its undoing: (2 + 2/K) T K h w, 4 more passes where local experts are sorted.

    Source: reads and writes of Megatron-Core's token permutation, counted.
    """
    return Traffic("permute", moved, r.passes * FORWARD_SHARE)


def _exchange(run: Run, d: Degrees, op: str, moved: Column) -> Collective:
    """Dispatch or combine: all-to-all of R h w over the expert group; one that sends a copy per node moves less."""
    return Collective(op, "all_to_all_once" if run.dispatcher == "deduplicated" else "all_to_all", moved, "expert")


def _expert_tensor(d: Degrees, r: Routing, h: Column, kind: str) -> list[Work]:
    """Rows gathered over the expert-tensor group before the experts, partial sums scattered after them.

    Source: Megatron-Core (expert tensor parallelism); counted.
    """
    if np.all(d.etp == 1):
        return []
    return [Collective("expert rows", kind, r.busy * h * ELEMENT, "expert_tensor")]


def shared_mlp(run: Run, d: Degrees, experts: Experts, gradient: Column) -> tuple[list[Work], list[Work], list[Kept]]:
    """The shared experts: a dense MLP of fs for every token, split over tensor ranks like any MLP.

    Source: DeepSeekMoE, Dai et al. 2024 section 3.2.
    """
    model = run.model
    assert model.hidden is not None
    size = experts.shared_ffn if experts.shared_ffn is not None else experts.shared * expert_ffn(model, experts)
    if np.all(size == 0):
        return [], [], []
    h, t = model.hidden, d.tokens
    rows, inner = t * h * ELEMENT, t * size / d.tp * ELEMENT
    gates = 2.0 if model.gated else 1.0
    up, up_back = linear("mlp_up", t, gates * size / d.tp, h, run.states.weights, gradient)
    down, down_back = linear("mlp_down", t, h, size / d.tp, run.states.weights, gradient)
    c_forward, c_backward = (3.0, 5.0) if model.gated else (2.0, 3.0)
    forward: list[Work] = [*enter(d, "shared", rows), up, Traffic("activation", inner, c_forward), down]
    forward += leave(d, "shared", rows)
    backward: list[Work] = [*leave_back(d, "shared", rows), *down_back, Traffic("activation", inner, c_backward)]
    backward += [*up_back, *enter_back(d, "shared", "mlp_up", rows)]
    kept = [
        Kept("mlp_up", "shared activation input", gates * inner * activation_element(run) / ELEMENT),
        Kept("activation", "shared activation output", inner),
    ]
    return forward, backward, kept


__all__ = ["ONE", "ZERO", "Routing", "expert_mlp", "routing", "shared_mlp"]

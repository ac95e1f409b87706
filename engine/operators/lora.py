"""Training a part of a model: frozen parameters, and low-rank adapters (LoRA) beside frozen matrices.

An adapter of a matrix from ``wide`` to ``out`` is A (wide x r) and B (r x out); x W + x A B. Frozen matrices have no
weight gradient: their dW is not computed, they have no optimizer states, and nothing of theirs is reduced.
A matrix whose outputs are split over tensor ranks has B split and A on every rank; one whose inputs are split the
other way round.

Symbols: r rank; T tokens of a micro-batch on one rank; tp tensor degree; h hidden, f inner size of an MLP.
Source: Hu et al. 2021 (LoRA) section 4.1; Hugging Face PEFT's names of target matrices, without "_proj".
"""

from dataclasses import dataclass

import numpy as np

from engine.columns import ONE, ZERO, Column
from engine.dimensions import shape
from engine.inputs import Run
from engine.layers import LayerKind, layer_kinds
from engine.layout import Degrees
from engine.operators.mlp import inner_size
from engine.operators.work import ELEMENT, Block, Kept, Work, kept_element, linear

NAME = "lora"
ATTENTION = ("q", "k", "v", "o")
MLP = ("gate", "up", "down")
TARGETS = (*ATTENTION, *MLP)


@dataclass(frozen=True)
class Adapted:
    """One adapted matrix, whole: its inputs and outputs, and whether tensor ranks split the inputs."""

    target: str
    wide: Column
    out: Column
    row_parallel: bool


def targets(run: Run) -> tuple[str, ...]:
    """The matrices adapted: those named, "_proj" left away; all seven where none is named."""
    assert run.lora is not None
    return tuple(t.removesuffix("_proj") for t in run.lora.targets) or TARGETS


def adapted(run: Run, kind: LayerKind) -> tuple[Adapted, ...]:
    """The adapted matrices of a layer: plain attention, and a dense MLP; routed experts are left as they are."""
    if run.lora is None:
        return ()
    dims, found = shape(run.model), targets(run)
    query, key, value = dims.heads * dims.head, dims.kv_heads * dims.head, dims.kv_heads * dims.value_head
    h, f = dims.hidden, ZERO if kind.experts or not kind.second else inner_size(run)
    wanted = [
        Adapted("q", h, query, False),
        Adapted("k", h, key, False),
        Adapted("v", h, value, False),
        Adapted("o", dims.heads * dims.value_head, h, True),
    ]
    if kind.first != "attention":
        wanted = []
    if np.any(f > 0):
        gate = [Adapted("gate", h, f, False)] if run.model.gated else []
        wanted += [*gate, Adapted("up", h, f, False), Adapted("down", f, h, True)]
    return tuple(a for a in wanted if a.target in found)


def rank_parameters(run: Run, kind: LayerKind, d: Degrees) -> Column:
    """Adapter parameters of a layer on one tensor rank: r (wide + out/tp), or r (wide/tp + out) where inputs split."""
    if run.lora is None:
        return ZERO
    result = ZERO
    for a in adapted(run, kind):
        result = result + run.lora.rank * (a.wide / d.tp + a.out if a.row_parallel else a.wide + a.out / d.tp)
    return result


def parameters(run: Run) -> Column:
    """Adapter parameters of the whole model: sum of r (wide + out)."""
    result = ZERO
    for kind in layer_kinds(run.model) if run.lora is not None else ():
        for a in adapted(run, kind):
            assert run.lora is not None
            result = result + run.lora.rank * (a.wide + a.out)
    return result


def trained_share(run: Run) -> Column:
    """Share of the model's own parameters that is trained: 0 with adapters, else 1 - frozen."""
    return ZERO if run.lora is not None else 1.0 - run.frozen


def trains_all(run: Run) -> bool:
    """Whether every parameter is trained, so that nothing needs scaling."""
    return run.lora is None and not np.any(run.frozen > 0)


def block(run: Run, kind: LayerKind, d: Degrees, gradient: Column) -> Block:
    """Work and kept tensors of a layer's adapters: T x wide x r and T x r x out forward, dX and dW of both backward."""
    assert run.lora is not None
    forward: list[Work] = []
    backward: list[Work] = []
    kept: list[Kept] = []
    for a in adapted(run, kind):
        wide, out = (a.wide / d.tp, a.out) if a.row_parallel else (a.wide, a.out / d.tp)
        down, down_back = linear(f"{a.target} lora A", d.tokens, run.lora.rank, wide, run.states.weights, gradient)
        up, up_back = linear(f"{a.target} lora B", d.tokens, out, run.lora.rank, run.states.weights, gradient)
        forward += [down, up]
        backward += [*up_back, *down_back]
        kept.append(Kept(f"{a.target} lora A", "adapter input", d.tokens * run.lora.rank * ELEMENT * ONE))
    return Block(NAME, tuple(forward), tuple(backward), (*kept, *wide_inputs(run, kind, d)))


GROUPS = (("q", "k", "v"), ("gate", "up"), ("down",))  # targets that share an input; that of "o" is kept as it is


def wide_inputs(run: Run, kind: LayerKind, d: Degrees) -> list[Kept]:
    """Inputs of the adapters in 16 bits, where the frozen matrix beside them keeps only its 8-bit cast."""
    if kept_element(run) == ELEMENT:
        return []
    own = {a.target: a for a in adapted(run, kind)}
    first = [next((own[name] for name in group if name in own), None) for group in GROUPS]
    split = d.tp if d.sequence_parallel else ONE
    return [
        Kept("norm", "adapter input in 16 bits", d.tokens * ELEMENT * a.wide / (d.tp if a.row_parallel else split))
        for a in first
        if a is not None
    ]

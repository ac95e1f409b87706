"""The work of a block as plain lines, to hold a whole block against what follows by hand."""

from collections.abc import Iterable

import numpy as np

from engine.operators.work import Collective, Gemm, Kept, Sdpa, Traffic, Work

Line = tuple[object, ...]


def line(work: Work | Kept) -> Line:
    """GEMM: op, m, n, k, bytes of weights, tag, (groups); attention: op, FLOP, sequence, head, (backward), (unfused);
    traffic: op, bytes, passes; collective: op, kind, bytes, axis, (behind, tag); kept: op, tensor, bytes."""
    if isinstance(work, Gemm):
        groups = () if work.groups is None else (number(work.groups),)
        shape = (number(x) for x in (work.m, work.n, work.k, work.weights))
        return (work.op, *shape, *([work.tag] if work.tag else []), *groups)
    if isinstance(work, Sdpa):
        words = ["backward"] * work.backward + ["unfused"] * (not work.fused)
        return (work.op, number(work.flops), number(work.sequence), number(work.head), *words)
    if isinstance(work, Traffic):
        return (work.op, number(work.bytes), number(work.passes))
    if isinstance(work, Collective):
        return (work.op, work.kind, number(work.bytes), work.axis, *(x for x in (work.behind, work.tag) if x))
    return (work.op, work.tensor, number(work.bytes))


def number(value: object) -> float:
    """The only value of a column."""
    return float(np.asarray(value, dtype=float).reshape(-1)[0])


def lines(works: Iterable[Work | Kept]) -> list[Line]:
    """All of them, in order."""
    return [line(work) for work in works]


def linear(op: str, m: float, n: float, k: float) -> tuple[Line, list[Line]]:
    """A linear layer whose weights take 3 bytes and whose gradients move 7: forward, and dX and dW."""
    back: list[Line] = [(op, m, k, n, n * k * 3, "dX"), (op, k, n, m, n * k * 7, "dW")]
    return (op, m, n, k, n * k * 3), back

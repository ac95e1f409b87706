"""What an operator does, before anyone knows how long it takes.

An operator file returns a ``Block``: the work of its forward and of its backward pass, and the tensors it
keeps between the two, so that time and memory cannot drift apart. Prices come later (engine/ledger.py).

Symbols: m, n, k the shape of a GEMM; bytes are those touched on one rank for one micro-batch.
"""

from dataclasses import dataclass

from engine.columns import ONE, Column
from engine.inputs import Run
from engine.layout import Degrees

ELEMENT = 2.0  # bytes of a bf16 or fp16 activation


@dataclass(frozen=True)
class Gemm:
    """``count`` matrix multiplies m x k by k x n; ``weights`` are bytes of weights or gradients streamed beside."""

    op: str
    m: Column
    n: Column
    k: Column
    weights: Column
    tag: str = ""  # "dX" or "dW" in the backward pass
    groups: Column | None = None  # a grouped GEMM: that many of this shape, one an expert


@dataclass(frozen=True)
class Sdpa:
    """Scaled dot-product attention in one fused kernel: FLOPs really computed, and the keys a query sees."""

    op: str
    flops: Column
    sequence: Column
    head: Column
    backward: bool = False
    fused: bool = True
    tag: str = ""


@dataclass(frozen=True)
class Traffic:
    """``passes`` times ``bytes`` over the memory bandwidth."""

    op: str
    bytes: Column
    passes: Column | float
    tag: str = ""


@dataclass(frozen=True)
class Collective:
    """A collective of the full buffer ``bytes`` over the group of ``axis``; ``behind`` is the work that can hide it."""

    op: str
    kind: str  # all_gather | reduce_scatter | all_reduce | all_to_all | ring_exchange
    bytes: Column
    axis: str
    behind: str | None = None
    tag: str = ""


Work = Gemm | Sdpa | Traffic | Collective


@dataclass(frozen=True)
class Kept:
    """A tensor that lives from the forward to the backward pass of one micro-batch: bytes on this rank."""

    op: str  # recomputing this op frees it
    tensor: str
    bytes: Column


@dataclass(frozen=True)
class Block:
    """One operator block of one layer (or of the embedding, or the head)."""

    name: str
    forward: tuple[Work, ...]
    backward: tuple[Work, ...]
    keeps: tuple[Kept, ...]


LOW = ("fp8", "fp4")  # precisions in which a linear layer's input is cast, and kept as cast
WIDE = ("head", "router")  # GEMMs that stay in 16 bits whatever the precision
CAST = 5.2  # bytes moved per element that is quantized: read 2, write 1 and its transpose 1, x 1.3 (published runs)


def low_precision(precision: str, op: str) -> bool:
    """Whether a GEMM runs in fp8 or fp4."""
    return precision in LOW and op not in WIDE


def kept_element(run: Run) -> float:
    """Bytes of an element that a linear layer keeps as its input: 1 where the stack keeps the cast."""
    return 1.0 if run.precision in LOW and run.stack.keeps_casts else ELEMENT


def linear_input(run: Run, d: Degrees, elements: Column) -> Column:
    """Bytes of the norm output that the linear layer after it keeps: /tp under sequence parallelism, unless the stack
    keeps what it gathered."""
    split = d.tp if d.sequence_parallel and not run.stack.keeps_gathered else ONE
    return elements * kept_element(run) / split


def activation_element(run: Run) -> float:
    """Bytes of an element of a gated activation's input: 1 where the stack stores it in 8 bits under fp8."""
    return 1.0 if run.precision == "fp8" and run.stack.eight_bit_activation_input and run.model.gated else ELEMENT


def casts(works: tuple[Work, ...], precision: str) -> tuple[Work, ...]:
    """The work with a cast before every low-precision GEMM: its input forward, the output gradient before dX.

    Source: an element is read and written once more a cast, counted; passes fitted on published runs.
    """
    made: list[Work] = []
    for work in works:
        if isinstance(work, Gemm) and low_precision(precision, work.op) and work.tag != "dW":
            elements = work.m * work.k * (1.0 if work.groups is None else work.groups)
            made.append(Traffic(f"{work.op} cast", elements, CAST, work.tag))
        made.append(work)
    return tuple(made)


def linear(
    op: str, m: Column, n: Column, k: Column, weight: Column, gradient: Column
) -> tuple[Gemm, tuple[Gemm, Gemm]]:
    """Forward GEMM and its two backward GEMMs (input gradient dX, weight gradient dW), each with its own shape.

    Half of the weights' bytes is not hidden behind the arithmetic; dW moves the accumulated gradient.
    ``weight`` and ``gradient`` are bytes moved per parameter.
    Source: GEMMs of a linear layer and its two gradients, counted; traffic of accumulated gradients fitted on
    measured GEMM tables.
    """
    forward = Gemm(op, m, n, k, weights=n * k * weight)
    d_input = Gemm(op, m, k, n, weights=n * k * weight, tag="dX")
    d_weight = Gemm(op, k, n, m, weights=n * k * gradient, tag="dW")
    return forward, (d_input, d_weight)

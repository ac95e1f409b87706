"""What a cluster should reach in benchmarks of its parts, by the formulas that price a step and no others.

n ranks next to each other over the tiers; S bytes of a collective's full buffer; M, N, K shape of a matrix multiply.
Bus bandwidth is that of nccl-tests (engine/collectives/bus.py).
"""

from dataclasses import dataclass, replace

import numpy as np

from engine import kernels, network
from engine.collectives import COLLECTIVES, bus, terms
from engine.columns import ONE, Column, column
from engine.goodput import Goodput
from engine.inputs import Run
from engine.layout import Degrees
from engine.network import Group
from engine.operators.work import WIDE, Gemm
from engine.step import Timing

TESTED = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
SQUARE = 8192.0  # M = N = K of the large square multiply
SHAPES = 5  # of the run's own multiplies, the largest first


@dataclass(frozen=True)
class Span:
    """Ranks next to each other that fill one element of a tier, or the job."""

    tier: str
    ranks: Column
    group: Group


@dataclass(frozen=True)
class Multiply:
    """One matrix multiply to time: the operation it is of, its datatype, its shape and its FLOP/s."""

    op: str
    dtype: str
    m: Column
    n: Column
    k: Column
    rate: Column


def spans(run: Run, d: Degrees) -> tuple[Span, ...]:
    """The scale-up domain, one pod and the whole job, as far as they differ: of tiers between, the outermost."""
    chain = network.tiers(run.cluster, d.used)
    whole = network.lay(run, d, "test", ((d.used, ONE),))
    found: dict[float, Span] = {}
    for tier, ranks in zip(chain, (*whole.members[:-1], d.used), strict=True):
        if ranks[0] > 1 and float(ranks[0]) not in found:
            found[float(ranks[0])] = Span(tier.name, ranks, network.lay(run, d, "test", ((ranks, ONE),)))
    kept = list(found.values())
    return (*kept[:1], *kept[1:][-2:])


def bus_bandwidth(run: Run, span: Span, kind: str, size: Column) -> Column:
    """bytes/s: bus bandwidth of a collective of S bytes over the ranks of a span."""
    seconds = COLLECTIVES[kind].seconds(size, span.group, terms.of(run))
    return bus.bus_bandwidth(kind, size, span.ranks, seconds)


def rate(run: Run, dtype: str, m: Column, n: Column, k: Column) -> Column:
    """FLOP/s of one multiply in ``dtype`` at the sustained clock: 2 M N K / t (kernels.gemm_seconds)."""
    device = kernels.device(replace(run, precision=dtype))
    weights = n * k * kernels.DTYPE_BYTES[dtype]
    gemm = Gemm("test", m, n, k, weights)
    seconds, _ = kernels.gemm_seconds(gemm, device, None)
    return kernels.gemm_flops(gemm) / seconds


def multiplies(run: Run, timing: Timing | None) -> tuple[Multiply, ...]:
    """The large square in 16 bits and in the run's precision, then the run's own forward multiplies, largest first."""
    wide = "fp16" if run.precision == "fp16" else "bf16"
    square = column(SQUARE)
    found = [("square", dtype, square, square, square) for dtype in dict.fromkeys((wide, run.precision))]
    found += [] if timing is None else shapes(run, timing, wide)
    known = (f for f in found if getattr(run.gpu.peak, f[1]) is not None)
    return tuple(Multiply(*f, rate(run, *f[1:])) for f in known)


def shapes(run: Run, timing: Timing, wide: str) -> list[tuple[str, str, Column, Column, Column]]:
    """(operation, datatype, M, N, K) of the run's largest forward multiplies; of experts, the shape of one."""
    blocks = [*(b for found in timing.layers.values() for b in found), timing.head]
    gemms = [w for b in blocks for w in b.block.forward if isinstance(w, Gemm) and w.op != "router"]
    apart: dict[tuple[float, ...], tuple[str, str, Column, Column, Column]] = {}
    for gemm in sorted(gemms, key=lambda g: -float(kernels.gemm_flops(g)[0])):
        dtype, rows = wide if gemm.op in WIDE else run.precision, np.rint(gemm.m)
        apart.setdefault((rows[0], gemm.n[0], gemm.k[0]), (gemm.op, dtype, rows, gemm.n, gemm.k))
    return list(apart.values())[:SHAPES]


def memory_rate(run: Run) -> Column:
    """bytes/s that kernels bound by device memory reach: beta eps."""
    return kernels.device(run).memory


def write_rate(plan: Goodput) -> Column | None:
    """bytes/s at which all nodes together write a checkpoint in the time that the plan counts with."""
    return None if plan.save is None else plan.size / plan.save

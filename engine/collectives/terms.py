"""What collectives have in common: the attained share of a link, and the fixed cost of a call.

Two protocols. ``s0``, the stepped one: 0.5 below 32 KiB, 0.7 below 1 MiB, 0.9 above, made monotone: NCCL's protocols
LL, LL128 and Simple as "How to Think About Asymptotic Times in Transformer Forward Passes", section 2, has them.
``fitted``: t = t0 + hops + (n-1)/n S/(alpha beta) with alpha by collective from the library's gpu row and
t0 from measured call floors. Source: fitted on measured nccl-tests tables.
"""

from dataclasses import dataclass, replace

import numpy as np

from engine.columns import ONE, ZERO, Column, column
from engine.inputs import Run

# s, fixed cost of a call: all-gather, reduce-scatter and all-to-all over NVLink, fitted on the nccl-tests tables of
# stas00/ml-engineering and ai-dynamo/aiconfigurator.
CALL = 10e-6
STEPS = ((32768.0, 0.5), (1048576.0, 0.7))
LARGE = 0.9
# Link share of a collective that leaves the scale-up domain: NICs reach 0.90-0.96 of wire speed
# from 1 GiB on (nccl-tests and rccl-tests on 4 nodes: stas00/ml-engineering, ROCm documentation).
ACROSS = 0.9


@dataclass(frozen=True)
class Terms:
    """Efficiencies of the run's links: by collective inside a domain, across domains, and the call's fixed cost."""

    protocol: str
    gather: Column
    all_reduce: Column
    all_to_all: Column
    across: Column
    exchange: Column  # of that, what an all-to-all reaches
    call: Column
    experts_per_token: Column  # copies of a row that an expert dispatch sends, 1 without experts

    def alpha(self, kind: str, size: Column, crosses: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Column:
        """Attained share of the link for a buffer of ``size`` bytes."""
        if self.protocol == "s0":
            return stepped_efficiency(size)
        inside = {"gather": self.gather, "all_reduce": self.all_reduce, "all_to_all": self.all_to_all}[kind]
        return np.where(crosses, self.across, inside)


def of(run: Run) -> Terms:
    """The terms of a run."""
    e = run.gpu.efficiency
    stepped = run.cluster.protocol == "s0"
    call, active = ZERO if stepped else column(CALL), ONE if run.model.experts is None else run.model.experts.active
    return Terms(
        run.cluster.protocol,
        e.gather,
        e.all_reduce,
        e.all_to_all,
        column(ACROSS),
        ONE,
        call,
        active,
    )


def of_step(run: Run) -> Terms:
    """The terms of a training step: the experts' exchange reaches less than a bare all-to-all does across domains."""
    return replace(of(run), exchange=run.stack.dispatch_share / ACROSS)


def stepped_efficiency(size: Column) -> Column:
    """Share of the link that a buffer of ``size`` bytes reaches: 0.5, 0.7 from 32 KiB, 0.9 from 1 MiB."""
    result = np.full_like(size, LARGE)
    for limit, share in reversed(STEPS):
        result = np.where(size < limit, share, result)
    return result


def stepped_transfer(size: Column, n: Column, beta: Column) -> Column:
    """Seconds of (n-1)/n S at the stepped efficiency, never less than a smaller buffer takes (running maximum).

    Source: stepped efficiencies as stated for the protocol, made monotone.
    """
    own = size / stepped_efficiency(size)
    for limit, share in STEPS:
        own = np.where(size >= limit, np.maximum(own, limit / share), own)
    return (n - 1) / n * own / beta

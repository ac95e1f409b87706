"""Entering and leaving a tensor-parallel block: the collectives that are tensor parallelism.

With sequence parallelism a block gathers its sharded rows on entry and scatters its partial sums on exit; without it
the exit is one all-reduce. The backward pass swaps the directions. Source: Korthikanti et al. 2022 section 4.2.2.
"""

from engine.columns import Column
from engine.layout import Degrees
from engine.operators.work import Collective, Work


def enter(d: Degrees, block: str, rows: Column) -> list[Work]:
    """Entering a tensor-parallel block: sequence parallelism gathers the sharded rows; without it nothing moves."""
    return [Collective(f"{block} gather", "all_gather", rows, "tensor")] if d.sequence_parallel else []


def leave(d: Degrees, block: str, rows: Column) -> list[Work]:
    """Leaving it: reduce-scatter of the partial sums, or all-reduce without sequence parallelism."""
    kind = "reduce_scatter" if d.sequence_parallel else "all_reduce"
    return [Collective(f"{block} sum", kind, rows, "tensor")]


def leave_back(d: Degrees, block: str, rows: Column) -> list[Work]:
    """Backward of leaving: gather of the output gradient."""
    return [Collective(f"{block} sum", "all_gather", rows, "tensor", tag="dY")] if d.sequence_parallel else []


def enter_back(d: Degrees, block: str, op: str, rows: Column) -> list[Work]:
    """Backward of entering: the input is gathered again for dW behind dX, and dX is summed behind dW."""
    if not d.sequence_parallel:
        return [Collective(f"{block} gather", "all_reduce", rows, "tensor", behind=f"{op} dW", tag="dX")]
    return [
        Collective(f"{block} gather", "all_gather", rows, "tensor", behind=f"{op} dX", tag="X again"),
        Collective(f"{block} gather", "reduce_scatter", rows, "tensor", behind=f"{op} dW", tag="dX"),
    ]

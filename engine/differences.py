"""What makes one run's step or cost differ from another's, cause by cause: bars that add up to the difference.

Step: every cause of the ledger is a sum of exposed seconds, and the causes add up to the step; a bar is the
difference of one cause. What no cause counts is the last bar, ``other``.

Cost: the GPUs' line is N T p with N GPUs billed, T = w / e seconds (w training at full speed, e the effective training
time) and p = line / (N T) dollars a GPU-second. The factors are exchanged one after the other in the order of
ORDER, each at the new values of those before it and the old values of those after it:

    N1 w1 p1/e1 - N0 w0 p0/e0 = (N1-N0) w0 p0/e0 + N1 (w1-w0) p0/e0 + N1 w1 (1/e1-1/e0) p0 + N1 (w1/e1) (p1-p0)

Every other line of the cost is a bar by itself; a line that is not included counts as nothing, as it does in the total.
"""

from collections.abc import Iterator

from engine.columns import ZERO, Column
from engine.result import Result

CAUSES = (
    "compute_time",
    "tensor_communication",
    "context_communication",
    "expert_communication",
    "pipeline_communication",
    "data_communication",
    "bubble_time",
    "optimizer_time",
    "launch_time",
    "offload_time",
    "overhead_time",
)
OTHER = "other"
ORDER = ("GPUs billed", "training speed", "failures and checkpoints", "price of a GPU-hour")
Bars = list[tuple[str, Column]]


def step_bars(old: Result, new: Result) -> Bars | None:
    """Seconds by cause that the step of ``new`` takes beyond that of ``old``; None where one has no step."""
    if "step_time" not in old.columns or "step_time" not in new.columns:
        return None
    before, after = dict(_causes(old)), dict(_causes(new))
    bars = ((cause, after[cause] - before[cause]) for cause in before)
    return [(cause, seconds) for cause, seconds in bars if before[cause].any() or after[cause].any()]


def _causes(result: Result) -> Iterator[tuple[str, Column]]:
    """Seconds by cause; they add up to the step."""
    left = result.columns["step_time"]
    for cause in CAUSES:
        seconds = result.columns.get(cause, ZERO)
        left = left - seconds
        yield cause, seconds
    whole = result.columns["step_time"]
    yield OTHER, left * (abs(left) > 1e-12 * whole)


def cost_bars(old: Result, new: Result) -> Bars | None:
    """USD by cause that ``new`` costs beyond ``old``, in the order of ORDER, then line by line; None without costs."""
    factors = [_factors(result) for result in (old, new)]
    if factors[0] is None or factors[1] is None:
        return None
    (n0, w0, e0, p0), (n1, w1, e1, p1) = factors[0], factors[1]
    steps = (
        (n1 - n0) * (w0 / e0 * p0),
        n1 * ((w1 - w0) / e0 * p0),
        n1 * (w1 * (1 / e1 - 1 / e0) * p0),
        n1 * (w1 / e1 * (p1 - p0)),
    )
    before, after = ({line.line: line.usd for line in r.cost[1:]} for r in (old, new))
    lines = [(name, before.get(name), after.get(name)) for name in dict.fromkeys([*before, *after])]
    rest = [(name, _usd(b) - _usd(a)) for name, a, b in lines if a is not None or b is not None]
    return [*zip(ORDER, steps, strict=True), *rest]


def _usd(value: Column | None) -> Column:
    return ZERO if value is None else value


def _factors(result: Result) -> tuple[Column, Column, Column, Column] | None:
    """GPUs billed, seconds at full speed, effective training time, USD a GPU-second; None without a cost."""
    columns, counts = result.columns, result.gpus
    if "cost" not in columns:
        return None
    assert counts is not None and result.cost[0].usd is not None
    seconds, effective = columns["time_to_train"], columns["effective_training_time"]
    price = result.cost[0].usd / (counts.bought * seconds)
    return counts.bought, seconds * effective, effective, price

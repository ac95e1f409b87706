"""A point of the JSON document as reports hand it to the figures, and data of every figure for hypothesis to vary."""

import math
from typing import Any

from hypothesis import strategies as st

from reports.figures import (
    bus_bandwidth,
    checkpoint_curve,
    cost_by_line,
    measured,
    memory,
    over_time,
    pipeline_schedule,
    profiled,
    roofline,
    step_time,
    topology,
    traffic_by_tier,
)

GIB = 2.0**30
HOUR = 3600.0


def effective(interval: float, mtbf: float, pause: float = 30.0, restart: float = 600.0) -> float:
    """tau / ((M + R) (e^((tau + d) / M) - 1)): the effective training time of one tier."""
    return interval / ((mtbf + restart) * (math.exp((interval + pause) / mtbf) - 1))


def row(block: str, op: str, kind: str, seconds: float, **more: Any) -> dict[str, Any]:
    """A row of the ledger that is exposed whole."""
    return {"block": block, "op": op, "kind": kind, "phase": "forward", "seconds": seconds, "exposed": seconds} | more


LEDGER = [
    row("attention", "qkv", "gemm", 3.0, flops=1.6e15, bytes=1e12),
    row("attention", "sdpa", "sdpa", 0.6, flops=2e14),
    row("attention", "sdpa", "sdpa", 0.9, flops=3e14, phase="backward"),
    row("mlp", "mlp_up dW", "gemm", 9.0, flops=5e15, bytes=2e12),
    row("mlp", "activation", "hbm", 0.5, bytes=1.3e12),
    row("mlp", "all_gather", "collective", 1.3, axis="tensor"),
    row("pipeline", "send", "collective", 0.2, axis="pipeline"),
    row("data", "reduce_scatter", "collective", 0.4, axis="data"),
    row("optimizer", "update", "hbm", 0.2, bytes=5e11),
    row("launch", "gaps", "launch", 0.1),
    row("step", "bubble", "wait", 0.9),
    row("step", "fixed", "wait", 0.01),
]


def one_f_one_b(stages: int, micro_batches: int) -> list[dict[str, Any]]:
    """The passes of a 1F1B schedule, forward one second and backward two."""
    done: dict[tuple[str, int, int], float] = {}
    queues = []
    for s in range(stages):
        warm = min(stages - s, micro_batches)
        tail = [(k, m + (warm if k == "F" else 0)) for m in range(micro_batches) for k in "BF"]
        queues.append([("F", m) for m in range(warm)] + [(k, m) for k, m in tail if m < micro_batches])
    clock, passes = [0.0] * stages, []
    while any(queues):
        for s, queue in enumerate(queues):
            while queue:
                kind, m = queue[0]
                needs = [("F", s - 1, m)] * (s > 0) if kind == "F" else [("B", s + 1, m)] if s < stages - 1 else []
                if any(need not in done for need in needs):
                    break
                start = max([clock[s], *(done[need] for need in needs)])
                clock[s] = done[kind, s, m] = start + (1 if kind == "F" else 2)
                passes.append({"stage": s, "kind": kind, "micro_batch": m, "chunk": 0, "start": start, "end": clock[s]})
                queue.pop(0)
    return passes


def stage(index: int, activations: float, fits: str = "fits") -> dict[str, Any]:
    """A row of the memory table, 80 GiB of capacity."""
    parts = {
        "weights": 9 * GIB,
        "gradients": 18 * GIB,
        "optimizer": GIB,
        "activations": activations * GIB,
        "logits": 2 * GIB,
        "buffers": GIB,
        "communicators": 3 * GIB,
        "context": 0.6 * GIB,
        "slack": 2 * GIB,
    }
    return {"stage": index, "total": sum(parts.values()), "capacity": 80 * GIB, "fits": fits} | parts


def point() -> dict[str, Any]:
    """A whole point: 1,024 GPUs in two tiers, four stages, one measured value."""
    tier = {"node": (8, 450e9, 1), "pod": (1024, 50e9, 2)}
    settings: dict[str, Any] = {
        "cluster.gpus": 1024,
        "cluster.gpu": "h100-sxm",
        "cluster.tier": ("node", "pod"),
        "batch": 2048,
        "sequence": 8192,
        "tokens": 15e12,
        "precision": "bf16",
        "layout.pipeline": 4,
        "cluster.gpu.peak.bf16": 989e12,
        "cluster.gpu.peak.fp8": 1979e12,
        "cluster.gpu.memory_bandwidth": 3.35e12,
        "memory.reserve": 4 * GIB,
    }
    for name, (span, bandwidth, over) in tier.items():
        settings |= {f"cluster.tier.{name}.span": span, f"cluster.tier.{name}.bandwidth": bandwidth}
        settings[f"cluster.tier.{name}.oversubscription"] = over
    intervals = [180 * 1.18**i for i in range(30)]
    return {
        "settings": settings,
        "results": {
            "step_time": 17.11,
            "mfu": 0.432,
            "micro_batches": 16,
            "time_to_train": 45 * 86400.0,
            "effective_training_time": 0.93,
            "mtbf": 12 * HOUR,
        },
        "figures": {"effective_training_time": {"limit": {"value": 0.92, "op": ">="}}},
        "ledger": LEDGER,
        "memory": [stage(0, 35, "tight"), stage(1, 30), stage(2, 30), stage(3, 10)],
        "traffic": [
            {
                "axis": "tensor",
                "size": 8,
                "tier": "node",
                "members_per_domain": 8,
                "collective": "all_gather",
                "bytes": 3e11,
                "seconds": 1.5,
                "exposed": 1.3,
            },
            {
                "axis": "data",
                "size": 32,
                "tier": "pod",
                "members_per_domain": 1,
                "collective": "reduce_scatter",
                "bytes": 9e9,
                "seconds": 0.6,
                "exposed": 0.4,
            },
        ],
        "timeline": {
            "schedule": "one_f_one_b",
            "micro_batches": 16,
            "passes": one_f_one_b(4, 16),
            "total": 40,
            "shown_note": "",
        },
        "checkpoint": {
            "mtbf": 12 * HOUR,
            "young": 1609.0,
            "used": 1620.0,
            "best": 1590.0,
            "curve": [{"interval": t, "effective": effective(t, 12 * HOUR)} for t in intervals],
            "curves": [
                {"mtbf": m * HOUR, "points": [[t, effective(t, m * HOUR)] for t in intervals]} for m in (6, 12, 24)
            ],
        },
        "cost": [
            {"line": "GPUs", "usd": 28.696e6},
            {"line": "storage", "usd": 1.172e6},
            {"line": "staff", "usd": None},
        ],
        "gpus": {"used": 1024},
        "bus_bandwidth": [
            {"collective": kind, "span": span, "ranks": n, "points": [[2.0**p, p * 1e10, 8e9] for p in range(20, 34)]}
            for kind in ("all_reduce", "all_gather", "all_to_all")
            for span, n in (("node", 8), ("pod", 1024))
        ],
        "measured": [{"name": "mfu", "value": 0.41, "predicted": 0.432, "error": 0.054, "source": "log"}],
        "trace": {
            "rows": [
                {"class": kind, "predicted": p, "predicted_busy": b, "measured": m, "busy": n, "slowest": s}
                for kind, p, b, m, n, s in (("gemm", 9.0, 9.0, 9.8, 9.8, 10.1), ("data", 0.4, 2.1, 1.3, 2.6, 8.7))
            ]
        },
    }


names = st.one_of(
    st.sampled_from(["A", "team", "a run whose name nobody would ever want to read to its end, but is here"]),
    st.text(max_size=60),
    st.sampled_from(["$x$ at $5", 'a & <b> "c"', "模型 é ẞ \u0007", ""]),
)
usual = st.floats(1e-3, 1e3)
numbers = st.one_of(usual, usual, st.sampled_from([0.0, 1e-12, 1e15, 1.0, 1.0]))
absent = st.one_of(numbers, numbers, st.none(), st.sampled_from([math.nan, math.inf, -1.0]))
shares = st.one_of(st.floats(0, 1), st.none(), st.just(math.nan))
positive = st.one_of(st.floats(1.0, 1e5), st.sampled_from([1e-6, 1e9]))


def several(item: st.SearchStrategy[Any], most: int = 15) -> st.SearchStrategy[tuple[Any, ...]]:
    """From one to so many items as a tuple."""
    return st.lists(item, min_size=1, max_size=most).map(tuple)


def parts(count: int) -> st.SearchStrategy[tuple[float, ...]]:
    """So many values, zero, tiny, huge and not-a-number among them."""
    return st.tuples(*[st.one_of(numbers, st.just(0.0), st.just(math.nan)) for _ in range(count)])


FITS = st.sampled_from(["fits", "tight", "does_not_fit"])
TIERS = ("node", "a tier with a long name", "pod", "spine", "hall")
curve = st.builds(
    checkpoint_curve.Curve,
    positive,
    st.lists(st.tuples(st.floats(1.0, 1e6), st.floats(0, 1)), min_size=1, max_size=30).map(lambda p: tuple(sorted(p))),
)
curves = st.tuples(curve.map(lambda c: checkpoint_curve.Curve(c.mtbf, c.points, True)), st.lists(curve, max_size=6))
passes = st.builds(
    lambda s, k, m, c, t, d: pipeline_schedule.Pass(s, k, m, c, t, t + d),
    st.integers(0, 11),
    st.sampled_from("FBW"),
    st.integers(1, 20),
    st.integers(0, 3),
    st.floats(0, 50),
    st.floats(0.01, 5),
)
kinds = st.sampled_from(["gemm", "sdpa", "hbm"])
intensity = st.one_of(st.floats(1e-3, 1e6), st.none())

stretch = st.lists(st.tuples(positive, positive), min_size=1, max_size=4).map(
    lambda p: ((0.0, 0.0), *((sum(d for d, _ in p[: i + 1]), sum(t for _, t in p[: i + 1])) for i in range(len(p))))
)
over_times = st.builds(
    over_time.OverTimeData,
    stretch,
    st.one_of(st.none(), positive),
    st.one_of(st.none(), st.tuples(positive, positive).map(lambda p: (min(p), max(p)))),
    st.one_of(st.none(), positive),
    st.lists(st.tuples(names, positive), max_size=10).map(tuple),
    st.one_of(st.none(), positive),
    st.one_of(st.none(), positive),
)
DATA: dict[str, st.SearchStrategy[Any]] = {
    "over_time": over_times,
    "step_time": st.builds(
        step_time.StepTimeData,
        several(st.builds(step_time.StepTimeRow, names, parts(len(step_time.KINDS)), absent, shares, st.booleans())),
        names,
        st.sampled_from(["TP", "TP, CP, EP"]),
        st.integers(0, 200),
    ),
    "memory": st.builds(
        memory.MemoryData,
        several(st.builds(memory.MemoryRow, names, parts(len(memory.KINDS)), absent, absent, FITS, st.booleans())),
        absent,
        st.integers(0, 200),
        st.sampled_from(["stages", "runs"]),
    ),
    "topology": st.builds(
        topology.TopologyData,
        names,
        st.integers(1, 200_000).map(float),
        st.lists(st.builds(topology.Tier, st.sampled_from(TIERS), positive, absent, st.floats(1, 20)), max_size=5).map(
            tuple
        ),
        st.lists(
            st.builds(
                topology.Group,
                st.sampled_from(list(topology.LETTERS)),
                st.integers(1, 20_000).map(float),
                st.sampled_from(TIERS),
                st.sampled_from([0.0, 1.0, 2.0, 72.0]),
            ),
            max_size=5,
        ).map(tuple),
    ),
    "checkpoint_curve": st.builds(
        lambda c, *rest: checkpoint_curve.CheckpointData((c[0], *c[1]), *rest),
        curves,
        st.none() | st.floats(1, 1e6),
        st.none() | st.floats(1, 1e6),
        st.none() | st.floats(0, 1),
    ),
    "pipeline_schedule": st.builds(
        pipeline_schedule.PipelineData,
        several(passes, 40),
        names.map(lambda n: n[:20]),
        st.integers(1, 64),
        st.integers(1, 500),
    ),
    "cost_by_line": st.builds(
        cost_by_line.CostData,
        several(st.builds(cost_by_line.CostRow, names, several(st.tuples(names, absent), 14), st.booleans()), 14),
        st.integers(0, 200),
    ),
    "traffic_by_tier": st.builds(
        traffic_by_tier.TrafficData,
        several(st.builds(traffic_by_tier.TrafficRow, names, st.sampled_from(TIERS), absent, absent, absent)),
        st.just(TIERS),
        st.integers(0, 200),
    ),
    "profiled": st.builds(
        profiled.ProfiledData,
        several(st.builds(profiled.ProfiledRow, names, *[numbers] * 5)),
    ),
    "roofline": st.builds(
        roofline.RooflineData,
        names,
        st.sampled_from(["bf16", "fp8"]),
        st.floats(1e12, 1e16),
        st.floats(1e11, 1e14),
        several(st.builds(roofline.Operator, names, kinds, intensity, st.floats(1e6, 1e16)), 10),
        st.none() | st.just(("fp8", 2e16)),
    ),
    "bus_bandwidth": st.builds(
        bus_bandwidth.BusData,
        several(st.builds(bus_bandwidth.Span, st.sampled_from(TIERS), positive), 3),
        several(
            st.builds(
                bus_bandwidth.Curve,
                st.sampled_from(["all_reduce", "all_gather", "all_to_all"]),
                st.sampled_from(TIERS),
                several(st.tuples(st.floats(2.0**20, 2.0**33), st.floats(1e6, 9e12), st.none() | st.floats(1e6, 9e12))),
            )
        ),
    ),
    "measured": st.builds(
        measured.MeasuredData,
        several(st.builds(measured.MeasuredRow, names, st.just("385 TFLOP/s"), names, st.none() | st.floats(-1, 100))),
    ),
}
"""For every figure of reports.figures.FIGURES, data as odd as they come."""

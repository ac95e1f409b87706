"""Writes document.json: a document in the form the reports read, with plausible numbers (S4's 70B on 4,096 H100).

Test data only: the figures are rounded by hand from the plan of the text, not results of the engine.
Run `python tests/data/make_document.py` after changing it.
"""

import hashlib
import json
import math
from pathlib import Path
from typing import Any

GIB, GB, DAY, HOUR = 2.0**30, 1e9, 86400.0, 3600.0
FILE = "team-70b.scn"
SOURCE = """# The team's plan: 70B parameters, 15T tokens, 4,096 H100 in two pods
edition 2026

import "library/gpus.scn"
import "library/models.scn"

cluster team "4,096 H100 in two pods" {
  gpu           = h100-sxm
  gpus_per_node = 8
  nodes         = 512
  price         = $2.10/gpu-hour
  mtbf          = 12 hours
  restart       = 10 minutes
  placement     = balanced

  tier node { bandwidth = 450 GB/s, latency = 1 us }
  tier pod { span = 2048 gpus, bandwidth = 50 GB/s, latency = 10 us }
  tier core { bandwidth = 50 GB/s, latency = 20 us, oversubscription = 7:1 }
}

run team "Tensor 8 inside the node, FSDP over 512" {
  model     = llama-3-70b
  cluster   = team
  tokens    = 15T tokens
  batch     = 2048 sequences
  layout { tensor = 8, micro_batch = 4 sequences, recompute = full, shard = zero3 }
  checkpoint { interval = 27 minutes, pause = 30 s }
  require memory_per_gpu <= 90% * cluster.gpu.memory because "leave room for NCCL and fragmentation"
  require time_to_train <= 60 days
  require cost <= $9.9M because "the budget the board has approved for this model, spares and restarts included"
}
"""
SHA = hashlib.sha256(SOURCE.encode()).hexdigest()

# (block, operation, phase, kind, count, TFLOP, GB, efficiency, axis, seconds, exposed, formula)
OPERATIONS = [
    ("embedding", "lookup", "forward", "hbm", 1, 0, 1.1, 1.0, None, 0.0007, 0.0007, "2 T h w"),
    ("attention", "norm", "forward", "hbm", 160, 0, 12.9, 3.0, None, 0.0158, 0.0158, "3 T h w / tp"),
    ("attention", "qkv", "forward", "gemm", 80, 440, 13.4, 0.66, None, 0.674, 0.674, "2 T h (a + 2k) dh / tp"),
    ("attention", "sdpa", "forward", "sdpa", 80, 352, 9.7, 0.50, None, 0.711, 0.711, "2 T s a dh / tp, causal"),
    ("attention", "attn_out", "forward", "gemm", 80, 352, 10.7, 0.65, None, 0.547, 0.547, "2 T a dh h / tp"),
    (
        "attention",
        "gather",
        "forward",
        "collective",
        80,
        0,
        37.6,
        0.69,
        "tensor",
        0.121,
        0.121,
        "(n-1)/n S / (alpha beta)",
    ),
    ("mlp", "norm", "forward", "hbm", 160, 0, 12.9, 3.0, None, 0.0158, 0.0158, "3 T h w / tp"),
    ("mlp", "mlp_up", "forward", "gemm", 80, 2463, 40.2, 0.69, None, 3.610, 3.610, "4 T h f / tp"),
    ("mlp", "mlp_down", "forward", "gemm", 80, 1232, 21.5, 0.67, None, 1.859, 1.859, "2 T f h / tp"),
    ("mlp", "swiglu", "forward", "hbm", 80, 0, 56.4, 3.0, None, 0.0198, 0.0198, "3 T f w / tp"),
    ("mlp", "gather", "forward", "collective", 80, 0, 37.6, 0.69, "tensor", 0.121, 0.121, "(n-1)/n S / (alpha beta)"),
    (
        "attention",
        "layer again",
        "recompute",
        "gemm",
        80,
        4839,
        95.0,
        0.67,
        None,
        7.570,
        2.770,
        "the layer's forward rows",
    ),
    ("attention", "qkv", "backward", "gemm", 160, 880, 26.8, 0.66, None, 1.348, 1.348, "dX and dW"),
    ("attention", "sdpa", "backward", "sdpa", 80, 880, 24.3, 0.43, None, 2.067, 2.067, "2.5 x forward"),
    ("mlp", "mlp_up", "backward", "gemm", 160, 4926, 80.4, 0.69, None, 7.220, 3.220, "dX and dW"),
    ("mlp", "mlp_down", "backward", "gemm", 160, 2464, 43.0, 0.67, None, 3.718, 1.718, "dX and dW"),
    ("mlp", "scatter", "backward", "collective", 160, 0, 75.2, 0.69, "tensor", 0.242, 0.061, "AG(dY) + rest of RS(dX)"),
    ("head", "head", "forward", "gemm", 1, 275, 4.2, 0.70, None, 0.397, 0.397, "2 T h Vp / tp"),
    ("head", "head", "backward", "gemm", 2, 550, 8.4, 0.70, None, 0.794, 0.794, "dX and dW"),
    ("head", "loss", "forward", "hbm", 1, 0, 8.4, 12.0, None, 0.0354, 0.0354, "12 T Vp / tp fp32"),
    (
        "data",
        "gather weights",
        "forward",
        "collective",
        80,
        0,
        17.6,
        0.67,
        "data",
        0.526,
        0.048,
        "(n-1)/n S / (alpha beta)",
    ),
    (
        "data",
        "gather weights",
        "backward",
        "collective",
        80,
        0,
        17.6,
        0.67,
        "data",
        0.526,
        0.048,
        "(n-1)/n S / (alpha beta)",
    ),
    (
        "data",
        "reduce gradients",
        "backward",
        "collective",
        80,
        0,
        35.2,
        0.67,
        "data",
        1.052,
        0.221,
        "(n-1)/n S / (alpha beta)",
    ),
    ("optimizer", "adamw", "step", "hbm", 1, 0, 0.52, 1.0, None, 0.0009, 0.0009, "30 B per parameter of the shard"),
    ("launch", "kernel gaps", "step", "launch", 5200, 0, 0, None, None, 0.0364, 0.0364, "kernels x gap"),
    ("step", "bubble", "step", "wait", 1, 0, 0, None, None, 0.0, 0.0, "(pp - 1)/m"),
    ("step", "fixed", "step", "wait", 1, 0, 0, None, None, 0.010, 0.010, "stack.step_time"),
]
FIGURES = {  # name: (display unit, decimals)
    "step_time": ("s", 2),
    "compute_time": ("s", 2),
    "tensor_communication": ("s", 2),
    "data_communication": ("s", 2),
    "exposed_communication": ("s", 2),
    "bubble_time": ("s", 2),
    "bubble": ("%", 1),
    "bubble_share": ("%", 1),
    "optimizer_time": ("ms", 1),
    "launch_time": ("ms", 1),
    "tokens_per_second": ("M tokens/s", 2),
    "tokens_per_second_per_gpu": ("tokens/s", 0),
    "model_flops": ("TFLOP/s", 0),
    "mfu": ("%", 1),
    "mfu_attention": ("%", 1),
    "mfu_causal": ("%", 1),
    "hfu": ("%", 1),
    "weights_memory": ("GiB", 2),
    "gradients_memory": ("GiB", 2),
    "optimizer_memory": ("GiB", 2),
    "activation_memory": ("GiB", 1),
    "logits_memory": ("GiB", 1),
    "buffer_memory": ("GiB", 1),
    "memory_per_gpu": ("GiB", 1),
    "memory_headroom": ("GiB", 1),
    "parameters": ("B parameters", 2),
    "active_parameters": ("B parameters", 2),
    "micro_batches": ("", 0),
    "checkpoint_size": ("GB", 1),
    "checkpoint_interval": ("min", 1),
    "mtbf": ("h", 1),
    "effective_training_time": ("%", 1),
    "time_to_train": ("days", 1),
    "gpu_hours": ("M GPU-h", 2),
    "cost": ("M$", 1),
    "cost_per_token": ("$/M tokens", 2),
    "energy": ("GWh", 2),
    "peak_power": ("MW", 2),
    "carbon": ("t", 0),
}
SOURCES = {"h100": "NVIDIA H100 data sheet, 2023", "llama": "Llama 3 paper, table 3", "plan": "plan of the team"}
INPUTS = [  # path, value, unit, origin, source, confidence, verified
    ("model", "llama-3-70b", "", "stated", "", None, None),
    ("tokens", 15e12, "tokens", "stated", "", None, None),
    ("batch", 2048.0, "sequences", "stated", "", None, None),
    ("layout.tensor", 8.0, "", "stated", "", None, None),
    ("layout.micro_batch", 4.0, "sequences", "stated", "", None, None),
    ("layout.recompute", "full", "", "stated", "", None, None),
    ("layout.shard", "zero3", "", "stated", "", None, None),
    ("checkpoint.interval", 27 * 60.0, "seconds", "stated", "", None, None),
    ("checkpoint.pause", 30.0, "seconds", "stated", "", None, None),
    ("cluster.gpus_per_node", 8.0, "gpus", "stated", "", None, None),
    ("cluster.nodes", 512.0, "nodes", "stated", "", None, None),
    ("cluster.price", 2.10 / HOUR, "usd/s", "stated", "supplier quote Q-17, valid to 2026-12-31", "quote", None),
    ("cluster.mtbf", 12 * HOUR, "seconds", "stated", "Llama 3 paper, a quarter of its rate", "derived", "read"),
    ("cluster.restart", 600.0, "seconds", "stated", "", None, None),
    ("cluster.placement", "balanced", "", "stated", "", None, None),
    ("cluster.tier.node.bandwidth", 450e9, "bytes/s", "stated", "", None, None),
    ("cluster.tier.pod.bandwidth", 50e9, "bytes/s", "stated", "", None, None),
    ("cluster.tier.core.oversubscription", 7.0, "ratio", "stated", "", None, None),
    ("cluster.gpu.peak.bf16", 989e12, "flop/s", "library", SOURCES["h100"], "datasheet", "read"),
    ("cluster.gpu.memory", 79.6 * GIB, "bytes", "library", SOURCES["h100"], "datasheet", "read"),
    ("cluster.gpu.memory_bandwidth", 3.35e12, "bytes/s", "library", SOURCES["h100"], "datasheet", "read"),
    ("cluster.gpu.power", 700.0, "watts", "library", SOURCES["h100"], "datasheet", "read"),
    ("model.layers", 80.0, "layers", "library", SOURCES["llama"], "datasheet", "read"),
    ("model.hidden", 8192.0, "", "library", SOURCES["llama"], "datasheet", "read"),
    ("model.ffn", 28672.0, "", "library", SOURCES["llama"], "datasheet", "read"),
    ("model.heads", 64.0, "", "library", SOURCES["llama"], "datasheet", "read"),
    ("model.kv_heads", 8.0, "", "library", SOURCES["llama"], "datasheet", "read"),
    ("model.vocabulary", 128000.0, "", "library", SOURCES["llama"], "datasheet", "read"),
    ("model.sequence", 8192.0, "tokens", "library", SOURCES["llama"], "datasheet", "read"),
    ("stack", "megatron-core", "", "default", "", None, None),
    ("precision", "bf16", "", "default", "", None, None),
    ("layout.context", 1.0, "", "default", "", None, None),
    ("layout.pipeline", 1.0, "", "default", "", None, None),
    ("layout.data", 512.0, "", "derived", "", None, None),
    ("layout.schedule", "one_f_one_b", "", "default", "", None, None),
    ("cluster.pue", 1.3, "ratio", "default", "", None, None),
    ("cluster.spares", 0.0, "gpus", "default", "", None, None),
    ("cluster.gpu.efficiency.clock", 0.87, "share", "default", "", "estimate", None),
    ("cluster.gpu.efficiency.gemm", 0.80, "share", "default", "", "measured", "derived"),
    ("stack.allocated_slack", 0.02, "share", "default", "", "measured", "derived"),
    ("stack.context_memory", 0.6 * GIB, "bytes", "default", "", "measured", "read"),
]


def effective(interval: float, mtbf: float, pause: float = 30.0, restart: float = 600.0) -> float:
    return interval / ((mtbf + restart) * math.expm1((interval + pause) / mtbf))


def ledger(share: float = 0.2) -> list[dict[str, Any]]:
    keys = (
        "block",
        "op",
        "phase",
        "kind",
        "count",
        "flops",
        "bytes",
        "efficiency",
        "axis",
        "seconds",
        "exposed",
        "formula",
    )
    rows = []
    for values in OPERATIONS:
        row = dict(zip(keys, values, strict=True))
        row |= {
            "stage": 0,
            "flops": row["flops"] * 1e12 / 8,
            "bytes": row["bytes"] * GB,
            "seconds": row["seconds"] * share,
            "exposed": row["exposed"] * share,
            "algorithm": "ring" if row["axis"] else None,
            "hidden_by": "the next layer's compute" if row["seconds"] != row["exposed"] else None,
        }
        rows.append(row)
    return rows


def memory(head: float = 1.0) -> list[dict[str, Any]]:
    parts = {
        "weights": 0.0,
        "gradients": 0.0,
        "optimizer": 0.257 * GIB,
        "gathered": 1.32 * GIB,
        "activations": 20.0 * GIB,
        "logits": 1.95 * GIB,
        "working": 3.6 * GIB,
        "buffers": 1.0 * GIB,
        "communicators": 1.95 * GIB,
        "context": 0.6 * GIB,
    }
    allocated = 1.02 * sum(v for k, v in parts.items() if k not in ("context", "communicators")) * head
    total = allocated * 1.03 + parts["context"] + parts["communicators"]
    slack = total - sum(parts.values())
    return [
        {
            "stage": 0,
            "layers": 80,
            "in_flight": 1.0,
            **parts,
            "slack": slack,
            "allocated": allocated,
            "reserved": allocated * 1.03,
            "total": total,
            "capacity": 79.6 * GIB,
            "fits": "fits",
        }
    ]


def results(step: float, price: float) -> dict[str, float]:
    tokens, gpus = 15e12, 4096
    rate = 2048 * 8192 / step
    effective_time = effective(27 * 60.0, 12 * HOUR)
    days = tokens / rate / effective_time
    total = memory()[0]["total"]
    mfu = 6 * 70549512192 * rate / (gpus * 989e12)
    return {
        "step_time": step,
        "compute_time": step - 0.2,
        "tensor_communication": 0.097,
        "data_communication": 0.42,
        "exposed_communication": 0.124,
        "bubble_time": 0.0,
        "bubble": 0.0,
        "bubble_share": 0.0,
        "optimizer_time": 0.0009,
        "launch_time": 0.0364,
        "tokens_per_second": rate,
        "tokens_per_second_per_gpu": rate / gpus,
        "model_flops": mfu * 989e12,
        "mfu": mfu,
        "mfu_attention": mfu * 1.11,
        "mfu_causal": mfu * 1.03,
        "hfu": mfu * 1.36,
        "weights_memory": 0.034 * GIB,
        "gradients_memory": 0.069 * GIB,
        "optimizer_memory": 0.257 * GIB,
        "activation_memory": 20.0 * GIB,
        "logits_memory": 1.95 * GIB,
        "buffer_memory": 1.0 * GIB,
        "memory_per_gpu": total,
        "memory_headroom": 79.6 * GIB - total,
        "parameters": 70549512192.0,
        "active_parameters": 70549512192.0,
        "micro_batches": 1.0,
        "checkpoint_size": 846.6 * GB,
        "checkpoint_interval": 27 * 60.0,
        "effective_training_time": effective_time,
        "mtbf": 12 * HOUR,
        "time_to_train": days,
        "gpu_hours": gpus * days,
        "cost": gpus * days * price,
        "cost_per_token": gpus * days * price / tokens,
        "energy": gpus * 1275.0 * 1.3 * days * 0.85,
        "peak_power": gpus * 1275.0 * 1.3,
        "carbon": None,  # type: ignore[dict-item]
    }


def checks(r: dict[str, float]) -> list[dict[str, Any]]:
    def check(
        id: str,
        title: str,
        status: str,
        limit: float | None,
        result: float | None,
        unit: str,
        margin: float | None,
        reason: str = "",
        advice: str = "",
        source: str = "",
    ) -> dict[str, Any]:
        return {
            "id": id,
            "title": title,
            "severity": "warn",
            "status": status,
            "limit": limit,
            "result": result,
            "unit": unit,
            "margin": margin,
            "values": {},
            "reason": reason,
            "advice": advice,
            "source": source,
        }

    return [
        check("C1", "Memory per GPU, worst stage", "pass", 0.9 * 79.6 * GIB, r["memory_per_gpu"], "GiB", 0.55),
        check("C2", "Tensor group inside the scale-up domain", "pass", 8, 8, "gpus", 0.0),
        check(
            "C3",
            "FSDP group inside one pod",
            "warn",
            2048,
            4096,
            "gpus",
            -1.0,
            "the 512 ranks of the shard group span two pods behind 7:1 uplinks",
            "shard within a pod: shard = zero3(within = pod)",
            "Distributed training, 6.3",
        ),
        check("C4", "Checkpoint interval near the best", "pass", 2.0, 1.02, "ratio", 0.49, "", "", "Young 1974"),
        check("C5", "Master weights in fp32", "pass", 4, 4, "bytes", 0.0),
        check(
            "C6",
            "Recompute needed",
            "note",
            None,
            None,
            "",
            None,
            "memory would fit with selective recompute at micro-batch 1",
            "compare with micro_batch = 1 and recompute = selective",
            "Korthikanti et al. 2022",
        ),
        check(
            "C7",
            "Asynchronous checkpoints",
            "open",
            None,
            None,
            "s",
            None,
            "no storage write rate is stated",
            "state storage.write",
        ),
        check("C8", "Expert groups", "na", None, None, "", None),
    ]


def point(step: float = 4.19, price: float = 2.10 / HOUR) -> dict[str, Any]:
    r = results(step, price)
    rows = ledger()
    rest = step - sum(row["exposed"] for row in rows)
    rows[-1]["seconds"] += rest
    rows[-1]["exposed"] += rest
    settings: dict[str, Any] = {path: value for path, value, *_ in INPUTS}
    settings |= {
        "cluster.gpus": 4096.0,
        "cluster": "team",
        "cluster.gpu": "h100-sxm",
        "cluster.tier": ["node", "pod", "core"],
        "sequence": 8192.0,
        "fidelity": "operator",
        "layout.sequence_parallel": True,
        "cluster.tier.pod.span": 2048.0,
        "cluster.tier.node.span": 8.0,
        "cluster.tier.core.span": 4096.0,
        "cluster.tier.core.bandwidth": 50e9,
        "cluster.tier.node.latency": 1e-6,
        "cluster.tier.pod.latency": 1e-5,
        "cluster.tier.core.latency": 2e-5,
        "cluster.tier.node.oversubscription": 1.0,
        "cluster.tier.pod.oversubscription": 1.0,
        "checkpoint.rule": "stated",
    }
    days = r["time_to_train"]
    intervals = [60 * m for m in (2, 4, 7, 10, 15, 20, 27, 40, 60, 90, 120, 180, 300, 600)]
    return {
        "settings": settings,
        "results": r,
        "figures": {
            n: {
                "unit": u,
                "precision": d,
                "limit": {"memory_per_gpu": 0.9 * 79.6 * GIB, "time_to_train": 60 * DAY, "cost": 9.9e6}.get(n),
                "source": None,
            }
            for n, (u, d) in FIGURES.items()
        },
        "verdicts": [
            {
                "require": "memory_per_gpu <= 90% * cluster.gpu.memory",
                "holds": True,
                "because": "leave room for NCCL and fragmentation",
                "where": f"{FILE}:30",
                "values": {
                    "memory_per_gpu": {"value": r["memory_per_gpu"], "unit": "bytes"},
                    "cluster.gpu.memory": {"value": 79.6 * GIB, "unit": "bytes"},
                },
            },
            {
                "require": "time_to_train <= 60 days",
                "holds": days <= 60 * DAY,
                "because": None,
                "where": f"{FILE}:31",
                "values": {"time_to_train": {"value": days, "unit": "seconds"}},
            },
            {
                "require": "cost <= $9.9M",
                "holds": r["cost"] <= 9.9e6,
                "where": f"{FILE}:32",
                "because": "the budget the board has approved for this model, spares and restarts included",
                "values": {"cost": {"value": r["cost"], "unit": "usd"}},
            },
        ],
        "checks": checks(r),
        "inputs": [
            {
                "path": p,
                "value": v,
                "unit": u,
                "origin": o,
                "where": f"{FILE}:{12 + i}"
                if o == "stated"
                else ("library/gpus.scn:41" if "gpu" in p else "library/models.scn:88")
                if o == "library"
                else None,
                "source": s or None,
                "confidence": c,
                "verified": ver,
            }
            for i, (p, v, u, o, s, c, ver) in enumerate(INPUTS)
        ],
        "measured": [],
        "ledger": rows,
        "memory": memory(),
        "traffic": [
            {
                "axis": "tensor",
                "size": 8,
                "members_per_domain": 8,
                "domains": 1,
                "tier": "node",
                "pods": 1,
                "bandwidth": 450e9,
                "collective": "all_gather, reduce_scatter",
                "bytes": 38e9,
                "seconds": 0.097,
                "exposed": 0.061,
                "oversubscription": 1.0,
            },
            {
                "axis": "data",
                "size": 512,
                "members_per_domain": 1,
                "domains": 512,
                "tier": "core",
                "pods": 2,
                "bandwidth": 50e9,
                "collective": "all_gather, reduce_scatter",
                "bytes": 70.4e9,
                "seconds": 0.42,
                "exposed": 0.063,
                "oversubscription": 7.0,
            },
        ],
        "stages": [{"stage": 0, "layers": 80, "forward": 1.2, "backward": 2.8, "send": 0.0}],
        "timeline": None,
        "parameters": [
            {"part": "attention", "count": 12079595520},
            {"part": "mlp", "count": 56371445760},
            {"part": "norms", "count": 1318912},
            {"part": "embedding", "count": 1048576000},
            {"part": "head", "count": 1048576000},
        ],
        "checkpoint": {
            "size": 846.6 * GB,
            "size_per_gpu": 0.207 * GB,
            "save": 30.0,
            "pause": 30.0,
            "mtbf": 12 * HOUR,
            "restart": 600.0,
            "young": 1610.0,
            "daly": 1590.0,
            "best": 1590.0,
            "used": 1620.0,
            "curve": [{"interval": i, "effective": effective(i, 12 * HOUR)} for i in intervals],
            "curves": [
                {"mtbf": m, "points": [[i, effective(i, m)] for i in intervals]}
                for m in (6 * HOUR, 12 * HOUR, 24 * HOUR)
            ],
        },
        "failures": [
            {"component": "GPU and its memory", "rate_per_gpu_year": 0.11, "per_day": 1.18},
            {"component": "host and maintenance", "rate_per_gpu_year": 0.027, "per_day": 0.30},
            {"component": "network", "rate_per_gpu_year": 0.0145, "per_day": 0.16},
            {"component": "software", "rate_per_gpu_year": 0.033, "per_day": 0.36},
        ],
        "cost": [
            {
                "line": "GPUs",
                "usd": r["cost"],
                "basis": "4,096 GPUs x time to train x $2.10/gpu-hour",
                "source": "quote Q-17",
            },
            *(
                {"line": n, "usd": None, "basis": None, "source": None}
                for n in ("storage", "network", "egress", "staff", "support", "tax", "trial runs", "contingency")
            ),
        ],
        "power": [
            {
                "line": "GPUs",
                "peak": 4096 * 700.0,
                "mean": 4096 * 610.0,
                "basis": "700 W each",
                "source": SOURCES["h100"],
            },
            {
                "line": "host",
                "peak": 4096 * 450.0,
                "mean": 4096 * 400.0,
                "basis": "10.2 kW a node less its GPUs",
                "source": "DGX H100 guide",
            },
            {"line": "NICs", "peak": 4096 * 25.0, "mean": 4096 * 25.0, "basis": "25 W each", "source": None},
            {"line": "switches", "peak": 4096 * 100.0, "mean": 4096 * 100.0, "basis": "100 W a GPU", "source": None},
            {"line": "storage", "peak": None, "mean": None, "basis": None, "source": None},
            {
                "line": "PUE overhead",
                "peak": 4096 * 382.5,
                "mean": 4096 * 340.5,
                "basis": "PUE 1.3",
                "source": "default",
            },
        ],
        "gpus": {
            "bought": 4096,
            "used": 4096,
            "idle": 0,
            "spare": 0,
            "billed_rule": "all GPUs of the cluster, restarts included",
        },
        "formula_days": {"utilization": 0.4, "days": 45.35 * DAY, "text": "6 N D / (0.4 x peak x GPUs)"},
        "notes": [
            "The vocabulary is padded from 128,000 to 128,000 rows: 128 x tensor divides it.",
            "The shard group crosses the 7:1 layer; with balanced placement each ring crosses it twice.",
        ],
        "unavailable": [{"result": "carbon", "missing": ["cluster.carbon_intensity"]}],
        "status": "ok",
        "reasons": [],
        "alternatives": [],
    }


def document() -> dict[str, Any]:
    main, pod = point(), point(step=4.02)
    pod["settings"]["layout.shard.within"] = "pod"
    pod["checks"][2] |= {"status": "pass", "result": 2048, "margin": 0.0, "reason": "", "advice": ""}
    r = main["results"]
    key = [
        (
            "time_to_train",
            "Time to train",
            "days",
            1,
            {"value": 60 * DAY, "op": "<="},
            1 - r["time_to_train"] / (60 * DAY),
            None,
        ),
        ("cost", "Total cost", "M$", 2, {"value": 9.9e6, "op": "<="}, 1 - r["cost"] / 9.9e6, None),
        ("mfu", "Model FLOPs utilization", "%", 1, None, None, "6N convention"),
        ("effective_training_time", "Effective training time", "%", 1, None, None, "MTBF 12 h"),
        ("memory_per_gpu", "Peak memory per GPU", "GiB", 1, {"value": 0.9 * 79.6 * GIB, "op": "<="}, 0.55, None),
    ]
    counts = {s: sum(c["status"] == s for c in main["checks"]) for s in ("pass", "note", "warn", "fail", "open", "na")}
    return {
        "edition": 2026,
        "engine_version": "0.1.0",
        "file": FILE,
        "sha256": SHA,
        "title": "Team 70B pre-training",
        "imports": [
            {"path": p, "sha256": hashlib.sha256(p.encode()).hexdigest()}
            for p in ("library/gpus.scn", "library/models.scn")
        ],
        "report": {
            "kind": "procurement",
            "sections": None,
            "show": None,
            "author": "Capacity planning",
            "reviewer": "Infrastructure finance",
            "status": "for review",
            "document": "CP-2026-070",
            "date": "2026-11-29",
            "classification": "internal",
            "subtitle": "4,096 H100 for a 70B dense model, 15T tokens, finish within 60 days",
            "paper": "A4",
            "currency": "USD",
            "rate": 1.0,
            "logo": None,
            "start": "2027-03-01",
            "decision": None,
            "conditions": [
                {
                    "title": "Supplier guarantees a job MTBF of at least 12 hours",
                    "owner": "Procurement",
                    "due": "2026-12-18",
                    "effect": "+2.1 days at 6 hours",
                    "check": "C4",
                },
                {
                    "title": "Fabric team confirms 7:1 between the pods",
                    "owner": "Network",
                    "due": "2026-12-11",
                    "effect": "HSDP variant",
                    "check": "C3",
                },
            ],
            "approvals": [
                {"title": "Head of infrastructure", "role": "Infrastructure engineering", "date": None},
                {"title": "Finance partner", "role": "Infrastructure finance", "date": None},
            ],
            "revisions": [
                {"title": "A", "date": "2026-11-03", "author": "Capacity planning", "change": "First issue"},
                {
                    "title": "B",
                    "date": "2026-11-29",
                    "author": "Capacity planning",
                    "change": "MTBF from the Llama 3 paper",
                },
            ],
        },
        "verdict": {
            "word": "recommended_with_conditions",
            "sentences": [
                f"The plan meets its three requirements: {r['time_to_train'] / DAY:.1f} days against 60 and "
                f"{r['cost'] / 1e6:.2f} M$ against 9.9.",
                "Of eight checks four pass, one warns, one notes and one is open.",
            ],
            "counts": counts,
        },
        "key_numbers": [
            dict(
                zip(
                    ("name", "label", "value", "unit", "decimals", "limit", "margin", "note"),
                    (n, label, r[n], u, d, limit, margin, note),
                    strict=True,
                )
            )
            for n, label, u, d, limit, margin, note in key
        ],
        "not_evaluated": [
            {"kind": "sweep", "name": "batches", "title": "Batch size from 4M to 32M tokens", "where": f"{FILE}:60"}
        ],
        "source": SOURCE,
        "experiments": [
            {"kind": "run", "name": "team", "title": "Tensor 8 inside the node, FSDP over 512", "points": [main]},
            {"kind": "run", "name": "team-pod", "title": "The same, sharded within a pod (HSDP)", "points": [pod]},
        ],
    }


if __name__ == "__main__":
    Path(__file__).with_name("document.json").write_text(json.dumps(document(), indent=1) + "\n", encoding="utf-8")

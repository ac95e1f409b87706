"""The engine's settings of a published run: the library's GPU and stack, and the row's dimensions and layout."""

import math
from collections.abc import Mapping
from math import gcd
from typing import Any

from reports.library_run import HOPS, NIC, NICS, RUN, library_run
from reports.validation.rows import Row, card, gpu_of, number, precision_of, stack_of

SHARDS = {"none": "none", "0": "none", "1": "zero1", "2": "zero2", "3": "zero3", "hsdp": "zero3"}
LATENT = {
    "query_rank": 1536.0,
    "kv_rank": 512.0,
    "rope_head": 64.0,
    "head": 128.0,
}  # DeepSeek-V2 and -V3; no column has it
# What "selective" recomputes under each stack; no column says it. Megatron: core attention; where a fused kernel
# makes that needless, the up-projections of latent attention or the cheap operations of an expert layer. TorchTitan:
# every other multiply. MaxText: save_dot_except_mlpwi.
CHEAP = ("norm", "activation")
SELECTIVE: dict[str, tuple[str, ...]] = {
    "torch-fsdp2": ("alternate",),
    "torchtitan": ("alternate",),
    "jax-maxtext": ("norm", "rope", "activation", "mlp_up"),
}
DEDUPLICATED = ("Megatron-Bridge", "NeMo AutoModel")  # their expert models use DeepEP or HybridEP
LATENT_UP = (*CHEAP, "q_up", "kv_up")
LORA_RANK = 32.0  # as in NVIDIA's NeMo 2.0 guide to PEFT; no column has it, and 8 to 64 moves a step by 0.1 %
LORA_TARGETS = ("q", "k", "v", "o")  # linear_qkv and linear_proj in the same guide


def template(gpu: str, stack: str) -> dict[str, Any]:
    """Every setting of a run on this GPU under this stack, with the library's values and the schema's defaults."""
    found = library_run(gpu, run=f"{RUN}\n  stack = {stack}")
    assert found is not None, (gpu, stack)
    return found


def settings_of(row: Row) -> dict[str, Any]:
    """The flat table of a row; it must hold the required columns and a GPU that the library has."""
    gpu = gpu_of(row)
    assert gpu is not None
    found = dict(template(gpu, stack_of(row)))
    found |= _model(row) | _network(row, gpu, found) | _layout(row) | _experts(row)
    if row.get("task", "").startswith("lora"):
        found |= {"lora": True, "lora.rank": LORA_RANK, "lora.targets": LORA_TARGETS}
    if found["layout.recompute"] == "selective":
        found["layout.recompute.ops"] = selective(row)
    if row["framework"].startswith(DEDUPLICATED):
        found["dispatcher"] = "deduplicated"
    if row["framework"].startswith("PaxML") and row.get("recompute") == "unknown":
        found["layout.recompute"] = "full"  # its default
    if stack_of(row) == "megatron-core":
        found |= {"layout.overlap.data": False, "layout.overlap.pipeline": False}  # Megatron-LM overlaps when asked
    found |= {"batch": number(row, "gbs"), "precision": precision(row, found)}
    if found["precision"] == "fp8" and row["gpu"].startswith("TPU") and found.get("cluster.gpu.peak.fp8") is None:
        found["cluster.gpu.peak.fp8"] = 2 * found["cluster.gpu.peak.bf16"]  # eight-bit integers, priced as fp8
    return {path: value for path, value in found.items() if value is not None}


def precision(row: Row, found: Mapping[str, Any]) -> str:
    """The row's precision. Where none is stated NVIDIA's recipes run 8 bits on a GPU that can, others 16."""
    stated = row["precision"]
    if not stated and stack_of(row) == "nemo" and found.get("cluster.gpu.peak.fp8") is not None:
        return "fp8"
    return precision_of(row) or stated


def selective(row: Row) -> tuple[str, ...]:
    """The operations that a selective recomputation repeats under the row's framework."""
    if row.get("attention") == "mla":
        return LATENT_UP
    if (number(row, "experts") or 0.0) > 1:
        return CHEAP
    return SELECTIVE.get(stack_of(row), ("sdpa",))


def _value(row: Row, name: str, default: float = 1.0) -> float:
    found = number(row, name)
    return default if found is None or found <= 0 else found


def _model(row: Row) -> dict[str, Any]:
    heads, hidden = _value(row, "heads"), _value(row, "hidden")
    gated = number(row, "glu") != 0.0
    return {
        "model": row.get("model", ""), "model.layers": _value(row, "layers"), "model.hidden": hidden,
        "model.ffn": _value(row, "ffn", 4 * hidden),
        "model.heads": heads, "model.kv_heads": _value(row, "kv_heads", heads),
        "model.head": _value(row, "head_dim", hidden / heads), "model.vocabulary": _vocabulary(row),
        "model.sequence": _value(row, "seq"), "sequence": _value(row, "seq"), "model.gated": gated,
        "model.tied": number(row, "tied_embeddings") == 1.0, "model.norm": "rmsnorm" if gated else "layernorm",
    } | (_latent(heads) if row.get("attention") == "mla" else {})  # fmt: skip


def _vocabulary(row: Row) -> float:
    """The vocabulary, padded to what divides by the tensor degree: the run did run."""
    tensor, own = _value(row, "tp"), _value(row, "vocab", 50_304.0)
    return math.ceil(own / tensor) * tensor


def _latent(heads: float) -> dict[str, Any]:
    return {"model.attention": "latent", "model.attention.heads": heads} | {
        f"model.attention.{name}": value for name, value in LATENT.items()
    }


def _experts(row: Row) -> dict[str, Any]:
    """The expert block of a mixture of experts: its first layers dense where fewer layers have experts."""
    routed, layers = number(row, "experts"), _value(row, "layers")
    if not routed or routed < 2:
        return {}
    sparse = _value(row, "moe_layers", layers)
    model_parallel = _value(row, "tp") * _value(row, "pp") * _value(row, "cp")
    widest = gcd(int(routed), int(_value(row, "n_gpus") // model_parallel))  # where no column says it
    every = round(layers / sparse) if layers % sparse == 0 else 1
    return {
        "model.experts": True, "model.experts.routed": routed, "model.experts.active": _value(row, "topk"),
        "model.experts.ffn": _value(row, "expert_ffn", _value(row, "ffn")), "model.experts.every": every,
        "model.experts.shared": number(row, "shared_experts") or 0.0, "model.experts.shared_gate": False,
        "model.experts.dense_layers": layers - sparse if every == 1 else 0.0,
        "model.experts.dense_ffn": number(row, "ffn"), "model.experts.imbalance": 1.0,
        "model.experts.router_bias": False, "model.experts.bias": False, "layout.expert": _expert(row, widest),
        "layout.expert_tensor": _expert_tensor(row),
    }  # fmt: skip


def _expert(row: Row, widest: float) -> float:
    """The expert degree: the row's, as far as the ranks of a stage go."""
    return float(gcd(int(_value(row, "ep", widest)), int(_value(row, "n_gpus") // _value(row, "pp"))))


def _expert_tensor(row: Row) -> float:
    """Expert-tensor degree: Megatron's default is the tensor degree; 1 where a stage has not the ranks for that."""
    tensor, expert = _value(row, "tp"), _value(row, "ep")
    stage = _value(row, "n_gpus") // _value(row, "pp")
    return tensor if "Megatron" in row["framework"] and stage % (tensor * expert) == 0 else 1.0


def _network(row: Row, gpu: str, base: dict[str, Any]) -> dict[str, Any]:
    """Two tiers: the scale-up domain at the GPU's link, and its share of the node's cards."""
    gpus, node = _value(row, "n_gpus"), _value(row, "gpus_per_node", 8.0)
    domain = max(base.get("cluster.gpu.domain") or node, 1.0)
    if domain <= 16:
        domain = node
    nic = card(row, NICS.get(gpu, NIC))
    tiers = {"node": (domain, base.get("cluster.gpu.link") or nic), "net": (max(gpus, domain), nic)}
    found: dict[str, Any] = {"cluster.gpus": gpus, "cluster.gpus_per_node": node, "cluster.tier": tuple(tiers)}
    for name, (span, bandwidth) in tiers.items():
        found |= {f"cluster.tier.{name}.span": span, f"cluster.tier.{name}.bandwidth": bandwidth,
                  f"cluster.tier.{name}.latency": HOPS[name], f"cluster.tier.{name}.oversubscription": 1.0}  # fmt: skip
    return found


def _layout(row: Row) -> dict[str, Any]:
    tensor, pipeline, context = (_value(row, k) for k in ("tp", "pp", "cp"))
    replicas, sequences = (
        _value(row, "n_gpus") // (tensor * pipeline * context),
        _value(row, "gbs") // _value(row, "mbs"),
    )
    if 0 < sequences < replicas and not number(row, "cp"):  # more ranks than micro-batches: the rest split the sequence
        context, replicas = replicas // sequences, sequences
    virtual, shard = _value(row, "vpp"), SHARDS.get(row.get("zero_stage_or_fsdp", ""), "zero1")
    if shard == "zero2" and pipeline > 1:
        shard = "zero1"
    parallel = number(row, "sp")
    recompute = row.get("recompute", "")
    return {
        "layout.tensor": tensor, "layout.pipeline": pipeline, "layout.context": context,
        "layout.data": max(replicas, 1.0),
        "layout.micro_batch": _value(row, "mbs"), "layout.shard": shard,
        "layout.schedule": "interleaved" if virtual > 1 and pipeline > 1 else "one_f_one_b",
        "layout.schedule.virtual_stages": virtual if virtual > 1 and pipeline > 1 else None,
        "layout.recompute": recompute if recompute in ("none", "selective", "full") else "none",
        "layout.sequence_parallel": None if parallel is None else parallel == 1.0 and tensor > 1,
        "layout.order": ("tensor", "context", "data", "pipeline"),
    }  # fmt: skip

"""Settings of a run for engine tests: a 70B on H100s, in the flat form the engine reads."""

from typing import Any

from engine import inputs, read

GIB = 2.0**30

GPU: dict[str, Any] = {
    "cluster.gpu": "h100-sxm",
    "memory": 80 * GIB,
    "memory_bandwidth": 3.35e12,
    "peak.bf16": 989e12,
    "peak.fp8": 1979e12,
    "link": 450e9,
    "domain": 8,
    "topology": "switched",
    "in_switch_reduction": True,
    "host_link": 30e9,
    "power": 700.0,
    "node_power": 1275.0,
    "sms": 132,
    "efficiency.clock": 0.856,
    "efficiency.gemm": 0.816,
    "efficiency.gemm_fp8": 0.75,
    "efficiency.gemm_fp4": 0.6,
    "efficiency.half_k": 175,
    "efficiency.attention": 1.0,
    "efficiency.memory": 0.82,
    "efficiency.gather": 0.69,
    "efficiency.all_reduce": 0.81,
    "efficiency.all_to_all": 0.65,
    "attention.forward": 0.58,
    "attention.backward": 0.5,
    "attention.half_sequence": 500,
    "attention.eager_forward": 0.36,
    "attention.eager_backward": 0.34,
    "attention.first": 0.19,
}
MODEL: dict[str, Any] = {
    "layers": 80,
    "hidden": 8192,
    "ffn": 28672,
    "heads": 64,
    "kv_heads": 8,
    "vocabulary": 128000,
    "sequence": 8192,
    "tied": False,
    "gated": True,
    "norm": "rmsnorm",
    "norms_per_layer": 2,
    "embedding_norm": False,
    "final_norm": True,
    "bias.qkv": False,
    "bias.out": False,
    "bias.mlp": False,
    "bias.head": False,
    "qk_norm": "none",
    "positions": 0,
    "dropout": False,
    "mtp": 0,
    "sinks": False,
}
CLUSTER: dict[str, Any] = {
    "gpus_per_node": 8,
    "gpus": 4096,
    "placement": "packed",
    "protocol": "fitted",
    "ownership": "rented",
    "pue": 1.3,
    "restart": 600.0,
    "spares": 0,
    "repair_share": 0.78,
    "slow_rank": 0.0,
    "host_memory_bandwidth": 400e9,
    "capex.amortization": 4 * 8760 * 3600.0,
    "power.idle": 0.3,
    "storage.node_write": 1e9,
}
STACK: dict[str, Any] = {
    "attention": "cudnn",
    "passes": 0.92,
    "kernel_gap": 7e-6,
    "host_time": 5e-6,
    "graph_gap": 0.35,
    "fused_loss": "vocab_parallel",
    "loss_passes": 12,
    "overlap_tax": 0.23,
    "pipeline_exposed": 0.19,
    "data_exposed": 0.09,
    "tensor_hidden": 0.0,
    "tensor_call": 0.0,
    "scatter_sends": False,
    "dispatch_share": 0.67,
    "expert_hidden": 0.0,
    "straggler": 0.007,
    "step_time": 0.01,
    "vocabulary_multiple": 1,
    "sequence_parallel": True,
    "gradient_bytes": 4,
    "reduce_bytes": 4,
    "context_memory": 0.6 * GIB,
    "communicator_memory": 0.65 * GIB,
    "allocated_slack": 0.02,
    "reserved_slack": 0.03,
    "refuses_uneven_stages": False,
    "even_split_divides": False,
    "replicates_kv_heads": True,
    "context_replicates_kv_heads": False,
    "interleaved_micro_batches": "any",
    "zero3_with_pipeline": True,
    "load_copy": 0.0,
    "update_bytes": 0.0,
    "save_copy": 0.0,
    "mixed_qkv": False,
    "fp16_shard_bytes": 0.0,
    "unflattened_bytes": 0.0,
    "eight_bit_weights": False,
    "eight_bit_activation_input": False,
    "keeps_casts": True,
    "keeps_outputs": False,
    "keeps_gathered": False,
}
LAYOUT: dict[str, Any] = {
    "tensor": 8,
    "context": 1,
    "pipeline": 1,
    "expert": 1,
    "expert_tensor": 1,
    "micro_batch": 1,
    "schedule": "one_f_one_b",
    "recompute": "none",
    "shard": "zero1",
    "shard.within": "all",
    "reshard": True,
    "gradient_sync": "every",
    "tp_overlap": "async_backward",
    "context_method": "ring",
    "split": "balanced",
    "order": ("tensor", "context", "data", "pipeline"),
    "overlap.data": True,
    "overlap.tensor": 0.0,
    "overlap.expert": 0.0,
    "overlap.pipeline": True,
}
RUN: dict[str, Any] = {
    "name": "team",
    "model": "llama-70b",
    "cluster": "hopper",
    "stack": "megatron-core",
    "tokens": 15e12,
    "batch": 2048,
    "precision": "bf16",
    "fidelity": "operator",
    "optimizer": "adamw",
    "dispatcher": "alltoall",
    "frozen": 0.0,
    "utilization": 0.4,
    "states.weights": 2,
    "states.gradients": 2,
    "states.master": 4,
    "states.moments": 8,
    "kernels.flash": True,
    "kernels.fused": True,
    "kernels.graphs": False,
    "checkpoint.rule": "best",
    "checkpoint.mode": "sync",
    "checkpoint.weights": False,
    "checkpoint.restart_can_fail": True,
    "memory.reserve": 0.0,
}
TIERS = (("node", 8, 450e9, 1e-6, 1.0), ("pod", 3072, 50e9, 10e-6, 1.0), ("spine", 24576, 50e9, 10e-6, 7.0))


def settings(tiers: tuple[tuple[str, int, float, float, float], ...] = TIERS, **changed: Any) -> dict[str, Any]:
    """The flat settings, with ``changed`` given as layout__tensor=4 for "layout.tensor"."""
    flat: dict[str, Any] = {}
    for prefix, block in (
        ("cluster.gpu.", GPU),
        ("model.", MODEL),
        ("cluster.", CLUSTER),
        ("stack.", STACK),
        ("layout.", LAYOUT),
        ("", RUN),
    ):
        flat |= {(k if k == "cluster.gpu" else prefix + k): v for k, v in block.items()}
    flat["cluster.tier"] = tuple(t[0] for t in tiers)
    for name, span, bandwidth, latency, over in tiers:
        flat |= {
            f"cluster.tier.{name}.{k}": v
            for k, v in (("span", span), ("bandwidth", bandwidth), ("latency", latency), ("oversubscription", over))
        }
    flat |= {k.replace("__", "."): v for k, v in changed.items()}
    return flat


def run(tiers: tuple[tuple[str, int, float, float, float], ...] = TIERS, **changed: Any) -> inputs.Run:
    """A run of that plan, changed as asked."""
    return read.read(settings(tiers, **changed))

"""Names of the scenario language as words."""


def words(name: str) -> str:
    """A name of the language as words: "one_f_one_b" → "one f one b", "attn_out" → "attn out"."""
    if name in KNOWN:
        return KNOWN[name]
    head, bracket, tail = name.partition(" (")
    if bracket and head in KNOWN:
        return f"{KNOWN[head]} ({tail}"
    return " ".join(KNOWN.get(part, part) for part in name.replace("_", " ").split(" "))


KNOWN = {
    "model_flops": "model FLOP/s",
    "memory_per_gpu": "peak memory per GPU",
    "one_f_one_b": "1F1B",
    "gpipe": "GPipe",
    "zero_bubble": "zero bubble",
    "dualpipe": "DualPipe",
    "dualpipe_v": "DualPipeV",
    "zero1": "ZeRO-1",
    "zero2": "ZeRO-2",
    "zero3": "ZeRO-3 (FSDP)",
    "bf16": "BF16",
    "fp16": "FP16",
    "fp8": "FP8",
    "fp4": "FP4",
    "fp32": "FP32",
    "mlp": "MLP",
    "qkv": "QKV",
    "sdpa": "SDPA",
    "gemm": "GEMM",
    "hbm": "HBM",
    "mfu": "MFU",
    "hfu": "HFU",
    "adamw": "AdamW",
    "mtbf": "MTBF",
    "mlp_up": "MLP up",
    "mlp_down": "MLP down",
    "attn_out": "attention out",
    "all_gather": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "all_reduce": "all-reduce",
    "all_to_all": "all-to-all",
    "kv": "KV",
    "qk": "QK",
    "ffn": "FFN",
    "nic": "NIC",
    "pue": "PUE",
    "tf32": "TF32",
    "gpu": "GPU",
    "gpus": "GPUs",
    "gpu_hours": "GPU-hours",
}

SETTINGS = {
    "cluster.gpus": "GPUs",
    "cluster.nodes": "nodes",
    "cluster.gpu": "GPU",
    "cluster.price": "price of a GPU-hour",
    "layout.tensor": "tensor-parallel degree",
    "layout.pipeline": "pipeline stages",
    "layout.data": "data-parallel degree",
    "layout.context": "context-parallel degree",
    "layout.expert": "expert-parallel degree",
    "layout.expert_tensor": "tensor-parallel degree of experts",
    "layout.micro_batch": "micro-batch",
    "layout.schedule": "schedule",
    "layout.schedule.virtual_stages": "virtual stages",
    "layout.recompute": "recomputation",
    "layout.shard": "sharding",
    "batch": "global batch",
    "sequence": "sequence length",
}
"""Settings as words, where their path does not say it."""


def setting(path: str) -> str:
    """A setting, a result or an expression as words: "layout.tensor" → "tensor-parallel degree"."""
    if path in SETTINGS or path in KNOWN:
        return SETTINGS.get(path) or KNOWN[path]
    simple = all(c.isalnum() or c in "._-" for c in path)
    return words(path.rpartition(".")[2]) if simple else path


# A requirement's verdict as the status that is shown: it holds, does not hold, or cannot be decided.
HELD = {True: "pass", False: "fail", None: "open"}

VERDICTS = {
    "recommended": "Recommended",
    "recommended_with_conditions": "Recommended, with conditions",
    "met_but_bettered": "Meets what is required; an alternative is better",
    "not_feasible": "Not feasible",
    "not_decided": "Not decided",
    "nothing_to_decide": "Nothing to decide",
}

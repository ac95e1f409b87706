"""TorchTitan's configuration of a run; dsl/importers/torchtitan.py reads it back to the same layout.

Source of the names: torchtitan/config/job_config.py of pytorch/torchtitan.
"""

from collections.abc import Mapping
from typing import Any

from reports.operations.settings import amount, flag, total_steps

Settings = Mapping[str, Any]
STACKS = ("torchtitan", "torch-fsdp2")
SCHEDULES = {
    "gpipe": "GPipe",
    "one_f_one_b": "1F1B",
    "interleaved": "Interleaved1F1B",
    "zero_bubble": "InterleavedZeroBubble",
    "dualpipe_v": "DualPipeV",
}
Table = dict[str, str | int | bool | list[str]]


def configuration(s: Settings) -> dict[str, Table]:
    """The tables of the file: model, training, parallelism, activation checkpointing, compilation."""
    return {
        "model": model(s),
        "training": training(s),
        "parallelism": parallelism(s),
        "activation_checkpoint": {
            "mode": {"full": "full", "selective": "selective"}.get(str(s.get("layout.recompute")), "none")
        },
        "compile": {"enable": s.get("stack") != "torch-fsdp2"},
    }


def model(s: Settings) -> Table:
    """The model's dimensions."""
    made: Table = {
        "dim": amount(s, "model.hidden"),
        "n_layers": amount(s, "model.layers"),
        "n_heads": amount(s, "model.heads"),
        "n_kv_heads": amount(s, "model.kv_heads"),
        "ffn_dim": amount(s, "model.ffn"),
        "vocab_size": amount(s, "model.vocabulary"),
    }
    if amount(s, "model.experts.routed"):
        made |= {
            "num_experts": amount(s, "model.experts.routed"),
            "top_k": amount(s, "model.experts.active"),
            "moe_inter_dim": amount(s, "model.experts.ffn"),
            "num_shared_experts": amount(s, "model.experts.shared"),
        }
    if s.get("precision") == "fp8":
        made["converters"] = ["float8"]
    return made


def training(s: Settings) -> Table:
    """Sequence, batch and steps; with pipeline stages a replica's batch is its micro-batches together."""
    replicas = amount(s, "layout.data") or 1
    local = amount(s, "layout.micro_batch") or 1
    if amount(s, "layout.pipeline") > 1:
        local = max(1, amount(s, "batch") // replicas)
    made: Table = {
        "seq_len": amount(s, "sequence"),
        "local_batch_size": local,
        "global_batch_size": amount(s, "batch"),
        "dtype": "float32" if s.get("states.weights") == 4.0 else "bfloat16",
    }
    return made | ({"steps": steps} if (steps := total_steps(s)) else {})


def parallelism(s: Settings) -> Table:
    """Degrees; ranks that hold a copy of the states replicate, the others shard."""
    data = amount(s, "layout.data") or 1
    sharded = data if str(s.get("layout.shard")) == "zero3" else 1
    group = amount(s, "layout.shard.group") // max(1, amount(s, "layout.context"))
    sharded = group if sharded > 1 and 0 < group < data else sharded
    made: Table = {
        "data_parallel_shard_degree": sharded,
        "data_parallel_replicate_degree": data // sharded,
        "tensor_parallel_degree": amount(s, "layout.tensor") or 1,
        "pipeline_parallel_degree": amount(s, "layout.pipeline") or 1,
        "context_parallel_degree": amount(s, "layout.context") or 1,
    }
    made |= {"expert_parallel_degree": amount(s, "layout.expert")} if amount(s, "layout.expert") > 1 else {}
    if amount(s, "layout.pipeline") > 1:
        made["pipeline_parallel_schedule"] = SCHEDULES.get(str(s.get("layout.schedule")), "1F1B")
        made["pipeline_parallel_microbatch_size"] = amount(s, "layout.micro_batch") or 1
    made["fsdp_reshard_after_forward"] = "always" if flag(s, "layout.reshard") else "never"
    return made


def text(tables: Mapping[str, Table], gpus: int) -> str:
    """The configuration as TOML."""
    lines = [f"# world_size = {gpus}"]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{key} = {value_text(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def value_text(value: str | int | bool | list[str]) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(value_text(v) for v in value)}]"
    return f'"{value}"' if isinstance(value, str) else str(value)

"""TorchTitan's configuration of a run; dsl/importers/torchtitan.py reads it back to the same layout.

Source of the names: torchtitan/config/job_config.py of pytorch/torchtitan, of the end of 2025. It refuses a file with a
name that it does not know, so that the dimensions of a model stand in comments.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from dsl.importers import titan_stages
from reports import terms
from reports.operations import flavors
from reports.operations.settings import amount, flag, total_steps

Settings = Mapping[str, Any]
STACKS = ("torchtitan", "torch-fsdp2")
SCHEDULES = {kind: name for name, kind in reversed(titan_stages.SCHEDULES.items())}
BY_OPERATION = ["alternate"]  # what `selective_ac_option = "op"` computes again: every second matrix multiply
Table = dict[str, str | int | bool | list[str]]


def configuration(s: Settings, layers: Sequence[int], ranks: int) -> dict[str, Table]:
    """The tables of the file: model, training, parallelism, activation checkpointing, compilation.

    ``layers`` are those of each stage, ``ranks`` those that the states are sharded over.
    """
    return {
        "model": model(s),
        "training": training(s),
        "parallelism": parallelism(s, ranks) | (pipeline(s, layers) if amount(s, "layout.pipeline") > 1 else {}),
        "activation_checkpoint": checkpointing(s),
        "compile": {"enable": s.get("stack") != "torch-fsdp2"},
    }


def model(s: Settings) -> Table:
    """The model by its name and flavor."""
    name, flavor = flavors.registered(s)
    made: Table = {"name": name, "flavor": flavor}
    return made | ({"converters": ["quantize.linear.float8"]} if s.get("precision") == "fp8" else {})


def checkpointing(s: Settings) -> Table:
    """Which activations are computed again."""
    mode = str(s.get("layout.recompute"))
    if mode == "selective":
        return {"mode": mode, "selective_ac_option": "op"}
    return {"mode": "full" if mode == "full" else "none"}


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


def parallelism(s: Settings, ranks: int) -> Table:
    """Degrees; ranks that hold a copy of the states replicate, the others shard."""
    data = amount(s, "layout.data") or 1
    whole = str(s.get("layout.shard")) == "zero3"
    sharded = max(1, ranks // max(1, amount(s, "layout.context"))) if whole else 1
    made: Table = {
        "data_parallel_shard_degree": sharded,
        "data_parallel_replicate_degree": data // sharded,
        "tensor_parallel_degree": amount(s, "layout.tensor") or 1,
        "pipeline_parallel_degree": amount(s, "layout.pipeline") or 1,
        "context_parallel_degree": amount(s, "layout.context") or 1,
    }
    made |= {"expert_parallel_degree": amount(s, "layout.expert")} if amount(s, "layout.expert") > 1 else {}
    made["fsdp_reshard_after_forward"] = "always" if flag(s, "layout.reshard") else "never"
    return made


def pipeline(s: Settings, layers: Sequence[int]) -> Table:
    """The schedule, its micro-batch and what puts the layers where the engine has them."""
    schedule = SCHEDULES.get(kind(s))
    made: Table = {"pipeline_parallel_microbatch_size": amount(s, "layout.micro_batch") or 1}
    made |= {"pipeline_parallel_schedule": schedule} if schedule else {}
    split = split_of(s, layers)
    if split is None:
        return made
    made["pipeline_parallel_first_stage_less_layers"] = split.first
    made["pipeline_parallel_last_stage_less_layers"] = split.last
    own = virtual(s) == titan_stages.usual_stages(schedule or "1F1B")
    return made if own else made | {"pipeline_parallel_layers_per_stage": split.each}


def kind(s: Settings) -> str:
    """The schedule of the layout."""
    return str(s.get("layout.schedule") or "one_f_one_b")


def virtual(s: Settings) -> int:
    """Virtual stages of a rank as TorchTitan has them: those of an interleaved schedule, else the schedule's own."""
    if kind(s) == "interleaved":
        return amount(s, "layout.schedule.virtual_stages") or 2
    return titan_stages.usual_stages(SCHEDULES.get(kind(s), "1F1B"))


def split_of(s: Settings, layers: Sequence[int]) -> titan_stages.Split | None:
    """What puts so many layers on each stage."""
    whole = len(layers) == amount(s, "layout.pipeline")
    return titan_stages.split_of(layers, virtual(s), SCHEDULES.get(kind(s), "1F1B")) if whole else None


def not_said(s: Settings, layers: Sequence[int]) -> list[str]:
    """What of a run this file does not say."""
    own = flavors.registered(s)[1]
    found = [] if flavors.flavor(s) else [f"the flavor {own}, to be registered with its dimensions"]
    if amount(s, "layout.pipeline") > 1:
        found += pipeline_not_said(s, layers)
    if s.get("layout.shard") in ("zero1", "zero2"):
        found.append(f"sharding {terms.words(str(s['layout.shard']))}")
    if amount(s, "layout.recompute.first"):
        found.append("that only the first layers of a stage are recomputed")
    if s.get("layout.recompute") == "selective" and s.get("layout.recompute.ops") != BY_OPERATION:
        ops = s.get("layout.recompute.ops") or ("sdpa",)
        found.append(f"which operations are recomputed ({', '.join(terms.words(str(o)) for o in ops)})")
    return found + (["multi-token prediction"] if amount(s, "model.mtp") else [])


def pipeline_not_said(s: Settings, layers: Sequence[int]) -> list[str]:
    """What of a pipeline it does not say."""
    found = [] if kind(s) in SCHEDULES else [f"the schedule {terms.words(kind(s))}"]
    if kind(s) == "zero_bubble":
        found.append("that a stage is one piece in the schedule zero bubble: there it is two")
    if split_of(s, layers) is None:
        each = f" ({', '.join(str(n) for n in layers)})" if layers else ""
        found.append(f"how many layers stand on each stage{each}")
    return found


def text(tables: Mapping[str, Table], gpus: int, dimensions: Sequence[str] = ()) -> str:
    """The configuration as TOML, below comments with the number of GPUs and the dimensions of the model."""
    lines = [f"# world_size = {gpus}", *dimensions]
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

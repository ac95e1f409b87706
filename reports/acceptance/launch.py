"""The launch of one reference step: the framework's command with the layout of the run as its flags.

The model's own dimensions and the data are the framework's configuration: MODEL stands for them.
"""

from collections.abc import Mapping
from typing import Any

from reports.acceptance.commands import Setup

STEPS = 50  # the first ones warm up; the median of the rest counts
MEGATRON = ("megatron-core", "nemo", "megatron-2021", "megatron-deepspeed", "llama-3")
TORCHTITAN = ("torchtitan", "torch-fsdp2")
TORCH = ("deepspeed", "llm-foundry")


def launch(setup: Setup, point: Mapping[str, Any]) -> str | None:
    """The command, None where the stack has no launcher that is known."""
    settings, stack = point["settings"], str(point["settings"].get("stack") or "")
    if stack.startswith("jax") or setup.toolkit == "tpu":
        return f"python -m MaxText.train MODEL.yml {maxtext(settings)}"
    if stack in TORCHTITAN:
        return f"{torchrun(setup)} -m torchtitan.train --job.config_file MODEL.toml {titan(setup, settings)}"
    if stack in MEGATRON:
        return f"{torchrun(setup)} pretrain_gpt.py MODEL {megatron(settings)}"
    return f"{torchrun(setup)} train.py MODEL" if stack in TORCH else None


def torchrun(setup: Setup) -> str:
    """One process a GPU on every node; HEAD is the first node."""
    if setup.nodes == 1:
        return f"torchrun --nproc-per-node={setup.per_node}"
    start = f"torchrun --nnodes={setup.nodes} --nproc-per-node={setup.per_node}"
    return f"srun --nodes={setup.nodes} --ntasks-per-node=1 {start} --rdzv-backend=c10d --rdzv-endpoint=HEAD:29500"


def amount(settings: Mapping[str, Any], path: str) -> int:
    """A setting as a whole number, 1 where it is not stated."""
    return int(settings.get(path) or 1)


def flags(pairs: Mapping[str, int], form: str, always: tuple[str, ...] = ()) -> str:
    """The flags of degrees above 1, and those that are always given."""
    return " ".join(form.format(name, value) for name, value in pairs.items() if value > 1 or name in always)


def megatron(settings: Mapping[str, Any]) -> str:
    """Megatron's flags of a layout."""
    degrees = {
        "tensor-model-parallel-size": amount(settings, "layout.tensor"),
        "pipeline-model-parallel-size": amount(settings, "layout.pipeline"),
        "context-parallel-size": amount(settings, "layout.context"),
        "expert-model-parallel-size": amount(settings, "layout.expert"),
        "micro-batch-size": amount(settings, "layout.micro_batch"),
        "global-batch-size": amount(settings, "batch"),
        "seq-length": sequence(settings),
        "train-iters": STEPS,
    }
    sharing = " --use-distributed-optimizer" if settings.get("layout.shard") == "zero1" else ""
    together = " --sequence-parallel" if degrees["tensor-model-parallel-size"] > 1 else ""
    return flags(degrees, "--{} {}", ("micro-batch-size",)) + together + sharing


def titan(setup: Setup, settings: Mapping[str, Any]) -> str:
    """TorchTitan's flags of a layout: data parallel ranks shard the weights, copies of them replicate."""
    sharded = setup.shard if settings.get("layout.shard") == "zero3" else 1
    degrees = {
        "parallelism.tensor_parallel_degree": amount(settings, "layout.tensor"),
        "parallelism.pipeline_parallel_degree": amount(settings, "layout.pipeline"),
        "parallelism.context_parallel_degree": amount(settings, "layout.context"),
        "parallelism.data_parallel_shard_degree": sharded,
        "parallelism.data_parallel_replicate_degree": setup.data // sharded,
        "training.local_batch_size": amount(settings, "layout.micro_batch"),
        "training.global_batch_size": amount(settings, "batch"),
        "training.seq_len": sequence(settings),
        "training.steps": STEPS,
    }
    full = " --activation_checkpoint.mode full" if settings.get("layout.recompute") == "full" else ""
    return flags(degrees, "--{} {}", ("training.local_batch_size", "parallelism.data_parallel_shard_degree")) + full


def maxtext(settings: Mapping[str, Any]) -> str:
    """MaxText's settings of a layout."""
    degrees = {
        "ici_fsdp_parallelism": -1 if settings.get("layout.shard") == "zero3" else 1,
        "ici_tensor_parallelism": amount(settings, "layout.tensor"),
        "per_device_batch_size": amount(settings, "layout.micro_batch"),
        "max_target_length": sequence(settings),
        "steps": STEPS,
    }
    return flags(degrees, "{}={}", ("per_device_batch_size", "ici_fsdp_parallelism"))


def sequence(settings: Mapping[str, Any]) -> int:
    """Tokens of a sequence: the run's own, else the model's."""
    return int(settings.get("sequence") or settings.get("model.sequence") or 1)

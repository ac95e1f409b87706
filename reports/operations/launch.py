"""The line that starts a run, or some steps of it, with the file of its framework."""

from collections.abc import Mapping
from typing import Any

from reports.operations import megatron, torchtitan
from reports.operations.settings import amount
from reports.operations.watched import MAXTEXT

Settings = Mapping[str, Any]
TORCH = ("deepspeed", "llm-foundry")
DATA = "--data-path $DATA --save $CHECKPOINTS"
MOCK = "--mock-data --tokenizer-type NullTokenizer --lr 1e-4"  # Megatron refuses to start without


def launch(s: Settings, gpus: int, per_node: int, file: str, steps: int = 0) -> list[str]:
    """The parts of the command, to stand on a line each; empty where none is known.

    One process a GPU on every node, $HEAD is the first one. ``steps`` stop a run early: what is given last counts.
    """
    stack = str(s.get("stack") or "")
    start = torchrun(gpus, per_node)
    if stack in megatron.STACKS and file:
        end = f"{MOCK} --train-iters {steps}" if steps else DATA
        return [*start, f"pretrain_gpt.py $(grep -v world-size {file})", end]
    if stack in torchtitan.STACKS and file:
        few = [f"--training.steps {steps}"] if steps else []
        return [*start, f"-m torchtitan.train --job.config_file {file}", *few]
    if stack in MAXTEXT and steps:
        return [f"python -m MaxText.train MODEL.yml {maxtext(s)} steps={steps}"]  # no file of it is exported
    return [*start, "train.py MODEL"] if stack in TORCH else []


def torchrun(gpus: int, per_node: int) -> list[str]:
    """One process a GPU on every node."""
    nodes = -(-gpus // per_node)
    if nodes == 1:
        return [f"torchrun --nproc-per-node={min(per_node, gpus)}"]
    return [f"torchrun --nnodes={nodes} --nproc-per-node={per_node}", "--rdzv-backend=c10d --rdzv-endpoint=$HEAD:29500"]


def everywhere(parts: list[str], nodes: int) -> str:
    """The command on one line, started on all nodes at once; empty where there is none."""
    begin = f"srun --nodes={nodes} --ntasks-per-node=1 " if nodes > 1 and parts[:1] and "torchrun" in parts[0] else ""
    return begin + " ".join(parts)


def maxtext(s: Settings) -> str:
    """MaxText's settings of a layout."""
    degrees = {
        "ici_fsdp_parallelism": -1 if s.get("layout.shard") == "zero3" else 1,
        "ici_tensor_parallelism": amount(s, "layout.tensor") or 1,
        "per_device_batch_size": amount(s, "layout.micro_batch") or 1,
        "max_target_length": amount(s, "sequence") or amount(s, "model.sequence"),
    }
    always = ("per_device_batch_size", "ici_fsdp_parallelism")
    return " ".join(f"{name}={value}" for name, value in degrees.items() if value > 1 or name in always)

"""What a framework and a part write of a running job: the log line of a step, memory, collectives after a hang.

Sources: megatron/training/training.py of NVIDIA/Megatron-LM, torchtitan/components/metrics.py of pytorch/torchtitan,
MaxText/metric_logger.py of AI-Hypercomputer/maxtext, deepspeed/utils/timer.py, c10d/FlightRecorder of PyTorch (it reads
TORCH_NCCL_TRACE_BUFFER_SIZE also where its newer name TORCH_FR_BUFFER_SIZE is known).
"""

from collections.abc import Mapping
from typing import Any

MAXTEXT = ("jax-maxtext", "jax-maxtext-tpu")
MEGATRON = ("megatron-core", "nemo", "megatron-2021", "megatron-deepspeed")
TITAN = ("torchtitan", "torchtitan-2024", "torch-fsdp2")
STEPS = (
    dict.fromkeys(MEGATRON, "elapsed time per iteration")
    | dict.fromkeys(TITAN, "tps:")
    | dict.fromkeys(MAXTEXT, "completed step:")
    | {"deepspeed": "CurrSamplesPerSec="}
)
USED = {"cuda": "nvidia-smi --query-gpu=memory.used --format=csv", "rocm": "rocm-smi --showmeminfo vram"}
DUMP = "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1 torchrun …"
Settings = Mapping[str, Any]


def toolkit(s: Settings) -> str:
    """The toolkit of the part: cuda, rocm or tpu."""
    return str(s.get("cluster.gpu.toolkit") or "cuda")


def step_line(s: Settings) -> str:
    """The command that finds the steps in a log."""
    stack = str(s.get("stack") or "")
    found = STEPS.get(stack)
    return f"grep '{found}' LOG" if found else f"not stated: the log line of {stack or 'no stack'} is not known"


def on_pytorch(s: Settings) -> bool:
    """Whether PyTorch runs the job, on a part whose collectives NCCL or RCCL carries."""
    return not str(s.get("stack") or "").startswith("jax") and toolkit(s) in ("cuda", "rocm")


def hang(s: Settings) -> tuple[str, str]:
    """How the rank behind a hang is found: the command, and what it says."""
    if on_pytorch(s):
        return DUMP, "the dump names the collective that a rank did not join"
    said = f"not stated: no dump of collectives is known for {s.get('stack') or 'the stack'} on {toolkit(s)}"
    return said, "the host that logs no more, or logged last, comes first"

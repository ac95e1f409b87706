"""The fitted numbers: values of the library's stacks and GPUs that no datasheet states.

A number stands in one row of the library (``gpu`` or ``stack`` says which); the other rows that it applies to keep
their ratio to that one, so that 14 numbers set all of them. None serves one source, site or row. ``centre`` and
``width`` are what was expected before any run was seen (kernel tables, papers, the study of open runs), ``low`` and
``high`` the bounds.
"""

from dataclasses import dataclass

from reports.validation.rows import Row, stack_of

HOPPER = ("A100", "A800", "H100", "H200", "H800")
BLACKWELL = ("B200", "B300", "GB200", "GB300")
MEGATRON = ("nemo", "megatron-core")
FSDP = ("torch-fsdp2", "torchtitan", "torchtitan-2024", "nanotron", "llm-foundry", "jax-maxtext", "deepspeed")
GPU, STACK = "h100-sxm", "megatron-core"


@dataclass(frozen=True)
class Number:
    """One fitted number: its setting, the library row it is stated in, its prior and bounds, and where it applies."""

    name: str
    path: str
    centre: float
    width: float
    low: float
    high: float
    gpu: str = GPU
    stack: str = STACK
    gpus: tuple[str, ...] = ()  # first letters of the GPUs it applies to; all when empty
    stacks: tuple[str, ...] = ()
    unit: str = "%"  # how it is shown

    def applies(self, row: Row) -> bool:
        """Whether the number is one of a run's."""
        gpu = not self.gpus or row["gpu"].startswith(self.gpus)
        return gpu and (not self.stacks or stack_of(row) in self.stacks)


CLOCK, ATTENTION = "cluster.gpu.efficiency.clock", "cluster.gpu.efficiency.attention"
NUMBERS = (
    Number("clock, Ampere and Hopper", CLOCK, 0.87, 0.05, 0.7, 1.0, gpus=HOPPER),
    Number("clock, Blackwell", CLOCK, 0.83, 0.05, 0.7, 1.0, gpu="gb200", gpus=BLACKWELL),
    Number("attention", ATTENTION, 0.93, 0.1, 0.7, 1.2, gpus=(*HOPPER, *BLACKWELL)),
    Number("passes", "stack.passes", 0.92, 0.18, 0.5, 1.5, unit=""),
    Number("kernel_gap", "stack.kernel_gap", 7e-6, 3.5e-6, 1e-6, 20e-6, unit="us"),
    Number("tensor_hidden", "stack.tensor_hidden", 0.9, 0.1, 0.0, 1.0, stack="nemo", stacks=("nemo",)),
    Number("expert_hidden", "stack.expert_hidden", 0.3, 0.3, 0.0, 1.0, stack="nemo", stacks=("nemo",)),
    Number("dispatch_share", "stack.dispatch_share", 0.67, 0.1, 0.3, 1.0),
    Number(
        "tensor_call", "stack.tensor_call", 1e-3, 1e-3, 0.0, 5e-3,
        stack="megatron-deepspeed", stacks=("megatron-deepspeed",), unit="us",
    ),
    Number("overlap_tax", "stack.overlap_tax", 0.23, 0.1, 0.0, 0.6, stack="torch-fsdp2", stacks=FSDP),
    Number("pipeline_exposed", "stack.pipeline_exposed", 0.19, 0.1, 0.0, 1.0, stacks=MEGATRON),
    Number("data_exposed", "stack.data_exposed", 0.09, 0.05, 0.0, 0.5, stacks=MEGATRON),
    Number("straggler", "stack.straggler", 0.007, 0.003, 0.0, 0.02),
    Number("step_time", "stack.step_time", 0.01, 0.005, 0.0, 0.03, unit="us"),
)  # fmt: skip

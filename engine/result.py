"""What one evaluation knows, and the names of results that fall together when an input is missing."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.alternatives import Alternative
from engine.columns import Column, Flags
from engine.cost import Gpus
from engine.cost import Line as CostLine
from engine.goodput import Goodput
from engine.inputs import Run
from engine.layout import Degrees
from engine.memory import StageMemory
from engine.models import Parameters
from engine.power import Line as PowerLine
from engine.reduced import Reduced
from engine.simulate import Timeline
from engine.step import Step
from engine.traffic import AxisTraffic, Texts
from engine.validity import Rule

Columns = dict[str, Column]

STEP_RESULTS = (
    "step_time", "simulated_step_time", "compute_time", "tensor_communication", "context_communication",
    "expert_communication", "pipeline_communication", "data_communication", "exposed_communication",
    "communication_fraction", "bubble_time", "bubble", "bubble_share", "optimizer_time", "launch_time", "launch_share",
    "overhead_time", "offload_time", "tokens_per_second", "tokens_per_second_per_gpu", "model_flops", "mfu",
    "mfu_attention", "mfu_causal", "mfu_bf16", "hfu",
)  # fmt: skip
MEMORY_RESULTS = (
    "weights_memory", "gradients_memory", "optimizer_memory", "gathered_memory", "activation_memory", "logits_memory",
    "buffer_memory", "memory_per_gpu", "memory_allocated", "memory_headroom", "memory_step", "memory_load",
    "memory_update", "memory_save", "memory_host",
)  # fmt: skip
DURATION_RESULTS = ("time_to_train", "gpu_hours", "cost", "cost_per_token", "energy", "carbon")


@dataclass
class Stretch:
    """A part of a run with settings of its own: its tokens, its own result, and the seconds it takes."""

    name: str
    tokens: Column
    result: "Result"
    seconds: Column | None
    status: str  # its own; that of the run's result may come from another stretch


@dataclass
class Result:
    """Everything one evaluation knows. ``columns`` holds the results; the rest is for tables and figures."""

    run: Run
    columns: Columns = field(default_factory=dict)
    missing: dict[str, tuple[str, ...]] = field(default_factory=dict)
    status: str = "ok"  # ok | does_not_fit | cannot_be_built | not_evaluated
    reasons: list[str] = field(default_factory=list)
    rules: tuple[Rule, ...] = ()  # of the layout, each with the points that keep it
    partly: dict[str, Flags] = field(default_factory=dict)  # settings that only some points of a table lack
    nearest: list[Alternative] = field(default_factory=list)  # where it cannot be built, or does not fit
    notes: list[str] = field(default_factory=list)
    degrees: Degrees | None = None
    parameters: Parameters | None = None
    step: Step | None = None
    memory: list[StageMemory] = field(default_factory=list)
    traffic: list[AxisTraffic] = field(default_factory=list)
    facts: dict[str, Column | Texts | str] = field(default_factory=dict)
    timeline: Timeline | None = None  # as drawn: of at most DRAWN micro-batches
    goodput: Goodput | None = None
    gpus: Gpus | None = None
    cost: tuple[CostLine, ...] = ()
    power: tuple[PowerLine, ...] = ()
    reduced: Reduced | None = None
    stretches: list[Stretch] = field(default_factory=list)

    def lack(self, names: Iterable[str], settings: Iterable[str]) -> None:
        """Marks results as unavailable for want of ``settings``."""
        for name in names:
            self.missing[name] = tuple(dict.fromkeys((*self.missing.get(name, ()), *settings)))

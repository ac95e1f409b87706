"""What the engine is given: one group of design points, as frozen typed objects in SI base units.

Numbers are columns (engine/columns.py). Settings that decide the shape of the calculation are plain Python
values, which every point of the group shares. A setting that was not given is None, never 0. Field names are
those of the language's schema; engine/read.py builds a ``Run`` from a flat table of settings.
"""

from dataclasses import dataclass

from engine.calibration_inputs import Calibration
from engine.columns import Column
from engine.model_inputs import Attention, Biases, Experts, Mixer, Model

__all__ = [
    "Attention",
    "AttentionKernel",
    "Biases",
    "Calibration",
    "Capex",
    "Checkpoint",
    "Cluster",
    "CostLines",
    "Experts",
    "Gpu",
    "GpuEfficiency",
    "Kernels",
    "Layout",
    "Mixer",
    "Model",
    "Overlap",
    "Peak",
    "Power",
    "Recompute",
    "Reserve",
    "Run",
    "Schedule",
    "Shard",
    "Stack",
    "StatedEfficiency",
    "States",
    "Storage",
    "Tier",
]


@dataclass(frozen=True)
class Peak:
    """Dense FLOP/s by datatype."""

    bf16: Column | None
    fp16: Column | None
    fp8: Column | None
    fp4: Column | None
    fp32: Column | None
    tf32: Column | None


@dataclass(frozen=True)
class GpuEfficiency:
    """Attainable shares of a part's peaks (library rows with sources)."""

    clock: Column
    gemm: Column
    gemm_fp8: Column
    gemm_fp4: Column
    half_k: Column
    attention: Column
    memory: Column
    gather: Column
    all_reduce: Column
    all_to_all: Column


@dataclass(frozen=True)
class AttentionKernel:
    """Fused attention on this part: share of the sustained bf16 peak, and the half-speed sequence."""

    forward: Column
    backward: Column
    half_sequence: Column
    eager_forward: Column
    eager_backward: Column
    first: Column


@dataclass(frozen=True)
class Gpu:
    name: str
    memory: Column
    memory_bandwidth: Column
    peak: Peak
    link: Column | None
    pair_link: Column | None
    domain: Column | None
    topology: str
    in_switch_reduction: bool
    host_link: Column  # bytes/s to host memory, per direction, while all GPUs of a node copy
    power: Column | None
    node_power: Column | None
    sms: Column | None
    efficiency: GpuEfficiency
    attention: AttentionKernel


@dataclass(frozen=True)
class Tier:
    """One level of the network; bandwidth per GPU and direction, oversubscription of what leaves the tier below."""

    name: str
    span: Column | None
    bandwidth: Column
    latency: Column
    oversubscription: Column


@dataclass(frozen=True)
class Storage:
    write: Column | None
    read: Column | None
    node_write: Column | None
    price: Column | None
    power: Column | None


@dataclass(frozen=True)
class Capex:
    gpu: Column | None
    network: Column | None
    storage: Column | None
    facility: Column | None
    amortization: Column
    staff: Column | None


@dataclass(frozen=True)
class Power:
    gpu: Column | None
    host: Column | None
    nic: Column | None
    switch: Column | None
    idle: Column


@dataclass(frozen=True)
class CostLines:
    network: Column | None
    egress: Column | None
    staff: Column | None
    support: Column | None
    tax: Column | None
    trials: Column | None
    contingency: Column | None


@dataclass(frozen=True)
class Cluster:
    name: str
    gpu: Gpu
    gpus_per_node: Column
    gpus: Column | None  # all GPUs, spares left out
    tier: tuple[Tier, ...]
    link: Column | None
    placement: str
    protocol: str
    price: Column | None  # USD/s per GPU; the gpu's own where the cluster states none
    spare_price: Column | None
    ownership: str
    power_price: Column | None
    pue: Column
    carbon_intensity: Column | None
    mtbf: Column | None  # seconds between failures of the job (gpu-hours are divided by the GPUs beforehand)
    restart: Column  # with a spare at hand, or nothing to replace
    hang_detection: Column | None
    repair: Column | None  # until a failed node is back
    repair_share: Column  # of failures that take a node away
    slow_rank: Column
    spares: Column
    host_memory: Column | None  # bytes of one node
    host_memory_bandwidth: Column  # bytes/s of one node
    storage: Storage
    capex: Capex
    power: Power
    cost: CostLines


@dataclass(frozen=True)
class Stack:
    name: str
    attention: str
    passes: Column
    kernel_gap: Column
    host_time: Column
    graph_gap: Column
    fused_loss: str
    loss_passes: Column
    overlap_tax: Column
    pipeline_exposed: Column
    data_exposed: Column
    tensor_hidden: Column
    tensor_call: Column
    ring_cards: Column | None
    scatter_sends: bool
    dispatch_share: Column
    expert_hidden: Column
    straggler: Column
    step_time: Column
    optimizer_bytes: Column | None
    vocabulary_multiple: Column
    sequence_parallel: bool
    gradient_bytes: Column
    fp16_gradient_bytes: Column | None
    fp16_shard_bytes: Column
    unflattened_bytes: Column
    eight_bit_weights: bool
    keeps_casts: bool
    eight_bit_activation_input: bool
    keeps_outputs: bool
    keeps_gathered: bool
    reduce_bytes: Column
    accumulate_bytes: Column | None
    context_memory: Column
    communicator_memory: Column
    buckets: Column | None
    allocated_slack: Column
    reserved_slack: Column
    refuses_uneven_stages: bool
    even_split_divides: bool
    replicates_kv_heads: bool
    context_replicates_kv_heads: bool
    interleaved_micro_batches: str  # any | at_least_stages | whole_rounds
    zero3_with_pipeline: bool
    load_copy: Column
    update_bytes: Column
    save_copy: Column
    mixed_qkv: bool


@dataclass(frozen=True)
class Schedule:
    kind: str
    virtual_stages: int | None


@dataclass(frozen=True)
class Shard:
    kind: str
    within: str
    group: Column | None


@dataclass(frozen=True)
class Recompute:
    kind: str
    ops: tuple[str, ...]
    first: int | None


@dataclass(frozen=True)
class Overlap:
    data: bool
    tensor: Column
    expert: Column
    pipeline: bool


@dataclass(frozen=True)
class Layout:
    tensor: Column
    context: Column
    pipeline: int
    expert: Column
    expert_tensor: Column
    data: Column | None
    micro_batch: Column
    schedule: Schedule
    recompute: Recompute
    shard: Shard
    reshard: bool
    gradient_sync: str
    sequence_parallel: bool | None
    tp_overlap: str
    context_method: str
    split: str
    stages: tuple[int, ...] | None
    order: tuple[str, ...]
    overlap: Overlap


@dataclass(frozen=True)
class States:
    """Bytes per parameter."""

    weights: Column
    gradients: Column | None
    master: Column
    moments: Column


@dataclass(frozen=True)
class Kernels:
    flash: bool
    fused: bool
    graphs: bool


@dataclass(frozen=True)
class StatedEfficiency:
    """Efficiencies that the scenario states; None = the library's shape model decides."""

    qkv: Column | None
    attn_out: Column | None
    sdpa: Column | None
    mlp_up: Column | None
    mlp_down: Column | None
    router: Column | None
    expert_up: Column | None
    expert_down: Column | None
    head: Column | None
    compute: Column | None
    memory: Column | None


@dataclass(frozen=True)
class CheckpointTier:
    """A faster place that a checkpoint is also kept in: host memory, or a node's own disks."""

    interval: Column | None
    pause: Column | None
    restart: Column | None
    survives: Column  # share of failures


@dataclass(frozen=True)
class Checkpoint:
    interval: Column | None  # None where ``rule`` decides
    rule: str  # young | daly | best | stated
    mode: str
    pause: Column | None
    write: Column | None
    weights: bool
    restart_can_fail: bool
    host: CheckpointTier | None
    local: CheckpointTier | None


@dataclass(frozen=True)
class Reserve:
    reserve: Column


@dataclass(frozen=True)
class Offload:
    """Shares that are kept in host memory."""

    optimizer: Column
    weights: Column
    activations: Column


@dataclass(frozen=True)
class Lora:
    rank: Column
    targets: tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """One group of design points that share their structure."""

    name: str
    model: Model
    cluster: Cluster
    stack: Stack
    layout: Layout
    states: States
    kernels: Kernels
    efficiency: StatedEfficiency
    checkpoint: Checkpoint
    memory: Reserve
    tokens: Column | None
    batch: Column | None
    sequence: Column | None
    accumulation: Column | None
    precision: str
    fidelity: str
    optimizer: str
    loss: str | None
    dispatcher: str
    frozen: Column
    offload: Offload | None
    lora: Lora | None
    utilization: Column
    calibration: Calibration | None

    @property
    def gpu(self) -> Gpu:
        return self.cluster.gpu

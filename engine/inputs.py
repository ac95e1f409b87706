"""What the engine is given: one group of design points, as frozen typed objects in SI base units.

``read(settings)`` builds a ``Run`` from a flat table {setting path: value}; the paths and units are
those of the language's schema ("layout.tensor", "cluster.tier.node.bandwidth", "model.experts.routed").
Numbers become columns (engine/columns.py). STRUCTURAL settings decide the shape of the calculation, so
they are plain Python values that every point of the group shares; a table that varies one of them is
split into groups first (engine/evaluate.py). A setting that was not given is None, never 0.
"""

import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

from engine.columns import Column, column

T = TypeVar("T")


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
    power: Column | None
    node_power: Column | None
    sms: Column | None
    efficiency: GpuEfficiency
    attention: AttentionKernel


@dataclass(frozen=True)
class Attention:
    kind: str  # full | latent | sliding
    heads: Column | None
    head: Column | None
    value_head: Column | None
    query_rank: Column | None
    kv_rank: Column | None
    rope_head: Column | None
    window: Column | None
    every: int | None


@dataclass(frozen=True)
class Experts:
    routed: Column
    shared: Column
    active: Column
    ffn: Column | None
    shared_ffn: Column | None
    shared_gate: bool
    dense_layers: int
    dense_ffn: Column | None
    every: int
    imbalance: Column
    capacity: Column | None
    granularity: Column | None
    router_bias: bool
    bias: bool


@dataclass(frozen=True)
class Biases:
    qkv: bool
    out: bool
    mlp: bool
    head: bool


@dataclass(frozen=True)
class Model:
    name: str
    layers: int | None
    hidden: Column | None
    ffn: Column | None
    heads: Column | None
    kv_heads: Column | None
    head: Column | None
    vocabulary: Column | None
    sequence: Column | None
    tied: bool
    gated: bool
    norm: str
    norms_per_layer: int
    embedding_norm: bool
    final_norm: bool
    bias: Biases
    qk_norm: str
    positions: Column
    dropout: bool
    parameters: Column | None
    mtp: int
    attention: Attention | None
    experts: Experts | None
    sinks: bool = False


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
    restart: Column
    hang_detection: Column | None
    spares: Column
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
    straggler: Column
    step_time: Column
    optimizer_bytes: Column | None
    vocabulary_multiple: Column
    sequence_parallel: bool
    gradient_bytes: Column
    reduce_bytes: Column
    context_memory: Column
    communicator_memory: Column
    buckets: Column | None
    allocated_slack: Column
    reserved_slack: Column
    refuses_uneven_stages: bool
    replicates_kv_heads: bool
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
class Checkpoint:
    interval: Column | None  # None where ``rule`` decides
    rule: str  # young | daly | best | stated
    mode: str
    pause: Column | None
    write: Column | None
    weights: bool
    restart_can_fail: bool


@dataclass(frozen=True)
class Reserve:
    reserve: Column


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
    utilization: Column

    @property
    def gpu(self) -> Gpu:
        return self.cluster.gpu


# How a field of a dataclass is named in the flat table, where the two differ.
PATHS: dict[tuple[type, str], str] = {
    (Attention, "kind"): "", (Schedule, "kind"): "", (Shard, "kind"): "", (Recompute, "kind"): "",
    (Gpu, "name"): "", (Model, "name"): "", (Cluster, "name"): "", (Stack, "name"): "",
}


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _plain(kind: type, value: Any) -> Any:
    if value is None:
        return None
    if kind is int:
        return int(value)
    if kind is bool:
        return bool(value)
    return str(value)


def _field(hint: Any, path: str, settings: Mapping[str, Any]) -> Any:
    """The value of one field: a column, a plain value, a nested object or a tuple."""
    options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    kinds = [o for o in options if o is not type(None)]
    kind, optional = kinds[0], len(kinds) < len(options)
    if typing.get_origin(kind) is tuple:
        item = typing.get_args(kind)[0]
        if is_dataclass(item):
            return tuple(build(item, f"{path}.{name}", settings, name=name) for name in settings.get(path) or ())
        value = settings.get(path)
        return None if value is None and optional else tuple(item(v) for v in value or ())
    if is_dataclass(kind):
        present = any(k == path or k.startswith(path + ".") for k in settings)
        return None if optional and not present else build(typing.cast(type, kind), path, settings)
    value = settings.get(path)
    if value is None:
        if not optional:
            raise KeyError(f"setting {path} has neither a value nor a default")
        return None
    if kind in (int, bool, str):
        return _plain(kind, value)
    return column(value)


def build(kind: type[T], path: str, settings: Mapping[str, Any], name: str | None = None) -> T:
    """An input object of type ``kind`` from the settings below ``path``; KeyError names a setting that is missing."""
    values: dict[str, Any] = {}
    for f in fields(typing.cast(Any, kind)):
        if f.name == "name" and name is not None:
            values["name"] = name
            continue
        own = PATHS.get((kind, f.name), f.name)
        values[f.name] = _field(_hints(kind)[f.name], ".".join(p for p in (path, own) if p), settings)
    return kind(**values)


def read(settings: Mapping[str, Any]) -> Run:
    """The run described by a flat table of settings in base units.

    "model", "cluster", "cluster.gpu" and "stack" hold the names of what they refer to; "name" the run's.
    "cluster.tier" is the tuple of tier names, innermost first. "checkpoint.rule" and "checkpoint.interval"
    are both there. Choices with arguments spread: "layout.schedule" and "layout.schedule.virtual_stages".
    """
    return build(Run, "", settings)

"""What the engine is given of a model: its dimensions, its kind of attention, its experts and its mixers.

As in engine/inputs.py numbers are columns, and settings that decide the shape of the calculation are plain values.
"""

from dataclasses import dataclass

from engine.columns import Column


@dataclass(frozen=True)
class Attention:
    kind: str  # full | latent | sliding | chunked
    heads: Column | None
    head: Column | None
    value_head: Column | None
    query_rank: Column | None
    kv_rank: Column | None
    rope_head: Column | None
    window: Column | None
    every: int | None
    gate: bool | None
    index_heads: Column | None
    index_head: Column | None
    index_keys: Column | None


@dataclass(frozen=True)
class Mixer:
    """Layers that mix tokens by a scan, and where they stand among those that attend."""

    kind: str  # mamba1 | mamba2 | delta | lightning
    every: int | None
    offset: int | None
    pattern: str | None
    heads: Column | None
    head: Column | None
    key_heads: Column | None
    key_head: Column | None
    inner: Column | None
    state: Column | None
    groups: Column
    rank: Column | None
    convolution: Column
    chunk: Column


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
    mixer: Mixer | None
    embedding: Column | None
    sinks: bool = False

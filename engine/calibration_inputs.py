"""What was measured on the machines of a run, in base units; a value that was not measured is None."""

from dataclasses import dataclass

from engine.columns import Column


@dataclass(frozen=True)
class MeasuredTier:
    """Rates that collectives attained on one tier, bytes/s per GPU and direction, and the latency of a hop."""

    name: str
    gather: Column | None
    all_reduce: Column | None
    all_to_all: Column | None
    send: Column | None
    latency: Column | None


@dataclass(frozen=True)
class Shape:
    """One matrix multiply that was timed."""

    name: str
    m: Column
    n: Column
    k: Column
    precision: str
    seconds: Column


@dataclass(frozen=True)
class MeasuredAttention:
    """Shares of the dense peak, the sustained clock included."""

    forward: Column | None
    backward: Column | None


@dataclass(frozen=True)
class Factors:
    """Measured over predicted time by class of row (engine/classes.py), and of the whole step."""

    gemm: Column | None
    sdpa: Column | None
    hbm: Column | None
    tensor: Column | None
    context: Column | None
    expert: Column | None
    pipeline: Column | None
    data: Column | None
    optimizer: Column | None
    host: Column | None
    idle: Column | None
    step: Column | None


@dataclass(frozen=True)
class Calibration:
    """A user's measurements; what they replace is in engine/calibrate.py."""

    name: str
    call: Column | None
    gemm: Column | None
    gemm_fp8: Column | None
    gemm_fp4: Column | None
    half_k: Column | None
    memory: Column | None
    attention: MeasuredAttention | None
    factor: Factors | None
    tier: tuple[MeasuredTier, ...]
    shape: tuple[Shape, ...]

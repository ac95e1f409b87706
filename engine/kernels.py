"""Rules 1 and 2: seconds of a matrix multiply, of an attention kernel, and of memory traffic.

Symbols: M, N, K shape of a GEMM; P dense peak of the datatype; phi sustained over peak clock; eta_max and K_half the
library's GEMM rows; W bytes of weights streamed; beta memory bandwidth and eps the attained share of it.
"""

from dataclasses import dataclass

import numpy as np

from engine.columns import ONE, Column, column
from engine.inputs import Run
from engine.operators.work import Gemm, Sdpa, Traffic

# Tiles of a GEMM kernel (rows, columns) and the rate of a tile against the largest one. Of the four the fastest is
# taken. Fitted on GEMM tables of ai-dynamo/aiconfigurator (8-12 % error at the 90th percentile, 33 % with one tile).
TILES = ((128.0, 256.0, 1.0), (128.0, 128.0, 0.92), (64.0, 128.0, 0.75), (64.0, 64.0, 0.6))
ALIGNMENT = 64.0  # per-rank N or K off this multiple runs slower
MISALIGNED = 0.8  # BLOOM h 14,400 against 13,824: 17 % slower beyond its FLOPs
GROUPED = 0.9  # rate of a grouped GEMM against a single one of its shape (aiconfigurator, published runs)
HIDDEN_WEIGHTS = 0.5  # share of weight streaming that is not hidden behind the arithmetic
DTYPE_BYTES = {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "fp4": 0.5, "fp32": 4.0}
UNFUSED_HALF_HEAD = 100.0  # head dimension at which the two batched GEMMs of unfused attention reach half of eta_max
SMALL_HEADS = ((64.0, 0.88), (96.0, 0.93))  # attention rate at head dimensions up to this


@dataclass(frozen=True)
class Device:
    """One GPU under this run's software: rates in FLOP/s and bytes/s."""

    peak: Column  # of the run's precision, dense
    peak_bf16: Column
    clock: Column
    gemm: Column  # eta_max of the run's precision
    gemm_bf16: Column
    half_k: Column
    sms: Column | None
    memory: Column  # attainable bytes/s
    attention_forward: Column
    attention_backward: Column
    half_sequence: Column
    small_heads: bool  # whether heads below 128 slow the kernel
    fused_attention: bool
    passes: Column


def device(run: Run) -> Device:
    """The run's GPU and stack as rates. The peak is dense, of the run's precision; no number where the part has none.

    Source: the library's rows of the GPU and the stack.
    """
    gpu, stack = run.gpu, run.stack
    sixteen = (gpu.peak.bf16, gpu.peak.fp16)  # the V100 has the second alone
    half = next((p for p in (sixteen[::-1] if run.precision == "fp16" else sixteen) if p is not None), column(np.nan))
    own = getattr(gpu.peak, run.precision)
    e = gpu.efficiency
    best = {"fp8": e.gemm_fp8, "fp4": e.gemm_fp4}.get(run.precision, e.gemm)
    a = gpu.attention
    ahead, back = {
        "flash1": (a.first, a.first),
        "flash2": (e.attention * a.eager_forward, e.attention * a.eager_backward),
    }.get(stack.attention, (e.attention * a.forward, e.attention * a.backward))
    stated = run.efficiency.memory
    return Device(
        peak=own if own is not None else column(np.nan),
        peak_bf16=half,
        clock=e.clock,
        gemm=best,
        gemm_bf16=e.gemm,
        half_k=e.half_k,
        sms=gpu.sms,
        memory=gpu.memory_bandwidth * (stated if stated is not None else e.memory),
        attention_forward=ahead,
        attention_backward=back,
        half_sequence=a.half_sequence,
        small_heads=stack.attention != "flash1",
        fused_attention=run.kernels.flash and stack.attention != "unfused",
        passes=stack.passes if run.kernels.fused else np.maximum(stack.passes, 1.0),
    )


def wave(m: Column, n: Column, sms: Column | None, groups: Column = ONE) -> Column:
    """Share of the device that M x N output tiles fill: best over TILES of rate x filled tile x filled last wave.

    The tiles of a grouped GEMM share the waves; each group fills its own tiles, so that few rows an expert cost most.
    Source: NVIDIA Matrix Multiplication Background guide (tile and wave quantization); rates of tiles fitted on
    measured GEMM tables.
    """
    best = np.zeros_like(m * n)
    for rows, columns, rate in TILES:
        down, across = np.ceil(np.maximum(m, 1.0) / rows), np.ceil(np.maximum(n, 1.0) / columns)
        filled = m * n / (down * rows * across * columns)
        waves = ONE if sms is None else groups * down * across / sms
        best = np.maximum(best, rate * filled * waves / np.ceil(waves))
    return best


def efficiency(gemm: Gemm, dev: Device, bf16: bool = False) -> Column:
    """eta of a GEMM, share of peak: phi eta_max wave(M, N) K/(K + K_half), x 0.8 where N or K is off a multiple of 64.

    Left out: autotuning of single shapes; clocks that change within a run. Source: NVIDIA Matrix Multiplication
    Background guide (tiles, waves); constants fitted on measured GEMM tables.
    """
    aligned = np.where((gemm.n % ALIGNMENT == 0) & (gemm.k % ALIGNMENT == 0), 1.0, MISALIGNED)
    best = dev.gemm_bf16 if bf16 else dev.gemm
    best, groups = (best, ONE) if gemm.groups is None else (GROUPED * best, gemm.groups)
    shape = wave(gemm.m, gemm.n, dev.sms, groups) * gemm.k / (gemm.k + dev.half_k)
    return dev.clock * best * shape * aligned


def gemm_flops(gemm: Gemm) -> Column:
    """2 M N K, times the groups: a multiply and an add for each element. Source: definition."""
    flops = 2 * gemm.m * gemm.n * gemm.k
    return flops if gemm.groups is None else flops * gemm.groups


def gemm_seconds(gemm: Gemm, dev: Device, stated: Column | None, bf16: bool = False) -> tuple[Column, Column]:
    """Seconds of a GEMM and its eta: t = 2MNK/(P eta) + W/(2 beta eps); a stated eta replaces both terms.

    A GEMM without a row or a column, as of a projection that a model lacks, takes no time.

    Source: roofline, Williams et al. 2009; half of the weights' traffic hidden, fitted on measured GEMM tables.
    """
    peak = dev.peak_bf16 if bf16 else dev.peak
    flops = gemm_flops(gemm)
    if stated is not None:
        return flops / (peak * stated), stated
    eta = np.where(flops > 0, efficiency(gemm, dev, bf16), 1.0)
    seconds = flops / (peak * eta) + HIDDEN_WEIGHTS * gemm.weights / dev.memory
    return seconds, flops / (peak * np.where(flops > 0, seconds, 1.0))


def head_rate(head: Column, dev: Device) -> Column:
    """Attention rate at a head dimension against that at 128; FlashAttention-1 is no slower at 64."""
    if not dev.small_heads:
        return ONE
    (least, low), (less, middle) = SMALL_HEADS
    return np.where(head <= least, low, np.where(head <= less, middle, 1.0))


def sdpa_seconds(work: Sdpa, dev: Device, stated: Column | None) -> tuple[Column, Column]:
    """Seconds of fused attention and its eta: t = F/(P phi eta s/(s + s_half) h), h the rate of small heads.

    F are the FLOPs really computed (half the square under a causal mask).
    Source: Dao 2023 (FlashAttention-2) and Shah et al. 2024 (FlashAttention-3), section 4.1 of both: FLOPs and measured
    rates; constants fitted on published runs.
    """
    if stated is None and not work.fused:
        stated = dev.clock * dev.gemm_bf16 * work.head / (work.head + UNFUSED_HALF_HEAD)
    if stated is None:
        best = dev.attention_backward if work.backward else dev.attention_forward
        stated = dev.clock * best * work.sequence / (work.sequence + dev.half_sequence) * head_rate(work.head, dev)
    return work.flops / (dev.peak_bf16 * stated), stated


def traffic_seconds(work: Traffic, dev: Device) -> tuple[Column, Column]:
    """Seconds of memory traffic and its passes: t = c x stack passes x bytes/(beta eps).

    Left out: cache hits between kernels, except where the stack fuses them. Source: roofline, Williams et al. 2009;
    passes of a stack fitted on published runs.
    """
    passes = work.passes * dev.passes
    return passes * work.bytes / dev.memory, passes

"""How far below its prediction a sound part may come out: the tenth percentile of measured over predicted.

Derived from published measurements of parts with the engine's own formulas (`tools/spreads.py --write` derives the
tables below anew, a test holds them to that within 2 points). Matrix multiplies are short ones, at the boost clock, and
are held against the prediction at that clock. A rate is proportional to the clock, so the share that they reach holds
at the sustained clock too, which a sheet expects and measures at; the reason of a row says so.
"""

import csv
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from engine import acceptance, layout
from engine.columns import ONE, column
from engine.inputs import Run
from engine.read import read
from reports.library_run import HOPS, library_run
from reports.quantiles import quantile

LOW = 0.1  # quantile
FEW = 5
CLASSES = ((64 * 2.0**20, "small"), (2.0**30, "middle"))  # messages below this size; above both: "large"
RANGES = {"small": "under 64 MiB", "middle": "64 MiB to 1 GiB"}
FAMILY = {"all_reduce": "all_reduce", "all_gather": "gather", "reduce_scatter": "gather", "all_to_all": "all_to_all"}


K = TypeVar("K")


class Spread(NamedTuple):
    """The low end of measured over predicted, from so many published measurements; ``of`` says of what they are, where
    it is not quite what is judged."""

    low: float
    rows: int
    of: str = ""


# Derived 2026-11 from: nccl-tests tables of stas00/ml-engineering@744d01e, ai-dynamo/aiconfigurator@095f58a,
# aws-samples/awsome-distributed-training, Azure/ai-infrastructure-on-azure, ROCm docs, GTC24 S62129, arXiv 2411.13055.
BUS_SOURCE = "nccl-tests and rccl-tests tables of 7 sources, 8 to 8\u00a0192 GPUs"
BUS: dict[tuple[str, str, str], Spread] = {
    ("across", "all_reduce", "large"): Spread(0.81, 19),
    ("across", "all_reduce", "middle"): Spread(0.4, 16),
    ("across", "all_reduce", "small"): Spread(0.14, 14),
    ("inside", "all_reduce", "large"): Spread(0.96, 28),
    ("inside", "all_reduce", "middle"): Spread(0.75, 39),
    ("inside", "all_reduce", "small"): Spread(0.48, 57),
    ("inside", "all_to_all", "middle"): Spread(0.81, 24),
    ("inside", "all_to_all", "small"): Spread(0.65, 36),
    ("inside", "gather", "large"): Spread(1.0, 2),
    ("inside", "gather", "middle"): Spread(0.86, 48),
    ("inside", "gather", "small"): Spread(0.57, 72),
}
# From ai-dynamo/aiconfigurator@095f58a, MooreThreads/SimuMax@4dcaae5, deepseek-ai/DeepGEMM; multiplies of at least 0.2
# TFLOP with no side under 1,024.
GEMM_SOURCE = "GEMM tables of aiconfigurator, SimuMax and DeepGEMM, 0.2 TFLOP and more"
GEMM_WORK, GEMM_SIDE = 0.2e12, 1024  # FLOP, and the shortest side, of the least multiply among them
GEMM_OUTSIDE = "recorded only: the published measurements are of 0.2 TFLOP and more with no side under 1\u00a0024"
GEMM: dict[str, Spread] = {"bf16": Spread(0.86, 200), "fp4": Spread(0.67, 93), "fp8": Spread(0.73, 254)}
# From te42kyfo/gpu-benches gpu-stream: the lowest of five parts, which are too few for a percentile, less 5 points.
TRIAD_SOURCE = "STREAM triads of V100, two A100, H100 PCIe and H200 (te42kyfo/gpu-benches), all within 1 % or above"
TRIAD = Spread(0.94, 5)


def size_class(size: float) -> str:
    """small, middle or large: of a message of so many bytes."""
    return next((name for limit, name in CLASSES if size < limit), "large")


def bus_spread(kind: str, crosses: bool, size: float) -> Spread | None:
    """The spread of a collective at a size; where a class has under FEW measurements, that of the next smaller one.

    Across nodes there are tables of all-reduce alone: rings of the other kinds load the same NICs and share its spread.
    An all-to-all has it for large messages only, since smaller ones are cut into one message a rank: None.
    """
    where, family, own = "across" if crosses else "inside", FAMILY[kind], size_class(size)
    if crosses and kind == "all_to_all" and own != "large":
        return None
    other = " of all-reduce across nodes" if crosses and kind != "all_reduce" else ""
    classes = ("large", "middle", "small")
    for known in classes[classes.index(own) :]:
        spread = BUS.get((where, "all_reduce" if crosses else family, known))
        if spread and spread.rows >= FEW:
            return spread._replace(of=other + (f", at {RANGES[known]}," if known != own else ""))
    return None


def gemm_spread(dtype: str, shape: Sequence[int]) -> Spread | None:
    """The spread of a multiply in a datatype; None outside what was measured. fp16 has that of bf16."""
    if 2.0 * math.prod(shape) < GEMM_WORK or min(shape) < GEMM_SIDE:
        return None
    found = GEMM.get("bf16" if dtype == "fp16" else dtype)
    return found and found._replace(of=" of bf16 multiplies" if dtype == "fp16" else "")


# How they are derived


def rows_of(file: Path) -> list[dict[str, str]]:
    """The rows of a table of measurements."""
    with open(file, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def machine(gpu: str, ranks: int, nodes: int, nic: float, dtype: str = "bf16") -> Run:
    """A library part on one node, or on nodes with a NIC of so many GB/s a GPU."""
    hops = {name: f"latency = {seconds * 1e6:g} us" for name, seconds in HOPS.items()}
    node = f"tier node {{ bandwidth = {gpu}.link, {hops['node']} }}"
    pod = f"tier pod {{ bandwidth = {nic} GB/s, {hops['net']} }}" if nodes > 1 else ""
    cluster = f"gpus_per_node = {ranks // nodes}, nodes = {nodes}\n{node}\n{pod}"
    found = library_run(gpu, cluster, f"model = llama-3.1-8b, batch = {ranks} sequences, precision = {dtype}")
    assert found is not None, (gpu, cluster)
    return read(found)


def bus_ratios(rows: Iterable[Mapping[str, str]]) -> Iterator[tuple[tuple[str, str, str], float]]:
    """(where, family, size class) and measured over predicted bus bandwidth of each row."""
    known: dict[tuple[str, ...], Run] = {}
    for row in rows:
        key = tuple(row[name] for name in ("gpu", "ranks", "nodes", "nic_GBps"))
        if key not in known:
            known[key] = machine(key[0], int(key[1]), int(key[2]), float(key[3] or 0))
        run, size = known[key], float(row["bytes"])
        span = acceptance.spans(run, layout.resolve(run))[-1]
        predicted = acceptance.bus_bandwidth(run, span, row["collective"], column(size))
        where = "across" if int(row["nodes"]) > 1 else "inside"
        yield (where, FAMILY[row["collective"]], size_class(size)), float(row["busbw_GBps"]) * 1e9 / predicted[0]


def gemm_ratios(rows: Iterable[Mapping[str, str]]) -> Iterator[tuple[str, float]]:
    """Datatype, and measured over predicted rate at the boost clock, of each row."""
    known: dict[str, Run] = {}
    for row in rows:
        if row["gpu"] not in known:
            run = machine(row["gpu"], 1, 1, 0)
            gpu = replace(run.gpu, efficiency=replace(run.gpu.efficiency, clock=ONE))
            known[row["gpu"]] = replace(run, cluster=replace(run.cluster, gpu=gpu))
        m, n, k = (column(float(row[name])) for name in "mnk")
        predicted = acceptance.rate(known[row["gpu"]], row["dtype"], m, n, k)
        yield row["dtype"], float(row["tflops"]) * 1e12 / predicted[0]


def triad_ratios(rows: Iterable[Mapping[str, str]]) -> Iterator[tuple[str, float]]:
    """Part, and measured over predicted bandwidth of device memory."""
    for row in rows:
        predicted = acceptance.memory_rate(machine(row["gpu"], 1, 1, 0))
        yield row["gpu"], float(row["triad_GBps"]) * 1e9 / predicted[0]


def spreads(ratios: Iterable[tuple[K, float]]) -> dict[K, Spread]:
    """The low end of each group of ratios, in hundredths; what beats its prediction counts as reaching it."""
    groups: dict[K, list[float]] = defaultdict(list)
    for key, ratio in ratios:
        groups[key].append(ratio)
    lows = {key: quantile(found, LOW) for key, found in groups.items()}
    return {key: Spread(round(min(low, 1.0), 2), len(groups[key])) for key, low in sorted(lows.items(), key=str)}

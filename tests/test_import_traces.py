"""Profiler traces: time by class and group, hidden apart from exposed, stragglers beside means."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.files import load_text
from dsl.importers import kineto, nsight
from dsl.importers.kernels import group_class, kernel_class
from dsl.kinds_measured import CLASSES, SCALED
from dsl.problems import show
from dsl.resolve import resolve
from engine import classes, trace
from engine.calibration_inputs import Factors
from engine.columns import column
from reports.imports.asked import Asked, Given
from reports.imports.traces import kineto_traces, nsight_tables

INPUTS = Path(__file__).parent / "data" / "inputs"


def kernel(name: str, start: float, took: float, **args: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start, "dur": took, "args": args}


def comms(kind: str, group: str, start: float, took: float, **args: Any) -> dict[str, Any]:
    own = {"Collective name": kind, "Process Group Description": group, "Group size": 8, **args}
    return kernel(f"ncclDevKernel_{kind}", start, took, **own)


def file(events: list[dict[str, Any]], rank: int = 0, steps: int = 1, length: float = 1000.0) -> Given:
    marks = [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "ts": i * length, "dur": length}
             for i in range(steps)]  # fmt: skip
    info = {"rank": rank, "world_size": 64}
    data = json.dumps({"distributedInfo": info, "traceEvents": marks + events}).encode()
    return Given(f"rank{rank}.json", data)


def settings(*files: Given, **asked: Any) -> tuple[dict[str, float], str]:
    """The trace block that is printed, as settings in seconds, and its text."""
    made = kineto_traces(Asked(files, **asked))
    assert not made.problems, show(made.problems, {})
    run = (
        'edition 2026\nimport "library/fabrics.scn"\nimport "library/models.scn"\n'
        "cluster c from h100-rail { nodes = 1 }\n"
        "run r { model = llama-3-8b, cluster = c, batch = 8 sequences, trace = rank0 }\n"
    )
    scenario, problems = resolve(load_text(run + made.text))
    assert not problems, show(problems, {})
    return scenario.runs[0].plain(), made.text


def test_classes_are_those_of_the_engine() -> None:
    assert CLASSES == classes.CLASSES
    assert set(trace.ORDER) | {"idle"} == set(CLASSES)
    assert set(SCALED) | {"step"} == set(Factors.__dataclass_fields__)


@pytest.mark.parametrize(
    ("description", "found"),
    [
        ("PIPELINE_MODEL_PARALLEL_GROUP", "pipeline"), ("EXPERT_MODEL_PARALLEL_GROUP", "expert"),
        ("DATA_PARALLEL_GROUP", "data"), ("DATA_PARALLEL_GROUP_WITH_CP", "data"),
        ("EXPERT_DATA_PARALLEL_GROUP", "data"),
        ("TENSOR_MODEL_PARALLEL_GROUP", "tensor"), ("CONTEXT_PARALLEL_GROUP", "context"),
        ("EXPERT_TENSOR_PARALLEL_GROUP", "expert"), ("EMBEDDING_GROUP", "pipeline"), ("mesh_tp", "tensor"),
        ("mesh_pp", "pipeline"), ("mesh_dp_shard", "data"), ("mesh_fsdp", "data"), ("mesh_ep", "expert"),
        ("mesh_cp", "context"), ("default_pg", None), ("undefined", None), ("MODEL_PARALLEL_GROUP", "other"),
    ],
)  # fmt: skip
def test_groups_are_told_by_their_description(description: str, found: str | None) -> None:
    assert group_class(description) == found


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT", "gemm"), ("cutlass_80_wmma_tensorop_bf16_s161616gemm", "gemm"),
        ("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma", "sdpa"), ("flash_bwd_dq_dk_dv_loop_kernel", "sdpa"),
        ("void at::native::vectorized_elementwise_kernel<4>", "hbm"), ("triton_poi_fused_add_mul_silu_3", "hbm"),
        ("multi_tensor_apply_kernel<AdamFunctor>", "optimizer"), ("my_secret_thing", "other"),
    ],
)  # fmt: skip
def test_kernels_are_told_by_their_name(name: str, found: str) -> None:
    assert kernel_class(name) == found


def test_one_kernel_of_nccl_is_split_by_its_group() -> None:
    """Pipeline sends and expert dispatch run the same kernel."""
    events = [
        kernel("gemm_a", 0, 400), comms("send", "PIPELINE_MODEL_PARALLEL_GROUP", 400, 100),
        comms("all_to_allv", "EXPERT_MODEL_PARALLEL_GROUP", 500, 50),
        comms("allreduce", "DATA_PARALLEL_GROUP", 300, 50),
    ]  # fmt: skip
    found, _ = settings(file(events))
    busy = {c: found[f"trace.row.{c}.busy"] for c in ("gemm", "pipeline", "expert", "data", "idle")}
    assert busy == {c: pytest.approx(v * 1e-6) for c, v in
                    {"gemm": 400, "pipeline": 100, "expert": 50, "data": 50, "idle": 450}.items()}  # fmt: skip
    assert found["trace.row.data.exposed"] == 0  # behind the multiply
    exposed = sum(found[f"trace.row.{c}.exposed"] for c in busy)
    assert exposed == pytest.approx(found["trace.step_time"])


def test_a_group_is_found_through_the_operator_that_launched_the_kernel() -> None:
    event = kernel("ncclDevKernel_SendRecv(x)", 0, 100, **{"External id": 7})
    call = {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "ts": 0, "dur": 1,
            "args": {"External id": 7, "Collective name": "send", "Process Group Description": "mesh_pp"}}  # fmt: skip
    found, _ = settings(file([event, call]))
    assert found["trace.row.pipeline.busy"] == pytest.approx(100e-6)


def test_a_straggler_stands_beside_the_mean() -> None:
    """Three ranks reduce in 10 us, one waits 8.7 ms in one call."""
    events = [kernel("gemm", 0, 100)]
    group, length = "DATA_PARALLEL_GROUP", 10_000.0
    ranks = [file([*events, comms("allreduce", group, 100, 10)], rank, length=length) for rank in (0, 1, 2)]
    late = [comms("allreduce", group, 100, 8700.0), comms("allreduce", group, 9100, 10.0)]
    ranks.append(file([*events, *late], 3, length=length))
    found, text = settings(*ranks)
    assert found["trace.row.data.slowest"] == pytest.approx(8710e-6)
    assert found["trace.row.data.longest"] == pytest.approx(8700e-6)
    assert found["trace.row.data.busy"] == pytest.approx((3 * 10 + 8710) / 4 * 1e-6)
    assert "the longest call takes 0.0087 s on rank 3" in text.replace("\n# ", " ") and found["trace.ranks"] == 4


def test_steps_divide_what_was_recorded() -> None:
    found, _ = settings(file([kernel("gemm", 1000.0 * i, 500) for i in range(4)], steps=4))
    assert found["trace.steps"] == 4 and found["trace.row.gemm.busy"] == pytest.approx(500e-6)
    assert found["trace.row.gemm.calls"] == 1 and found["trace.row.idle.busy"] == pytest.approx(500e-6)


def test_case_c05_bus_bandwidth_and_what_is_hidden() -> None:
    """Case C05: 1e9 bytes over 8 ranks in 3.646 ms are 480 GB/s; 1.9 ms of it run behind the multiply."""
    data = (INPUTS / "c05_kineto_min.json").read_bytes()
    for name, given_data in (("rank0.json", data), ("rank0.json.gz", gzip.compress(data))):
        found, text = settings(Given(name, given_data))
        assert "bus bandwidth 480.0 GB/s" in text.replace("\n# ", " ")
        assert found["trace.row.data.busy"] == pytest.approx(3645.8e-6)
        assert found["trace.row.data.exposed"] == pytest.approx((3645.8 - 1900.0) * 1e-6)


@pytest.mark.parametrize(
    ("data", "code"),
    [(b'{"traceEvents": [', "E02"), (b'{"traceEvents": {}}', "E13"), (b'{"traceEvents": []}', "E13"),
     (b'{"traceEvents": ' + b"[" * 100_000, "E05"),
     (b'{"traceEvents": [{"ph": "X", "cat": "kernel", "ts": 1' + b"0" * 400 + b', "dur": 1}]}', "E13"),
     (b'{"traceEvents": [1, {"ph": "X", "ts": "a"}]}', "E13")],
)  # fmt: skip
def test_a_trace_that_is_none(data: bytes, code: str) -> None:
    found, problems = kineto.read(data, "trace.json")
    assert found is None and [p.code for p in problems] == [code]


KERN_SUM = """Processing [r.sqlite] with [cuda_gpu_kern_sum.py]...
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
60.0,600000000,100,6000000.0,6000000.0,1,7000000,0.0,"nvjet_hsh_128x256, x"
40.0,400000000,50,8000000.0,8000000.0,1,90000000,0.0,ncclDevKernel_AllReduce_Sum_bf16_RING_LL

Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation
100.0,1000000,10,100000.0,100000.0,1,100000,0.0,[CUDA memcpy Host-to-Device]
"""
GPU_TRACE = """Start (ns),Duration (ns),CorrId,GrdX,Device,Strm,Name
0,400,1,1,NVIDIA H100 (0),7,nvjet_hsh
300,200,2,1,NVIDIA H100 (0),8,ncclDevKernel_AllReduce_Sum_bf16
"""


def test_sums_of_nsight() -> None:
    made = nsight_tables(Asked((Given("kern.csv", KERN_SUM.encode()),), steps=10))
    assert "row gemm {\n    busy    = 60 ms" in made.text and "busy    = 40 ms" in made.text
    assert "do not name their group" in made.text.replace("\n# ", " ")
    assert "longest = 90 ms" in made.text and "exposed" not in made.text.partition("row other")[2]


def test_kernels_of_nsight_one_by_one() -> None:
    found, problems = nsight.read(GPU_TRACE.encode(), "trace.csv")
    assert not problems and [e.kind for e in found.traces[0].events] == ["gemm", "other"]
    made = nsight_tables(Asked((Given("trace.csv", GPU_TRACE.encode()),), steps=1))
    assert "exposed = 0.1 us" in made.text  # 100 of 200 ns run after the multiply
    assert nsight.read(b"Time (%),Total Time (ns),Instances,Name\n1,x,2,gemm\n", "a.csv")[1][0].code == "E16"


piece = st.tuples(st.sampled_from(trace.ORDER), st.integers(0, 50), st.integers(0, 20))


@given(st.lists(piece, min_size=1, max_size=12))
def test_exposed_times_add_up_to_the_time_that_anything_runs(pieces: list[tuple[str, int, int]]) -> None:
    kinds, starts, seconds = zip(*pieces, strict=True)
    found = trace.exposed(kinds, column(starts), column(seconds))
    covered = len({t for _, s, d in pieces for t in range(s, s + d)})
    assert sum(found.values()) == pytest.approx(covered)
    assert trace.running(column(starts), column(seconds)) == pytest.approx(covered)
    first = {k: len({t for kind, s, d in pieces if kind == k for t in range(s, s + d)}) for k in found}
    assert all(found[k] <= first[k] + 1e-9 for k in found)

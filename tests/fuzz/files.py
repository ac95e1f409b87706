"""Files of other programs, damaged: what `scn import` may be given."""

import json
from random import Random
from typing import Any

from tests.fuzz.texts import ROOT, noise

INPUTS = ROOT / "tests/data/inputs"
KINETO = {
    "schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2}, "traceName": "a.json",
    "traceEvents": [
        {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "ts": 0, "dur": 900, "pid": 1, "tid": 1},
        {"ph": "X", "cat": "kernel", "name": "nvjet_gemm", "ts": 10, "dur": 400, "pid": 0, "tid": 7,
         "args": {"stream": 7}},
        {"ph": "X", "cat": "kernel", "name": "flash_fwd_kernel", "ts": 410.5, "dur": 90, "pid": 0, "tid": 7},
        {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16", "ts": 300, "dur": 350, "pid": 0,
         "tid": 20, "args": {"Collective name": "allreduce", "In msg nelems": 1048576, "Group size": 2,
                             "dtype": "BFloat16", "Process Group Description": "TENSOR_MODEL_PARALLEL_GROUP"}},
    ],
}  # fmt: skip
GEMM = "m,n,k,dtype,seconds\n" + "".join(f"{m},8192,8192,bf16,{m * 2.2e-7}\n" for m in (1024, 4096, 8192, 16384))
NSIGHT = (
    "Start (ns),Duration (ns),CorrId,GrdX,Device,Strm,Name\n1000,5000,1,1,NVIDIA H100 (0),7,sm90_gemm_bf16\n"
    "7000,2000,2,1,NVIDIA H100 (0),20,ncclDevKernel_AllReduce_Sum_bf16_RING_LL\n"
)
LOG = "".join(
    f" [2026-01-01 00:0{i}:00] iteration {i}/ 100 | consumed samples: {i * 8} |"
    f" elapsed time per iteration (ms): 80{i}.5 |"
    f" throughput per GPU (TFLOP/s/GPU): 41{i}.0 | global batch size: 8 | lm loss: 7.{i}E+00 |\n"
    for i in range(1, 9)
)
CONFIGS = sorted((ROOT / "tests/data/hf_configs").glob("*.json"))


def _files(pattern: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted(INPUTS.glob(pattern))]


SEEDS: dict[str, list[bytes]] = {
    "nccl-tests": _files("*nccl*"), "gemm": [GEMM.encode()],
    "kineto": [json.dumps(KINETO).encode(), *_files("*kineto*")],
    "nsight": [NSIGHT.encode()], "log": [LOG.encode()], "megatron": _files("*.args"), "torchtitan": _files("*.toml"),
    "yaml": _files("*.yaml"), "hf": [path.read_bytes() for path in CONFIGS] + _files("*hf_config.json"),
}  # fmt: skip
PIECES = (
    b"", b"0", b"-1", b"1e400", b"NaN", b"Infinity", b"null", b"{}", b"[]", b"\x00", b"\xff\xfe", b'"', b",", b"\n",
    b"9" * 400, b"true", b"=", b"--", b"&a *a", b"1.5", b"\t", b"{" * 50, b"[" * 5000, b"<html>", b"%", b"0x10",
)  # fmt: skip


def file(random: Random, form: str) -> bytes:
    """A file of one format: some pieces exchanged, or of JSON some values."""
    data = random.choice(SEEDS[form])
    if data.lstrip()[:1] == b"{" and random.random() < 0.6:
        return json.dumps(_changed(random, json.loads(data))).encode()
    for _ in range(random.randint(0, 4)):
        data = _spliced(random, data)
    return data


def _spliced(random: Random, data: bytes) -> bytes:
    """One piece replaced: by another, by noise, by a part of the file itself; or lines dropped or repeated."""
    start = random.randint(0, len(data))
    end = min(len(data), start + random.randint(0, 12))
    match random.randrange(5):
        case 0:
            return data[:start] + noise(random, 20).encode("utf-8", "surrogatepass") + data[end:]
        case 1:
            return data[:start] + data[start : start + 200] * random.randint(0, 3) + data[end:]
        case 2:
            lines = data.splitlines(keepends=True)
            random.shuffle(lines)
            return b"".join(lines[: random.randint(0, len(lines))]) if random.random() < 0.3 else data[:start]
        case _:
            return data[:start] + random.choice(PIECES) + data[end:]


VALUES: tuple[Any, ...] = (None, 0, -1, 1, 2**70, 1e300, float("nan"), float("inf"), "", "x", "4096", True, [], {}, [1],
                           {"a": 1}, 0.5, [None], "bfloat16", [[]], -0.0, 10**400)  # fmt: skip


def _changed(random: Random, value: Any) -> Any:
    """JSON with about one value in twelve another one, and keys dropped or doubled."""
    if random.random() < 0.06:
        return random.choice(VALUES)
    if isinstance(value, dict):
        kept = {key: _changed(random, own) for key, own in value.items() if random.random() > 0.02}
        return kept | ({noise(random, 5): 1} if random.random() < 0.02 else {})
    if isinstance(value, list):
        return [_changed(random, own) for own in value if random.random() > 0.02]
    return value

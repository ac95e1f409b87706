"""The commands that measure the rows of an acceptance sheet, by the programs that run on a part.

`hosts` is a file with the nodes under test, one a line; `/checkpoints` the store under test. nccl-tests read 16M as
16 MiB. A command that is not known is None, and the note says what is missing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.result import Result

PROGRAMS = {
    "all_reduce": "all_reduce_perf",
    "all_gather": "all_gather_perf",
    "reduce_scatter": "reduce_scatter_perf",
    "all_to_all": "alltoall_perf",
}
TESTS = {"cuda": "nccl-tests", "rocm": "rccl-tests"}
STREAM = {"cuda": "cuda-stream", "rocm": "hip-stream"}
GEMM = {"cuda": ("bf16", "fp16", "fp8"), "rocm": ("bf16", "fp16", "fp8"), "tpu": ("bf16",)}
SCRIPTS = {"cuda": "gemm_rate.py", "rocm": "gemm_rate.py", "tpu": "gemm_rate_tpu.py"}
WATCH = {
    "cuda": "nvidia-smi --query-gpu=memory.used,power.draw,power.limit --format=csv --loop=5 > smi.csv",
    "rocm": "rocm-smi --showmeminfo vram --showpower --showmaxpower --csv > smi.csv",
}
ELEMENTS = 2**28  # of a stream's array: 2 GiB in double precision, far more than a cache holds


@dataclass(frozen=True)
class Setup:
    """What all commands of a sheet share: programs, GPUs of the job and of a node."""

    toolkit: str
    gpus: int
    per_node: int

    @property
    def nodes(self) -> int:
        """Nodes of the job."""
        return self.nodes_of(self.gpus)

    def nodes_of(self, ranks: int) -> int:
        """Nodes that so many ranks fill."""
        return math.ceil(ranks / self.per_node)

    def everywhere(self, command: str) -> str:
        """The command once on every node."""
        return command if self.nodes == 1 else f"mpirun -np {self.nodes} -N 1 --hostfile hosts {command}"


def setup(settings: Mapping[str, Any], result: Result) -> Setup:
    """The setup of a run."""
    gpus, each = int(result.columns["used_gpus"][0]), int(result.run.cluster.gpus_per_node[0])
    return Setup(str(settings.get("cluster.gpu.toolkit") or "cuda"), gpus, min(each, gpus))


def bus(setup: Setup, kind: str, ranks: int, sizes: Sequence[float]) -> str | None:
    """The test of one collective over so many ranks, sizes doubled from the smallest to the largest."""
    if setup.toolkit not in TESTS:
        return None
    program = f"{TESTS[setup.toolkit]}/build/{PROGRAMS[kind]}"
    sweep = f"-b {sizes[0] / 2**20:.0f}M -e {sizes[-1] / 2**30:.0f}G -f 2"
    if ranks <= setup.per_node:
        return f"{program} {sweep} -g {ranks}"
    return f"mpirun -np {ranks} -N {setup.per_node} --hostfile hosts {program} {sweep} -g 1"


def no_bus(setup: Setup) -> str:
    """Why there is no test of collectives."""
    return "" if setup.toolkit in TESTS else f"not stated: nccl-tests do not run on {setup.toolkit}"


def gemm(setup: Setup, shape: Sequence[int], dtype: str) -> str | None:
    """The timing of one multiply, by the script in this document."""
    if dtype not in GEMM.get(setup.toolkit, ()):
        return None
    return f"python {SCRIPTS[setup.toolkit]} {shape[0]} {shape[1]} {shape[2]} {dtype} >> gemm.csv"


def no_gemm(setup: Setup, dtype: str) -> str:
    """Why there is no timing of a multiply."""
    known = dtype in GEMM.get(setup.toolkit, ())
    return "" if known else f"not stated: no script times a {dtype} multiply on {setup.toolkit}"


def triad(setup: Setup) -> str | None:
    """BabelStream on every GPU's memory."""
    program = STREAM.get(setup.toolkit)
    return None if program is None else f"BabelStream/build/{program} --arraysize {ELEMENTS} --numtimes 100"


def no_triad(setup: Setup) -> str:
    """Why there is no stream."""
    return "" if setup.toolkit in STREAM else f"not stated: no BabelStream for {setup.toolkit}"


def watch(setup: Setup) -> str | None:
    """Memory and power of the GPUs while the reference step runs."""
    return WATCH.get(setup.toolkit)


def no_watch(setup: Setup) -> str:
    """Why they are not watched."""
    return "" if setup.toolkit in WATCH else f"not stated: no reading of memory and power on {setup.toolkit}"


def fio(setup: Setup, way: str, each: float) -> str:
    """All nodes at once writing or reading what a checkpoint is: a file a GPU, past the page cache."""
    job = (  # $jobnum is fio's, $(hostname) the shell's
        f"fio --name=checkpoint --directory=/checkpoints --filename_format=$(hostname).\\$jobnum --rw={way} --bs=16M "
        f"--ioengine=libaio --iodepth=16 --direct=1 --end_fsync=1 --numjobs={setup.per_node} "
        f"--size={math.ceil(each / 2**20)}M --group_reporting --output-format=json --output={way}.$(hostname).json"
    )
    return job if setup.nodes == 1 else setup.everywhere(f"sh -c '{job}'")

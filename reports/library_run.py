"""A run of a library part, and what tables of measurements leave unsaid about the machine that it ran on."""

from functools import cache
from typing import Any

from dsl.files import load_text
from dsl.resolve import resolve

# Bytes/s of network cards a GPU where nothing else is stated: ConnectX-7 or a RoCE card of 400 Gb/s for each (data
# sheets of DGX H100, H200, B200 and GB200; ml-engineering@744d01e for eight MI300X or MI355X) ...
NIC = 50e9
NICS = {
    "v100-sxm": 12.5e9,  # four Omni-Path links of 100 Gb/s for four (IDRIS, Jean Zay)
    "a100-sxm": 25e9, "a100-sxm-40gb": 25e9,  # eight ConnectX-6 of 200 Gb/s (data sheet of DGX A100)
    "b300": 100e9, "gb300": 100e9,  # ConnectX-8 of 800 Gb/s for each (data sheets of DGX B300 and GB300)
}  # fmt: skip
# Seconds of a hop inside a node (fit on NCCL tables) and past a leaf switch (aiconfigurator@095f58a), as in the
# library's fabrics.
HOPS = {"node": 1e-6, "net": 5e-6}
CLUSTER = "nodes = 1\n  tier node { bandwidth = 1 GB/s }"
RUN = "model = llama-3-8b\n  batch = 1 sequence"
TEXT = """edition 2026
import "library/gpus.scn"
import "library/models.scn"
cluster c {{
  gpu = {gpu}
  {cluster}
}}
run r {{
  cluster = c
  {run}
}}
"""


@cache
def library_run(gpu: str, cluster: str = CLUSTER, run: str = RUN) -> dict[str, Any] | None:
    """Every setting of a run on a library GPU, with the library's values and the schema's defaults; None where the
    library has no such name. ``cluster`` and ``run``: what else these blocks state, in the language."""
    scenario, problems = resolve(load_text(TEXT.format(gpu=gpu, cluster=cluster, run=run), "part.scn"), {})
    return None if problems or not scenario.runs else scenario.runs[0].plain()

"""Published runs as rows of a CSV file: what a row must hold, and the words of the file in our own.

Only configuration columns are read for a prediction. The measured columns, the source, notes, check and id never are.
"""

import csv
import io
import math
import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from dsl.inside import Unreadable, plain
from dsl.limits import MEASURED, ROWS, TABLE

Row = Mapping[str, str]

REQUIRED = ("layers", "hidden", "heads", "seq", "gpu", "n_gpus", "mbs", "gbs", "framework")
OPTIONAL = (
    "tp", "pp", "cp", "ep", "vpp", "kv_heads", "head_dim", "ffn", "vocab", "experts", "topk", "expert_ffn",
    "moe_layers", "shared_experts", "gpus_per_node",
)  # fmt: skip
COUNTS = (*(name for name in REQUIRED if name not in ("gpu", "framework")), *OPTIONAL)
WHOLE = ("layers", "hidden", "heads", "n_gpus")
LARGEST = {"layers": 1e5, "n_gpus": 1e8, "tp": 1e8, "pp": 1e5, "cp": 1e8, "ep": 1e8, "vpp": 1e5, "experts": 1e7}
GPUS = {
    "V100-SXM2": "v100-sxm", "A100-SXM-80GB": "a100-sxm", "A100-SXM-40GB": "a100-sxm-40gb", "H100-SXM-80GB": "h100-sxm",
    "H100-SXM-96GB": "h100-sxm-96gb", "H200": "h200", "H800": "h800-sxm", "GB200": "gb200", "GB300": "gb300",
    "B200": "b200", "B300": "b300", "MI300X": "mi300x", "MI325X": "mi325x", "MI355X": "mi355x", "MI350X": "mi350x",
    "TPU-v4": "tpu-v4", "TPU-v5e": "tpu-v5e", "TPU-v5p": "tpu-v5p", "TPU-v6e": "tpu-v6e", "TPU-v7x": "tpu-v7x",
}  # fmt: skip
# The first word of a framework's name that fits decides; the rest of a name is its version.
STACKS = (
    ("NeMo AutoModel", "torch-fsdp2"), ("Megatron-LM PTD-P", "megatron-2021"), ("Megatron-LM (SC21)", "megatron-2021"),
    ("Megatron-DeepSpeed", "megatron-deepspeed"), ("NeMo", "nemo"), ("Megatron-Bridge", "nemo"),
    ("Megatron-LM/NeMo", "nemo"), ("Megatron-LM/Primus", "megatron-core"), ("Megatron-LM", "megatron-2021"),
    ("Primus", "megatron-core"), ("HAI-LLM", "megatron-core"),
    ("MaxText", "jax-maxtext"), ("PaxML", "jax-maxtext"), ("axlearn", "jax-maxtext"), ("Pathways", "jax-maxtext"),
    ("llm-foundry", "llm-foundry"), ("TorchTitan (", "torchtitan-2024"), ("TorchTitan", "torchtitan"),
    ("torchtitan", "torchtitan"), ("nanotron", "nanotron"), ("Meta", "torchtitan"),
    ("GPT-NeoX", "deepspeed"), ("DeepSpeed", "deepspeed"), ("Colossal", "deepspeed"),
)  # fmt: skip
OTHER_STACK = "torch-fsdp2"
PRECISIONS = {
    "nvfp4": "fp4", "mxfp4": "fp4", "fp4": "fp4", "mxfp8": "fp8", "fp8": "fp8", "int8": "fp8", "bf16": "bf16",
    "bfloat16": "bf16", "fp16": "fp16", "float16": "fp16", "tf32": "tf32", "fp32": "fp32", "float32": "fp32",
}  # fmt: skip
SOURCE = 40  # letters of a row's source that tell one page or folder from another; the rest is its part and version
# One standard deviation of log(seconds) of runs that have the same columns: 255 rows of grade A in 92 groups, by
# their medians (Megatron-Bridge 6.0 %, NeMo 4.1, BLOOM 6.3, MLPerf 0.6).
NOISE = 0.06
GBIT = 1e9 / 8
CARDS = {"HDR": 200.0, "NDR": 400.0, "XDR": 800.0, "EDR": 100.0}  # Gb/s of an InfiniBand generation
GENERATION = re.compile(r"\b(?:HDR|NDR|XDR|EDR)\b")
RATE = re.compile(r"(\d+)\s*Gb(?:/s|/Sec|ps)")
COUNTED = re.compile(r"\((\d+) NICs\)|(?<![\w.])(\d+) ?x(?!.*\d NICs\))")
WHOLE_NODE = re.compile(r"/node|per (?:node|VM)")
ASIDE = re.compile(r"\s*(?:scale-up|Storage|Management)")


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file; values are texts, empty where the file has nothing."""
    table = csv.DictReader(io.StringIO(plain(path, TABLE).decode("utf-8-sig"), newline=""))
    if len(table.fieldnames or ()) > MEASURED:
        raise Unreadable(f"has more than {MEASURED:_} columns")
    rows = [{k: (v or "").strip() for k, v in row.items() if k} for row in islice(table, ROWS + 1)]
    if len(rows) > ROWS:
        raise Unreadable(f"has more than {ROWS:_} rows", "split it")
    return rows


def source_of(row: Row) -> str:
    """Where the row was published: the page or folder, without its version."""
    return row.get("source", "")[:SOURCE]


def number(row: Row, name: str) -> float | None:
    """A column as a number; None where it is empty or no finite number."""
    try:
        found = float(row.get(name) or "")
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def precision_of(row: Row) -> str | None:
    """The precision by the first letters of the row's, as "fp8 current scaling"; bf16 where none is stated, None where
    it is not known."""
    text = row.get("precision", "").lower()
    return next((ours for theirs, ours in PRECISIONS.items() if text.startswith(theirs)), None if text else "bf16")


def unreadable(row: Row) -> str:
    """Which dimension or degree is no number that a run can have, or that the precision is unknown; else empty."""
    if precision_of(row) is None:
        return f"the precision `{row['precision'][:40]}` is not known"
    for name in COUNTS:
        text = row.get(name, "")
        found = number(row, name)
        least, most = 0.0 if name in OPTIONAL else 1e-9, LARGEST.get(name, 1e15)
        if text and (found is None or not least <= found <= most or (name in WHOLE and found % 1)):
            return f"{name} is `{text[:40]}`, no number that a run can have"
    return ""


def absent(row: Row) -> list[str]:
    """Required columns that the row lacks."""
    return [name for name in REQUIRED if not row.get(name)]


def measured_seconds(row: Row) -> float | None:
    """The measured step time: as published, else batch x sequence over the token rate of all GPUs."""
    own = number(row, "iter_time_s")
    if own is not None and own > 0:
        return own
    rate, gpus, batch, sequence = (number(row, k) for k in ("tokens_per_s_per_gpu", "n_gpus", "gbs", "seq"))
    if rate is None or gpus is None or batch is None or sequence is None or rate * gpus <= 0:
        return None
    return batch * sequence / (rate * gpus)


def gpu_of(row: Row) -> str | None:
    """The library's name of the row's GPU; None where the library has none."""
    return next((ours for theirs, ours in GPUS.items() if row["gpu"].startswith(theirs)), None)


def unknown_gpu(row: Row) -> str:
    """Why a row is not predicted whose GPU the library lacks."""
    return f"the library has no GPU `{row['gpu'][:40]}`"


def stack_of(row: Row) -> str:
    """The library's stack of the row's framework. Megatron-LM on a GPU after the A100 is Megatron-Core; TorchTitan's
    benchmarks of 2024 ran on H100s, those on other GPUs are later."""
    if row["framework"].startswith("TorchTitan (") and not row["gpu"].startswith("H100"):
        return "torchtitan"
    found = next((stack for name, stack in STACKS if row["framework"].startswith(name)), OTHER_STACK)
    later = found == "megatron-2021" and not row["gpu"].startswith(("V100", "A100"))
    return "megatron-core" if later else found


def publisher(row: Row) -> str:
    """Who published a row, whatever the site or page: the first name of its source, as "mlcommons" or "pytorch", up to
    a hyphen: NVIDIA and NVIDIA-NeMo are one."""
    return re.split(r"[\s:/-]", row.get("source", "").strip(), maxsplit=1)[0]


def card(row: Row, default: float) -> float:
    """Bytes/s of one GPU's share of the node's network cards, as far as the row's interconnect says it: the fastest of
    what it lists, but for links between GPUs and cards of storage and management."""
    gpus = number(row, "gpus_per_node") or 8.0
    clauses = re.split(r"[;,+]", row.get("interconnect", ""))
    return max((node_rate(c, gpus) for c in clauses if not ASIDE.match(c)), default=0.0) * GBIT / gpus or default


def node_rate(clause: str, gpus: float) -> float:
    """Gb/s of a node by "8x ConnectX-7 IB NDR 400 Gb/s", "8x HDR", "400 Gb/s per GPU" or "1600 Gbps/node"; 0 where it
    does not say the rate of a card, or how many there are."""
    rate, generation = RATE.search(clause), GENERATION.search(clause)
    each = float(rate[1]) if rate else CARDS[generation[0]] if generation else 0.0
    if "per GPU" in clause and rate:
        return each * gpus
    counted = COUNTED.search(clause)
    if counted:
        return each * float(counted[1] or counted[2])
    return each if WHOLE_NODE.search(clause) else 0.0

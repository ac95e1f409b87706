"""The text of a new scenario: one model on one cluster, every line with a word on what it is for."""

from dataclasses import dataclass
from typing import NamedTuple

from dsl.form import canonical

WIDE = "400 Gb/s"  # a card of its own for each GPU


@dataclass(frozen=True)
class Wish:
    """What is asked for. ``config`` is the path of a config.json as the file is to name it, "" for a library model."""

    model: str
    config: str
    gpu: str
    gpus: int
    price: str  # "" where none was given
    tokens: str  # the same


@dataclass(frozen=True)
class Site:
    """The cluster's shape: the library's network for this GPU, or "" and a link of its own; ``node`` is in GPUs."""

    fabric: str
    node: int
    domain: int
    link: str


class Layout(NamedTuple):
    """How the work is split, and the batch that goes with it; ``fits`` says how it was found to fit."""

    tensor: int = 1
    pipeline: int = 1
    expert: int = 1
    shard: str = "zero1"
    recompute: str = "none"
    batch: int = 1
    sequence: int = 8192


def text(wish: Wish, site: Site, layout: Layout, tokens: str, why: str) -> str:
    """The scenario in canonical form; ``why`` is said of the tokens where nobody stated them."""
    parts = [
        "# A first plan, written by `scn new`. Change any line: `scn check` finds mistakes, `render` shows the result.",
        "edition 2026\n",
        "\n".join(f'import "library/{name}.scn"' for name in _imports(wish, site)) + "\n",
        *([_model(wish)] if wish.config else []),
        _cluster(wish, site),
        _run(wish, site, layout, tokens, why),
        REPORT,
    ]
    return canonical("\n".join(parts))[0]


def _imports(wish: Wish, site: Site) -> list[str]:
    return ["gpus", *([] if wish.config else ["models"]), *(["fabrics"] if site.fabric else [])]


def _model(wish: Wish) -> str:
    path = wish.config.replace("\\", "\\\\").replace('"', '\\"')
    return f"""# The shape is read from the configuration beside the model's weights.
model {wish.model} {{
hf = "{path}"
}}
"""


def _cluster(wish: Wish, site: Site) -> str:
    base = f" from {site.fabric}" if site.fabric else ""
    whole = wish.gpus % site.node == 0
    counts = [f"nodes = {wish.gpus // site.node}  # {wish.gpus:,} GPUs" if whole else f"gpus = {wish.gpus}"]
    if not site.fabric:
        counts = [f"gpu = {wish.gpu}", f"gpus_per_node = {site.node}", *counts]
    own = "# The network is the library's; state `tier` blocks here to describe your own."
    network = own if site.fabric else tiers(site)
    unpriced = "# price = $…/gpu-hour, and the report says what the run costs"
    price = f"price = {wish.price}" if wish.price else unpriced
    rows = "\n".join([*counts, price, network])
    return f"cluster machine{base} {{\n{rows}\n}}\n"


def tiers(site: Site) -> str:
    """The network of a cluster that the library has none for: a link inside a node, a card for each GPU outside."""
    span = f"span = {site.domain} gpus, " if site.domain != site.node else ""
    return f"""# Bandwidth is per GPU and per direction. The outer tier is an estimate: a {WIDE} card for each GPU.
tier node {{ {span}bandwidth = {site.link}, latency = 1 us }}
tier pod {{ bandwidth = {WIDE}, latency = 10 us }}"""


def _run(wish: Wish, site: Site, layout: Layout, tokens: str, why: str) -> str:
    data = wish.gpus // (layout.tensor * layout.pipeline)
    million = layout.batch * layout.sequence / 1e6
    split = [
        f"tensor = {layout.tensor}  # inside a node of {site.node}: its all-reduces are the most frequent",
        f"pipeline = {layout.pipeline}  # stages; what is left, {data:,}, is data parallel",
        *([f"expert = {layout.expert}  # data-parallel ranks that share the experts"] if layout.expert > 1 else []),
        "micro_batch = 1 sequence",
        f"shard = {layout.shard}  # {SHARD[layout.shard]}",
        f"recompute = {layout.recompute}  # {RECOMPUTE[layout.recompute]}",
    ]
    return f"""run pretrain "{wish.model} on {wish.gpus:,} {wish.gpu}" {{
model = {wish.model}
cluster = machine
tokens = {tokens}{"  # " + why if why else ""}
sequence = {layout.sequence} tokens
batch = {layout.batch} sequences  # {million:.3g} million tokens a step

layout {{
{chr(10).join(split)}
}}

# A requirement that does not hold is shown with all its numbers, and `render` ends with exit 1.
require memory_per_gpu <= 90% * cluster.gpu.memory because "leave room for NCCL and fragmentation"
# require time_to_train <= 90 days because "the release is in spring"
}}
"""


SHARD = {
    "none": "every rank keeps all states",
    "zero1": "optimizer states are spread over data-parallel ranks",
    "zero3": "weights, gradients and optimizer states are spread over data-parallel ranks",
}
RECOMPUTE = {
    "none": "all activations are kept",
    "selective": "attention is computed again in the backward pass",
    "full": "whole layers are computed again: a third more work, the least memory",
}
REPORT = """report {
show = [mfu, step_time as s, memory_per_gpu as GiB, time_to_train as days, cost as $M]
}
"""

"""A layout to start from: tensor parallel inside the node, as few pipeline stages as fit, data parallel the rest."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dsl.scenario import Run
from engine.evaluate import evaluate
from engine.read import read
from engine.result import Result
from reports.draft import Layout

STEP_TOKENS = 4 * 2**20  # tokens of a step that a first plan aims at
ROOM = 0.9  # share of the device memory that may be taken
DEEP = (1, 2, 4, 8, 16, 32)
WIDE = (64, 32, 16, 8, 4, 2)  # expert-parallel degrees, the first that divides is taken


def layouts(settings: Mapping[str, Any], gpus: int, node: int, sequence: int) -> Iterator[Layout]:
    """Layouts to try, the one with the least communication first."""
    tensors = [t for t in (1, 2, 4, 8) if t <= node and gpus % t == 0 and _divides(settings, t)]
    stages = [p for p in DEEP if p <= settings.get("model.layers", 1)]
    orders = [(t, 1, "zero1", kept) for kept in ("none", "selective") for t in tensors]
    orders += [(tensors[-1], p, "zero1", kept) for kept in ("selective", "full") for p in stages]
    orders += [(t, 1, "zero3", "full") for t in tensors]
    for tensor, pipeline, shard, recompute in dict.fromkeys(orders):
        if gpus % (tensor * pipeline) == 0:
            data = gpus // (tensor * pipeline)
            least = 4 * pipeline if pipeline > 1 else 1
            batch = data * max(least, round(STEP_TOKENS / sequence / data))
            expert = expert_degree(settings, data)
            yield Layout(tensor, pipeline, expert, shard, recompute, batch, sequence)


def _divides(settings: Mapping[str, Any], tensor: int) -> bool:
    """Whether a tensor degree divides what it splits: heads, and key/value heads where there are as many."""
    heads = settings.get("model.heads") or settings.get("model.attention.heads") or tensor
    kv_heads = settings.get("model.kv_heads") or heads
    return heads % tensor == 0 and (kv_heads % tensor == 0 or tensor % kv_heads == 0)


def expert_degree(settings: Mapping[str, Any], data: int) -> int:
    """Ranks that share the experts; 1 for a dense model."""
    routed = settings.get("model.experts.routed")
    return next((e for e in WIDE if routed and routed % e == 0 and data % e == 0), 1)


def outcome(settings: Mapping[str, Any]) -> Result:
    """The run evaluated."""
    return evaluate(read(dict(settings)), advise=False)


SAID = ("fits with room", "fits, with little room", "does not fit: it needs more GPUs", "cannot be built")


def best(
    settings: Mapping[str, Any], gpus: int, node: int, sequence: int, tried: Callable[[Layout], Run]
) -> tuple[Layout, str]:
    """The first layout that fits with room, else the one that comes nearest; and what is to be said of it."""
    found: list[tuple[int, int, Layout]] = []
    for number, layout in enumerate(layouts(settings, gpus, node, sequence)):
        plain = tried(layout).plain()
        found.append((rank(outcome(plain), plain["cluster.gpu.memory"]), number, layout))
        if found[-1][0] == 0:
            break
    worth, _, layout = min(found)
    return layout, f"tensor {layout.tensor} x pipeline {layout.pipeline}, {SAID[worth]}"


def rank(result: Result, memory: float) -> int:
    """How good a first plan is: 0 fits with room, 1 fits, 2 can be built, 3 cannot."""
    if result.status == "ok" and "memory_per_gpu" in result.columns:
        return 0 if float(result.columns["memory_per_gpu"][0]) <= ROOM * memory else 1
    return {"ok": 1, "does_not_fit": 2}.get(result.status, 3)

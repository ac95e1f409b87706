"""The engine's settings of a row of published memory: the row as a run, and what its framework does by itself."""

from collections.abc import Callable
from typing import Any

from reports.validation.models import dimensions
from reports.validation.rows import Row, number, stack_of
from reports.validation.settings import settings_of

UNREAD = ("source", "notes", "value_gib", "value_as_published", "unit_as_published", "kind", "component")


def as_run(row: Row) -> dict[str, str]:
    """The row in the columns of a table of runs; what its model's name says fills the columns that it lacks."""
    own = {"zero_stage_or_fsdp": row.get("zero_stage", ""), "gpus_per_node": "", "interconnect": ""}
    own |= {"task": "lora" if "lora" in row.get("model", "").lower() else "pretrain"}
    return dimensions(row) | {k: v for k, v in row.items() if k not in UNREAD} | own


def settings(row: Row) -> dict[str, Any]:
    """The flat table of settings of a row, with what its framework does where the row does not say it."""
    run = as_run(row)
    return settings_of(run) | OWN.get(stack_of(run), _nothing)(run)


def _nothing(run: Row) -> dict[str, Any]:
    return {}


def _megatron(run: Row) -> dict[str, Any]:
    """The GPT models of 2020 to 2022 were trained with dropout, whose masks are kept."""
    return {"model.dropout": number(run, "glu") == 0.0}


# The policy saves the multiplies that its list names (aten.mm, _scaled_mm), and those in fp4 are others: only the
# output of the attention kernel stays. Both published pairs show it: Llama-3-8B takes 111 GiB in fp4 and 180 in fp8,
# Qwen3-8B 79 and 113 (torchtitan's nvfp4.md); saved as in fp8, fp4 would be predicted 53 and 69% too large.
UNSEEN = ("norm", "qkv", "mlp_up", "activation", "attn_out", "mlp block input")


def _torchtitan(run: Row) -> dict[str, Any]:
    """Selective recomputation is that of every second matrix multiply, and the default where a row does not say it; a
    compiled one also drops the layer's last output. Before the loss was compiled, tensor ranks ran it on sharded
    logits."""
    old = stack_of(run) == "torchtitan-2024"
    found: dict[str, Any] = {"loss": "loss_parallel"} if old and (number(run, "tp") or 1.0) > 1 else {}
    if run.get("recompute") in ("selective", "unknown"):
        seen = ("alternate",) if old else ("alternate", "mlp block input")
        found |= {"layout.recompute": "selective"}
        found |= {"layout.recompute.ops": UNSEEN if run.get("precision") == "nvfp4" else seen}
    return found


def _nanotron(run: Row) -> dict[str, Any]:
    """Activations are not fused; stages are made by cost."""
    return {"kernels.fused": False} | ({"layout.stages": by_cost(run)} if (number(run, "pp") or 1.0) > 1 else {})


def by_cost(run: Row) -> tuple[int, ...]:
    """Layers of every stage as nanotron's builder assigns them: a stage takes blocks until their cost passes its equal
    share of the whole; a layer costs one, the head its parameters over a layer's. Source: PipelineEngine's builder."""
    hidden, ffn, layers, stages = (number(run, k) or 1.0 for k in ("hidden", "ffn", "layers", "pp"))
    head = (number(run, "vocab") or 0.0) * hidden / (4 * hidden**2 + 3 * hidden * ffn)
    share, counts, place = (layers + head) / stages, [0] * int(stages), 0
    for layer in range(int(layers)):
        counts[place] += 1
        if layer + 1 > share * (place + 1) and place < stages - 1:
            place += 1
    return tuple(counts)


OWN: dict[str, Callable[[Row], dict[str, Any]]] = {
    "megatron-2021": _megatron, "megatron-deepspeed": _megatron, "nanotron": _nanotron,
    "torchtitan": _torchtitan, "torchtitan-2024": _torchtitan,
}  # fmt: skip

"""Dimensions of a published model by its name, for tables that give layers and width alone: the library's entry.

A name is read without what stands in parentheses and without the word LoRA: "Llama-3-70B (proxy, 12 layers)" is the
library's llama-3-70b with 12 layers. Where the row is wider or narrower than the entry, heads keep their size and the
feed-forward layer its ratio to the width.
"""

import re
from functools import cache
from typing import Any

from reports.library_run import library_run
from reports.validation.rows import Row, number

# A name that no entry of the library has: the entry of its family, and the dimensions that its publication states where
# they differ. They are read as any column is; nothing here was chosen by an error.
FAMILIES: tuple[tuple[str, str, dict[str, float | None]], ...] = (
    # bigscience, chronicles-prequel: NHEADS=64 in 68 of its 85 layouts, the others have 32, 96 or 128
    ("bloom-prequel", "bloom-176b", {"heads": 64.0, "kv_heads": 64.0, "head_dim": None}),
    ("gpt-1.3b", "gpt3-xl-1.3b", {}),  # bigscience, tr3m: the same 16 heads
    # huggingface/bench_cluster: 32 heads, intermediate size 4096, GPT-2's vocabulary (padded), tied
    ("nanotron-llama-1b", "llama-2-7b", {"ffn": 4096.0, "heads": 32.0, "kv_heads": 32.0, "head_dim": 64.0,
                                         "vocab": 50304.0, "tied_embeddings": 1.0}),
)  # fmt: skip


def plain_name(name: str) -> str:
    """A published name as the library spells names: lower case, hyphens, nothing in parentheses."""
    bare = re.sub(r"\([^)]*\)|\blora\b", " ", name.lower())
    return re.sub(r"[\s_]+", "-", bare.strip())


@cache
def entry(name: str) -> dict[str, Any] | None:
    """The settings `model.*` of a library entry, without the prefix; None where the library has no such model."""
    found = library_run("h100-sxm", run=f"model = {name}\n  batch = 1 sequence")
    if found is None:
        return None
    return {path.removeprefix("model."): value for path, value in found.items() if path.startswith("model.")}


def dimensions(row: Row) -> dict[str, str]:
    """The columns of a run that its model's name gives: heads, feed-forward width, vocabulary, experts, attention."""
    name = plain_name(row.get("model", ""))
    family = next(((base, own) for start, base, own in FAMILIES if name.startswith(start)), (name, {}))
    model = entry(family[0]) if re.fullmatch(r"[a-z][a-z0-9.-]*", family[0]) else None
    if model is None:
        return {}
    latent = {"attention": "mla"} if model.get("attention") == "latent" else {}
    found = _columns(row, model) | family[1]
    return {column: f"{value:.12g}" for column, value in found.items() if value is not None} | latent


def _columns(row: Row, model: dict[str, Any]) -> dict[str, float | None]:
    """An entry of the library in the columns of a table of runs, at the row's depth and width."""
    hidden, layers = number(row, "hidden") or model["hidden"], number(row, "layers") or model["layers"]
    width: float = hidden / model["hidden"]
    heads: float = model.get("heads") or model.get("attention.heads") or model["hidden"] / 128.0
    head = model.get("head") or model["hidden"] / heads
    keys = model.get("kv_heads") or heads
    count: float = heads if width == 1 else hidden / head
    ffn: float | None = model.get("ffn")
    found: dict[str, float | None] = {
        "heads": count, "kv_heads": count * keys / heads, "head_dim": head, "ffn": width * ffn if ffn else None,
        "glu": float(bool(model["gated"])), "vocab": model["vocabulary"], "tied_embeddings": float(bool(model["tied"])),
    }  # fmt: skip
    return found | _experts(model, layers)


def _experts(model: dict[str, Any], layers: float) -> dict[str, float | None]:
    """Experts of an entry; a proxy with fewer layers keeps one dense layer of those that come first."""
    if not model.get("experts.routed"):
        return {}
    dense, every = model.get("experts.dense_layers") or 0.0, model.get("experts.every") or 1.0
    dense = dense if layers >= model["layers"] else min(dense, 1.0)
    return {
        "experts": model["experts.routed"], "topk": model["experts.active"], "expert_ffn": model["experts.ffn"],
        "shared_experts": model.get("experts.shared"), "moe_layers": (layers - dense) / every,
    }  # fmt: skip

"""The model of a run as TorchTitan names it: a flavor of its own where the library has it, else one to register."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from dsl.files import load_text
from dsl.importers.torchtitan import LIBRARY
from dsl.resolve import resolve
from reports.judgement import plain
from reports.operations.settings import amount

Settings = Mapping[str, Any]
FLAVORS = {model: names for names, (model, _) in LIBRARY.items()}
BESIDE = ("source", "confidence", "verified", "sequence")  # no dimension of a model
DIMENSIONS = {
    "dim": "hidden",
    "n_layers": "layers",
    "n_heads": "heads",
    "n_kv_heads": "kv_heads",
    "ffn_dim": "ffn",
    "vocab_size": "vocabulary",
}
EXPERTS = {
    "num_experts": "experts.routed",
    "top_k": "experts.active",
    "moe_inter_dim": "experts.ffn",
    "num_shared_experts": "experts.shared",
}


def flavor(s: Settings) -> tuple[str, str] | None:
    """Name and flavor that TorchTitan has for the model; None where it has none, or a run changed its dimensions."""
    name = str(s.get("model") or "")
    return FLAVORS[name] if name in FLAVORS and dimensions_of(s) == in_library(name) else None


def registered(s: Settings) -> tuple[str, str]:
    """Name and flavor of the model: TorchTitan's own, else the family that is closest and the model's own name."""
    kind = "deepseek_v3" if s.get("model.attention") == "latent" else "llama4"
    family = kind if amount(s, "model.experts.routed") else "llama3"
    return flavor(s) or (family, str(s.get("model") or "own"))


def dimensions(s: Settings) -> list[str]:
    """The dimensions as comments, which the importer reads where the flavor is none that it knows."""
    names = DIMENSIONS | (EXPERTS if amount(s, "model.experts.routed") else {})
    return [f"# model.{name} = {amount(s, f'model.{path}')}" for name, path in names.items()]


def dimensions_of(s: Settings) -> dict[str, Any]:
    """What a run says of its model, sources and the longest sequence left out."""
    found = ((path.removeprefix("model."), v) for path, v in s.items() if path.startswith("model."))
    return {path: value for path, value in found if path not in BESIDE and value is not None}


@cache
def in_library(name: str) -> dict[str, Any]:
    """The same of a model of the library."""
    text = f"""edition 2026
import "library/gpus.scn"
import "library/models.scn"
cluster c {{ gpu = h100-sxm, gpus_per_node = 1, nodes = 1, tier node {{ bandwidth = 1 GB/s }} }}
run r {{ model = {name}, cluster = c, batch = 1 sequences }}
"""
    scenario, problems = resolve(load_text(text, "model.scn"), {})
    assert not problems, problems
    return dimensions_of({path: plain(value.value) for path, value in scenario.runs[0].settings.items()})

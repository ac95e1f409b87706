"""The rows of tests/data/cases.csv: questions practitioners asked, with the answer that the product must give."""

import csv
from pathlib import Path
from typing import Any

from dsl.problems import Problem
from reports.document import build
from tests.language import problems_of, scenario_of

Json = dict[str, Any]
GIB, MIB, GB, TFLOP = 2.0**30, 2.0**20, 1e9, 1e12

with (Path(__file__).parent / "data" / "cases.csv").open(encoding="utf-8", newline="") as file:
    CASES: dict[str, dict[str, str]] = {row["id"]: row for row in csv.DictReader(file)}

LIBRARY = "".join(f'import "library/{name}.scn"\n' for name in ("gpus", "models", "stacks", "checks"))
LLAMA_2_7B = """
  layers = 32, hidden = 4096, ffn = 11_008, heads = 32, vocabulary = 32_000, sequence = 4096 tokens
"""
LLAMA_3_8B = """
  layers = 32, hidden = 4096, ffn = 14_336, heads = 32, kv_heads = 8, vocabulary = 128_256, sequence = 8192 tokens
"""
NETWORK = "tier node { bandwidth = 450 GB/s }\n  tier pod { bandwidth = 400 Gb/s }"


def expected(case: str) -> dict[str, str]:
    """What a row expects, by name: "a=1; b=2"."""
    parts = (part.partition("=") for part in CASES[case]["expect"].split(";") if "=" in part)
    return {name.strip(): value.strip() for name, _, value in parts}


def text_of(
    model: str, run: str, gpus: int = 8, gpu: str = "h100-sxm", cluster: str = "", network: str = NETWORK
) -> str:
    """A scenario of one model, one cluster and one run. ``model`` is the inside of a model block."""
    network = "" if gpus == 1 else network
    return (
        f"edition 2026\n{LIBRARY}model m {{ {model} }}\n"
        f"cluster c {{\n  gpu = {gpu}\n  gpus = {gpus} gpus\n  {cluster}\n  {network}\n}}\n"
        f"run r {{\n  model = m, cluster = c\n  {run}\n}}\n"
    )


def point_of_text(text: str) -> Json:
    """The first point of a scenario's document, as every page of a report reads it."""
    point: Json = build(scenario_of(text))["experiments"][0]["points"][0]
    return point


def evaluated(
    model: str, run: str, gpus: int = 8, gpu: str = "h100-sxm", cluster: str = "", network: str = NETWORK
) -> Json:
    """``text_of`` evaluated end to end."""
    return point_of_text(text_of(model, run, gpus, gpu, cluster, network))


def problems(text: str) -> list[Problem]:
    """The problems of a text."""
    return problems_of(text)

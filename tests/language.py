"""What the tests of the language share: result names, and a small file that is right."""

from dsl.files import load_text
from dsl.problems import Problem
from dsl.resolve import resolve
from dsl.scenario import Scenario
from engine.metrics import FACTS, METRICS

RESULTS = {m.name: m.dimension for m in (*METRICS, *FACTS)}

START = """edition 2026
gpu h {
  memory = 80 GB, memory_bandwidth = 3.35 TB/s
  peak { bf16 = 989 TFLOPS }
  power = 700 W
}
model small {
  layers = 32, hidden = 4096, ffn = 14_336, heads = 32, kv_heads = 8, vocabulary = 128_256, sequence = 8192 tokens
}
cluster hopper {
  gpu = h
  nodes = 16
  tier node { bandwidth = 450 GB/s }
  tier pod { bandwidth = 400 Gb/s }
}
run base { model = small, cluster = hopper, tokens = 1T tokens, batch = 2048 sequences }
"""


def resolved(text: str, *overrides: str) -> tuple[Scenario, list[Problem]]:
    """A text resolved against the library that is installed."""
    return resolve(load_text(text, "case.scn"), RESULTS, overrides)


def scenario_of(text: str, *overrides: str) -> Scenario:
    """A text that is right, resolved."""
    scenario, problems = resolved(text, *overrides)
    assert not problems, problems
    return scenario


def problems_of(text: str, *overrides: str) -> list[Problem]:
    """The problems of a text."""
    return resolved(text, *overrides)[1]

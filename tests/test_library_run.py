"""A run of a library part: one text for every table of measurements, and what these leave unsaid."""

import pytest

from dsl.files import load_text
from dsl.resolve import resolve
from reports.library_run import HOPS, NIC, NICS, RUN, library_run
from reports.validation.rows import GBIT

FABRICS = """edition 2026
import "library/gpus.scn"
import "library/models.scn"
import "library/fabrics.scn"
cluster c from {fabric} {{ nodes = 64 }}
run r {{
  model   = llama-3-8b
  cluster = c
  batch   = 2048 sequences
}}
"""


def test_a_name_that_the_library_lacks_gives_none() -> None:
    assert library_run("h900") is None
    assert library_run("h100-sxm", run=f"{RUN}\n  stack = nobody") is None


def test_settings_are_those_of_the_part_and_of_what_the_blocks_state() -> None:
    found = library_run("mi300x", "gpus_per_node = 8, nodes = 2\ntier node { bandwidth = mi300x.link }", RUN)
    assert found is not None
    assert (found["cluster.gpu"], found["cluster.gpus"], found["cluster.tier.node.bandwidth"]) == ("mi300x", 16, 448e9)
    assert found["model"] == "llama-3-8b"


@pytest.mark.parametrize(
    ("fabric", "gpu"),
    [("h100-rail", "h100-sxm"), ("a100-rail", "a100-sxm"), ("b200-rail", "b200"), ("b300-rail", "b300"),
     ("gb200-nvl72", "gb200"), ("gb300-nvl72", "gb300")],
)  # fmt: skip
def test_cards_and_hops_are_those_of_the_librarys_fabrics(fabric: str, gpu: str) -> None:
    scenario, problems = resolve(load_text(FABRICS.format(fabric=fabric)), {})
    assert not problems
    settings = scenario.runs[0].plain()
    assert settings["cluster.gpu"] == gpu
    assert NICS.get(gpu, NIC) == settings["cluster.tier.pod.bandwidth"]
    assert [settings[f"cluster.tier.{tier}.latency"] for tier in ("node", "pod")] == [HOPS["node"], HOPS["net"]]


def test_cards_of_a_gpu_are_whole_cards() -> None:
    assert {gpu: rate / GBIT for gpu, rate in NICS.items()} == {
        "v100-sxm": 100, "a100-sxm": 200, "a100-sxm-40gb": 200, "b300": 800, "gb300": 800,
    }  # fmt: skip

"""Predictions of shipped scenarios against what was published, with the tolerance stated."""

from pathlib import Path
from typing import Any

import pytest

from reports.commands.source import read
from reports.document import build


@pytest.fixture(scope="module")
def llama(scenarios: Path) -> dict[str, Any]:
    """Results of the two runs of llama-405b-16k.scn."""
    source = read(scenarios / "llama-405b-16k.scn")
    assert not source.in_error, source.shown
    return {e["name"]: e["points"][0] for e in build(source.scenario)["experiments"]}


def test_the_file_states_no_efficiency(llama: dict[str, Any]) -> None:
    for point in llama.values():
        assert not [i for i in point["inputs"] if i["path"].startswith("efficiency.") and i["origin"] == "stated"]


@pytest.mark.parametrize(("run", "flops", "mfu"), [("dp-128", 400e12, 0.41), ("dp-64", 430e12, 0.43)])
def test_llama_3_405b_within_twelve_percent(llama: dict[str, Any], run: str, flops: float, mfu: float) -> None:
    """Llama 3 paper, table 4."""
    results = llama[run]["results"]
    assert results["model_flops"] == pytest.approx(flops, rel=0.12)
    assert results["mfu"] == pytest.approx(mfu, rel=0.12)
    assert {m["name"]: m["value"] for m in llama[run]["measured"]}["mfu"] == mfu


@pytest.mark.oracle("S4-scale")
def test_half_the_micro_batches_cost_utilization(llama: dict[str, Any]) -> None:
    """43 % at dp 64, 41 % at dp 128: the same direction, and not far from two points."""
    more, fewer = llama["dp-64"]["results"]["mfu"], llama["dp-128"]["results"]["mfu"]
    assert 0.005 < more - fewer < 0.06


def test_it_fits_under_what_the_file_assumes(llama: dict[str, Any]) -> None:
    for point in llama.values():
        assert point["status"] == "ok"
        assert point["results"]["memory_per_gpu"] <= point["settings"]["cluster.gpu.memory"]


def test_effective_training_time_is_above_90_percent(llama: dict[str, Any]) -> None:
    """Llama 3 paper, section 3.3.4: one interruption in 3.09 hours, above 90 % effective."""
    results = llama["dp-128"]["results"]
    assert results["mtbf"] == pytest.approx(3.09 * 3600, rel=0.01)
    assert results["effective_training_time"] > 0.90


def test_deepseek_v3_within_fifteen_percent(scenarios: Path) -> None:
    """DeepSeek-V3 report, table 1: 2,664 thousand H800 hours for 14.8T tokens, 180 thousand a trillion."""
    source = read(scenarios / "deepseek-v3.scn")
    assert not source.in_error, source.shown
    point = build(source.scenario)["experiments"][0]["points"][0]
    assert not [i for i in point["inputs"] if i["path"].startswith("efficiency.") and i["origin"] == "stated"]
    hours = point["results"]["gpu_hours"] / 3600
    assert hours == pytest.approx(2_664_000, rel=0.15)
    assert hours / 14.8 == pytest.approx(180_000, rel=0.15)
    assert point["results"]["parameters"] == 671_026_404_352 and point["status"] == "ok"

"""Checkpoints and goodput: the K rows of tests/data/cases.csv, each with its own tolerance."""

import pytest

from engine import goodput as g
from engine.columns import ZERO, column
from engine.models import count
from tests.cases import GB, GIB, LLAMA_3_8B, evaluated
from tests.library_models import LIBRARY_MODELS
from tests.settings import run

HOUR = 3600.0
LLAMA_405B = """
  layers = 126, hidden = 16_384, ffn = 53_248, heads = 128, kv_heads = 8, vocabulary = 128_256, sequence = 8192 tokens
"""
SAVED = "checkpoint { weights = true }"


@pytest.mark.case("K02")
def test_k02_what_a_published_checkpoint_size_is() -> None:
    small = evaluated(LLAMA_3_8B, f"batch = 8 sequences\n {SAVED}")["results"]["checkpoint_size"]
    assert small / GIB == pytest.approx(104.7, rel=5e-3)
    assert small / GB == pytest.approx(112.4, rel=5e-3)
    layout = "layout { tensor = 8, pipeline = 32, split = %s }"
    large = evaluated(LLAMA_405B, f"batch = 64 sequences\n {SAVED}\n {layout % 'balanced'}", gpus=512)
    assert large["results"]["data_parallel"] == 2
    assert large["results"]["checkpoint_size"] / GIB == pytest.approx(5292, rel=5e-3)
    assert large["results"]["checkpoint_size"] / 1e12 == pytest.approx(5.68, rel=5e-3)
    assert large["results"]["checkpoint_size"] / 2**40 == pytest.approx(5.17, rel=5e-3)
    even = evaluated(LLAMA_405B, f"batch = 64 sequences\n {layout % 'even'}", gpus=512)
    assert even["status"] == "cannot_be_built" and "126 layers to divide" in even["reasons"][0]


@pytest.mark.case("K03")
def test_k03_a_checkpoint_of_gpt_neox_20b() -> None:
    n, states = count(LIBRARY_MODELS["gpt-neox-20b"]).total, run(states__gradients=4).states
    assert n[0] == 20_554_567_680
    full = g.checkpoint_size(n, states, weights=True)
    assert full[0] / GIB == pytest.approx(268.0, rel=5e-3)
    slim = full - g.checkpoint_size(n, states, weights=False)
    assert slim[0] / GIB == pytest.approx(38.3, rel=5e-3)
    gradients = n * (0 if states.gradients is None else states.gradients)
    assert (full + gradients)[0] / GB == pytest.approx(370, rel=5e-3)


@pytest.mark.case("K04")
def test_k04_youngs_interval_with_recovery() -> None:
    found = g.young_recovery(column(10), column(6000), column(600))[0]
    assert found == pytest.approx(363.3, abs=0.05)
    assert found / 15 == pytest.approx(24, abs=1)


@pytest.mark.case("K05")
def test_k05_young_against_the_availability_optimum() -> None:
    assert g.young(column(120), column(6 * HOUR))[0] / 60 == pytest.approx(37.9, rel=5e-3)
    assert g.young(column(60), column(4 * HOUR))[0] == pytest.approx(1315, rel=5e-3)
    assert g.availability(column(60), column(4 * HOUR), column(300))[0] == pytest.approx(1390, rel=5e-3)


@pytest.mark.case("K06")
def test_k06_failures_scale_with_the_gpus() -> None:
    one = [1 / (50_000 * HOUR)]
    found = g.job_mtbf(one, column([1e5, 1e6])) / 60
    assert found[0] == pytest.approx(30, rel=0.01) and found[1] == pytest.approx(3, rel=0.01)
    llama = g.job_mtbf([g.hazard(419, 16384, 54 * 24 * HOUR)], column([16384, 1])) / HOUR
    assert llama[0] == pytest.approx(3.09, rel=0.01) and llama[1] == pytest.approx(50_677, rel=0.01)
    text = "batch = 16 sequences"
    resolved = evaluated(LLAMA_3_8B, text, gpus=16, cluster="mtbf = 50_000 gpu-hours")
    assert resolved["results"]["mtbf"] / HOUR == pytest.approx(50_000 / 16, rel=1e-9)


@pytest.mark.case("K07")
@pytest.mark.parametrize(("stall", "overhead"), [(148.8, 0.0397), (6.3, 0.0017)])
def test_k07_what_a_stall_costs_every_hour(stall: float, overhead: float) -> None:
    never = column(1e15)  # no failures: the pause alone
    found = 1 - g.busy_share(column(3600), column(stall), never, ZERO)[0]
    assert found == pytest.approx(overhead, rel=0.03 if stall < 10 else 0.01)  # 0.17 % has two digits
    assert pytest.approx(23.62, rel=0.01) == 148.8 / 6.3
    assert 1 - g.effective(column(3600), column(stall), column(1e12), ZERO)[0] == pytest.approx(found, rel=1e-3)

"""Days, GPU-hours and money: the T rows of tests/data/cases.csv, each with its own tolerance."""

import pytest

from engine import cost
from engine.columns import column
from engine.models import count
from tests.library_models import LIBRARY_GPUS, LIBRARY_MODELS
from tests.settings import run

DAY, HOUR = 86400.0, 3600.0


@pytest.mark.case("T01")
def test_t01_gpu_hours() -> None:
    counts = cost.gpus(run(cluster__gpus=160).cluster, column(160))
    assert counts is not None
    assert cost.gpu_time(counts, column(15 * DAY))[0] / HOUR == 57_600


@pytest.mark.case("T01")
@pytest.mark.parametrize(
    ("model", "hours", "used", "rate"),
    [
        ("llama-2-7b", 184_320, 0.391, 3014),
        ("llama-2-13b", 368_640, 0.377, 1507),
        ("llama-2-70b", 1_720_320, 0.428, 323),
    ],
)
def test_t01_utilization_of_llama_2(model: str, hours: float, used: float, rate: float) -> None:
    peak = LIBRARY_GPUS["a100-sxm"].peak.bf16
    assert peak is not None
    flops = cost.training_flops(count(LIBRARY_MODELS[model]).total, column(2e12))
    assert cost.utilization(flops, column(hours * HOUR), peak)[0] == pytest.approx(used, abs=5e-3)
    assert 2e12 / (hours * HOUR) == pytest.approx(rate, rel=1e-3)


@pytest.mark.case("T03")
def test_t03_what_is_in_5_576_million_dollars() -> None:
    r = run(cluster__gpus=2048, cluster__price=2 / HOUR)
    counts = cost.gpus(r.cluster, column(2048))
    assert counts is not None
    per_trillion = 180e3 * HOUR / 2048
    assert per_trillion / DAY == pytest.approx(3.66, rel=5e-3)
    rate = 1e12 / per_trillion  # tokens/s of the job
    pretrain = cost.time_to_train(column(14.8e12), column(rate), column(1.0))
    assert pretrain[0] / DAY == pytest.approx(54.2, rel=5e-3)
    assert cost.gpu_time(counts, pretrain)[0] / HOUR == pytest.approx(2.664e6, rel=5e-3)
    whole = pretrain + (119e3 + 5e3) * HOUR / 2048
    assert cost.gpu_time(counts, whole)[0] / HOUR == pytest.approx(2.788e6, rel=5e-3)
    lines = cost.lines(r, counts, whole, None)
    total = cost.total(lines)
    assert total is not None and total[0] == pytest.approx(5.576e6, rel=5e-3)
    assert "trial runs" in cost.not_included(lines)  # experiments are not in it


@pytest.mark.case("T04")
def test_t04_sixty_days_for_400_billion_tokens() -> None:
    seconds, peak = column(60 * DAY), LIBRARY_GPUS["a100-sxm-40gb"].peak.bf16
    assert peak is not None
    assert 400e9 / (seconds[0] * 768) == pytest.approx(100.5, rel=0.05)
    flops = cost.training_flops(column(130e9), column(400e9))
    used = cost.utilization(flops, 768 * seconds, peak)
    assert used[0] == pytest.approx(0.251, rel=0.05)
    assert cost.formula_time(flops, column(768), peak, used)[0] / DAY == pytest.approx(60, rel=0.05)

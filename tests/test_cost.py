"""Days and money: printed durations, published bills, and every cost line by its stated rule."""

from typing import Any

import numpy as np
import pytest

from engine import cost
from engine.columns import Column, column
from tests.settings import run

DAY, HOUR = 86400.0, 3600.0
PARAMETERS, TOKENS, PEAK = column(70_548_193_280), column(15e12), column(989e12)
RENT = 2.0 / HOUR  # USD per second and GPU
WEEK = column(7 * DAY)


@pytest.mark.oracle("training-flops")
def test_training_flops() -> None:
    assert cost.training_flops(PARAMETERS, TOKENS)[0] == pytest.approx(6.3493e24, rel=1e-4)


@pytest.mark.oracle("training-years")
def test_one_gpu_needs_centuries() -> None:
    flops = cost.training_flops(PARAMETERS, TOKENS)
    years = cost.formula_time(flops, column(1), PEAK, column([1.0, 0.4])) / (365 * DAY)
    assert years == pytest.approx([203.58, 508.94], rel=1e-4)


@pytest.mark.oracle("training-days")
def test_days_of_the_rule_of_thumb() -> None:
    flops = cost.training_flops(PARAMETERS, TOKENS)
    gpus, share = column([4096, 4096, 4096, 16384]), column([0.4, 0.3, 0.5, 0.4])
    assert cost.formula_time(flops, gpus, PEAK, share) / DAY == pytest.approx([45.35, 60.47, 36.28, 11.34], rel=1e-3)


@pytest.mark.oracle("training-mfu")
def test_utilization_behind_the_model_cards_gpu_hours() -> None:
    share = cost.utilization(column(6.35e24), column(6.4e6 * HOUR), PEAK)
    assert 100 * share[0] == pytest.approx(27.86, abs=0.1)


def test_time_to_train_counts_what_failures_leave() -> None:
    seconds = cost.time_to_train(column(15e12), column(4e6), column(0.95))
    assert seconds[0] == pytest.approx(15e12 / 4e6 / 0.95)


def test_deepseek_v3_bill() -> None:
    """180,000 GPU-hours a trillion tokens, 14.8 trillion on 2,048 GPUs, and 124,000 hours more, at $2: $5.576M."""
    counts = cost.Gpus(column(2048), column(2048), column(0), column(0))
    seconds = column(180e3 * 14.8 * HOUR / 2048)
    assert seconds[0] / DAY == pytest.approx(54.2, rel=1e-3)
    assert cost.gpu_time(counts, seconds)[0] / HOUR == pytest.approx(2.664e6)
    whole = lines(rented(price=RENT, gpus=2048), 2048, cost.gpu_time(counts, seconds + 124e3 * HOUR / 2048) / 2048)
    assert amount(whole, "GPUs") == pytest.approx(5.576e6, rel=5e-4)


def rented(**cluster: Any) -> dict[str, Any]:
    return {"cluster__gpus": 64, "cluster__price": RENT} | {f"cluster__{k}": v for k, v in cluster.items()}


def owned(**cluster: Any) -> dict[str, Any]:
    base = {"ownership": "owned", "capex__gpu": 30_000.0, "capex__amortization": 4 * 8760 * HOUR, "gpus": 64}
    return {f"cluster__{k}": v for k, v in (base | cluster).items()}


def lines(
    settings: dict[str, Any], used: float, seconds: Column, energy: Column | None = None
) -> tuple[cost.Line, ...]:
    made = run(**settings)
    counts = cost.gpus(made.cluster, column(used))
    assert counts is not None
    return cost.lines(made, counts, seconds, energy)


def amount(found: tuple[cost.Line, ...], name: str) -> float | None:
    value = next(line.usd for line in found if line.line == name)
    return None if value is None else float(value[0])


def total(found: tuple[cost.Line, ...]) -> float:
    value = cost.total(found)
    assert value is not None
    return float(value[0])


def test_idle_gpus_and_spares_are_billed() -> None:
    """100 GPUs of which 96 work, and 4 spares at half the price, for a week."""
    settings = rented(gpus=100, spares=4, spare_price=1.0 / HOUR)
    counts = cost.gpus(run(**settings).cluster, column(96))
    assert counts is not None
    assert [c[0] for c in (counts.bought, counts.used, counts.idle, counts.spare)] == [104, 96, 4, 4]
    assert amount(lines(settings, 96, WEEK), "GPUs") == pytest.approx((100 * 2 + 4 * 1) * 7 * 24)
    assert cost.gpu_time(counts, WEEK)[0] / HOUR == 104 * 7 * 24


def test_spares_without_their_own_price_cost_what_the_others_do() -> None:
    assert amount(lines(rented(spares=8), 64, WEEK), "GPUs") == pytest.approx(72 * 2 * 7 * 24)


def test_a_cluster_of_unknown_size_has_no_counts() -> None:
    assert cost.gpus(run(cluster__gpus=None).cluster, column(8)) is None


def test_lines_that_nobody_stated_are_not_included() -> None:
    found = lines(rented(), 64, WEEK)
    assert cost.not_included(found) == (
        "storage",
        "network",
        "egress",
        "staff",
        "support",
        "tax",
        "trial runs",
        "contingency",
    )
    assert total(found) == amount(found, "GPUs")
    assert all(line.basis and line.source.startswith("cluster.") for line in found)


def test_every_line_of_a_rented_cluster() -> None:
    found = lines(
        rented(
            storage__price=10.0 / HOUR,
            cost__network=5.0 / HOUR,
            cost__egress=1000.0,
            cost__staff=50.0 / HOUR,
            cost__support=0.03,
            cost__tax=0.19,
            cost__trials=0.2,
            cost__contingency=0.1,
        ),
        64,
        WEEK,
    )
    hours, gpus = 168.0, 64 * 2 * 168.0
    before_tax = gpus + 10 * hours + 5 * hours + 1000 + 50 * hours + 0.03 * gpus
    expected = {
        "GPUs": gpus,
        "storage": 10 * hours,
        "network": 5 * hours,
        "egress": 1000.0,
        "staff": 50 * hours,
        "support": 0.03 * gpus,
        "tax": 0.19 * before_tax,
        "trial runs": 0.2 * 1.19 * before_tax,
        "contingency": 0.1 * 1.2 * 1.19 * before_tax,
    }
    assert {line.line: amount(found, line.line) for line in found} == pytest.approx(expected)
    assert total(found) == pytest.approx(1.1 * 1.2 * 1.19 * before_tax)
    assert cost.not_included(found) == ()


def test_a_stated_zero_is_a_cost_of_zero() -> None:
    found = lines(rented(cost__tax=0.0), 64, WEEK)
    assert amount(found, "tax") == 0.0
    assert "tax" not in cost.not_included(found)


def test_without_a_price_there_is_no_total() -> None:
    found = lines(rented(price=None, cost__tax=0.19, cost__egress=1000.0), 64, WEEK)
    assert (cost.total(found), amount(found, "GPUs"), amount(found, "tax")) == (None, None, None)
    assert amount(found, "egress") == 1000.0
    assert found[0].source == "cluster.price"


def test_every_line_of_an_owned_cluster() -> None:
    """A year of a cluster written off over four: a quarter of its capex, energy, and a tenth of capex for staff."""
    year = column(8760 * HOUR)
    energy = column(1e12)
    found = lines(
        owned(
            capex__network=0.2,
            capex__storage=400_000.0,
            capex__facility=800_000.0,
            capex__staff=0.1,
            power_price=0.10 / 3.6e6,
            spares=0,
        ),
        64,
        year,
        energy,
    )
    gpus = 64 * 30_000.0
    assert amount(found, "GPUs") == pytest.approx((gpus + 800_000) / 4)
    assert amount(found, "energy") == pytest.approx(1e12 / 3.6e6 * 0.10)
    assert amount(found, "storage") == pytest.approx(100_000)
    assert amount(found, "network") == pytest.approx(0.2 * gpus / 4)
    assert amount(found, "staff") == pytest.approx(0.1 * (1.2 * gpus + 400_000 + 800_000))
    assert next(line.source for line in found if line.line == "staff") == "cluster.capex.staff"


def test_charges_and_capex_add_up_where_both_are_stated() -> None:
    found = lines(owned(capex__storage=400_000.0, storage__price=1.0 / HOUR), 64, WEEK)
    assert amount(found, "storage") == pytest.approx(168 + 400_000 * 168 / (4 * 8760))


def test_the_energy_of_an_owned_cluster_needs_a_price() -> None:
    assert "energy" in cost.not_included(lines(owned(), 64, WEEK, column(1e12)))
    assert cost.total(lines(owned(capex__gpu=None), 64, WEEK)) is None


def test_rent_holds_the_power_unless_its_price_is_stated() -> None:
    assert all(line.line != "energy" for line in lines(rented(), 64, WEEK, column(1e12)))
    assert amount(lines(rented(power_price=0.1 / 3.6e6), 64, WEEK, column(3.6e9)), "energy") == pytest.approx(100.0)


def test_cost_of_a_trillion_tokens() -> None:
    assert cost.cost_per_token(column(5.576e6), column(14.8e12))[0] * 1e12 == pytest.approx(376_757, rel=1e-5)


def test_a_row_alone_equals_the_row_among_many() -> None:
    seconds = column(np.geomspace(1e5, 1e8, 20))
    settings = rented(cost__tax=0.19, cost__staff=0.01, cost__contingency=0.05)
    whole = cost.total(lines(settings, 64, seconds))
    assert whole is not None
    assert [total(lines(settings, 64, seconds[k : k + 1])) for k in range(20)] == whole.tolist()


def test_every_line_names_the_setting_it_comes_from() -> None:
    found = {line.line: line.source.removeprefix("cluster.") for line in lines(rented(), 64, WEEK)}
    assert found == {
        "GPUs": "price", "storage": "storage.price", "network": "cost.network", "egress": "cost.egress",
        "staff": "cost.staff", "support": "cost.support", "tax": "cost.tax", "trial runs": "cost.trials",
        "contingency": "cost.contingency",
    }  # fmt: skip


@pytest.mark.parametrize(("used", "idle"), [(60, 4), (64, 0), (70, 0)])
def test_gpus_left_over_are_idle(used: float, idle: float) -> None:
    counts = cost.gpus(run(cluster__gpus=64).cluster, column(used))
    assert counts is not None and counts.idle.tolist() == [idle]

"""Bars from one run to another: they add up to the difference, and one factor alone is one bar."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.columns import Column
from engine.differences import ORDER, cost_bars, step_bars
from engine.evaluate import Result, evaluate
from tests.settings import run

PRICE = 2.0 / 3600
MTBF = 12 * 3600.0


def result(**changed: Any) -> Result:
    """A 70B on 4,096 H100 at $2 an hour, failing every 12 hours, with some settings replaced."""
    return evaluate(run(**({"cluster__price": PRICE, "cluster__mtbf": MTBF} | changed)), advise=False)


BASE = result()
CHANGES = st.fixed_dictionaries({}, optional={
    "cluster__gpus": st.sampled_from([2048, 8192]),
    "cluster__price": st.floats(0.1, 20).map(lambda x: x / 3600),
    "cluster__mtbf": st.floats(3600, 1e6),
    "cluster__spares": st.sampled_from([0, 64]),
    "cluster__power_price": st.floats(0.01, 1).map(lambda x: x / 3.6e6),
    "cluster__cost__contingency": st.floats(0, 0.5),
    "cluster__cost__staff": st.floats(0, 10),
    "layout__tensor": st.sampled_from([1, 2, 4, 8]),
    "layout__recompute": st.sampled_from(["none", "full"]),
    "layout__shard": st.sampled_from(["zero1", "zero3"]),
    "cluster__gpu__memory_bandwidth": st.floats(1e12, 1e13),
})  # fmt: skip


def total(bars: list[tuple[str, Column]] | None) -> float:
    assert bars is not None
    return float(sum(value[0] for _, value in bars))


@settings(max_examples=40, deadline=None)
@given(CHANGES)
def test_bars_add_up_to_the_difference(changed: dict[str, Any]) -> None:
    other = result(**changed)
    if other.status == "cannot_be_built":
        assert step_bars(BASE, other) is None
        return
    for name, bars in (("step_time", step_bars(BASE, other)), ("cost", cost_bars(BASE, other))):
        old, new = BASE.columns[name][0], other.columns[name][0]
        assert abs(total(bars) - (new - old)) <= 1e-9 * max(old, new)


@pytest.mark.parametrize(("changed", "bar", "factor"), [
    ({"cluster__price": 3 * PRICE}, "price of a GPU-hour", 2.0),
    ({"cluster__price": PRICE / 2}, "price of a GPU-hour", -0.5),
])  # fmt: skip
def test_the_price_alone_is_one_bar(changed: dict[str, Any], bar: str, factor: float) -> None:
    bars = dict(cost_bars(BASE, result(**changed)) or ())
    assert bars[bar][0] == pytest.approx(factor * BASE.columns["cost"][0], rel=1e-12)
    assert all(value[0] == 0 for name, value in bars.items() if name != bar)


def test_failures_alone_are_one_bar() -> None:
    other = result(cluster__mtbf=MTBF / 4)
    bars = {name: value[0] for name, value in cost_bars(BASE, other) or ()}
    more = other.columns["cost"][0] - BASE.columns["cost"][0]
    assert more > 0 and bars["failures and checkpoints"] == pytest.approx(more, rel=1e-9)
    assert bars["GPUs billed"] == 0 and abs(bars["training speed"]) < 1e-9 * more


def test_gpus_come_before_the_speed_they_bring() -> None:
    """Twice the GPUs at the old time cost twice the GPUs' line; what the step saves is the bar after it."""
    other = result(cluster__gpus=8192)
    bars = {name: value[0] for name, value in cost_bars(BASE, other) or ()}
    assert tuple(bars)[:4] == ORDER
    assert bars["GPUs billed"] == pytest.approx(BASE.columns["cost"][0], rel=1e-12)
    assert bars["training speed"] < -0.8 * BASE.columns["cost"][0]


def test_a_line_that_only_one_run_has_is_a_bar() -> None:
    other = result(cluster__power_price=0.1 / 3.6e6)
    bars = dict(cost_bars(BASE, other) or ())
    energy = next(line.usd for line in other.cost if line.line == "energy")
    assert energy is not None and bars["energy"][0] == pytest.approx(energy[0], rel=1e-12)


def test_faster_memory_changes_compute_and_optimizer_only() -> None:
    """HBM at twice the rate: kernels and the optimizer are faster, nothing is sent that was not sent before."""
    bars = {name: value[0] for name, value in step_bars(BASE, result(cluster__gpu__memory_bandwidth=6.7e12)) or ()}
    assert bars["compute_time"] < 0 and bars["optimizer_time"] < 0
    assert "bubble_time" not in bars and "other" not in bars


def test_the_reduced_model_has_the_same_causes() -> None:
    reduced = {"fidelity": "reduced", "model__parameters": 70e9, "efficiency__compute": 500e12, "cluster__link": 50e9,
               "accumulation": 16, "layout__pipeline": 4, "layout__data": 128}  # fmt: skip
    old, new = result(**reduced), result(**reduced | {"cluster__link": 100e9})
    bars = {name: value[0] for name, value in step_bars(old, new) or ()}
    assert sum(bars.values()) == pytest.approx(new.columns["step_time"][0] - old.columns["step_time"][0], rel=1e-9)
    assert bars["compute_time"] == 0 and bars["tensor_communication"] < 0 and "optimizer_time" not in bars


def test_without_a_price_there_are_no_bars() -> None:
    assert cost_bars(BASE, result(cluster__price=None)) is None


def test_two_runs_of_which_one_has_no_price_have_no_bars_of_cost() -> None:
    free = result(cluster__price=None)
    assert cost_bars(BASE, free) is None and cost_bars(free, BASE) is None and cost_bars(free, free) is None

"""Collectives: the C rows of tests/data/cases.csv, each with its own tolerance."""

from dataclasses import replace

import numpy as np
import pytest

from engine import layout
from engine.collectives import COLLECTIVES, bus, terms
from engine.collectives.terms import Terms
from engine.columns import ONE, ZERO, Column, column
from engine.evaluate import evaluate
from engine.groups import groups
from engine.network import Group
from tests.settings import run

SIZE = column(1e9)


def laid(nodes: int, nic: float, link: float = 450e9) -> tuple[Group, Terms]:
    """The data group of ``nodes`` nodes of eight, and links that reach their nominal rate."""
    tiers = (("node", 8, link, 0.0, 1.0), ("pod", 8 * nodes, nic, 0.0, 1.0))
    r = run(tiers, cluster__gpus=8 * nodes, layout__tensor=1, layout__data=8 * nodes, batch=8 * nodes)
    ideal = replace(terms.of(r), gather=ONE, all_reduce=ONE, all_to_all=ONE, across=ONE, call=ZERO)
    return groups(r, layout.resolve(r))["data"], ideal


def bus_rate(kind: str, group: Group, ideal: Terms) -> Column:
    """Bus bandwidth that the collective's own rule predicts."""
    seconds = COLLECTIVES[kind].seconds(SIZE, group, ideal)
    return bus.bus_bandwidth(kind, SIZE, group.size, seconds)


@pytest.mark.case("C01")
@pytest.mark.parametrize(
    ("kind", "rate"), [("all_reduce", 350e9), ("all_gather", 175e9), ("reduce_scatter", 175e9), ("all_to_all", 175e9)]
)
def test_c01_bus_and_algorithm_bandwidth(kind: str, rate: float) -> None:
    assert bus.algorithm_bandwidth(SIZE, column(5e-3))[0] == 200e9
    assert bus.bus_bandwidth(kind, SIZE, column(8), column(5e-3))[0] == rate
    # the factor is what the rule of the ledger counts as sent by a rank
    assert COLLECTIVES[kind].traffic(SIZE, column(8))[0] == bus.bus_factor(kind, column(8))[0] * 1e9


@pytest.mark.case("C03")
def test_c03_two_nodes_exceed_their_nics() -> None:
    group, ideal = laid(2, 12.5e9, link=200e9)
    bound = bus_rate("all_reduce", group, ideal)
    assert group.per_domain[0] * group.outside[0] == 100e9
    assert bound[0] / 1e9 == pytest.approx(187.5, rel=0.01)
    assert 161 / (bound[0] / 1e9) == pytest.approx(0.86, rel=0.01)
    seconds = bus.seconds_at("all_reduce", SIZE, column(16), column(161e9))
    assert bus.algorithm_bandwidth(SIZE, seconds)[0] / 1e9 == pytest.approx(85.9, rel=0.01)


@pytest.mark.case("C04")
@pytest.mark.parametrize(("nodes", "rate", "rounded"), [(2, 93.8, 100.0), (4, 64.6, 66.7)])
def test_c04_all_to_all_by_the_share_that_leaves_the_node(nodes: int, rate: float, rounded: float) -> None:
    found = bus_rate("all_to_all", *laid(nodes, 50e9, link=1e15))[0] / 1e9
    assert found == pytest.approx(rate, rel=1e-3)
    assert found == pytest.approx(rounded, rel=0.07)


@pytest.mark.case("C05")
def test_c05_a_switch_that_reduces_goes_above_the_line_rate() -> None:
    seconds = bus.seconds_at("all_reduce", SIZE, column(8), column(480e9))
    assert seconds[0] * 1e3 == pytest.approx(3.646, rel=0.01)
    assert bus.algorithm_bandwidth(SIZE, seconds)[0] / 1e9 == pytest.approx(274.3, rel=0.01)
    link = bus.in_switch_traffic(SIZE, column(8)) / seconds
    assert link[0] / 1e9 == pytest.approx(308.6, rel=0.01) and link[0] < 450e9


@pytest.mark.case("C07")
@pytest.mark.parametrize(("gbits", "seconds"), [(100, 29.4), (400, 7.35), (800, 3.68), (3200, 0.92)])
def test_c07_what_zero_3_moves_and_how_long_that_takes(gbits: int, seconds: float) -> None:
    """8 nodes of 8: two gathers and a reduction of 2 N bytes through each node's NICs, nothing overlapped."""
    nic = gbits / 8 * 1e9 / 8
    group, ideal = laid(8, nic)
    whole = column(2 * 70e9)
    passes = ("all_gather", "all_gather", "reduce_scatter")
    found = sum(float(COLLECTIVES[kind].seconds(whole, group, ideal)[0]) for kind in passes)
    moved = sum(float(COLLECTIVES[kind].traffic(whole, group.size)[0]) for kind in passes)
    assert moved / 1e9 == pytest.approx(413.4, rel=1e-3)  # flat ring; hierarchical 367.5
    assert found == pytest.approx(seconds, rel=0.15)


@pytest.mark.case("C07")
def test_c07_the_ledgers_rows_move_the_same() -> None:
    tiers = (("node", 8, 450e9, 1e-6, 1.0), ("pod", 64, 50e9, 5e-6, 1.0))
    made = run(
        tiers, cluster__gpus=64, layout__tensor=1, layout__data=64, batch=64, layout__shard="zero3", states__gradients=2
    )
    result = evaluate(made, advise=False)
    assert result.step is not None and result.parameters is not None
    rows = [e for e in result.step.entries if e.row.axis == "data"]
    moved = sum(float((e.count * e.row.bytes)[0]) for e in rows)
    assert moved == pytest.approx(3 * 2 * float(result.parameters.total[0]) * 63 / 64, rel=1e-3)


@pytest.mark.case("C08")
@pytest.mark.parametrize(
    ("changed", "gathers", "sums"),
    [
        ({"layout__shard": "zero3"}, 16, 8),
        ({"layout__shard": "zero3", "layout__reshard": False}, 8, 8),
        ({"layout__shard": "zero1"}, 1, 1),
        ({"layout__shard": "zero3", "layout__gradient_sync": "last"}, 16, 1),
    ],
)
def test_c08_collectives_of_a_step_with_eight_micro_batches(changed: dict[str, str], gathers: int, sums: int) -> None:
    made = run(layout__tensor=1, cluster__gpus=8, layout__data=8, batch=64, **changed)  # type: ignore[arg-type]  # settings, not tiers
    result = evaluate(made, advise=False)
    assert result.step is not None and result.degrees is not None and result.degrees.micro_batches[0] == 8
    layers = 80 if changed["layout__shard"] == "zero3" else 1
    found = {"all_gather": 0.0, "reduce_scatter": 0.0}
    for e in result.step.entries:
        if e.row.axis == "data" and e.row.algorithm is not None:
            found[e.row.algorithm.split(" ")[0]] += float(np.ravel(e.count)[0]) / layers
    assert found == {"all_gather": gathers, "reduce_scatter": sums}

"""Traffic of an axis and facts of its group, from a step of three rows."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine import layout, traffic
from engine.columns import ONE, ZERO, column
from engine.ledger import Entry, Row
from engine.network import Group
from tests.settings import TIERS, run


def entry(axis: str | None, count: float, size: float, seconds: float, exposed: float, algorithm: str = "") -> Entry:
    row = Row("mlp", "sum", "forward", "collective", ZERO, column(size), None, axis, algorithm, column(seconds),
              column(exposed), None, ONE)  # fmt: skip
    return Entry(row, column(count))


def group(axis: str, elements: tuple[float, ...] = (6, 3, 1), reach: float = 2) -> Group:
    """24 ranks, 4 a domain; a ring has 4 x 50 bytes/s, an all-to-all 17 a GPU across, 450 inside."""
    return Group(
        axis, column(24), (column(4), column(12), column(24)), tuple(map(column, elements)), column(reach), column(450),
        column(50), column(1.5), (ONE, ONE, ONE), column(17),
    )  # fmt: skip


def step(*entries: Entry, **groups: Group) -> Any:
    prices = SimpleNamespace(groups=groups)
    return SimpleNamespace(entries=entries, timing=SimpleNamespace(prices=prices, pace=column([0.0])))


def only(made: Any) -> traffic.AxisTraffic:
    r = run()
    (found,) = traffic.traffic(r, layout.resolve(r), made)
    return found


def test_traffic_of_a_ring_adds_up_over_its_rows() -> None:
    rows = (entry("data", 3, 10, 5, 2, "all_gather (ring)"), entry("data", 2, 7, 4, 1, "all_to_all (pairwise)"),
            entry("tensor", 9, 100, 50, 20, "x"), entry("data", 1, 1, 1, 1, "all_gather (ring)"))  # fmt: skip
    found = only(step(*rows, data=group("data")))
    assert found.axis == "data" and found.collectives == ("all_gather", "all_to_all")
    assert [float(x[0]) for x in (found.bytes, found.seconds, found.exposed)] == [45, 24, 9]
    assert (found.bandwidth[0], found.pods[0], found.tier()) == (200, 3, "spine")
    assert found.slowdown is not None and found.slowdown[0] == 1.5


@pytest.mark.parametrize(("elements", "bandwidth"), [((6, 3, 1), 17), ((1, 1, 1), 450)])
def test_an_exchange_has_what_every_pair_has(elements: tuple[float, ...], bandwidth: float) -> None:
    found = only(step(entry("expert", 1, 10, 5, 2, "all_to_all (pairwise)"), expert=group("expert", elements)))
    assert (found.bandwidth.tolist(), found.slowdown) == ([bandwidth], None)


def test_an_axis_without_rows_is_shown() -> None:
    found = only(step(tensor=group("tensor", (1, 1, 1), 0)))
    assert (found.collectives, found.bytes.tolist(), found.tier(), found.bandwidth.tolist()) == ((), [0], "node", [450])
    assert found.slowdown is not None


def test_the_tier_of_every_point() -> None:
    own = Group("data", ONE, (ONE,), (ONE,), column([0, 2]), ONE, ONE, ONE, (ONE,))
    found = traffic.AxisTraffic("data", own, ("node", "pod", "spine"), ONE, ONE, None, ONE, ONE, ONE, ())
    assert [found.tier(i) for i in (0, 1, 5)] == ["node", "spine", "spine"]


@pytest.mark.parametrize(
    ("names", "pods"), [(("node", "pod", "spine"), 3), (("pod", "b", "c"), 6), (("a", "b", "c"), 3), (("a", "b"), 1)]
)
def test_pods_that_a_group_spans(names: tuple[str, ...], pods: float) -> None:
    assert traffic.pods(names, group("data")).tolist() == [pods]


def test_facts_of_a_group() -> None:
    r = run(TIERS)
    found = traffic.facts(r, layout.resolve(r), step(data=group("data")))
    assert {k: v if isinstance(v, str) else float(v[0]) for k, v in found.items()} == {
        "group.data.size": 24, "group.data.members": 4, "group.data.domains": 6, "group.data.pods": 3,
        "group.data.slowdown": 1.5, "group.data.tier": "spine",
    }  # fmt: skip
    both = Group("data", ONE, (ONE,) * 3, (ONE,) * 3, column([0, 1]), ONE, ONE, ONE, (ONE,) * 3)
    tiers = traffic.facts(r, layout.resolve(r), step(data=both))["group.data.tier"]
    assert np.asarray(tiers).tolist() == ["node", "pod"]


@pytest.mark.parametrize(
    ("rows", "smallest"),
    [
        ([("data", 3, 10), ("tensor", 2, 7), (None, 1, 1)], 7),
        ([("data", 3, 10), ("tensor", 0, 7), ("expert", 1, 0)], 10),
        ([("data", 3, 0.5), ("tensor", 3, 7)], 0.5),
        ([("data", 0.5, 10)], 10),
        ([(None, 3, 10), ("data", 0, 5)], np.nan),
    ],
)
def test_the_smallest_buffer_that_is_moved(rows: list[tuple[str | None, float, float]], smallest: float) -> None:
    made = step(*(entry(axis, count, size, 1, 1) for axis, count, size in rows))
    assert np.array_equal(traffic.smallest_collective(made), [smallest], equal_nan=True)

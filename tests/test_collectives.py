"""Collectives against a printed ring, its times and its latency, the stepped protocol, and what follows by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import layout, network
from engine.collectives import COLLECTIVES, Terms, bus, parameter_server, point_to_point, terms
from engine.columns import ONE, ZERO, column
from engine.groups import groups
from tests.settings import run
from tests.test_experts import moe

IDEAL = Terms("fitted", ONE, ONE, ONE, ONE, ONE, ZERO, ONE)


def flat_group(n: int, beta: float, hop: float = 0.0) -> network.Group:
    """A group of n ranks in one domain."""
    size = column(n)
    return network.Group("data", size, (size,), (ONE,), ZERO, column(beta), column(np.inf), ONE, (column(hop),))


@pytest.mark.oracle("training-ring")
def test_ring_all_reduce_sends_2_n_minus_1_over_n() -> None:
    n = column([2, 4, 8, 16])
    assert COLLECTIVES["all_reduce"].traffic(ONE, n).tolist() == [1.0, 1.5, 1.75, 1.875]


@pytest.mark.oracle("training-ringtime")
@pytest.mark.parametrize(("beta", "seconds"), [(450e9, 0.627), (50e9, 5.644)])
def test_time_of_the_gradients_all_reduce(beta: float, seconds: float) -> None:
    time = COLLECTIVES["all_reduce"].seconds(column(141.096e9), flat_group(100_000, beta), IDEAL)
    assert time[0] == pytest.approx(seconds, rel=1e-3)


@pytest.mark.oracle("training-latency")
def test_latency_of_two_times_n_minus_1_rounds() -> None:
    assert 2 * flat_group(4096, 450e9, 10e-6).ring_latency[0] == pytest.approx(0.0819, rel=1e-3)


@pytest.mark.oracle("training-ps")
def test_parameter_server_receives_seven_eighths_more() -> None:
    assert parameter_server.traffic(column(141.096e9), column(8))[0] == pytest.approx(987.67e9, rel=1e-3)
    assert parameter_server.seconds(column(141.096e9), column(8), column(50e9))[0] == pytest.approx(19.75, rel=1e-3)


@pytest.mark.oracle("training-tp")
def test_tensor_all_reduce_of_one_sequence() -> None:
    r = run()
    assert r.model.hidden is not None
    assert (layout.resolve(r).tokens * r.model.hidden * 2)[0] == pytest.approx(134.218e6, rel=1e-4)


@pytest.mark.oracle("training-tpshare")
@pytest.mark.parametrize(("beta", "share"), [(450e9, 0.152), (50e9, 1.37)])
def test_tensor_all_reduces_against_compute(beta: float, share: float) -> None:
    one = COLLECTIVES["all_reduce"].seconds(column(134.217728e6), flat_group(8, beta), IDEAL)
    assert 4 * 80 * one[0] / 1.0957 == pytest.approx(share, abs=0.005)


@pytest.mark.oracle("times-alpha")
def test_protocol_efficiency_steps() -> None:
    sizes = column([32767, 32768, 1048575, 1048576])
    assert terms.stepped_efficiency(sizes).tolist() == [0.5, 0.7, 0.7, 0.9]


@given(st.floats(1.0, 1e10), st.floats(1.0, 1e10))
def test_a_larger_buffer_never_arrives_earlier(a: float, b: float) -> None:
    stepped = replace(IDEAL, protocol="s0")
    low, high = sorted((a, b))
    for kind in ("all_gather", "all_reduce"):
        times = [COLLECTIVES[kind].seconds(column(x), flat_group(8, 450e9, 1e-6), stepped)[0] for x in (low, high)]
        assert times[0] <= times[1]


def test_hierarchical_all_reduce_is_bounded_by_the_slower_part() -> None:
    """Two H100 nodes: max(2 x 7/8 S/450, 2 x 1/2 S/(8 x 50)) is the NIC side, S/400."""
    r = run(
        tiers=(("node", 8, 450e9, 0.0, 1.0), ("pod", 16, 50e9, 0.0, 1.0)),
        cluster__gpus=16,
        layout__tensor=1,
        layout__data=16,
        batch=16,
    )
    group = groups(r, layout.resolve(r))["data"]
    time = COLLECTIVES["all_reduce"].seconds(column(1e9), group, IDEAL)[0]
    assert time == pytest.approx(max(2 * 7 / 8 / 450, 1 / 400))


def test_one_rank_takes_no_time() -> None:
    for rule in COLLECTIVES.values():
        assert rule.seconds(column(1e9), flat_group(1, 450e9), IDEAL)[0] == 0.0


@pytest.mark.parametrize("kind", COLLECTIVES)
def test_a_group_of_one_waits_for_nobody(kind: str) -> None:
    slow = replace(IDEAL, call=column(1e-3))
    assert COLLECTIVES[kind].seconds(column(1e9), flat_group(1, 450e9, 1e-6), slow)[0] == 0.0


def test_a_tree_goes_up_and_down_inside_a_domain() -> None:
    assert flat_group(8, 450e9, 1e-6).tree_latency[0] == pytest.approx(14e-6)


# 12 ranks, 4 in each of 3 domains; 960 bytes; a call takes 3 s, a hop 1 s inside and 7 s across.
LINKS = Terms("fitted", column(0.5), column(0.25), column(0.2), column(0.8), column(0.6), column(3), column(4))
STEPPED = replace(LINKS, protocol="s0")
SIZE = column(960)


def spread(n: float = 12, inside: float = 4, domains: float = 3, **changed: float) -> network.Group:
    """Ranks with 100 bytes/s inside a domain and 10 across, or as stated."""
    values = {"inside": 100.0, "outside": 10.0, "reach": float(domains > 1)} | changed
    made = network.Group(
        "data", column(n), (column(inside), column(n)), (column(domains), ONE), column(values["reach"]),
        column(values["inside"]), column(values["outside"]), ONE, (ONE, column(7)),
    )  # fmt: skip
    return made if "pairwise" not in changed else replace(made, pairwise=column(changed["pairwise"]))


WITHIN = spread(4, 4, 1)
RING = 3 + (12 - 3) * 1 + 3 * 7  # the call, hops inside, hops across
TREE = 3 + 2 * np.log2(3) * 7 + 2 * 3 * 1


@pytest.mark.parametrize(
    ("kind", "group", "of", "seconds"),
    [
        ("all_gather", spread(), LINKS, RING + 880 / (0.8 * 40)),  # four cards a domain
        ("reduce_scatter", spread(), LINKS, RING + 880 / (0.8 * 40)),
        ("ring_exchange", WITHIN, LINKS, 3 + 3 + 720 / (0.5 * 100)),
        ("all_gather", spread(), STEPPED, RING + 880 / 0.5 / 40),
        ("all_reduce", spread(), LINKS, TREE + 2 * 3 / 4 * 960 / (0.25 * 100)),  # inside is slower
        ("all_reduce", spread(outside=5), LINKS, TREE + 2 * 2 / 3 * 960 / (0.8 * 4 * 5)),
        ("all_reduce", WITHIN, LINKS, 3 + 6 + 2 * 3 / 4 * 960 / (0.25 * 100)),
        ("all_reduce", spread(), STEPPED, TREE + 2 * 880 / 0.5 / 40),
        ("all_to_all", spread(), LINKS, 3 + 7 + 640 / (0.8 * 0.6 * 10)),
        ("all_to_all", spread(pairwise=1000), LINKS, 3 + 7 + 240 / (0.2 * 100)),
        ("all_to_all", WITHIN, LINKS, 3 + 1 + 720 / (0.2 * 100)),
        ("all_to_all", spread(2, 2, 1), LINKS, 3 + 1 + 480 / (0.2 * 100)),
        ("all_gather", spread(2, 2, 1), LINKS, 3 + 1 + 480 / (0.5 * 100)),
        ("all_reduce", spread(2, 2, 1), LINKS, 3 + 2 + 960 / (0.25 * 100)),
        ("all_to_all", spread(), STEPPED, 3 + 7 + 640 / (0.5 * 10)),
        ("all_to_all_once", spread(), LINKS, 3 + 7 + 240 * 2 * (1 - (2 / 3) ** 4) / (0.8 * 0.6 * 10)),
    ],
)
def test_seconds_of_a_collective_by_hand(kind: str, group: network.Group, of: Terms, seconds: float) -> None:
    assert COLLECTIVES[kind].seconds(SIZE, group, of).tolist() == [pytest.approx(seconds, rel=1e-14)]


@pytest.mark.parametrize(
    ("kind", "sent"),
    [("all_gather", 880), ("reduce_scatter", 880), ("ring_exchange", 880), ("all_reduce", 1760), ("all_to_all", 880)],
)
def test_bytes_that_a_rank_sends(kind: str, sent: float) -> None:
    assert COLLECTIVES[kind].traffic(SIZE, column(12)).tolist() == [pytest.approx(sent, rel=1e-15)]


@pytest.mark.parametrize(
    ("group", "seconds"),
    [(spread(), 3 + 7 + 960 / (0.8 * 10)), (WITHIN, 3 + 1 + 960 / (0.5 * 100)), (spread(1, 1, 1), 0)],
)
def test_a_send_to_the_next_stage(group: network.Group, seconds: float) -> None:
    assert point_to_point.seconds(SIZE, group, LINKS).tolist() == [seconds]


@pytest.mark.parametrize(
    ("size", "own"),
    [(32767, 32767 / 0.5), (32768, 65536), (1048575, 1048575 / 0.7), (1048576, 1048576 / 0.7), (2e6, 2e6 / 0.9)],
)
def test_a_larger_buffer_takes_no_less_than_the_last_of_the_slower_step(size: float, own: float) -> None:
    assert terms.stepped_transfer(column(size), column(5), column(10)).tolist() == [0.8 * own / 10]


@pytest.mark.parametrize(("kind", "inside"), [("gather", 0.5), ("all_reduce", 0.25), ("all_to_all", 0.2)])
def test_the_share_of_a_link_by_collective(kind: str, inside: float) -> None:
    crosses = np.array([False, True])
    assert LINKS.alpha(kind, SIZE, crosses).tolist() == [inside, 0.8]
    assert STEPPED.alpha(kind, column([960, 2e6]), crosses).tolist() == [0.5, 0.9]


def test_terms_of_a_run() -> None:
    """All-gather 0.69, all-reduce 0.81, all-to-all 0.65 of the link inside, 0.9 of it across; a call takes 10 us."""
    found = terms.of(run())
    assert [float(x[0]) for x in list(vars(found).values())[1:]] == [0.69, 0.81, 0.65, 0.9, 1, 1e-5, 1]
    assert terms.of(run(cluster__protocol="s0")).call.tolist() == [0]
    step = terms.of_step(run(stack__dispatch_share=0.45))
    assert (step.exchange.tolist(), step.across.tolist()) == ([0.5], [0.9])
    assert terms.of(moe()).experts_per_token.tolist() == [8]


@pytest.mark.parametrize(
    ("kind", "factor"),
    [("all_reduce", 1.75), ("all_gather", 0.875), ("reduce_scatter", 0.875), ("all_to_all", 0.875),
     ("ring_exchange", 0.875), ("send", 1)],
)  # fmt: skip
def test_bus_bandwidth_of_eight_ranks(kind: str, factor: float) -> None:
    """800 bytes in 4 s."""
    n = column(8)
    assert bus.bus_factor(kind, n).tolist() == [factor]
    assert bus.bus_bandwidth(kind, column(800), n, column(4)).tolist() == [200 * factor]
    assert bus.seconds_at(kind, column(800), n, column(200 * factor)).tolist() == [4]
    assert bus.in_switch_traffic(column(800), n).tolist() == [900]

"""Collectives against a printed ring, its times and its latency, the stepped protocol, and what follows by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import layout, network
from engine.collectives import COLLECTIVES, Terms, parameter_server, terms
from engine.columns import ONE, ZERO, column
from engine.groups import groups
from tests.settings import run

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

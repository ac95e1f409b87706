"""Groups over tiers: members, domains, bandwidth, and oversubscription."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import layout, network
from engine.columns import column
from engine.evaluate import evaluate
from engine.groups import groups
from engine.inputs import Tier
from engine.read import read as engine_run
from reports.commands.source import read
from tests.settings import TIERS, run

ROOT = Path(__file__).resolve().parents[1]

PODS = (("node", 8, 450e9, 1e-6, 1.0), ("pod", 2048, 50e9, 10e-6, 1.0), ("spine", 4096, 50e9, 10e-6, 7.0))


def group(axis: str, **changed: Any) -> network.Group:
    r = run(**changed)
    return groups(r, layout.resolve(r))[axis]


def test_tensor_group_stays_in_its_node() -> None:
    g = group("tensor")
    assert (g.size[0], g.per_domain[0], g.domains[0], g.reach[0], g.bandwidth[0]) == (8, 8, 1, 0, 450e9)


def test_data_group_spans_every_node_and_both_pods() -> None:
    g = group("data", tiers=PODS)
    assert (g.size[0], g.per_domain[0], g.domains[0], g.elements[1][0], g.reach[0]) == (512, 1, 512, 2, 2)


@pytest.mark.parametrize(("pods", "share"), [(2, 3.5), (4, 5.25), (8, 6.125)])
def test_scattered_placement_slows_by_the_share_that_leaves(pods: int, share: float) -> None:
    tiers = (TIERS[0], ("pod", 512, 50e9, 1e-6, 1.0), ("spine", 512 * pods, 50e9, 1e-6, 7.0))
    g = group("data", tiers=tiers, cluster__gpus=512 * pods, cluster__placement="scattered")
    assert g.slowdown[0] == pytest.approx(share)


def test_packed_rings_cross_a_seven_to_one_layer_at_full_speed() -> None:
    """tp 8 and pods of 3,072: 8 rings cross, 438 could."""
    assert group("data").slowdown[0] == 1.0


def test_many_packed_rings_share_the_uplinks() -> None:
    tiers = (TIERS[0], ("pod", 16, 50e9, 1e-6, 1.0), ("spine", 4096, 50e9, 1e-6, 7.0))
    assert group("data", tiers=tiers).slowdown[0] == pytest.approx(8 * 7 / 16)


def test_every_gpu_has_its_own_card() -> None:
    """128 pipelines side by side: each GPU of a node sends through its own NIC, nothing is shared."""
    assert group("pipeline", layout__pipeline=16, layout__tensor=1).slowdown[0] == 1.0


def test_balanced_placement_halves_the_job_over_two_pods() -> None:
    r = run(cluster__placement="balanced", layout__shard="zero3", layout__shard__within="pod")
    d = layout.resolve(r)
    assert (d.shard[0], d.copies[0]) == (256, 2)
    assert groups(r, d)["shard"].reach[0] == 1
    assert groups(r, d)["copies"].reach[0] == 2


def test_no_tier_means_the_scale_up_link() -> None:
    g = group("tensor", tiers=(), cluster__gpus=8, layout__data=1)
    assert g.bandwidth[0] == 450e9


@given(
    st.sampled_from([1, 2, 4, 8, 16]),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from(["packed", "balanced", "scattered"]),
)
def test_members_and_elements_cover_the_group(tensor: int, pipeline: int, placement: str) -> None:
    r = run(layout__tensor=tensor, layout__pipeline=pipeline, cluster__placement=placement)
    d = layout.resolve(r)
    for axis in ("tensor", "data", "pipeline"):
        g = groups(r, d)[axis]
        for members, elements in zip(g.members, g.elements, strict=True):
            assert np.all(members * elements >= g.size) and np.all(members >= 1)


def test_a_column_gives_what_its_rows_give() -> None:
    both = group("data", layout__tensor=column([4, 8]))
    for i, tensor in enumerate((4, 8)):
        one = group("data", layout__tensor=tensor)
        assert both.bandwidth[i] == one.bandwidth[0] and both.ring_latency[i] == one.ring_latency[0]


@pytest.mark.parametrize(("tensor", "expected"), [(2, 180e9), (16, 180e9), (64, 360e9)])
def test_a_ring_on_one_axis_of_a_torus_has_two_links(tensor: int, expected: float) -> None:
    """TPU v6e: a 16 x 16 torus, four links of 90 GB/s a direction."""
    g = group("tensor", tiers=(("torus", 256, 360e9, 1e-6, 1.0),), cluster__gpus=256, layout__tensor=tensor,
              layout__data=1, cluster__gpu__topology="torus", cluster__gpu__pair_link=90e9)  # fmt: skip
    assert g.bandwidth[0] == expected


@pytest.mark.parametrize(("tensor", "expected"), [(2, 64e9), (4, 192e9), (8, 448e9)])
def test_a_mesh_gives_a_pair_one_link(tensor: int, expected: float) -> None:
    """MI300X: seven links of 64 GB/s, one to each peer."""
    g = group("tensor", tiers=(("node", 8, 448e9, 1e-6, 1.0),), cluster__gpus=8, layout__tensor=tensor, layout__data=1,
              cluster__gpu__topology="mesh", cluster__gpu__pair_link=64e9)  # fmt: skip
    assert g.bandwidth[0] == expected


@pytest.mark.parametrize(("span", "filled"), [(2048, 1.0), (3072, 2 / 3)])
def test_all_to_all_over_two_pods_shares_the_uplinks(span: int, filled: float) -> None:
    """Two pods of 2,048 ranks: half of an all-to-all leaves a pod, through a seventh of the cards' rate.

    t = S max((n-8)/n / NIC, o u (1 - 1/2) / NIC); a ring of the same ranks crosses at full speed.
    """
    tiers = (TIERS[0], ("pod", span, 50e9, 10e-6, 1.0), ("spine", 2 * span, 50e9, 10e-6, 7.0))
    r = run(tiers=tiers, cluster__placement="balanced")
    g = network.lay(r, layout.resolve(r), "test", ((column(4096.0), column(1.0)),))
    leaving, slower = (4096 - 8) / 4096, 7 * filled * 0.5
    assert g.uniform[0] == pytest.approx(50e9 * leaving / slower)
    assert g.outside[0] == 50e9


def test_all_to_all_inside_a_pod_has_the_whole_card() -> None:
    r = run()
    g = network.lay(r, layout.resolve(r), "test", ((column(2048.0), column(1.0)),))
    assert g.uniform[0] == g.outside[0] == 50e9


def test_traffic_names_the_bandwidth_that_its_collectives_have() -> None:
    """2,048 H800s in one pod: an exchange over eight nodes sends through one 50 GB/s card a GPU, a ring over the data
    ranks through all eight of a node, up to NVLink's 200 GB/s."""
    scenario = read(ROOT / "scenarios" / "deepseek-v3.scn").scenario
    assert scenario is not None
    rows = {t.axis: t for t in evaluate(engine_run(scenario.runs[0].plain())).traffic}
    expert, data = rows["expert"], rows["data"]
    assert (float(expert.bandwidth[0]), expert.slowdown) == (50e9, None)
    assert data.slowdown is not None and (float(data.bandwidth[0]), float(data.slowdown[0])) == (200e9, 1.0)


CHAIN = (("node", 8, 450e9, 1e-6, 1.0), ("pod", 48, 50e9, 3e-6, 1.0), ("spine", 480, 40e9, 7e-6, 9.0))


def laid(size: float, members: tuple[float, ...], elements: tuple[float, ...], **changed: Any) -> network.Group:
    """A group with hops of 2, 10 and 100 s."""
    values: dict[str, Any] = {
        "axis": "data", "size": column(size), "members": tuple(map(column, members)),
        "elements": tuple(map(column, elements)), "reach": column(0), "inside": column(450), "outside": column(50),
        "slowdown": column(1), "hop": (column(2), column(10), column(100)),
    }  # fmt: skip
    return network.Group(**values | changed)


@pytest.mark.parametrize(
    ("elements", "seconds"),
    [
        ((6, 2, 1), (24 - 6) * 2 + (6 - 2) * 10 + 2 * 100),
        ((6, 1, 1), (24 - 6) * 2 + 6 * 10),
        ((6, 3, 2), (24 - 6) * 2 + (6 - 3) * 10 + (3 - 2) * 100),
        ((2, 1, 1), (24 - 2) * 2 + 2 * 10),
        ((1, 1, 1), (24 - 1) * 2),
    ],
)
def test_hops_of_a_ring_by_the_tier_they_cross(elements: tuple[float, ...], seconds: float) -> None:
    assert laid(24, (4, 12, 24), elements).ring_latency.tolist() == [seconds]


def test_hops_of_a_tree_are_up_and_down() -> None:
    """8 domains of 3: 2 log2 8 hops at the outermost tier, 2 (3 - 1) inside; with one tier all are its own."""
    g = laid(24, (3, 3, 24), (8, 8, 1))
    assert g.tree_latency.tolist() == [2 * 3 * 100 + 2 * 2 * 2]
    assert laid(24, (3,), (8,), hop=(column(7),)).tree_latency.tolist() == [2 * 3 * 7 + 2 * 2 * 7]


@pytest.mark.parametrize(
    ("members", "domains", "rate"),
    [(4, 6, 200), (9, 6, 450), (4, 2, 200), (24, 1, 450)],
)
def test_a_ring_has_the_cards_of_its_members(members: float, domains: float, rate: float) -> None:
    g = laid(24, (members, 24, 24), (domains, 1, 1))
    assert (g.per_domain[0], g.domains[0], g.bandwidth[0]) == (members, domains, rate)
    assert g.crosses.tolist() == [domains > 1]
    assert g.uniform.tolist() == [50]
    assert laid(24, (members, 24, 24), (domains, 1, 1), pairwise=column(17)).uniform.tolist() == [17]


def test_a_group_laid_over_three_tiers() -> None:
    """240 GPUs, 2 ranks 4 apart and 30 8 apart: 2 in a node, 12 in a pod, 5 pods, 4 x 2 rings through an uplink.

    Of the 60 - 2 ranks outside a node 60 - 12 are outside the pod, at a ninth of 40 GB/s: 40/9 x 58/48.
    """
    r = run(tiers=CHAIN, cluster__gpus=480, layout__data=30)
    d = layout.resolve(r)
    g = network.lay(r, d, "test", ((column(2), column(4)), (column(30), column(8))))
    assert ([x[0] for x in g.members], [x[0] for x in g.elements]) == ([2, 12, 60], [30, 5, 1])
    assert (g.axis, g.size[0], g.reach[0], g.inside[0], g.slowdown[0]) == ("test", 60, 2, 450e9, 8 * 9 / 48)
    assert g.outside[0] == 40e9 / 1.5
    assert g.pairwise is not None and g.pairwise[0] == pytest.approx(40e9 / 9 * 58 / 48, rel=1e-15)
    assert [x[0] for x in g.hop] == [1e-6, 3e-6, 7e-6]


def test_the_narrower_of_two_tiers_counts() -> None:
    """Without oversubscription: 50 GB/s to the pod, 40 GB/s to the spine."""
    r = run(tiers=(*CHAIN[:2], ("spine", 480, 40e9, 7e-6, 1.0)), cluster__gpus=480, layout__data=30)
    g = network.lay(r, layout.resolve(r), "test", ((column(60), column(8)),))
    assert (g.outside[0], g.slowdown[0], g.uniform[0]) == (40e9, 1, pytest.approx(40e9 * 59 / 54))
    inner = network.lay(r, layout.resolve(r), "test", ((column(6), column(8)),))
    assert (inner.outside[0], inner.reach[0], inner.uniform[0]) == (50e9, 1, 50e9)


def test_two_ranks_have_a_card_each() -> None:
    r = run(tiers=CHAIN, cluster__gpus=480, layout__data=30)
    assert network.lay(r, layout.resolve(r), "test", ((column(2), column(8)),)).uniform.tolist() == [50e9]


def test_nodes_are_full_however_the_job_is_placed() -> None:
    """12 GPUs over nodes of 8, at a ninth of the link: a whole node's 8 share it, half of their bytes leave."""
    tiers = (CHAIN[0], ("pod", 48, 50e9, 3e-6, 9.0))
    scattered = run(tiers=tiers, cluster__placement="scattered", cluster__gpus=12, layout__tensor=4, layout__data=3)
    d, width = layout.resolve(scattered), network.spans(scattered.cluster, column(12))
    assert network.oversubscribed(scattered.cluster, d, 1, width, column(8)).tolist() == [4.5]
    balanced = run(tiers=tiers, cluster__placement="balanced", cluster__gpus=12, layout__tensor=4, layout__data=3)
    found = network.uplinks(balanced.cluster, d, 1, width, column(12), [column(8), column(12)])
    assert found.tolist() == [50e9 / 9]


def test_one_tier_alone_has_no_network_beyond_it() -> None:
    r = run(tiers=(), cluster__gpus=16, layout__data=2)
    d = layout.resolve(r)
    beyond = network.lay(r, d, "test", ((column(16), column(1)),))
    within = network.lay(r, d, "test", ((column(8), column(1)),))
    assert np.isnan(beyond.outside[0]) and np.isnan(beyond.uniform[0])
    assert np.isinf(within.outside[0]) and np.isinf(within.uniform[0])
    assert (within.hop[0][0], within.inside[0]) == (1e-6, 450e9)


@pytest.mark.parametrize(("used", "missing"), [(8, False), (9, True)])
def test_a_job_beyond_its_only_tier_misses_a_link(used: int, missing: bool) -> None:
    assert network.missing_link(run(tiers=()).cluster, column(used)).tolist() == [missing]


def test_a_job_beyond_its_last_tier_misses_a_link() -> None:
    cluster = run(tiers=CHAIN).cluster
    assert [network.missing_link(cluster, column(n))[0] for n in (480, 481)] == [False, True]


@pytest.mark.parametrize(("used", "link"), [(1, np.inf), (2, np.nan)])
def test_a_gpu_without_a_link_can_only_work_alone(used: int, link: float) -> None:
    cluster = run(tiers=(), cluster__gpu__link=None).cluster
    assert np.array_equal(network.tiers(cluster, column(used))[0].bandwidth, [link], equal_nan=True)
    stated = run(tiers=(), cluster__gpu__link=None, cluster__link=64e9).cluster
    assert network.tiers(stated, column(used))[0].bandwidth.tolist() == [64e9]


def test_a_tier_without_a_span_is_as_wide_as_what_it_joins() -> None:
    """The first is the GPU's domain, the last the cluster, or what the job uses of one without a size."""
    unknown = {f"cluster__tier__{name}__span": None for name in ("node", "pod", "spine")}

    def spans(**changed: Any) -> list[float]:
        return [float(x[0]) for x in network.spans(run(tiers=CHAIN, **changed).cluster, column(96))]

    assert spans() == [8, 48, 480]
    assert spans(**unknown, cluster__gpus_per_node=4) == [4, 4, 4096]
    assert spans(**unknown, cluster__gpus_per_node=4, cluster__gpus=None) == [4, 4, 96]
    assert network.domain(run(tiers=(), cluster__gpu__domain=72).cluster).tolist() == [72]
    assert network.domain(run(tiers=(), cluster__gpu__domain=None, cluster__gpus_per_node=4).cluster).tolist() == [4]


@pytest.mark.parametrize(
    ("placement", "rings", "slower"),
    [
        ("packed", 300, 9),  # at most one ring a GPU
        ("packed", 16, 3),
        ("packed", 5, 1),
        ("balanced", 16, 3),
        ("scattered", 16, 9 * (40 / 48) * (1 - 1 / 3)),  # 120 GPUs in 3 pods of 40
    ],
)
def test_slow_down_of_an_oversubscribed_tier(placement: str, rings: float, slower: float) -> None:
    r = run(tiers=CHAIN, cluster__placement=placement, cluster__gpus=120, layout__data=15)
    width = network.spans(r.cluster, column(120))
    found = network.oversubscribed(r.cluster, layout.resolve(r), 2, width, column(rings))
    assert found.tolist() == [pytest.approx(slower, rel=1e-15)]


def test_scattered_jobs_leave_their_pods_uniformly() -> None:
    r = run(tiers=CHAIN, cluster__placement="scattered", cluster__gpus=120, layout__data=15)
    g = network.lay(r, layout.resolve(r), "test", ((column(15), column(8)),))
    assert (g.slowdown[0], g.outside[0]) == (pytest.approx(5), pytest.approx(8e9))
    assert g.pairwise is not None and g.pairwise[0] == g.outside[0]


@pytest.mark.parametrize(("members", "rate"), [(1, 90), (2, 90), (3, 180), (4, 270), (9, 400)])
def test_links_of_a_mesh_by_its_members(members: float, rate: float) -> None:
    cluster = run(tiers=CHAIN, cluster__gpu__topology="mesh", cluster__gpu__pair_link=90.0).cluster
    first = Tier("node", column(8), column(400), column(1), column(1))
    assert network.scale_up(cluster, first, column(members), column(64)).tolist() == [rate]


@pytest.mark.parametrize(
    ("gpus", "members", "rate"),
    [(4096, 16, 180), (4096, 17, 360), (4096, 256, 360), (4096, 257, 540), (4096, 4096, 540), (64, 16, 360)],
)
def test_axes_of_a_torus_that_a_group_spans(gpus: float, members: float, rate: float) -> None:
    """Six links of 90: three axes of 16 chips in a cube of 4,096, of 4 chips in a slice of 64."""
    tiers = (("torus", 4096, 540.0, 1e-6, 1.0),)
    cluster = run(tiers=tiers, cluster__gpu__topology="torus", cluster__gpu__pair_link=90.0).cluster
    assert network.scale_up(cluster, cluster.tier[0], column(members), column(gpus)).tolist() == [rate]
    switched = run(tiers=tiers, cluster__gpu__topology="switched", cluster__gpu__pair_link=90.0).cluster
    assert network.scale_up(switched, cluster.tier[0], column(members), column(gpus)).tolist() == [540]

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

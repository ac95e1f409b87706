"""The bill of materials: counts of a folded Clos against published ones, and what is not stated."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.book import bind
from reports.commands.source import read
from reports.document import build
from reports.html import render_html
from reports.materials import Network, Optics, clos, network_of, optics
from reports.plan import Plan, plan_of
from reports.quantities import Quantity
from reports.sections.bill_rows import NOT_STATED
from reports.sections.materials import materials
from tests.report_documents import Json, document, main_point

ROOT = Path(__file__).parent.parent
SUPERPOD = {512: (16, 8), 1024: (32, 16), 2048: (64, 32), 4096: (128, 128, 64), 8192: (256, 256, 128)}
"""Leaf, spine, core switches of 64 ports: NVIDIA DGX SuperPOD B200 reference architecture, larger component counts."""


@pytest.mark.parametrize("gpus", SUPERPOD)
def test_published_counts_of_a_superpod(gpus: int) -> None:
    found = clos(gpus, 64)
    assert found is not None and found.switches == SUPERPOD[gpus]
    assert found.cables == (gpus,) * len(found.switches)  # 4,096 cables a level at 4,096 GPUs
    assert clos(gpus, 64, rails=8) == found  # whole scalable units fill the leaves of every rail


@given(st.integers(1, 100_000), st.sampled_from([32, 40, 64, 128, 144]), st.sampled_from([1.0, 2.0, 3.0, 7.0]))
def test_every_cable_has_a_port_at_both_ends(gpus: int, radix: int, over: float) -> None:
    found = clos(gpus, radix, over)
    if found is None:
        return
    below = found.cables
    for level, count in enumerate(found.switches):
        ports = below[level] + (below[level + 1] if level + 1 < len(below) else 0)
        assert ports <= count * radix + count  # whole switches; a leaf's odd port may stay empty


def test_one_switch_holds_a_small_cluster() -> None:
    found = clos(48, 64)
    assert found is not None and (found.switches, found.cables) == ((1,), (48,))
    assert clos(200_000, 64) is None


POD: Json = {"cluster.tier": ["node", "pod"], "cluster.gpus": 1024.0, "cluster.gpus_per_node": 8.0,
             "cluster.tier.pod.bandwidth": 50e9}  # fmt: skip
COUNTED = POD | {"cluster.tier.pod.radix": 64.0, "cluster.ports": 8.0}


def test_what_the_cluster_does_not_state_is_not_counted() -> None:
    assert network_of({}) == (None, "the cluster states no tier beyond the scale-up domain")
    assert network_of(POD) == (None, "needs cluster.tier.pod.radix, cluster.ports")
    assert network_of(POD | {"cluster.tier.pod.radix": 64.0}) == (None, "needs cluster.ports")
    assert network_of(COUNTED)[0] == clos(1024, 64)


def test_half_the_ports_need_half_the_network() -> None:
    """Four cards for eight GPUs, as in AWS p4d: 128 nodes have 512 ports."""
    assert network_of(COUNTED | {"cluster.ports": 4.0})[0] == clos(512, 64)


def test_a_rail_has_leaves_of_its_own() -> None:
    """Twelve nodes of eight rails: 96 ports would fit three leaves, eight rails need eight; 96 uplinks, two spines."""
    small = COUNTED | {"cluster.gpus": 96.0}
    assert network_of(small)[0] == Network(64, (3, 2), (96, 96))
    assert network_of(small | {"cluster.rails": 8.0})[0] == Network(64, (8, 2), (96, 96))


@pytest.mark.parametrize(("gpus", "leaf", "spine"), [(512, 16, 8), (1024, 32, 16), (2048, 64, 32), (4096, 128, 64),
                                                      (8192, 256, 128)])  # fmt: skip
def test_published_counts_of_two_planes(gpus: int, leaf: int, spine: int) -> None:
    """NVIDIA DGX SuperPOD B300 reference architecture, larger component counts: 64 ports of 800 Gb/s."""
    own = {"cluster.gpus": float(gpus), "cluster.ports": 16.0, "cluster.rails": 16.0, "cluster.planes": 2.0}
    found = network_of(COUNTED | own | {"cluster.tier.pod.radix": 128.0})[0]
    assert found is not None and found.switches == (leaf, spine)


def test_a_ratio_above_the_leaves_is_not_that_of_the_leaves() -> None:
    """Pods of leaves and spines at full bisection, 7:1 between pods: leaves with 56 ports down would be wrong."""
    tiers = COUNTED | {"cluster.tier": ["node", "pod", "spine"], "cluster.tier.spine.radix": 64.0}
    above = network_of(tiers | {"cluster.tier.spine.oversubscription": 7.0})
    assert above[0] is None and above[1].startswith("tier spine is oversubscribed")
    assert network_of(tiers | {"cluster.tier.pod.oversubscription": 3.0})[0] == clos(1024, 64, 3.0)


def test_optics_by_kind() -> None:
    """1,024 links to leaves and 1,024 above: at switches (1,024 + 2 x 1,024) / 2 twin-port ones, four in each node."""
    fiber = COUNTED | {"cluster.tier.pod.cable": "fiber", "cluster.tier.pod.links_per_transceiver": 2.0}
    network = clos(1024, 64)
    assert network is not None and optics(COUNTED, network) == []
    assert optics(fiber | {"cluster.transceivers": 4.0}, network) == [
        Optics("switches", 2, 50e9, 1536), Optics("nodes", 2, 50e9, 512)]  # fmt: skip
    assert optics(fiber, network)[1] == Optics("nodes", 1, 50e9, 1024)
    copper = fiber | {"cluster.tier.pod.cable": "copper"}
    assert optics(copper, network) == []


def shown(given: Json) -> dict[str, str]:
    """The counts of the bill by their item."""
    table = next(t for t in bind(given).tables if t.key == "materials")
    return {str(r[0]): r[1].number() if isinstance(r[1], Quantity) else str(r[1]) for r in table.rows}


def test_a_programme_is_bought_whole() -> None:
    """1,280 GPUs in 160 nodes; its first run takes 1,024 of them and draws 1.697 MW, 1.66 kW a GPU."""
    given = build(read(ROOT / "scenarios" / "programme.scn").scenario)
    rows = shown(given)
    assert rows["GPU, h100-sxm"] == "1\u00a0280" and rows["Node of 8 GPUs"] == "160"
    assert rows["Leaf switch, 64 ports"] == "40" and rows["Facility at the meter"] == "2.12"
    facts = materials(plan_of(given))
    assert facts is not None and (facts.facts or {})["programme"]["run_gpus"] == 1024
    told = " ".join(re.sub("<[^>]+>", "", render_html(given)).split())
    assert "Llama 3.1 70B for 4T tokens, on 1 024 GPUs of 1 280 GPUs" in told


def test_racks_are_whole() -> None:
    """100 GPUs of 13 nodes: two domains of 72; four nodes a rack make four racks, of four times a node's power."""
    made = plan_of(procurement(ROOT / "tests" / "data" / "tables.scn"))
    made.settings.update({"cluster.gpus": 100.0, "cluster.tier": ["rack"], "cluster.tier.rack.span": 72.0})
    assert lines(made)["Rack of nodes"][0] == "2"
    made.settings["cluster.nodes_per_rack"] = 4.0
    assert lines(made)["Rack of nodes"][0] == "4"
    node, rack = (float(lines(made)[name][0]) for name in ("Power of a node", "Power of a rack"))
    assert rack == pytest.approx(4 * node, abs=0.2)


def lines(made: Plan) -> dict[str, tuple[str, str]]:
    """Count and how it is counted, by item."""
    found = materials(made)
    assert found is not None
    table = next(t for t in found.tables if t.key == "materials")
    return {str(r[0]): (r[1].number() if isinstance(r[1], Quantity) else str(r[1]), str(r[3])) for r in table.rows}


def test_power_and_cooling_add_up_at_the_meter() -> None:
    made = plan_of(procurement(ROOT / "tests" / "data" / "tables.scn"))
    names = ("Power of computers and network", "Cooling and losses", "Facility at the meter")
    it, cooling, meter = (float(lines(made)[name][0]) for name in names)
    assert it + cooling == pytest.approx(meter, abs=0.011) and cooling == pytest.approx(0.3 * it, abs=0.01)


def test_storage_of_the_checkpoints_kept() -> None:
    """Five checkpoints of 0.84 TB; written in 30 s, read at a stated 200 GB/s, or in a restart of ten minutes."""
    given = procurement(ROOT / "tests" / "data" / "tables.scn")
    main_point(given)["checkpoint"] = {"size": 0.84e12, "save": 30.0, "restart": 600.0, "tiers": [{"name": "local"}]}
    made = plan_of(given)
    assert lines(made)["Storage of checkpoints"] == (NOT_STATED, "needs checkpoint.retain")
    assert lines(made)["Local disks of a node"][0] == NOT_STATED
    made.settings["checkpoint.retain"] = 5.0
    assert lines(made)["Storage of checkpoints"] == ("4.2", "5 kept of 0.84\u00a0TB")
    assert lines(made)["Write rate of a save"][0] == "28.0" and lines(made)["Read rate at a restart"][0] == "1.4"
    made.settings.update({"cluster.storage.read": 200e9, "cluster.storage.local": 30.72e12})
    assert lines(made)["Read rate at a restart"] == ("200.0", "cluster.storage.read; 0.84\u00a0TB in 4.2\u00a0s")
    assert lines(made)["Local disks of a node"] == ("30.72", "cluster.storage.local")


def procurement(path: Path) -> Json:
    made = build(read(path).scenario)
    return made | {"report": dict(made["report"]) | {"kind": "procurement", "sections": None}}


def test_a_library_fabric_is_counted_in_a_procurement() -> None:
    given = procurement(ROOT / "tests" / "data" / "tables.scn")
    table = next(t for t in bind(given).tables if t.key == "materials")
    rows = {str(r[0]): r for r in table.rows}
    counts = shown(given)
    assert counts["Leaf switch, 64 ports"] == "32" and counts["Spine switch, 64 ports"] == "16"
    assert counts["Node of 8 GPUs"] == "128" and counts["Cable, leaf to spine, 400\u00a0Gb/s, fiber"] == "1\u00a0024"
    assert rows["Rack of nodes"][1] == NOT_STATED and rows["Rack of nodes"][3] == "needs cluster.nodes_per_rack"


def test_the_fixture_says_what_is_missing() -> None:
    found = materials(plan_of(document()))
    assert found is not None and "Network switch" in (found.facts or {})["open"]

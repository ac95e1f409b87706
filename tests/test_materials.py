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
from reports.materials import clos, network_of
from reports.plan import plan_of
from reports.quantities import Quantity
from reports.sections.materials import NOT_STATED, materials
from tests.report_documents import Json, document

ROOT = Path(__file__).parent.parent
SUPERPOD = {512: (16, 8), 1024: (32, 16), 2048: (64, 32), 4096: (128, 128, 64), 8192: (256, 256, 128)}
"""Leaf, spine, core switches of 64 ports: NVIDIA DGX SuperPOD B200 reference architecture, larger component counts."""


@pytest.mark.parametrize("gpus", SUPERPOD)
def test_published_counts_of_a_superpod(gpus: int) -> None:
    found = clos(gpus, 64)
    assert found is not None and found.switches == SUPERPOD[gpus]
    assert found.cables == (gpus,) * len(found.switches)  # 4,096 cables a level at 4,096 GPUs


@given(st.integers(1, 100_000), st.sampled_from([32, 40, 64, 128, 144]), st.sampled_from([1.0, 2.0, 3.0, 7.0]))
def test_every_cable_has_a_port_at_both_ends(gpus: int, radix: int, over: float) -> None:
    found = clos(gpus, radix, over)
    if found is None:
        return
    below = found.cables
    for level, count in enumerate(found.switches):
        ports = below[level] + (below[level + 1] if level + 1 < len(below) else 0)
        assert ports <= count * radix + count  # whole switches; a leaf's odd port may stay empty
    assert found.transceivers == 2 * sum(below[1:])


def test_one_switch_holds_a_small_cluster() -> None:
    found = clos(48, 64)
    assert found is not None and (found.switches, found.cables, found.transceivers) == ((1,), (48,), 0)
    assert clos(200_000, 64) is None


def test_what_the_cluster_does_not_state_is_not_counted() -> None:
    assert network_of({}) == (None, "the cluster states no tier beyond the scale-up domain")
    tiers = {"cluster.tier": ["node", "pod"], "cluster.gpus": 1024.0}
    assert network_of(tiers) == (None, "needs cluster.tier.pod.radix")
    assert network_of(tiers | {"cluster.tier.pod.radix": 64.0})[0] == clos(1024, 64)


def test_a_ratio_above_the_leaves_is_not_that_of_the_leaves() -> None:
    """Pods of leaves and spines at full bisection, 7:1 between pods: leaves with 56 ports down would be wrong."""
    tiers = {"cluster.tier": ["node", "pod", "spine"], "cluster.gpus": 1024.0}
    tiers |= {"cluster.tier.pod.radix": 64.0, "cluster.tier.spine.radix": 64.0}
    above = network_of(tiers | {"cluster.tier.spine.oversubscription": 7.0})
    assert above[0] is None and above[1].startswith("tier spine is oversubscribed")
    assert network_of(tiers | {"cluster.tier.pod.oversubscription": 3.0})[0] == clos(1024, 64, 3.0)


def shown(given: Json) -> dict[str, str]:
    """The counts of the bill by their item."""
    table = next(t for t in bind(given).tables if t.key == "materials")
    return {str(r[0]): r[1].number() if isinstance(r[1], Quantity) else str(r[1]) for r in table.rows}


def test_a_programme_is_bought_whole() -> None:
    """1,280 GPUs in 160 nodes; its first run takes 1,024 of them and draws 1.697 MW, 1.66 kW a GPU."""
    given = build(read(ROOT / "scenarios" / "programme.scn").scenario)
    rows = shown(given)
    assert rows["GPU, h100-sxm"] == "1\u00a0280" and rows["Node of 8 GPUs"] == "160"
    assert rows["Leaf switch, 64 ports"] == "40" and rows["Facility, power and cooling"] == "2.12"
    facts = materials(plan_of(given))
    assert facts is not None and (facts.facts or {})["programme"]["run_gpus"] == 1024
    told = " ".join(re.sub("<[^>]+>", "", render_html(given)).split())
    assert "Llama 3.1 70B for 4T tokens, on 1 024 GPUs of 1 280 GPUs" in told


def test_racks_are_whole() -> None:
    made = plan_of(procurement(ROOT / "tests" / "data" / "tables.scn"))
    made.settings.update({"cluster.gpus": 100.0, "cluster.tier": ["rack"], "cluster.tier.rack.span": 72.0})
    found = materials(made)
    rack = next(r[1] for r in found.tables[0].rows if r[0] == "Rack") if found else None
    assert isinstance(rack, Quantity) and rack.number() == "2"


def procurement(path: Path) -> Json:
    made = build(read(path).scenario)
    return made | {"report": dict(made["report"]) | {"kind": "procurement", "sections": None}}


def test_a_library_fabric_is_counted_in_a_procurement() -> None:
    given = procurement(ROOT / "tests" / "data" / "tables.scn")
    table = next(t for t in bind(given).tables if t.key == "materials")
    rows = {str(r[0]): r for r in table.rows}
    counts = shown(given)
    assert counts["Leaf switch, 64 ports"] == "32" and counts["Spine switch, 64 ports"] == "16"
    assert counts["Node of 8 GPUs"] == "128" and counts["Cable, leaf to spine"] == "1\u00a0024"
    assert rows["Rack"][1] == NOT_STATED and rows["Rack"][3] == "nodes a rack are not stated"


def test_the_fixture_says_what_is_missing() -> None:
    found = materials(plan_of(document()))
    assert found is not None and "Network switch" in (found.facts or {})["open"]

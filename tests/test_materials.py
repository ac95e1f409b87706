"""The bill of materials: counts of a folded Clos against published ones, and what is not stated."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.book import bind
from reports.commands.source import read
from reports.document import build
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


def procurement(path: Path) -> Json:
    made = build(read(path).scenario)
    return made | {"report": dict(made["report"]) | {"kind": "procurement", "sections": None}}


def test_a_library_fabric_is_counted_in_a_procurement() -> None:
    given = procurement(ROOT / "tests" / "data" / "tables.scn")
    table = next(t for t in bind(given).tables if t.key == "materials")
    rows = {str(r[0]): r for r in table.rows}
    shown = {name: r[1].number() for name, r in rows.items() if isinstance(r[1], Quantity)}
    assert shown["Leaf switch, 64 ports"] == "32" and shown["Spine switch, 64 ports"] == "16"
    assert shown["Node of 8 GPUs"] == "128" and shown["Cable, leaf to spine"] == "1\u00a0024"
    assert rows["Rack"][1] == NOT_STATED and rows["Rack"][3] == "nodes a rack are not stated"


def test_the_fixture_says_what_is_missing() -> None:
    found = materials(plan_of(document()))
    assert found is not None and "Network switch" in (found.facts or {})["open"]

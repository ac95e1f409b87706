"""What measurements replace, value by value: attention, host, tiers, and the terms of a collective."""

from dataclasses import replace
from typing import Any

import pytest

from engine import groups, layout
from engine.calibrate import calibrated, factor, laid
from engine.calibration_inputs import MeasuredTier
from engine.collectives import terms
from engine.columns import column
from engine.inputs import Run
from tests.settings import run


def measured(tiers: tuple[MeasuredTier, ...] = (), **own: Any) -> Run:
    """The test run with measured values and tiers, as it was stated."""
    r = run(calibration="own", **{f"calibration__{name}": value for name, value in own.items()})
    assert r.calibration is not None
    return replace(r, calibration=replace(r.calibration, tier=tiers))


def tier(name: str, **rates: float) -> MeasuredTier:
    known = dict.fromkeys(("latency", "gather", "all_reduce", "all_to_all", "send"), None)
    return MeasuredTier(**{"name": name} | known | {n: column(v) for n, v in rates.items()})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("own", "share"),
    [
        ({"attention__forward": 0.4, "attention__backward": 0.5}, 3.5 / (1 / 0.4 + 2.5 / 0.5)),
        ({"attention__forward": 0.4}, 0.4),
        ({"attention__backward": 0.5}, 0.5),
    ],
)
def test_one_rate_for_both_passes_weighs_them_by_their_work(own: dict[str, Any], share: float) -> None:
    """Backward is 2.5 times the FLOPs; a pass that was not timed runs as the other. The clock is taken out."""
    gpu = calibrated(measured(**own)).gpu
    assert gpu.attention.first[0] == pytest.approx(share / 0.856, rel=1e-14)
    ahead, back = own.get("attention__forward"), own.get("attention__backward")
    assert gpu.attention.forward[0] == pytest.approx(0.58 if ahead is None else ahead / 0.856, rel=1e-14)
    assert gpu.attention.backward[0] == pytest.approx(0.5 if back is None else back / 0.856, rel=1e-14)


def test_a_slower_host_has_slower_links_and_memory() -> None:
    made = run(calibration="own", calibration__factor__host=1.25)  # a run is read as calibrated
    assert (made.gpu.host_link[0], made.cluster.host_memory_bandwidth[0]) == (30e9 / 1.25, 400e9 / 1.25)


def test_a_measured_outer_tier_has_its_best_rate_and_no_oversubscription() -> None:
    made = calibrated(measured((tier("spine", gather=40e9, all_reduce=45e9, latency=3e-6),)))
    node, pod, spine = made.cluster.tier
    assert (spine.bandwidth[0], spine.oversubscription[0], spine.latency[0]) == (45e9, 1.0, 3e-6)
    assert (pod.bandwidth[0], pod.latency[0], node.bandwidth[0]) == (50e9, 10e-6, 450e9)
    late = calibrated(measured((tier("spine", latency=3e-6),))).cluster.tier[2]
    assert (late.bandwidth[0], late.oversubscription[0], late.latency[0]) == (50e9, 7.0, 3e-6)


def test_a_measured_inner_tier_has_its_shares_and_keeps_its_bandwidth() -> None:
    made = calibrated(measured((tier("node", gather=360e9, all_to_all=225e9),)))
    e = made.gpu.efficiency
    assert (e.gather[0], e.all_reduce[0], e.all_to_all[0]) == (0.8, 0.81, 0.5)
    assert made.cluster.tier[0].bandwidth[0] == 450e9


def test_a_collective_of_a_measured_tier_has_its_rate() -> None:
    """A send inside a node has its share of the link; a group that reaches the spine the rate, and no other share."""
    r = measured((tier("node", send=90e9, gather=360e9), tier("spine", all_reduce=45e9)), call=5e-6)
    made, own = groups.groups(r, layout.resolve(r)), terms.of_step(r)
    sends, inside = laid(r, "send", made["tensor"], own)[1], laid(r, "all_gather", made["tensor"], own)[1]
    assert (sends.gather[0], inside.gather[0], sends.call[0]) == (0.2, own.gather[0], 5e-6)
    across, priced = laid(r, "all_reduce", made["shard"], own)
    assert (across.outside[0], priced.across[0], priced.gather[0]) == (45e9, 1.0, own.gather[0])
    near, same = laid(r, "all_reduce", made["tensor"], own)
    assert near.outside[0] == made["tensor"].outside[0] and same.across[0] == own.across[0]
    assert laid(run(), "all_reduce", made["shard"], own) == (made["shard"], own)


def test_factors_that_were_not_measured_are_one() -> None:
    for r in (run(), measured(), measured(factor__hbm=1.5)):
        assert factor(r, "gemm")[0] == 1.0
    assert factor(measured(factor__hbm=1.5), "hbm")[0] == 1.5

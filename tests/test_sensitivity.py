"""Sensitivity: seeded draws with the quantiles they should have, a tornado one input at a time, shares, chances."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.problems import Span
from dsl.scenario import Axis
from reports.document import build
from reports.experiments import draws
from reports.figures.tornado import input_name
from reports.sections.sensitivity import bands_table, ranges_table
from tests.language import START, problems_of, scenario_of

PLAN = START.replace("2048 sequences }", "2048 sequences, layout { tensor = 4, recompute = selective } }")
PLAN = PLAN.replace("nodes = 16", "nodes = 16, price = $2/gpu-hour, mtbf = 20 hours")
DAY = 86400.0


def made(block: str, plan: str = PLAN) -> dict[str, Any]:
    """The sensitivity of a file, evaluated and read back from JSON."""
    scenario = scenario_of(plan + f"sensitivity s {{ base = base, {block} }}\n")
    found = next(e for e in build(scenario)["experiments"] if e["kind"] == "sensitivity")
    return dict(json.loads(json.dumps(found, allow_nan=False)))


def axis(name: str, *arguments: float, path: str = "cluster.price") -> Axis:
    return Axis(path, ({"distribution": name, "arguments": arguments},), ("",), 0, Span("x", 1, 1))


@pytest.mark.parametrize(("name", "arguments", "low", "high"), [
    ("normal", (10.0, 2.0), 10 - 2 * 1.2815515655, 10 + 2 * 1.2815515655),
    ("lognormal", (10.0, 2.0), 10 / 2**1.2815515655, 10 * 2**1.2815515655),
    ("triangular", (0.0, 5.0, 10.0), 50**0.5 / 10**0.5, 10 - 50**0.5 / 10**0.5),
    ("uniform", (4.0, 6.0), 4.0, 6.0),
])  # fmt: skip
def test_ends_and_draws_agree(name: str, arguments: tuple[float, ...], low: float, high: float) -> None:
    own = axis(name, *arguments)
    assert draws.ends(own) == pytest.approx((low, high), rel=1e-9)
    values = draws.drawn(own, draws.generators(1, 1)[0], 200_000)
    shares = (0.0, 1.0) if name == "uniform" else (0.1, 0.9)
    assert np.quantile(values, shares) == pytest.approx([low, high], rel=0.02)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.01, 10), st.floats(0.01, 10), st.integers(0, 9))
def test_no_draw_is_below_zero_and_no_share_above_one(mean: float, deviation: float, seed: int) -> None:
    values = draws.drawn(axis("normal", mean, deviation), draws.generators(seed, 1)[0], 500)
    assert np.all(values > 0)
    share = axis("normal", min(mean / 10, 0.9), deviation / 10, path="utilization")
    drawn = draws.drawn(share, draws.generators(seed, 1)[0], 500)
    assert np.all((drawn > 0) & (drawn <= 1))


def test_counts_are_whole() -> None:
    values = draws.drawn(axis("uniform", 0.2, 9.7, path="cluster.nodes"), draws.generators(3, 1)[0], 500)
    assert np.all(values == np.round(values)) and values.min() == 1


def test_the_predictors_factor_has_the_stated_percentiles() -> None:
    factor = draws.predictor(draws.generators(5, 1)[0], (0.9, 1.3), 200_000)
    assert np.quantile(factor, (0.1, 0.9)) == pytest.approx((0.9, 1.3), rel=0.01)
    assert np.all(draws.predictor(draws.generators(5, 1)[0], None, 10) == 1)


def test_failures_have_mean_one_and_the_spread_of_a_poisson_process() -> None:
    """T = 100 M: 100 failures of 600 s and up to 1,800 s each; the variance is that of a compound Poisson sum."""
    count, mtbf, lost, restart = 100_000, 43_200.0, 1800.0, 600.0
    seconds = np.full(count, 100 * mtbf)
    factor = draws.failures(draws.generators(2, 1)[0], seconds, np.full(count, mtbf), np.full(count, lost),
                            np.full(count, restart))  # fmt: skip
    square = 100 * ((restart + lost / 2) ** 2 + lost**2 / 12)
    assert float(np.mean(factor)) == pytest.approx(1, abs=1e-4)
    assert float(np.std(factor)) == pytest.approx(square**0.5 / seconds[0], rel=0.02)


RANGES = "vary { cluster.price = $1.50/gpu-hour..$3/gpu-hour, cluster.mtbf = lognormal(20 hours, 2) }, samples = 4000"


def test_a_tornado_moves_one_input_at_a_time() -> None:
    found = made(RANGES)
    price, mtbf = found["tornado"]
    base = found["base_results"]
    assert [e["value"] * 3600 for e in (price["low"], price["high"])] == pytest.approx([1.5, 3.0])
    assert [e["results"]["cost"] / base["cost"] for e in (price["low"], price["high"])] == pytest.approx([0.75, 1.5])
    assert price["low"]["results"]["time_to_train"] == base["time_to_train"]
    assert mtbf["low"]["results"]["time_to_train"] > base["time_to_train"] > mtbf["high"]["results"]["time_to_train"]
    assert found["axes"][0]["texts"] == ["$1.50/gpu-hour..$3/gpu-hour"]


def test_the_same_seed_gives_the_same_bytes_and_another_one_others() -> None:
    first, again, other = made(RANGES), made(RANGES), made(RANGES + ", seed = 1")
    assert json.dumps(first) == json.dumps(again)
    assert first["bands"]["cost"]["p50"] != other["bands"]["cost"]["p50"]
    assert first["bands"]["cost"]["p50"] == pytest.approx(other["bands"]["cost"]["p50"], rel=0.03)


def test_an_input_more_changes_no_draw_of_the_others() -> None:
    first = made(RANGES)
    more = made(RANGES.replace("2) }", "2), cluster.restart = normal(10 min, 1 ms) }"))
    assert more["bands"]["cost"]["p10"] == pytest.approx(first["bands"]["cost"]["p10"], rel=1e-4)


def test_bands_hold_the_distribution_of_a_price_alone() -> None:
    """Nothing else is uncertain: cost is uniform between the ends, P10 and P90 a tenth of the way in."""
    plan = PLAN.replace("run base {", "run base { stack.measured_low = 1, stack.measured_high = 1, "
                        "stack.memory_low = 93%, stack.memory_high = 108%,")  # fmt: skip
    plan = plan.replace("mtbf = 20 hours", "mtbf = 20_000_000 hours")
    found = made("vary { cluster.price = $1/gpu-hour..$3/gpu-hour }, samples = 20_000", plan)
    cost, base = found["bands"]["cost"], found["base_results"]["cost"]
    assert [cost[p] / base for p in ("p10", "p50", "p90")] == pytest.approx([0.6, 1.0, 1.4], abs=0.01)
    assert [s["share"] for s in found["shares"]["cost"]][0] == pytest.approx(1.0, abs=1e-3)
    memory, predicted = found["bands"]["memory_per_gpu"], found["base_results"]["memory_per_gpu"]
    assert [memory[p] / predicted for p in ("p10", "p90")] == pytest.approx([0.93, 1.08], abs=0.004)
    assert sum(found["histogram"]["cost"]["counts"]) == 20_000


def test_shares_add_up_to_one_and_name_the_three_sources() -> None:
    found = made(RANGES)
    for name in ("time_to_train", "cost"):
        rows = found["shares"][name]
        assert [r["from"] for r in rows] == ["inputs", "predictor", "failures"]
        assert sum(r["share"] for r in rows) == pytest.approx(1) and all(r["share"] > 0 for r in rows)
    assert [r["share"] for r in found["shares"]["memory_per_gpu"]] == [0.0, 1.0, 0.0]


def test_the_chance_to_meet_a_requirement() -> None:
    found = made(RANGES)
    days = found["bands"]["time_to_train"]["p90"] / DAY
    rules = f"require time_to_train <= {days:.6f} days, require cost > 0 * cost, require carbon < 1 kg"
    found = made(f"{RANGES}, {rules}")
    assert [c["share"] for c in found["chances"]] == [pytest.approx(0.9, abs=0.001), 1.0, None]
    assert found["counts"]["met"] == 0  # one is open


def test_samples_that_do_not_fit_are_counted_apart_and_stay_in_the_bands() -> None:
    """Memory of a GPU uniform between half and one and a half of what the run needs: half of the samples fit."""
    base = made(RANGES)["base_results"]
    needs = 80e9 - base["memory_headroom"]  # what the GPU of this file must have
    block = f"vary {{ cluster.gpu.memory = {0.5 * needs / 1e9} GB..{1.5 * needs / 1e9} GB }}, samples = 4000"
    found = made(f"{block}, require time_to_train <= 100_000 days")
    counts = found["counts"]
    assert counts["does_not_fit"] / 4000 == pytest.approx(0.5, abs=0.03)
    assert (counts["points"], counts["cannot_be_built"], counts["evaluated"]) == (4000, 0, 4000)
    assert counts["met"] == 4000 - counts["does_not_fit"] and counts["failed"] == 0
    assert found["chances"][0]["share"] == pytest.approx(counts["met"] / 4000, rel=1e-9)
    assert sum(found["histogram"]["cost"]["counts"]) == 4000
    assert found["bands"]["cost"] == made("vary { cluster.gpu.memory = 80 GB..81 GB }, samples = 4000")["bands"]["cost"]


def test_samples_that_cannot_be_built_are_in_no_band() -> None:
    """Tensor 1 to 8, rounded: of the 32 heads only 1, 2, 4 and 8 have equal shares, with the ends 3/7 of the draws."""
    found = made("vary { layout.tensor = uniform(1, 8) }, samples = 2000")
    counts = found["counts"]
    assert counts["cannot_be_built"] / 2000 == pytest.approx(4 / 7, abs=0.04)
    assert counts["evaluated"] == 2000 - counts["cannot_be_built"] == sum(found["histogram"]["cost"]["counts"])
    nodes = made("vary { cluster.nodes = uniform(15, 17) }, samples = 2000")["counts"]
    assert nodes["cannot_be_built"] / 2000 == pytest.approx(0.5, abs=0.04)  # 2048 sequences: 16 nodes, not 15 or 17


def test_requires_of_the_base_bind(tmp_path: Any) -> None:
    plan = PLAN.replace("recompute = selective } }", "recompute = selective }\n require mfu >= 99% }")
    assert [(c["require"], c["share"]) for c in made(RANGES, plan)["chances"]] == [("mfu >= 99%", 0.0)]


@pytest.mark.parametrize(("vary", "code"), [
    ("cluster.price = [$1/gpu-hour, $2/gpu-hour]", "E27"),
    ("layout.recompute = full", "E27"),
    ("cluster.price = $3/gpu-hour..$1/gpu-hour", "E20"),
    ("cluster.mtbf = lognormal(20 hours, 0.5)", "E20"),
    ("cluster.mtbf = triangular(20 hours, 10 hours, 30 hours)", "E20"),
    ("cluster.mtbf = normal(20 hours)", "E16"),
    ("cluster.mtbf = uniform(20 GB, 30 GB)", "E18"),
])  # fmt: skip
def test_mistakes(vary: str, code: str) -> None:
    found = problems_of(PLAN + f"sensitivity s {{ base = base, vary {{ {vary} }} }}\n")
    assert {p.code for p in found} == {code} and all(p.help or p.notes for p in found)


def test_a_time_between_failures_of_one_gpu_is_that_of_the_job() -> None:
    job = made("vary { cluster.mtbf = 10 hours..40 hours }, samples = 10")["tornado"][0]
    gpu = made("vary { cluster.mtbf = 1280 gpu-hours..5120 gpu-hours }, samples = 10")["tornado"][0]
    assert gpu["low"]["value"] == pytest.approx(job["low"]["value"], rel=1e-9)


def test_the_predictor_is_as_wide_as_the_interval_of_the_run() -> None:
    """Where no run of this size was measured, both ends are to the power 1.5, here as on page 1."""
    plan = PLAN.replace("run base {", "run base { stack.measured_low = 90%, stack.measured_high = 120%, "
                        "stack.measured_on = [h], stack.measured_up_to = 8 gpus,")  # fmt: skip
    for own, ends in ((plan, (0.9**1.5, 1.2**1.5)), (plan.replace("= 8 gpus", "= 8_192 gpus"), (0.9, 1.2))):
        found = made("vary { cluster.price = $2/gpu-hour..$2.001/gpu-hour }, show = [step_time], samples = 20_000", own)
        step, base = found["bands"]["step_time"], found["base_results"]["step_time"]
        assert [step["p10"] / base, step["p90"] / base] == pytest.approx(ends, rel=0.01)
        assert f"{ends[0]:.2f} to {ends[1]:.2f}" in found["sources"][1]["what"][0]


def test_the_ends_of_inputs_say_what_they_are_and_where_the_base_lies_outside() -> None:
    """20 hours of the base lie outside 30..40 hours; a triangular input has its percentiles, a range its ends."""
    e = made("vary { cluster.mtbf = 30 hours..40 hours, cluster.price = triangular($1/gpu-hour, $2/gpu-hour, "
             "$4/gpu-hour) }, samples = 200")  # fmt: skip
    mtbf, price = sorted(e["tornado"], key=lambda row: str(row["path"]))
    assert (mtbf["percentiles"], price["percentiles"]) == (False, True)
    assert mtbf["base"] == 20 * 3600 and price["low"]["value"] * 3600 == pytest.approx(1 + 0.6**0.5 / 2**0.5)
    table = ranges_table("s", e)
    assert table is not None and table.more.startswith("The base lies outside the ends of MTBF (0.83\u00a0days).")
    assert [row[:2] for row in table.rows] == [(input_name(row), kind) for row, kind in zip(
        e["tornado"], ["its range", "P10 and P90"], strict=True)]  # fmt: skip
    assert {input_name(mtbf), input_name(price)} == {"MTBF", "Price of a GPU-hour"}
    bands = bands_table("s", e | {"base_results": {"cost": 1e12}, "bands": {"cost": {"p10": 1, "p50": 2, "p90": 3}}})
    assert bands is not None and bands.more.startswith("The base lies outside P10 to P90 of cost:")

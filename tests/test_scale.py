"""Scale: strong and weak scaling over GPUs, bandwidths, the record's curves through the table, and mistakes."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from dsl.scenario import Scenario
from reports.commands.source import read
from reports.document import build
from reports.experiments.scaling import evaluate_scale
from tests.language import START, problems_of, scenario_of
from tests.test_reduced import RECORD

ROOT = Path(__file__).resolve().parents[1]
PLAN = START.replace("2048 sequences }", "2048 sequences, layout { tensor = 4, recompute = selective } }")


def scaled(block: str, *overrides: str) -> dict[str, Any]:
    """The scale of a file, evaluated and read back from JSON."""
    return of(scenario_of(PLAN + f"scale growing {{ base = base\n{block}\n}}\n", *overrides))


def of(scenario: Scenario) -> dict[str, Any]:
    found = next(e for e in build(scenario)["experiments"] if e["kind"] == "scale")
    return dict(json.loads(json.dumps(found, allow_nan=False)))


def test_strong_scaling_keeps_the_batch_and_loses_efficiency() -> None:
    made = scaled("points = [64, 128, 256, 512]")
    assert (made["mode"], made["over"]) == ("strong", "cluster.gpus")
    assert [a["path"] for a in made["axes"]] == ["cluster.gpus"]
    assert [p["results"]["tokens_per_step"] for p in made["points"]] == [2048 * 8192] * 4
    share = made["efficiency"]
    assert share[0] == 1 and all(b < a for a, b in zip(share, share[1:], strict=False))
    rates = [p["results"]["tokens_per_second"] / p["settings"]["cluster.gpus"] for p in made["points"]]
    assert share == pytest.approx([r / rates[0] for r in rates], rel=1e-9)


def test_weak_scaling_keeps_the_sequences_of_a_replica() -> None:
    strong, weak = scaled("points = [64, 256, 1024]"), scaled("mode = weak, points = [64, 256, 1024]")
    assert [p["settings"]["batch"] for p in weak["points"]] == [1024, 4096, 16_384]  # 64 a replica
    assert {p["results"]["micro_batches"] for p in weak["points"]} == {64}
    assert weak["efficiency"][2] > strong["efficiency"][2]


def test_nodes_grow_like_gpus() -> None:
    nodes, gpus = scaled("over = cluster.nodes, points = 8..32 doubling"), scaled("points = [64, 128, 256]")
    assert nodes["efficiency"] == gpus["efficiency"] and nodes["mode"] == "strong"


def test_without_points_gpus_double_from_one_replica() -> None:
    made = scaled("")
    assert made["axes"][0]["values"] == [4 * 2**i for i in range(11)]  # up to 32 x 128
    assert made["points"][0]["settings"]["layout.data"] == 1 and made["efficiency"][0] == 1


def test_without_points_nodes_double_from_one_or_one_replica() -> None:
    """A replica of 4 GPUs is half a node, one of 32 GPUs four; up to 32 x 16 nodes."""
    assert scaled("over = cluster.nodes")["axes"][0]["values"] == [2**i for i in range(10)]
    wide = scaled("over = cluster.nodes", "layout.pipeline=8")
    assert wide["axes"][0]["values"] == [4 * 2**i for i in range(8)]


def test_a_wider_network_hides_its_traffic() -> None:
    made = scaled("over = cluster.tier.pod.bandwidth, points = [50, 100, 200, 400, 800] Gb/s")
    share = made["efficiency"]
    assert made["mode"] is None and all(b >= a for a, b in zip(share, share[1:], strict=False)) and share[-1] > share[0]
    p = made["points"][0]["results"]
    assert share[0] == pytest.approx(p["compute_time"] / p["step_time"], rel=1e-9)


def test_base_results_are_those_of_the_run_itself() -> None:
    made = scaled("points = [64, 128]")
    assert made["base_results"]["step_time"] == made["points"][1]["results"]["step_time"]  # the run has 128 GPUs


def record(block: str) -> dict[str, Any]:
    """A scale of the shipped scenario that gives the record."""
    text = (ROOT / "scenarios" / "reduced-70b.scn").read_text("utf-8").partition("report ")[0]
    return of(scenario_of(text + f"scale growing {{ base = reduced-70b, {block} }}\n"))


def test_s1s_curve_over_gpus_is_weak_scaling() -> None:
    """The record keeps each replica's sequences: its 48 GPU counts through the table give its efficiencies."""
    counts = sorted({int(n) for n, _ in RECORD["efficiency_over_gpus"]})
    made = record(f"mode = weak, points = [{', '.join(map(str, counts))}]")
    shares = {int(p["settings"]["cluster.gpus"]): p["results"]["scaling_efficiency"] for p in made["points"]}
    assert [[n, round(100 * shares[n], 2)] for n, _ in RECORD["efficiency_over_gpus"]] == RECORD["efficiency_over_gpus"]


def test_s1s_curve_over_the_link() -> None:
    links = [20 + (900 - 20) * i / 47 for i in range(48)]  # the record rounds them to 0.1 GB/s
    made = record(f"over = cluster.link, points = [{', '.join(f'{x:.6f}' for x in links)}] GB/s")
    for p, own, (_, share) in zip(made["points"], made["efficiency"], RECORD["efficiency_over_link"], strict=True):
        assert round(100 * p["results"]["scaling_efficiency"], 2) == share
        assert own == pytest.approx(p["results"]["scaling_efficiency"], rel=1e-9)


def test_the_other_model_stands_beside_it_where_its_inputs_are_stated() -> None:
    made = of(scenario_of(REDUCIBLE + "scale growing { base = base, points = [64, 128, 256] }\n"))
    names = {c["metric"]: c for c in made["curves"]}
    assert set(names) == {"mfu", "tokens_per_second"} and names["mfu"]["name"] == "reduced model"
    assert names["mfu"]["x"] == [64, 128, 256] and all(0 < y < 1 for y in names["mfu"]["y"])
    assert scaled("points = [64, 128]")["curves"] == []


REDUCIBLE = PLAN.replace("run base {", "run base { efficiency.compute = 500 TFLOPS,").replace(
    "model small {", "model small { parameters = 8e9,"
)


def test_the_reduced_model_has_what_oversubscription_leaves_of_the_outermost_tier() -> None:
    """50 GB/s at 2:1 are 25 GB/s where every GPU sends: the same curve as with that link stated."""
    block = "scale growing { base = base, points = [64, 128, 256] }\n"
    tier = "tier pod { bandwidth = 400 Gb/s"
    assert tier in REDUCIBLE
    halved = of(scenario_of(REDUCIBLE.replace(tier, f"{tier}, oversubscription = 2") + block))["curves"]
    stated = of(scenario_of(REDUCIBLE + block, "cluster.link=25 GB/s"))["curves"]
    whole = of(scenario_of(REDUCIBLE + block))["curves"]
    assert halved == stated and all(a < b for a, b in zip(halved[0]["y"], whole[0]["y"], strict=True))


def test_the_space_is_worked_out_once() -> None:
    (table,) = scenario_of(REDUCIBLE + "scale growing { base = base, points = [64, 128, 256] }\n").tables
    assert table.space is not None
    space = Mock(side_effect=table.space)
    made = evaluate_scale(table._replace(space=space))
    assert space.call_count == 1 and made["model"] == "operator model" and len(made["curves"]) == 2


@pytest.mark.parametrize(("block", "code"), [
    ("over = cluster.gpu", "E16"),
    ("over = cluster.gpuz", "E15"),
    ("over = cluster.gpus / 2", "E16"),
    ("points = [64, 128] GB", "E18"),
    ("over = cluster.restart", "E13"),
    ("over = stack.passes", None),
    ("mode = weak, points = [64, 100]", None),
])  # fmt: skip
def test_mistakes(block: str, code: str | None) -> None:
    found = problems_of(PLAN + f"scale growing {{ base = base, {block} }}\n")
    assert ([p.code for p in found][:1] == [code]) if code else found == []


def test_a_batch_that_no_replica_shares_cannot_grow() -> None:
    plan = PLAN.replace("batch = 2048", "batch = 2047")
    (problem,) = problems_of(plan + "scale growing { base = base, mode = weak, points = [64, 128] }\n")
    assert problem.code == "E26" and "no whole number" in problem.title


def test_a_scale_is_in_the_document_and_not_listed_as_not_evaluated(tmp_path: Path) -> None:
    (tmp_path / "a.scn").write_text(PLAN + "scale growing { base = base, points = [64, 128] }\n", encoding="utf-8")
    assert build(read(tmp_path / "a.scn").scenario)["not_evaluated"] == []

"""The document of a scenario: numbers from the engine, verdicts from the file, nothing filled in."""

import json
from pathlib import Path
from typing import Any

import pytest

from reports.commands.source import read
from reports.document import build, exit_code

PLAN = """edition 2026
import "library/gpus.scn"
import "library/models.scn"

cluster hopper {
  gpu   = h100-sxm
  nodes = 16
  %s
  tier node { bandwidth = 450 GB/s, latency = 1 us }
  tier pod { bandwidth = 400 Gb/s, latency = 10 us }
}

run small {
  model   = llama-3-8b
  cluster = hopper
  %s
  layout { tensor = 2, micro_batch = 1 sequence, recompute = selective }
  %s
}
"""
PRICED = ("price = $2.10/gpu-hour", "tokens = 1T tokens\n  batch = 512 sequences", "require mfu >= 20%")


def document(folder: Path, cluster: str = PRICED[0], run: str = PRICED[1], rules: str = PRICED[2]) -> dict[str, Any]:
    file = folder / "plan.scn"
    file.write_text(PLAN % (cluster, run, rules), encoding="utf-8")
    source = read(file)
    assert not source.in_error, source.shown
    return build(source.scenario)


def point(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = document["experiments"][0]["points"][0]
    return found


def test_a_document_is_plain_json_without_nan(tmp_path: Path) -> None:
    text = json.dumps(document(tmp_path), allow_nan=False)
    assert str(tmp_path) not in text


def test_ledger_sums_to_the_step_time(tmp_path: Path) -> None:
    p = point(document(tmp_path))
    assert sum(row["exposed"] for row in p["ledger"]) == pytest.approx(p["results"]["step_time"], rel=1e-9)


def test_parameter_parts_sum_to_the_count(tmp_path: Path) -> None:
    p = point(document(tmp_path))
    assert sum(row["count"] for row in p["parameters"]) == p["results"]["parameters"] == 8_030_261_248


def test_cost_lines_sum_to_the_cost_and_the_rest_is_not_included(tmp_path: Path) -> None:
    p = point(document(tmp_path))
    assert sum(row["usd"] or 0 for row in p["cost"]) == pytest.approx(p["results"]["cost"], rel=1e-9)
    assert {row["line"] for row in p["cost"] if row["usd"] is None} >= {"staff", "support", "tax", "trial runs"}


def test_power_of_a_node_is_more_than_its_gpus(tmp_path: Path) -> None:
    """16 DGX H100 draw 10.2 kW each, not 8 x 700 W."""
    lines = {row["line"]: row["peak"] for row in point(document(tmp_path))["power"]}
    assert lines["GPUs"] == pytest.approx(16 * 5600)
    assert lines["GPUs"] + lines["host"] + lines["NICs"] == pytest.approx(16 * 10200)


def test_a_failed_require_shows_its_operands_and_makes_the_exit_code_one(tmp_path: Path) -> None:
    d = document(tmp_path, rules='require mfu >= 90% because "a test"')
    v = point(d)["verdicts"][0]
    assert v["holds"] is False and v["because"] == "a test" and 0.1 < v["values"]["mfu"]["value"] < 0.9
    assert d["verdict"]["word"] == "not_feasible" and exit_code(d) == 1


@pytest.mark.parametrize(("changed", "result", "missing"), [
    ({"cluster": ""}, "cost", "cluster.price"),
    ({"run": "batch = 512 sequences"}, "time_to_train", "tokens"),
    ({"cluster": PRICED[0] + "\n  gpus_per_node = 4 gpus"}, "carbon", "cluster.carbon_intensity"),
])  # fmt: skip
def test_a_missing_input_is_null_and_named(tmp_path: Path, changed: dict[str, str], result: str, missing: str) -> None:
    if result == "cost":
        changed = {"cluster": "# no price"}
    p = point(document(tmp_path, rules=f"require {result} > 0 * {result}", **changed))
    assert p["results"][result] is None
    assert missing in next(u["missing"] for u in p["unavailable"] if u["result"] == result)
    assert p["verdicts"][0]["holds"] is None


def test_a_layout_that_cannot_be_built_is_a_result(tmp_path: Path) -> None:
    d = document(tmp_path, run="tokens = 1T tokens\n  batch = 511 sequences")
    p = point(d)
    assert p["status"] == "cannot_be_built" and p["reasons"] and p["alternatives"] and exit_code(d) == 1


def test_every_input_has_its_place_or_is_a_default(tmp_path: Path) -> None:
    for row in point(document(tmp_path))["inputs"]:
        assert row["where"] or row["origin"] in ("default", "derived"), row


def test_a_limit_of_a_require_stands_beside_its_key_number(tmp_path: Path) -> None:
    d = document(tmp_path, rules="require time_to_train <= 400 days\n  require time_to_train <= 300 days")
    key = next(k for k in d["key_numbers"] if k["name"] == "time_to_train")
    assert key["limit"] == {"value": 300 * 86400.0, "op": "<="}
    assert key["margin"] == pytest.approx(1 - key["value"] / (300 * 86400))

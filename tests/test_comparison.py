"""A compare block evaluated: differences with their signs, the inputs that differ, conditions, the exit code."""

from pathlib import Path
from typing import Any

import pytest

from reports.book import bind
from reports.commands.source import read
from reports.commands.unmet import unmet
from reports.document import build, exit_code
from reports.plan import plan_of
from reports.tables import Status

FILE = """edition 2026
import "library/gpus.scn"
import "library/models.scn"

cluster hopper {
  gpu   = h100-sxm
  nodes = 16
  price = $2/gpu-hour
  tier node { bandwidth = 450 GB/s, latency = 1 us }
  tier pod { bandwidth = 400 Gb/s, latency = 10 us }
}
cluster dear from hopper { price = $3/gpu-hour }

run base "At two dollars" {
  model   = llama-3-8b
  cluster = hopper
  tokens  = 1T tokens
  batch   = 512 sequences
  layout { tensor = 2, micro_batch = 1 sequence, recompute = selective }
  %s
}
run other "At three dollars" from base { cluster = dear }
run wide from base { layout.tensor = 4 }
run apart {
  model   = llama-3-8b
  cluster = dear
  tokens  = 1T tokens
  batch   = 512 sequences
  layout { tensor = 2, micro_batch = 1 sequence, recompute = selective }
}

compare both "What a dollar more does" {
  between  = [%s]
  baseline = base
  %s
}
"""


def made(folder: Path, rules: str = "", between: str = "other, base, wide", own: str = "") -> dict[str, Any]:
    file = folder / "plan.scn"
    file.write_text(FILE % (rules, between, own), encoding="utf-8")
    source = read(file)
    assert not source.in_error, source.shown
    return build(source.scenario)


def compared(document: dict[str, Any]) -> dict[str, Any]:
    (found,) = (e for e in document["experiments"] if e["kind"] == "compare")
    return dict(found)


def row(found: dict[str, Any], name: str) -> dict[str, Any]:
    return next(dict(r) for r in found["rows"] if r["text"] == name)


def test_differences_are_those_to_the_baseline_wherever_it_stands(tmp_path: Path) -> None:
    found = compared(made(tmp_path))
    assert [p["name"] for p in found["points"]] == ["other", "base", "wide"] and found["baseline"] == "base"
    cost = row(found, "cost")
    assert cost["differences"][1] == 0 and cost["ratios"][0] == pytest.approx(1.5, rel=1e-9)
    assert cost["differences"][0] == pytest.approx(cost["values"][1] / 2, rel=1e-9)
    assert row(found, "time_to_train")["differences"][0] == 0


def test_what_is_best_is_said_where_one_end_is_better(tmp_path: Path) -> None:
    found = compared(made(tmp_path, between="base, other", own="show = [cost as $M, cost / tokens as $/Mtoken, batch]"))
    assert row(found, "cost")["best"] == ["base"] and row(found, "cost")["unit"] == "$M"
    assert row(found, "cost / tokens")["best"] == [] and row(found, "batch")["best"] == []
    assert [r["text"] for r in found["rows"]] == ["cost", "cost / tokens", "batch"]


def test_every_input_that_differs_is_listed_and_no_other(tmp_path: Path) -> None:
    rows = {r["path"]: r for r in compared(made(tmp_path, between="base, other"))["inputs"]}
    assert set(rows) == {"cluster", "cluster.price"}
    assert rows["cluster.price"]["values"] == pytest.approx([2 / 3600, 3 / 3600])
    derived = {r["path"]: r["origins"] for r in compared(made(tmp_path))["inputs"]}
    assert derived["layout.tensor"] == ["inherited", "stated", "stated"]
    assert derived["layout.data"] == ["default"] * 3  # follows from it


def test_bars_add_up_in_the_document(tmp_path: Path) -> None:
    falls = compared(made(tmp_path))["waterfall"]
    for name, unit in (("step_time", "seconds"), ("cost", "usd")):
        assert [w["run"] for w in falls[name]] == ["other", "wide"]
        for w in falls[name]:
            total = sum(bar[unit] for bar in w["bars"])
            assert abs(total - w["difference"]) <= 1e-9 * max(w["from"], w["to"])
            assert w["difference"] == pytest.approx(w["to"] - w["from"], abs=1e-9 * w["to"])


def test_requires_of_the_block_and_of_the_baseline_bind_every_run(tmp_path: Path) -> None:
    limit = 'require cost <= $80k because "the budget"'
    document = made(tmp_path, rules=limit, between="other, base, apart", own="require mfu >= 1%")
    found = compared(document)
    held = {p["name"]: [(v["require"], v["holds"], v["origin"]) for v in p["verdicts"]] for p in found["points"]}
    price = row(found, "cost")["values"]
    assert price[1] < 80e3 < price[0]
    assert held["other"] == [("cost <= $80k", False, "base"), ("mfu >= 1%", True, "both")]
    assert held["base"][0] == ("cost <= $80k", True, "base")
    assert held["apart"] == held["other"]  # a run that does not inherit it is bound by the baseline's
    assert exit_code(document) == 1


def test_a_condition_of_the_block_alone_is_told_and_makes_the_exit_code_one(tmp_path: Path) -> None:
    document = made(tmp_path, own='require cluster.price <= $2.50/gpu-hour because "the offer"')
    assert exit_code(document) == 1
    (line,) = unmet(document)
    assert line.startswith("compare `both`, run `other`: cluster.price <= $2.50/gpu-hour does not hold")


def test_a_run_must_meet_what_every_comparison_of_it_requires_on_page_1_and_in_its_section(tmp_path: Path) -> None:
    again = """}
compare again { between = [wide, base], baseline = base
  require mfu >= 99% because "the offer"
"""
    document = made(tmp_path, rules="require mfu >= 1%", own=f"require cost <= $80k{chr(10)}{again}")
    (table,) = [t for t in bind(document).tables if t.key == "requirements"]
    assert [(r[0], r[-1]) for r in table.rows] == [
        ("mfu >= 1%", Status("pass")), ("cost <= $80k", Status("pass")), ("mfu >= 99%", Status("fail")),
    ]  # fmt: skip
    assert document["verdict"]["word"] == "not_feasible"
    said = next(r for r in plan_of(document).others if r.experiment["name"] == "other").verdicts
    assert [(v["require"], v["holds"]) for v in said] == [("mfu >= 1%", True), ("cost <= $80k", False)]


def test_imported_runs_are_evaluated_and_the_baseline_is_what_the_document_is_about(tmp_path: Path) -> None:
    (tmp_path / "runs.scn").write_text(FILE % ("", "base, other", ""), encoding="utf-8")
    file = tmp_path / "only.scn"
    file.write_text('edition 2026\nimport "runs.scn"\ncompare c { between = [other, base], baseline = base }\n')
    document = build(read(file).scenario)
    assert [e["kind"] for e in document["experiments"]] == ["compare"]
    assert plan_of(document).experiment["name"] == "base" and document["key_numbers"][0]["value"] > 0
    assert document["verdict"]["word"] == "not_decided"


def test_a_run_that_cannot_be_built_has_no_values(tmp_path: Path) -> None:
    document = made(tmp_path, between="base, wide")
    assert exit_code(document) == 0
    file = tmp_path / "plan.scn"
    file.write_text(file.read_text().replace("layout.tensor = 4", "layout.tensor = 3"), encoding="utf-8")
    document = build(read(file).scenario)
    found = compared(document)
    assert found["points"][1]["status"] == "cannot_be_built" and exit_code(document) == 1
    assert row(found, "step_time")["values"][1] is None and row(found, "step_time")["differences"][1] is None
    (fall,) = found["waterfall"]["step_time"]
    assert (fall["to"], fall["difference"], fall["bars"]) == (None, None, [])

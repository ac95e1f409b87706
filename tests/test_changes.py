"""What changed from one document to another: inputs first, results by the size of their change, and the commands."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.change_book import bind_changes
from reports.changes import changes, result_changes, size_of, table_changes
from reports.html import render_html, screen_page
from tests.test_comparison import made
from tests.test_render import call

ROOT = Path(__file__).resolve().parents[1]
RULE = 'require cost <= $80k because "the budget"'


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    """A plan, and the same with `other` on eight times the tensor degree and without the run `apart`."""
    folder = tmp_path_factory.mktemp("both")
    old = made(folder, rules=RULE)
    file = folder / "plan.scn"
    text = file.read_text("utf-8").replace("run other", "run second").replace("[other, base", "[second, base")
    (folder / "new.scn").write_text(text.replace("tensor = 2", "tensor = 8", 1), encoding="utf-8")
    from reports.commands.source import read
    from reports.document import build

    return old, build(read(folder / "new.scn").scenario)


def test_runs_are_matched_by_name_and_the_rest_is_named(both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    found = changes(*both)
    assert [(r["old"], r["new"]) for r in found["runs"]] == [("base", "base"), ("wide", "wide"), ("apart", "apart")]
    assert (found["only_old"], found["only_new"]) == (["other"], ["second"])
    assert found["changed"] and not found["runs"][2]["results"]


def test_inputs_that_were_stated_come_before_those_that_follow(both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    rows = changes(*both)["runs"][0]["inputs"]
    assert [(r["path"], r["old"], r["new"]) for r in rows] == [("layout.tensor", 2, 8), ("layout.data", 64, 16)]


def test_every_result_that_changed_is_there_and_the_largest_change_comes_first(
    both: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    old, new = (d["experiments"][0]["points"][0]["results"] for d in both)
    rows = changes(*both)["runs"][0]["results"]
    assert {r["name"] for r in rows} == {n for n in old if old[n] != new[n]}
    sizes = [r["size"] for r in rows if r["size"] is not None]
    assert sizes == sorted(sizes, reverse=True)
    cost = next(r for r in rows if r["name"] == "cost")
    assert cost["difference"] == pytest.approx(new["cost"] - old["cost"], rel=1e-9)


def test_nothing_changes_from_a_document_to_itself(both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    found = changes(both[0], json.loads(json.dumps(both[0])))
    assert not found["changed"] and found["runs"][0]["results"] == [] and found["tables"] == []


def test_a_requirement_that_no_longer_holds_is_said(both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    found = changes(*both)
    assert {"name": "cost <= $80k", "old": "pass", "new": "fail"} in found["runs"][0]["verdicts"]
    page = screen_page(bind_changes(found))
    assert "cost &lt;= $80k no longer holds (base)" in page and "layout.tensor" in page


def test_a_comparison_says_how_many_of_its_points_changed(both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    (table,) = changes(*both)["tables"]
    assert (table["name"], table["points"], table["gone"], table["added"]) == ("both", 2, 1, 1)
    assert table["changed"] == 1 and table["largest"]["at"] == "base"


def test_bands_of_a_sensitivity_are_compared() -> None:
    old = {"kind": "sensitivity", "name": "s", "points": [], "bands": {"cost": {"p10": 1.0, "p50": 2.0}}}
    new = old | {"bands": {"cost": {"p10": 1.0, "p50": 3.0}}}
    (found,) = table_changes({"experiments": [old]}, {"experiments": [new]})
    assert (found["points"], found["changed"]) == (1, 1)
    assert [r["name"] for r in found["largest"]["results"]] == ["cost p50"]
    assert list(table_changes({"experiments": [old]}, {"experiments": [old]})) == []


@given(st.floats(-1e9, 1e9) | st.none(), st.floats(-1e9, 1e9) | st.none())
def test_the_size_of_a_change_is_the_same_both_ways(old: float | None, new: float | None) -> None:
    size = size_of(old, new)
    assert size == size_of(new, old) and (size is None or 0 <= size <= 2)
    assert bool(result_changes({"x": old}, {"x": new})) == (size is None or size > 1e-11)


@pytest.mark.slow
def test_two_shipped_scenarios(tmp_path: Path) -> None:
    """The acceptance of the command: changed inputs are named, the largest changed results come first."""
    done = call("scn", "diff", ROOT / "scenarios/team-70b.scn", ROOT / "scenarios/buy.scn", cwd=tmp_path)
    assert (done.code, done.err) == (1, "")
    lines = done.out.splitlines()
    assert "No run has the same name in both files: flat and on-h100 are held against each other." in lines
    inputs, results = lines.index("inputs of flat -> on-h100"), lines.index("results, the largest change first")
    assert inputs < results
    assert any(line.split() == ["tokens", "15", "T", "tokens", "->", "2", "T", "tokens"] for line in lines)
    assert lines[results + 5].split()[0] == "gathered_memory" and "−100.0 %" in lines[results + 5]


@pytest.mark.slow
def test_json_of_an_earlier_rendering_is_compared_with_a_file(tmp_path: Path) -> None:
    made(tmp_path)
    call("render", "plan.scn", "--format", "json", "--out", ".", "--quiet", cwd=tmp_path)
    assert call("scn", "diff", "plan.json", "plan.scn", cwd=tmp_path).code == 0
    done = call("scn", "diff", "plan.json", "plan.scn", "--set", "cluster.price=$4/gpu-hour", "--format", "json",
                cwd=tmp_path)  # fmt: skip
    found = json.loads(done.out)
    assert done.code == 1 and [r["path"] for r in found["runs"][0]["inputs"]] == ["cluster.price"]
    assert {r["name"] for r in found["runs"][0]["results"]} == {"cost", "cost_per_token"}
    (tmp_path / "other.json").write_text("[1]")
    assert call("scn", "diff", "other.json", "plan.scn", cwd=tmp_path).code == 2
    assert call("scn", "diff", "none.json", "plan.scn", cwd=tmp_path).code == 2


@pytest.mark.slow
def test_the_document_of_changes(tmp_path: Path) -> None:
    made(tmp_path)
    arguments = ("render", "--diff", "plan.scn", "plan.scn", "--set", "base.layout.tensor=8", "--out", "out")
    done = call(*arguments, "--format", "html,json,csv", cwd=tmp_path)
    assert done.code == 0, done.err
    assert {p.name for p in (tmp_path / "out").iterdir()} >= {"plan-changes.html", "plan-changes.json"}
    page = (tmp_path / "out" / "plan-changes.html").read_text("utf-8")
    assert "What changed from plan to plan" in page and "layout.tensor" in page and "figure-changes" in page
    assert call("render", "--diff", "plan.scn", "none.scn", cwd=tmp_path).code == 2
    assert call("render", "--diff", "plan.scn", "plan.scn", "plan.scn", cwd=tmp_path).code == 2
    assert call("render", cwd=tmp_path).code == 2


def test_the_other_documents_are_what_they_were(both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    assert "Executive summary" in render_html(both[0])

"""`scn explain FILE RESULT`: the tree as printed, as JSON, and what is said of names that are none."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from engine.provenance.origin import ENGINE, assignments
from reports.plan import Plan
from reports.sections.method import sources
from tests.conftest import ROOT
from tests.formulas import from_leaves, index
from tests.test_render import call

TEAM = ROOT / "scenarios" / "team-70b.scn"
SCREENS = 100  # lines of two


def test_a_step_time_fits_two_screens_and_names_formulas_values_and_sources(tmp_path: Path) -> None:
    done = call("scn", "explain", TEAM, "step_time", cwd=tmp_path)
    lines = done.out.splitlines()
    assert (done.code, done.err) == (0, "") and 40 < len(lines) < SCREENS
    assert max(map(len, lines)) <= 120
    assert lines[0].startswith("step_time of run `flat` in ")
    assert lines[2].startswith("step_time = ") and " s   one optimizer step" in lines[2]
    assert "= compute_time + tensor_communication + data_communication" in lines[3]
    assert any(line.startswith("├─ compute_time = ") for line in lines)
    assert "--depth 3 shows more" in lines[-1]


def test_deeper_levels_reach_the_settings_with_their_places(tmp_path: Path) -> None:
    done = call("scn", "explain", TEAM, "mfu", "--depth", "3", cwd=tmp_path)
    assert "gpu.peak.bf16 = 989 TFLOP/s   library/gpus.scn:" in done.out
    assert "NVIDIA H100 datasheet" in done.out
    shallow = call("scn", "explain", TEAM, "mfu", "--depth", "0", cwd=tmp_path)
    assert len(shallow.out.splitlines()) < 8 < len(done.out.splitlines())


def test_the_json_holds_the_whole_tree(tmp_path: Path) -> None:
    done = call("scn", "explain", TEAM, "cost", "--format", "json", "--set", "cluster.nodes=256", cwd=tmp_path)
    tree = json.loads(done.out)
    assert {"name", "value", "unit", "formula", "source", "children"} <= tree.keys()
    assert tree["name"] == "cost" and tree["unit"] == "USD"
    items = index([tree])
    assert from_leaves(tree, items, {}) == pytest.approx(tree["value"], rel=1e-12)
    nodes = next(item for item in items.values() if item["label"] == "cluster.nodes")
    assert nodes["value"] == 256 and nodes["source"].startswith("--set")


def test_a_run_is_chosen_by_its_name(tmp_path: Path) -> None:
    named = call("scn", "explain", TEAM, "hsdp.step_time", cwd=tmp_path)
    assert named.out.startswith("step_time of run `hsdp`")
    assert call("scn", "explain", TEAM, "step_time", "--run", "hsdp", cwd=tmp_path).out == named.out
    compared = call("scn", "explain", ROOT / "scenarios" / "buy.scn", "on-h200.cost", "--depth", "1", cwd=tmp_path)
    assert compared.out.startswith("cost of run `on-h200`")


def test_results_are_listed_where_none_is_asked_for(tmp_path: Path) -> None:
    done = call("scn", "explain", TEAM, cwd=tmp_path)
    assert done.code == 0 and "  step_time " in done.out and "  memory_per_gpu " in done.out


@pytest.mark.parametrize(("arguments", "said"), [
    (("days",), "there is no result `days`; did you mean time_to_train?"),
    (("cots",), "there is no result `cots`; did you mean cost?"),
    (("flatt.cost",), "has no run `flatt`; did you mean `flat`?"),
    (("cost", "--run", "zzz"), "has no run `zzz`; it has flat and hsdp"),
    (("carbon",), "run `flat` has no carbon: it needs cluster.carbon_intensity"),
])  # fmt: skip
def test_what_cannot_be_explained_is_said_with_a_way_out(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = call("scn", "explain", TEAM, *arguments, cwd=tmp_path)
    assert done.code == 2 and said in done.err


def test_a_file_in_error_shows_its_problems(tmp_path: Path) -> None:
    (tmp_path / "bad.scn").write_text("edition 2026\nrun a { model = none }\n", encoding="utf-8")
    done = call("scn", "explain", "bad.scn", "cost", cwd=tmp_path)
    assert done.code == 2 and "error[E" in done.err
    assert call("scn", "explain", "gone.scn", "cost", cwd=tmp_path).code == 2


def test_a_file_without_a_run_has_nothing_to_explain(tmp_path: Path) -> None:
    done = call("scn", "explain", ROOT / "scenarios" / "roofline.scn", "cost", cwd=tmp_path)
    assert done.code == 2 and "has no run" in done.err


def test_constants_name_sources_that_a_reader_can_open() -> None:
    """Comments of constants are printed in reports: they name papers, repositories and published runs."""
    own = re.compile(r"\b(rulings?|S[0-9]|seeds?|findings?|catalog|study|data/)\b")
    told = {(f.name, n): c for f in ENGINE.rglob("*.py") for n, (_, c) in assignments(str(f)).items()}
    assert len(told) > 40 and told["terms.py", "ACROSS"].endswith("stas00/ml-engineering, ROCm documentation).")
    assert {name: text for name, text in told.items() if own.search(text)} == {}


def test_a_source_of_several_checks_is_named_once() -> None:
    checks = [{"source": s} for s in ("Young 1974; a book, section 9.2", "a book, section 9.2", None, "Young 1974")]
    plan = SimpleNamespace(point={"checks": checks, "measured": [{"source": "run log"}]})
    assert sources(cast(Plan, plan)) == ["Young 1974", "a book, section 9.2", "run log"]

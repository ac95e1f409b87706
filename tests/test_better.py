"""A run that its own file beats: by another run of a comparison, or by the choice of a search."""

from pathlib import Path
from typing import Any

import pytest

from reports.better import beats, better
from reports.commands.source import read
from reports.document import build, exit_code
from reports.html import render_html
from tests.test_comparison import FILE

CHEAP = FILE.replace(
    "cluster dear from hopper { price = $3/gpu-hour }", "cluster dear from hopper { price = $1/gpu-hour }"
)
SEARCH = (
    FILE.partition("run other")[0]
    + """
optimize least "Cheapest layout" {
  base     = base
  minimize = cost
  vary { layout.tensor = %s }
}
"""
)
BUDGET = 'require cost <= $1B because "the budget"'


def made(folder: Path, text: str) -> dict[str, Any]:
    (folder / "plan.scn").write_text(text, encoding="utf-8")
    source = read(folder / "plan.scn")
    assert not source.in_error, source.shown
    return build(source.scenario)


def test_a_run_that_costs_half_is_told_in_the_heading(tmp_path: Path) -> None:
    document = made(tmp_path, CHEAP % (BUDGET, "base, other, wide", ""))
    found = document["verdict"]
    assert found["word"] == "met_but_bettered" and exit_code(document) == 0
    assert (found["better"]["name"], found["better"]["by"]) == ("other", "cost")
    assert found["better"]["value"] == pytest.approx(found["better"]["own"] / 2, rel=1e-9)
    assert found["sentences"][1].startswith("Beside it other comes to")
    assert "Meets what is required; other costs less" in render_html(document)


def test_an_alternative_that_meets_not_all_is_none(tmp_path: Path) -> None:
    document = made(tmp_path, CHEAP % (BUDGET, "base, other", "require cluster.price >= $1.50/gpu-hour"))
    assert document["verdict"]["better"] is None and document["verdict"]["word"].startswith("recommended")


@pytest.mark.parametrize(("rules", "word"), [("require cost <= $1", "not_feasible"), ("", "not_decided")])
def test_only_what_meets_its_requirements_is_bettered(tmp_path: Path, rules: str, word: str) -> None:
    assert made(tmp_path, CHEAP % (rules, "base, other", ""))["verdict"]["word"] == word


def test_less_work_is_no_alternative(tmp_path: Path) -> None:
    document = made(tmp_path, CHEAP % (BUDGET, "base, other", ""))
    run = next(e for e in document["experiments"] if e["kind"] == "run")["points"][0]
    both = next(e for e in document["experiments"] if e["kind"] == "compare")
    assert better(run, [both]) is not None
    for changed in ({"tokens": 0.9e12}, {"model": "llama-3-70b"}, {"model.layers": 16.0}, {"sequence": 4096.0}):
        other = [p | {"settings": p["settings"] | changed} if p["name"] == "other" else p for p in both["points"]]
        assert better(run, [both | {"points": other}]) is None


def test_without_a_price_what_is_done_first_is_better(tmp_path: Path) -> None:
    text = FILE.replace("  price = $2/gpu-hour\n", "").replace("{ price = $3/gpu-hour }", "{ gpu = b200 }")
    found = made(tmp_path, text % ("require time_to_train <= 9000 days", "base, other", ""))["verdict"]["better"]
    assert (found["name"], found["by"]) == ("other", "time_to_train") and found["value"] < found["own"]


def test_the_choice_of_a_search_beats_its_base(tmp_path: Path) -> None:
    """Tensor degree 2 as it stands is compared with the best of 1, 2 and 4."""
    document = made(tmp_path, SEARCH.replace("tensor = 2", "tensor = 8") % (BUDGET, "[1, 2, 4]"))
    search = next(e for e in document["experiments"] if e["kind"] == "optimize")
    best = next(p for p in search["points"] if p["index"] == search["best"][0])
    run = next(e for e in document["experiments"] if e["kind"] == "run")["points"][0]
    found = document["verdict"]["better"]
    assert found["heading"] == "the search's choice costs less"
    assert found["kind"] == "optimize" and document["verdict"]["word"] == "met_but_bettered"
    assert found["value"] == pytest.approx(best["results"]["cost"]) and best["results"]["cost"] < run["results"]["cost"]
    assert found["own"] == pytest.approx(run["results"]["cost"], rel=1e-9)


def test_a_run_that_is_its_searchs_choice_is_not_beaten(tmp_path: Path) -> None:
    document = made(tmp_path, SEARCH % (BUDGET, "[2]"))
    assert document["verdict"]["better"] is None and document["verdict"]["word"].startswith("recommended")


def test_what_prints_the_same_is_not_better() -> None:
    assert beats("cost", 1.44e6, 1.88e6, "minimize") and not beats("cost", 1.8801e6, 1.8802e6, "minimize")
    assert beats("mfu", 0.5, 0.4, "maximize") and not beats("mfu", 0.4, 0.5, "maximize")
    assert not beats("cost", None, 1.0, "minimize")

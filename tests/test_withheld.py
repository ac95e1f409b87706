"""A design review holds no prices, whatever holds them: two scenarios that differ in prices alone give one document."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from reports.book import bind
from reports.commands.job import carried
from reports.commands.source import Source, read
from reports.csv_files import csv_files
from reports.document import build
from reports.html import screen_page
from reports.withheld import AMOUNT, AMOUNTS, without_amounts, without_prices
from tests.experiment_documents import document as experiment

SCENARIOS = Path(__file__).parents[1] / "scenarios"


def reviewed(folder: Path, text: str) -> Source:
    """The scenario as a design review."""
    path = folder / "plan.scn"
    asked = re.sub(r"(?m)^(report[^{\n]*\{)(?:\s*kind\s*=\s*\w+)?", r"\1\n  kind = design_review", text, count=1)
    path.write_text(asked if "design_review" in asked else f"{asked}\nreport {{\n  kind = design_review\n}}\n", "utf-8")
    source = read(path)
    assert not source.in_error, source.shown
    return source


def printed(document: Any) -> str:
    """Page and tables of a document, without figures, fonts and style."""
    book = bind(document)
    page = re.sub(r"<style>.*?</style>|<script>.*?</script>", "", screen_page(book), flags=re.DOTALL)
    return page + "".join(csv_files(book.tables).values())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["team-70b", "buy", "programme", "deepseek-v3", "llama-405b-16k"])
def test_no_amount_is_left(name: str, tmp_path: Path) -> None:
    source = reviewed(tmp_path, (SCENARIOS / f"{name}.scn").read_text("utf-8"))
    document = build(source.scenario)
    whole = json.dumps(document) + printed(document) + "".join(d.decode() for d in carried(source, document).values())
    assert AMOUNTS.findall(whole) == []
    assert "Withheld" in printed(document) and document["withheld"] == ["prices"]


@pytest.mark.slow
def test_prices_do_not_show_in_any_form(tmp_path: Path) -> None:
    text = (SCENARIOS / "team-70b.scn").read_text("utf-8")
    found = []
    for factor in ("2.00", "2.20"):
        own = re.sub(r"(price\s*=\s*)\S+.*", rf"\g<1>{factor} $/gpu-hour", text)
        assert own != text
        source = reviewed(tmp_path, own)
        document = build(source.scenario)
        found.append((document | {"sha256": ""}, carried(source, document)))
    assert found[0] == found[1]
    assert printed(found[0][0]) == printed(found[1][0])


def test_a_requirement_on_cost_keeps_whether_it_holds(tmp_path: Path) -> None:
    source = reviewed(tmp_path, (SCENARIOS / "team-70b.scn").read_text("utf-8"))
    rows = build(source.scenario)["experiments"][0]["points"][0]["verdicts"]
    held = [row for row in rows if "withheld" in row["require"]]
    assert len(held) == 1 and held[0]["holds"] is True and held[0]["values"] == {}


def test_amounts_are_struck_out_of_texts() -> None:
    for amount in ("2.35 $/gpu-hour", "$2.5M", "20 M$", "USD 3", "1,250 USD", "$20 million", "2..3 $/gpu-hour"):
        assert without_amounts(f"at {amount}, then") == f"at {AMOUNT}, then", amount
    for kept in ("64 GPUs", "$SLURM_NODEID", "5 days", "python $1"[:6]):
        assert without_amounts(kept) == kept


@pytest.mark.parametrize("name", ["cheapest", "layouts", "growing", "ranges"])
def test_a_table_of_points_has_no_amounts(name: str) -> None:
    found = without_prices(experiment(name))
    assert AMOUNTS.findall(json.dumps(found) + printed(found)) == []

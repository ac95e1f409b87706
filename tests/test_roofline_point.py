"""Roofline blocks of the shipped file against the figures of "How to Scale Your Model", through the document."""

from pathlib import Path
from typing import Any

import pytest

from reports.commands.source import read
from reports.document import build, exit_code
from reports.html import render_html


@pytest.fixture(scope="module")
def operations(scenarios: Path) -> dict[str, Any]:
    source = read(scenarios / "roofline.scn")
    assert not source.in_error, source.shown
    return {e["name"]: e["points"][0] for e in build(source.scenario)["experiments"]}


@pytest.mark.oracle("roofline-h100")
@pytest.mark.parametrize(("name", "milliseconds"), [("h100-teraflop", 1.01), ("v6e-teraflop", 1.1)])
def test_time_of_a_teraflop(operations: dict[str, Any], name: str, milliseconds: float) -> None:
    assert operations[name]["results"]["compute"] * 1e3 == pytest.approx(milliseconds, abs=0.011)


@pytest.mark.oracle("roofline-ridge")
def test_ridge_of_a_tpu_v5e(operations: dict[str, Any]) -> None:
    assert operations["dot"]["results"]["ridge"] == pytest.approx(240.2, rel=1e-3)


def test_a_dot_product_is_bound_by_memory(operations: dict[str, Any]) -> None:
    assert operations["dot"]["bound"] == "memory"
    assert operations["dot"]["results"]["intensity"] == pytest.approx(0.5, rel=1e-5)


def test_few_tokens_are_bound_by_memory_and_many_by_arithmetic(operations: dict[str, Any]) -> None:
    assert (operations["few-tokens"]["bound"], operations["many-tokens"]["bound"]) == ("memory", "compute")
    assert 240 < operations["many-tokens"]["results"]["smallest_batch"] < 255


@pytest.mark.oracle("roofline-split")
def test_a_split_matmul_is_bound_by_its_inner_size(operations: dict[str, Any]) -> None:
    assert (operations["narrow"]["bound"], operations["wide"]["bound"]) == ("network", "compute")
    assert operations["wide"]["results"]["smallest_inner"] == pytest.approx(8755, rel=1e-3)


@pytest.mark.oracle("roofline-bounds")
def test_the_two_times_are_at_most_a_factor_of_two_apart(operations: dict[str, Any]) -> None:
    for point in operations.values():
        r = point["results"]
        if r["upper"] is not None:
            assert r["lower"] <= r["upper"] <= 2 * r["lower"]
            assert r["lower"] == max(r["compute"], r["movement"])


def test_page_one_of_operations_alone_is_about_them(scenarios: Path) -> None:
    """No plan is recommended, undecided or measured by a file that only holds operations."""
    source = read(scenarios / "roofline.scn")
    document = build(source.scenario)
    assert (document["verdict"]["word"], exit_code(document)) == ("nothing_to_decide", 0)
    page = " ".join(render_html(document).split())
    assert "Nothing to decide" in page and "Operations against the roof" in page
    bounds = [e["points"][0]["bound"] for e in document["experiments"]]
    assert (bounds.count("compute"), bounds.count("memory"), bounds.count("network")) == (2, 2, 1)
    assert (
        "two are bound by arithmetic, two are bound by memory, one is bound by the network and two state no bytes"
        in page
    )
    for absent in ("Why this plan", "Validation against measurements", "0\u00a0settings", "0 settings"):
        assert absent not in page

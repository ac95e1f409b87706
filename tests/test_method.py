"""The method appendix: every function behind page 1 is documented, and printed with its numbers."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.provenance.documented import ROOMS, modules, parted, said
from engine.provenance.quantities import QUANTITIES
from reports.book import bind
from reports.commands.source import read
from reports.document import build
from reports.equations import equations, levels
from reports.handbook import EXAMPLES, examples, handbook, literal
from reports.html import render_html
from reports.plan import plan_of
from reports.sections.method import MOST, equation_rooms
from tests.conftest import ROOT

SHIPPED = sorted((ROOT / "scenarios").glob("*.scn"))


@cache
def document(name: str) -> Any:
    return build(read(ROOT / "scenarios" / f"{name}.scn").scenario)


def test_a_docstring_is_text_source_and_what_it_leaves_out() -> None:
    found = parted("Half of x.\n\nSymbols: x.\nLeft out: y; z.\nSource: A 2020,\nsection 2.")
    assert found == {"text": "Half of x. Symbols: x.", "left_out": "y; z.", "source": "A 2020, section 2."}
    assert parted(None) == {"text": "", "left_out": "", "source": ""}
    assert said("goodput.young").source == "Young 1974." and said("goodput.young").room == "Failures and checkpoints"
    assert said("operators.mlp.inner_size").file == "engine/operators/mlp.py"


def test_every_function_with_a_name_says_what_it_is_and_where_that_is_from() -> None:
    """Those of quantities.py: what a tree may show."""
    known = {name: told for file in modules().values() for name, told in file.items()}
    named = {key.partition("[")[0].partition(":")[0] for key in QUANTITIES}
    functions = sorted(named & known.keys())
    assert len(functions) > 90
    lacking = [n for n in functions if not (known[n].text and known[n].source and known[n].room)]
    assert not lacking
    assert not [n for n in functions if len(known[n].source) > 200 or "ruling" in known[n].text]


@pytest.mark.parametrize("name", [file.stem for file in SHIPPED])
def test_every_function_behind_page_one_has_an_equation_and_a_source(name: str) -> None:
    d = document(name)
    found = equations(d["provenance"], d["formulas"])
    assert bool(found) == bool(d["provenance"])
    assert not [e.function for e in found if not (e.text and e.source and e.forms)]
    rooms = [title for title, _ in ROOMS]
    assert [rooms.index(e.room) for e in found] == sorted(rooms.index(e.room) for e in found)


def test_a_module_that_is_named_nowhere_has_a_room_all_the_same() -> None:
    """A report may show any result; its appendix must find a place for whatever works that out."""
    rooms = {title for title, _ in ROOMS}
    assert {told.room for file in modules().values() for told in file.values()} <= rooms


def test_an_equation_holds_the_scenarios_own_numbers() -> None:
    d = document("team-70b")
    found = {e.function: e for e in equations(d["provenance"], d["formulas"])}
    six, *_ = found["flops.flops_per_token"].forms
    assert [p.value for p in six.pieces if p.variable] == ["70\u00a0549\u00a0512\u00a0192\u00a0parameters"]
    assert six.shown == "423.297\u00a0GFLOP"
    ring = found["network.Group.ring_latency"].forms[0]
    assert [(p.text, p.number) for p in ring.pieces if p.variable][:2] == [("elements", ""), ("elements", "2")]
    seconds = found["kernels.gemm_seconds"].forms[0]
    times = [i["value"] for i in flat(d["provenance"]) if i.get("function") == "kernels.gemm_seconds"]
    assert seconds.places == len(times) == 15 and seconds.shown == f"{max(times) * 1e3:.6g}\u00a0ms"


def flat(trees: Any) -> Any:
    for item in trees:
        yield item
        yield from flat(item.get("children", ()))


@pytest.mark.slow
def test_a_room_prints_what_stands_nearest_to_page_one_and_names_the_rest() -> None:
    d = document("team-70b")
    depths, made = levels(d["provenance"]), equation_rooms(plan_of(d))
    assert {depths[tree["id"]] for tree in d["provenance"]} == {0}
    assert all(len(s.equations) <= MOST for s in made)
    kernels, operators = (next(s for s in made if s.title == title) for title in ("Kernels", "Operators"))
    assert {"kernels.gemm_seconds", "kernels.efficiency", "kernels.wave"} <= set(kernels.equations)
    assert operators.facts is not None and len(operators.equations) == MOST and operators.facts["left"]
    functions = {f["function"] for f in d["formulas"] if f["room"] == "Operators"}
    assert set(operators.equations) | set(operators.facts["left"]) == functions
    page = render_html(d)
    assert all(name in page for name in functions)
    numbers = [int(n) for (kind, _), n in bind(d).numbers.items() if kind == "equation"]
    assert sorted(numbers) == list(range(1, len(numbers) + 1)) and len(numbers) > 40


def test_the_error_of_the_predictor_is_stated() -> None:
    page = render_html(document("reduced-70b"))
    assert "Error of the predictor." in page and "The reduced model was not held against published runs." in page


def test_a_document_without_a_run_has_no_equations(tmp_path: Path) -> None:
    d = document("roofline")
    assert d["formulas"] == [] and equation_rooms(plan_of(d)) == []


@pytest.mark.slow
def test_the_handbook_does_not_lag() -> None:
    runs = {name: read(ROOT / "scenarios" / f"{name}.scn").scenario.runs[0] for name in EXAMPLES}
    worked = [e for _, e in examples(runs).values() if e is not None]
    assert len(worked) > 100 and not [e.function for e in worked if not (e.text and e.source)]
    assert (ROOT / "docs" / "method.md").read_text("utf-8") == handbook(runs), "run `make reference`"


def test_text_in_the_handbook_is_no_markup() -> None:
    assert literal("a_b * c < d") == "a\\_b \\* c \\< d"

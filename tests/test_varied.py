"""--vary: settings that vary from the command line, checked as in a vary { } block and kept for later versions."""

import json
from pathlib import Path

import pytest

from dsl.files import load_text
from dsl.points import size
from dsl.problems import Problem, Span, show
from dsl.resolve import resolve
from dsl.scenario import Scenario
from tests.language import RESULTS, START
from tests.test_render import HOLDS, call, put

TWO = START + "cluster other from hopper { nodes = 2 }\nrun second from base { cluster = other }\n"


def varied(text: str, *texts: str) -> tuple[Scenario, list[Problem]]:
    """A text with settings that vary."""
    return resolve(load_text(text, "case.scn"), RESULTS, (), texts)


def test_every_run_becomes_a_table() -> None:
    scenario, problems = varied(TWO, "layout.tensor=1..8 doubling", "precision=[bf16, fp8]")
    assert not problems
    assert scenario.varied == ("layout.tensor=1..8 doubling", "precision=[bf16, fp8]")
    assert [(t.kind, t.name, t.where, size(t.axes)) for t in scenario.tables] == [
        ("sweep", "base", "--vary", 8),
        ("sweep", "second", "--vary", 8),
    ]
    assert [t.span for t in scenario.tables] == [Span("case.scn", line, 1) for line in (16, 18)]
    assert [(axis.path, axis.values) for axis in scenario.tables[0].axes] == [
        ("layout.tensor", (1, 2, 4, 8)),
        ("precision", ("bf16", "fp8")),
    ]


def test_one_block_varies_in_the_runs_that_use_it() -> None:
    scenario, problems = varied(TWO, "other.nodes=2..8 step 2 nodes")
    assert not problems
    assert [(t.name, t.axes[0].path, t.axes[0].values) for t in scenario.tables] == [
        ("second", "cluster.nodes", (2, 4, 6, 8))
    ]
    assert [t.name for t in varied(TWO, "h.memory=[64, 80] GB")[0].tables] == ["base", "second"]
    assert [t.name for t in varied(TWO, "second.layout.tensor=1..2")[0].tables] == ["second"]


@pytest.mark.parametrize(
    ("text", "code", "marked"),
    [
        ("layout.tensr=1..8", "E15", "layout.tensr"),
        ("layout.tensor=8..1", "E20", "8..1"),
        ("layout.tensor=0..4", "E20", "0"),
        ("layout.tensor=1..8 GB", "E18", "1"),
        ("precision=[bf16, bf17]", "E21", "bf17"),
        ("layout.order=[tensor]", "E27", "layout.order"),
        ("batch=512..1024", "E19", "512"),
        ("layout.tensor", "E29", "r"),
        ("layout.tensor=[1, 2", "E29", "2"),
        ("", "E29", ""),
    ],
)
def test_it_is_checked_as_in_the_file_and_the_caret_is_under_the_argument(text: str, code: str, marked: str) -> None:
    problem = varied(START, text)[1][0]
    assert problem.code == code
    assert text[problem.span.column - 1 : problem.span.end - 1] == marked
    assert f"--> --vary:1:{problem.span.column}" in show([problem], {})


def test_what_varies_twice_or_nothing_is_told() -> None:
    assert [p.code for p in varied(START, "layout.tensor=1..2", "layout.tensor=4..8")[1]] == ["E12"]
    no_run = START[: START.index("run base")]
    assert [(p.code, p.label) for p in varied(no_run, "layout.tensor=1..2")[1]] == [("E27", "this file holds no run")]


def test_more_points_than_anybody_waits_for_are_refused_before_any_is_made() -> None:
    texts = [f"{path}=1..1000" for path in ("layout.tensor", "layout.pipeline", "layout.context", "layout.expert")]
    (problem,) = varied(START, *texts)[1]
    assert (problem.code, problem.title) == ("E20", "this varies over 1_000_000_000_000 points")
    in_file = START + "sweep s { base = base, vary { " + ", ".join(t.replace("=", " = ") for t in texts) + " } }\n"
    assert [p.title for p in varied(in_file)[1]] == [problem.title]


def test_the_command_records_it_and_evaluates_the_points(tmp_path: Path) -> None:
    (file,) = put(tmp_path, a=HOLDS)
    done = call("render", file, "--format", "json,html", "--vary", "layout.tensor=1..8 doubling", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    document = json.loads((tmp_path / "out" / "a.json").read_text("utf-8"))
    assert document["varied"] == ["layout.tensor=1..8 doubling"]
    own = document["experiments"][-1]
    assert (own["kind"], own["name"], own["where"]) == ("sweep", "tiny", "--vary") and not document["not_evaluated"]
    assert [p["settings"]["layout.tensor"] for p in own["points"]] == [1, 2, 4, 8]
    assert "layout.tensor=1..8 doubling" in (tmp_path / "out" / "a.html").read_text("utf-8")
    wrong = call("render", file, "--format", "json", "--vary", "layout.tensor=1..8 GB", cwd=tmp_path)
    assert wrong.code == 2 and "--> --vary:1:15" in wrong.err

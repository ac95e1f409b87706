"""Which run of a file is meant: the one that is named, else its first; also those that only a comparison holds."""

from pathlib import Path

import pytest

from reports.commands.source import read, runs_of, the_run
from reports.imports.formats import planned
from tests.test_comparison import FILE

RUNS, COMPARED = (FILE % ("", "base, other", "")).split("compare ")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A comparison of two runs of an imported file, and no run of its own."""
    (tmp_path / "runs.scn").write_text(RUNS, encoding="utf-8")
    (tmp_path / "plan.scn").write_text(f'edition 2026\nimport "runs.scn"\ncompare {COMPARED}', encoding="utf-8")
    return tmp_path / "plan.scn"


def test_runs_of_a_comparison_come_behind_a_files_own(file: Path) -> None:
    source, own = read(file), read(file.with_name("runs.scn"))
    assert not source.in_error and not source.scenario.runs, source.shown
    runs = runs_of(source.scenario)
    assert list(runs) == ["base", "other"] and list(runs_of(own.scenario)) == ["base", "other", "wide", "apart"]
    assert the_run(file, runs)[0] == "base" and the_run(file, runs, "other")[1] is runs["other"]


def test_files_can_be_held_against_a_run_of_a_comparison(file: Path) -> None:
    plan, problems = planned(file, "other")
    assert not problems and plan is not None and plan.run.name == "other"
    assert plan.run.plain()["cluster.price"] == pytest.approx(3 / 3600)


@pytest.mark.parametrize(("wanted", "names", "title", "help"), [
    ("tow", ["one", "two"], "plan.scn has no run `tow`", "did you mean `two`?"),
    ("zzz", ["one", "two"], "plan.scn has no run `zzz`", "it has one and two"),
    ("zzz", [], "plan.scn has no run", ""),
    ("", [], "plan.scn has no run", ""),
])  # fmt: skip
def test_a_run_that_is_not_there_is_said_with_those_that_are(
    wanted: str, names: list[str], title: str, help: str
) -> None:
    _, run, (problem,) = the_run(Path("plan.scn"), dict.fromkeys(names, 1), wanted)
    assert run is None and (problem.title, problem.help) == (title, help)

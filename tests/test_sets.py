"""--set: settings from the command line."""

import pytest

from dsl.scenario import Value
from tests.language import START, problems_of, scenario_of


def settings(text: str, *overrides: str) -> dict[str, Value]:
    """The settings of the last run of START and ``text``."""
    return scenario_of(START + text, *overrides).runs[-1].settings


def plain(text: str, *overrides: str) -> dict[str, object]:
    """The same, only the values."""
    return {path: value.value for path, value in settings(text, *overrides).items()}


# --set


def test_set_reaches_every_run_or_one_block() -> None:
    text = "cluster other from hopper { nodes = 2 }\nrun r from base { cluster = other }\n"
    every = scenario_of(START + text, "cluster.nodes=4")
    assert [run.settings["cluster.gpus"].value for run in every.runs] == [32, 32]
    one = scenario_of(START + text, "other.nodes=4")
    assert [run.settings["cluster.gpus"].value for run in one.runs] == [128, 32]
    assert one.overrides == ("other.nodes=4",)
    assert one.runs[1].settings["cluster.nodes"].origin == "stated"


@pytest.mark.parametrize(
    ("override", "path", "value"),
    [
        ("cluster.gpus=24", "cluster.gpus", 24),
        ("layout.schedule=interleaved(virtual_stages = 4)", "layout.schedule.virtual_stages", 4),
        ("batch=16Mi tokens", "batch", 2048),
        ("base.tokens=2T tokens", "tokens", 2e12),
        ("h.memory=64 GB", "cluster.gpu.memory", 64e9),
        ("cluster.tier.pod.latency=2 us", "cluster.tier.pod.latency", 2e-6),
        ("model.layers=16", "model.layers", 16),
    ],
)
def test_set_takes_any_setting(override: str, path: str, value: object) -> None:
    assert plain("", override)[path] == value


def test_set_reaches_the_report() -> None:
    text = START + 'report "Plan" { locale = en }\n'
    report = scenario_of(text, "report.locale=de", 'report.date="2026-01-01"').report
    assert report is not None
    assert [report.settings[name].value for name in ("locale", "date")] == ["de", "2026-01-01"]
    (problem,) = problems_of(text, "report.lokale=de")
    assert (problem.code, problem.title) == ("E11", "`lokale` is not a setting of report")
    assert problem.help == "did you mean `report.locale`?"
    assert problems_of(START, "report.locale=de")[0].title == "there is no `report.locale` to set"


def test_set_replaces_a_let_of_the_file() -> None:
    text = "let room = 8 GB\nrun r from base { memory.reserve = room }\n"
    assert plain(text, "room=4 GB")["memory.reserve"] == 4e9


@pytest.mark.parametrize(
    ("override", "code", "help"),
    [
        ("cluster.nodes", "E29", "write: cluster.nodes { ... }"),
        ("cluster.nodes=", "E29", "put a value after the ="),
        ("", "E29", "write: --set cluster.nodes=256"),
        ("cluster.node=3", "E15", "did you mean `cluster.nodes`?"),
        ("hopper.node=3", "E11", "did you mean `hopper.nodes`?"),
        ("cluster.nodes=3 GB", "E18", "units: nodes"),
        ("layout.tensor=0", "E20", "write 1 or more"),
        ("batch=3", "E19", "write 3 sequences, or 3 tokens"),
        ("precision=bf17", "E21", "did you mean `bf16`?"),
        ("a=1\nb=2", "E29", "write: --set cluster.nodes=256"),
    ],
)
def test_set_is_checked_as_if_it_stood_in_the_file(override: str, code: str, help: str) -> None:
    problem = problems_of(START, override)[0]
    if override != "cluster.nodes":
        assert problem.help == help
    assert problem.code == code and problem.span.file.startswith("--set")

"""Runs that may be compared: the same tokens, the same currency."""

from pathlib import Path

import pytest

from dsl.alike import amount
from dsl.files import load
from dsl.problems import Problem
from dsl.resolve import resolve
from tests.language import RESULTS, START, problems_of, scenario_of

COMPARED = START + "run other from base { %s }\ncompare both { between = [base, other] }\n"


def test_the_same_tokens_may_be_compared_however_they_are_written() -> None:
    assert scenario_of(COMPARED % "tokens = 1000B tokens").compares[0].baseline == "base"


def test_unlike_tokens_are_refused_and_both_places_are_shown() -> None:
    (problem,) = problems_of(COMPARED % "tokens = 2T tokens")
    assert problem.code == "E26" and problem.title == "`base` trains 1T tokens, `other` 2T tokens"
    assert [label.text for label in problem.labels] == ["those of `base`", "those of `other`"]


def test_what_the_command_line_sets_counts() -> None:
    (problem,) = problems_of(COMPARED % "", "other.tokens=500B tokens")
    assert "`other` 500B tokens" in problem.title


def test_a_run_without_tokens_contradicts_nobody() -> None:
    text = COMPARED.replace("tokens = 1T tokens, ", "")
    assert len(scenario_of(text % "tokens = 2T tokens").compares[0].runs) == 2


def in_files(folder: Path, report: str) -> list[Problem]:
    """A run of this file and one of another, whose reports state their currencies."""
    other = START.replace("base", "theirs").replace("hopper", "there").replace("small", "model-there")
    other = other.replace("gpu h ", "gpu part ").replace("gpu = h", "gpu = part")
    (folder / "other.scn").write_text(other + report, encoding="utf-8")
    own = START + 'report "own" { currency = "EUR", rate = 0.92 }\ncompare both { between = [base, zoo.theirs] }\n'
    own = own.replace("edition 2026\n", 'edition 2026\nimport "other.scn" as zoo\n')
    (folder / "own.scn").write_text(own, encoding="utf-8")
    return resolve(load(folder / "own.scn"), RESULTS)[1]


@pytest.mark.parametrize(("report", "said"), [
    ('report "r" { currency = "EUR", rate = 0.92 }\n', None),
    ('report "r" { currency = "EUR", rate = 0.95 }\n', "EUR at 0.95"),
    ('report "r" { currency = "JPY", rate = 150 }\n', "JPY at 150"),
    ("", "USD"),
])  # fmt: skip
def test_unlike_currencies_are_refused(tmp_path: Path, report: str, said: str | None) -> None:
    found = in_files(tmp_path, report)
    assert [p.title for p in found] == ([] if said is None else
                                        [f"`base` is reported in EUR at 0.92, `theirs` in {said}"])  # fmt: skip


AMOUNTS = [(15e12, "15T"), (16.8e6, "16.8M"), (500e9, "500B"), (1e3, "1k"), (12.0, "12")]


@pytest.mark.parametrize(("value", "text"), AMOUNTS)
def test_amounts_are_written_as_people_write_them(value: float, text: str) -> None:
    assert amount(value) == text

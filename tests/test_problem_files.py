"""Mistakes that people make, one file each: what is said of them, to the letter, and that its help helps.

tools/problem_files.py writes what is said of the files as they are now: read it before it is kept.
"""

import re

import pytest

from dsl.kind import CHAPTERS, SECTIONS
from dsl.problems import CODES
from reports.sections import OUTLINE
from tests.problem_files import FOLDER, Case, cases, mended, said

CASES = cases()
POOR = cases(FOLDER / "not_yet_good")
names = [one.name for one in CASES]


@pytest.mark.parametrize("one", [*CASES, *POOR], ids=[*names, *(f"poor: {one.name}" for one in POOR)])
def test_a_mistake_is_told_in_these_words(one: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(one.path.parent)
    problems, text = said(one)
    assert text == one.expected
    for problem in problems:
        assert problem.code in CODES
        assert problem.span.line >= 1 and problem.span.column >= 1
        assert problem.help or problem.notes
        assert not problem.title.endswith(".") and not re.match("[A-Z][a-z]", problem.title)


def test_there_are_many_of_them() -> None:
    assert len(CASES) >= 200
    told = [one for one in CASES if one.expected]
    assert told == CASES


@pytest.mark.parametrize("one", CASES, ids=names)
def test_each_is_a_scenario_as_somebody_would_write_it(one: Case) -> None:
    lines = [line for line in one.content.split(b"\n") if line.strip()]
    assert 15 <= len(lines) <= 50
    assert lines[0].startswith(b"# ")


def test_doing_what_the_help_says_makes_most_files_check() -> None:
    done = [one.name for one in CASES if mended(one)]
    assert 3 * len(done) >= 2 * len(CASES), sorted(set(names) - set(done))


def test_every_code_is_hit() -> None:
    text = "\n".join(one.expected for one in CASES)
    assert [code for code in CODES if f"[{code}]: " not in text] == []


def test_few_are_not_yet_good_and_say_what_would_be_better() -> None:
    assert len(POOR) <= 5
    for one in POOR:
        assert b"# Better: " in one.content


def test_a_report_asks_for_chapters_that_there_are() -> None:
    assert set(CHAPTERS) - {"summary"} <= {chapter.key for chapter in OUTLINE}
    assert len(set(SECTIONS)) == len(SECTIONS)

"""Every problem code has its story, and the examples in it do what they say."""

from pathlib import Path

import pytest

from dsl.explanations import EXPLANATIONS, Explanation
from dsl.files import load
from dsl.form import canonical
from dsl.problems import CODES, Problem
from dsl.resolve import resolve
from engine.metrics import FACTS, METRICS

RESULTS = {m.name: m.dimension for m in (*METRICS, *FACTS)}


def problems(folder: Path, told: Explanation, text: str, override: str, encoding: str) -> list[Problem]:
    """What checking an example says."""
    for name, content in told.files:
        (folder / name).write_text(content, "utf-8")
    file = folder / "scenario.scn"
    file.write_bytes((told.before + text).encode(encoding))
    scenario, found = resolve(load(file), RESULTS, [override] if override else [])
    return [*found, *scenario.warnings]


def test_every_code_has_a_story_and_every_story_a_code() -> None:
    assert list(EXPLANATIONS) == list(CODES)


@pytest.mark.parametrize("code", EXPLANATIONS)
def test_the_wrong_example_gives_its_code(code: str, tmp_path: Path) -> None:
    told = EXPLANATIONS[code]
    found = problems(tmp_path, told, told.wrong, told.sets[0], told.encoding)
    assert {problem.code for problem in found} == {code}


@pytest.mark.parametrize("code", EXPLANATIONS)
def test_the_right_example_has_no_problem(code: str, tmp_path: Path) -> None:
    told = EXPLANATIONS[code]
    assert problems(tmp_path, told, told.right, told.sets[1], "utf-8") == []


@pytest.mark.parametrize("code", EXPLANATIONS)
def test_examples_are_in_canonical_form(code: str) -> None:
    told = EXPLANATIONS[code]
    texts = [told.right] if code in ("E01", "E05") else [told.wrong, told.right]
    assert [canonical(text) for text in texts] == [(text, []) for text in texts]


@pytest.mark.parametrize("code", EXPLANATIONS)
def test_stories_are_sentences(code: str) -> None:
    story = EXPLANATIONS[code].story
    assert story[0].isupper() and story.endswith(".")
    assert 100 < len(story) < 600

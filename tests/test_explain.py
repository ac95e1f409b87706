"""`scn explain`: the story of a code as printed."""

from pathlib import Path

import pytest

from dsl.explanations import EXPLANATIONS
from dsl.problems import CODES
from reports.commands.explain import LONG, story
from reports.commands.setting import paths, setting
from tests.test_render import call


@pytest.mark.parametrize("code", CODES)
def test_a_story_has_its_meaning_both_examples_and_no_long_line(code: str) -> None:
    text = story(code)
    assert text.startswith(f"{code}: {CODES[code]}\n")
    assert text.count("\nwrong") == text.count("\nright:\n") == 1
    assert max(map(len, text.split("\n"))) <= LONG
    for line in EXPLANATIONS[code].right.splitlines():
        assert f"    {line}" in text or not line


def test_a_code_is_found_in_small_letters(tmp_path: Path) -> None:
    done = call("scn", "explain", "e19", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("E19: a bare number where a unit is needed\n")
    assert "      memory = 80\n" in done.out and "      memory = 80 GB\n" in done.out


def test_without_a_code_all_are_listed(tmp_path: Path) -> None:
    done = call("scn", "explain", cwd=tmp_path)
    assert done.out.splitlines() == [f"{code}  {meaning}" for code, meaning in CODES.items()]


def test_a_code_that_is_none_gets_the_nearest(tmp_path: Path) -> None:
    done = call("scn", "explain", "E99", cwd=tmp_path)
    assert done.code == 2
    assert "there is no code E99; did you mean E" in done.err
    assert "scn explain lists them" in call("scn", "explain", "nonsense", cwd=tmp_path).err


def test_what_else_an_example_needs_is_shown() -> None:
    assert "where site.scn holds:\n    import" in story("E04")
    assert "--set 'cluster.nodes=32'" in story("E29")
    assert "saved as latin-1" in story("E03")


def test_a_setting_says_what_it_means_and_holds(tmp_path: Path) -> None:
    done = call("scn", "explain", "report.locale", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[1] == "a setting of report: one of neutral, en, de, fr, de-CH, default neutral"
    inner = call("scn", "explain", "cluster.tier.pod.bandwidth", cwd=tmp_path)
    assert inner.out.startswith("cluster.tier.pod.bandwidth: ")
    wrong = call("scn", "explain", "report.locle", cwd=tmp_path)
    assert wrong.code == 2 and "there is no setting report.locle; did you mean report.locale?" in wrong.err


def test_every_setting_is_told() -> None:
    told = {path: setting(path) or "" for path in paths()}
    assert len(told) > 300 and all(text.startswith(f"{path}: ") and "default" in text for path, text in told.items())

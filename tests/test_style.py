"""The look of the document: colors on paper, fonts, numbers in print, and the checker of overlapping words."""

import re
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports import figures, style
from reports.figures import memory, pipeline_schedule, step_time, words
from reports.figures.boxes import Box, outside, overlap, overlaps
from reports.figures.sheet import fitted, width
from tests.figure_samples import point


def test_every_two_colors_differ_on_a_grey_print() -> None:
    for a, b in combinations(style.PALETTE, 2):
        assert abs(style.lightness(a) - style.lightness(b)) >= 9
    stacks = [list(step_time.KINDS.values()), list(memory.KINDS), list(pipeline_schedule.KINDS.values())]
    for kinds in stacks:
        for one, other in combinations(kinds, 2):
            apart = abs(style.lightness(one.color) - style.lightness(other.color)) >= 9
            assert apart or one.hatch != other.hatch, (one.name, other.name)


def test_words_stand_out_from_what_is_under_them() -> None:
    def luminance(color: str) -> float:
        level = style.lightness(color)
        return float(((level + 16) / 116) ** 3) if level > 8 else level / 903.3

    for fill, text in style.ON.items():
        dark, light = sorted((luminance(fill), luminance(text)))
        assert (light + 0.05) / (dark + 0.05) >= 4.5, fill


def test_fonts_are_those_of_the_page() -> None:
    for path in style.font_files().values():
        assert path.read_bytes()[:4] == b"\x00\x01\x00\x00"
    assert style.missing("✓ ▲ − × ≤ ≥ · ² ³ … – µ") == ()
    assert style.missing("a✗b✗○") == ("✗", "○")
    picture = figures.of_point("step_time", point())
    assert picture is not None
    assert set(re.findall(r"font-family[=:] ?[\"']([^\"']+)", picture.svg)) == {style.FAMILY}


def test_matplotlib_folder_is_writable_whatever_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "own"))
    assert style.set_matplotlib_folder() == str(tmp_path / "own")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "file" / "below"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert style.set_matplotlib_folder() == str(tmp_path / "cache" / "tonnage" / "matplotlib")
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "file" / "below"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "below"))
    assert Path(style.set_matplotlib_folder()).is_dir()


def test_numbers_as_the_document_prints_them() -> None:
    assert words.number(16777216, 0) == "16\u00a0777\u00a0216"
    assert words.number(-0.62, 1) == "\u22120.6" and words.number(-0.04, 1) == "0.0"
    assert words.number(4.53, 2, signed=True) == "+4.53" and words.number(None) == words.number(float("nan")) == "–"
    assert [words.rounded(v) for v in (0.94, 3.14159, 14.49, 128.4, 4096.0)] == [
        "0.94",
        "3.14",
        "14.5",
        "128",
        "4\u00a0096",
    ]
    assert words.quantity(1620, words.TIMES) == "27\u00a0min" and words.quantity(450e9, words.RATES) == "450\u00a0GB/s"
    assert words.percent(0.432) == "43.2\u00a0%" and words.number(2.5e12, 1) == "2.5×10¹²"


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.text(max_size=80), st.floats(4, 60))
def test_fitted_text_fits(text: str, room: float) -> None:
    assert width(fitted(text, room)) <= room


def test_overlap_sees_what_touches_and_what_only_stands_near() -> None:
    flat = Box.at("flat", 0, 0, 10, 3)
    assert overlap(flat, Box.at("inside", 4, 1, 5, 2)) and not overlap(flat, Box.at("beside", 10, 0, 12, 3))
    tilted = Box("tilted", ((8, 5), (13, 0), (14, 1), (9, 6)))  # its bounds overlap flat, it does not
    assert not overlap(flat, tilted) and overlap(Box.at("under", 9, 3, 12, 5), tilted)
    assert overlaps([flat, Box.at("x", 5, 2, 6, 4)], [Box.at("marker", 9, 2, 11, 4)]) == (
        ("flat", "x"),
        ("flat", "marker"),
    )
    assert outside([flat, Box.at("out", -1, 0, 1, 1)], 20, 20) == ("out", "out")

"""Words that the document's own font cannot draw: shown by a font of the system, else said, never an empty box."""

import re
from pathlib import Path

import pytest

from reports import figures, other_fonts, style
from reports.figures.sheet import width
from reports.fonts import missing_glyphs
from reports.html import picture
from tests.figure_samples import point
from tests.font_files import only_fonts, square_font
from tests.test_figures import whole


def test_a_font_of_the_system_draws_what_the_document_cannot(tmp_path: Path) -> None:
    with only_fonts(square_font(tmp_path / "squares.ttf", "Squares", "모델한국어")):
        shown = figures.of_point("step_time", point(), "모델 7B")
        assert shown is not None and "모델 7B" in [box.text for box in shown.texts]
        whole(shown)
        assert width("모델") == pytest.approx(2 * 8 / style.MM)  # two squares of one em at 8 pt
        assert other_fonts.families("a모τ") == (style.FAMILY, "Squares", "DejaVu Sans")
        (family,) = re.findall(r"font-family: ([^;]*);[^>]*>모델 7B<", shown.svg)
        assert family == "'Source Sans Pro', 'Squares'"
        assert missing_glyphs(f"<p>모델 7B</p>{picture(shown, 'paper')}") == []


def test_without_such_a_font_the_package_to_install_is_named() -> None:
    with only_fonts():
        shown = figures.of_point("step_time", point(), "모델 7B")
        assert shown is not None and "?? 7B" in [box.text for box in shown.texts]
        assert "모델 7B" in shown.alt and ("모델 7B", "Matrix multiply", "12.0\u00a0s") in shown.tips
        expected = ["no installed font has 모 (U+BAA8) 델 (U+B378): apt-get install fonts-noto-cjk"]
        for medium in ("screen", "paper"):
            assert missing_glyphs(str(picture(shown, medium))) == expected


def test_many_characters_are_counted_in_one_sentence_a_package() -> None:
    with only_fonts():
        said = missing_glyphs("<p>가나다라마바사아자차 ก</p>")
    assert [s.rpartition(" ")[2] for s in said] == ["fonts-noto-cjk", "fonts-noto-core"]
    assert " and 2 others:" in said[0]


@pytest.mark.parametrize(("character", "package"), [("模", "fonts-noto-cjk"), ("カ", "fonts-noto-cjk"),
                                                    ("한", "fonts-noto-cjk"), ("ก", "fonts-noto-core"),
                                                    ("\U0001f600", "fonts-symbola")])  # fmt: skip
def test_package_of_a_script(character: str, package: str) -> None:
    assert other_fonts.package(character) == package


def test_the_fallback_draws_greek_and_cyrillic_the_same_everywhere() -> None:
    with only_fonts():
        shown = figures.of_point("step_time", point(), "⟶ Привет")
        assert shown is not None and "⟶ Привет" in [box.text for box in shown.texts]

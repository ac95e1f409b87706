"""Words of a page that no font can draw: a warning, a row of document control and their numbers, never an empty box."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pypdf
import pytest

from reports.fonts import missing_glyphs, spelled
from reports.sections.control import without_glyphs
from tests.font_files import only_fonts, square_font
from tests.test_render import HEAD, call

TITLE = "모델 용량 계획"
PLAN = HEAD + f"""cluster box {{ gpu = h100-sxm, nodes = 1, tier node {{ bandwidth = 450 GB/s }} }}
run tiny {{
  model = llama-3-8b, cluster = box, tokens = 1B tokens, batch = 64 sequences
  layout {{ tensor = 8, recompute = full }}
}}
report "{TITLE}" {{ kind = one_page, author = "山田", document = "계-1" }}
"""
LETTERS = "".join(sorted(set(TITLE) - {" "}))


def fonts(folder: Path, **letters: str) -> str:
    """The configuration of a system with just these fonts, by name."""
    place = folder / "fonts"
    place.mkdir()
    for family, characters in letters.items():
        square_font(place / f"{family}.ttf", family, characters)
    config = folder / "fonts.conf"
    config.write_text(f"<fontconfig><dir>{place}</dir><cachedir>{folder / 'fc'}</cachedir></fontconfig>", "utf-8")
    return str(config)


def embedded(reader: pypdf.PdfReader) -> set[str]:
    """The names of the fonts in a PDF, without the mark of a subset."""
    held = (page["/Resources"]["/Font"].values() for page in reader.pages)  # type: ignore[index]
    return {str(f.get_object()["/BaseFont"]).rpartition("+")[2] for fonts in held for f in fonts}


def rendered(folder: Path, config: str) -> tuple[Any, pypdf.PdfReader, dict[str, Any]]:
    """The call, the PDF and the JSON of the plan above on such a system."""
    (folder / "plan.scn").write_text(PLAN, "utf-8")
    done = call("render", "plan.scn", "--format", "pdf,json", cwd=folder, FONTCONFIG_FILE=config)
    data = (folder / "out" / "plan.pdf").read_bytes()
    return done, pypdf.PdfReader(io.BytesIO(data)), json.loads((folder / "out" / "plan.json").read_text("utf-8"))


@pytest.mark.slow
def test_without_a_font_the_page_shows_numbers_and_the_call_names_the_package(tmp_path: Path) -> None:
    done, reader, document = rendered(tmp_path, fonts(tmp_path))
    assert done.code == 0
    assert "warning: plan.pdf: no installed font has" in done.err and "cjk" in done.err
    text = "".join(re.sub(r"\s", "", page.extract_text()) for page in reader.pages)
    assert "[U+BAA8][U+B378][U+C6A9][U+B7C9]" in text and "[U+5C71][U+7530]" in text and "[U+ACC4]-1" in text
    assert TITLE in str(reader.metadata.title if reader.metadata else "")
    assert document["title"] == TITLE


@pytest.mark.slow
def test_a_font_of_the_system_draws_them_and_is_embedded(tmp_path: Path) -> None:
    done, reader, _ = rendered(tmp_path, fonts(tmp_path, Squares=LETTERS + "山田 "))
    assert (done.code, done.err) == (0, "")
    assert {n.partition("-")[0] for n in embedded(reader)} >= {"Squares"}
    assert "[U+" not in "".join(page.extract_text() for page in reader.pages)


def test_what_is_drawn_is_spelled_and_what_is_read_stays() -> None:
    page = ('<title>모델</title><style>a > b { content: "모" }</style><h1 data-identity="모-1">모델 &amp; τ</h1>'
            '<p class="모"><code>カ</code><img alt="모델"></p>')  # fmt: skip
    with only_fonts():
        assert spelled(page) == (
            '<title>모델</title><style>a > b { content: "모" }</style><h1 data-identity="[U+BAA8]-1">'
            '[U+BAA8][U+B378] &amp; τ</h1><p class="모"><code>[U+30AB]</code><img alt="모델"></p>'
        )
        assert len(missing_glyphs(page)) == 1


PACKAGES = {"모델": "fonts-noto-cjk", "カタ": "fonts-noto-cjk", "\U00010330": "fonts-noto-core",
            "\U0001fae0": "fonts-symbola"}  # fmt: skip


@pytest.mark.parametrize(("words", "package"), PACKAGES.items())
def test_scripts_are_named_in_document_control(words: str, package: str) -> None:
    with only_fonts():
        (said,) = without_glyphs({"title": f"ä τ {words}", "points": [{"note": words}]})
    assert said.startswith(f"No font of the machine that made this document has U+{ord(words[0]):04X} ")
    assert said.endswith(f"; the package {package} brings one")


def test_words_that_a_font_has_are_left(tmp_path: Path) -> None:
    with only_fonts(square_font(tmp_path / "squares.ttf", "Squares", "모델")):
        assert without_glyphs({"title": "모델"}) == [] and spelled("<p>모델</p>") == "<p>모델</p>"
    with only_fonts():
        assert "U+BAA8 hangul syllable mo, U+B378 hangul syllable del" in without_glyphs({"title": "모델"})[0]

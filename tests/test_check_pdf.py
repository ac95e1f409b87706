"""`render --check-pdf`: what we make passes, and a file with one thing damaged fails in that check and in no other."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pypdf
import pytest
from click.testing import CliRunner
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    NameObject,
    NumberObject,
    TextStringObject,
)  # fmt: skip

from reports.commands.render import render
from reports.pdf import Attachment, render_pdf
from reports.selfcheck.charmaps import charmap
from reports.selfcheck.checks import CHECKS, findings
from reports.selfcheck.opened import Opened, opened
from reports.selfcheck.streams import read_page, unquoted
from tests.report_documents import VARIANTS, document, no_run

Writer = pypdf.PdfWriter
N = NameObject


@pytest.fixture(scope="module")
def made() -> bytes:
    """A document of few pages with an attachment."""
    return render_pdf(no_run(), [Attachment("ledger.csv", b"a,b\r\n1,2\r\n", "A table")])[0]


def failing(data: bytes, folder: Path) -> list[str]:
    place = folder / "x.pdf"
    place.write_bytes(data)
    return [f"{f.name}: {f.found}" for f in findings(opened(place)) if f.holds is False]


def rewritten(data: bytes, damage: Callable[[Any], None]) -> bytes:
    writer = Writer(clone_from=io.BytesIO(data))
    damage(writer)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


UNSTATED = "attachments: "  # the fixture names a scenario that does not exist, so that it cannot be attached


def other(found: list[str]) -> list[str]:
    return [f for f in found if not f.startswith(UNSTATED)]


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_what_is_made_passes(name: str, tmp_path: Path) -> None:
    assert other(failing(render_pdf(VARIANTS[name]())[0], tmp_path)) == []


def test_rewriting_alone_damages_nothing(made: bytes, tmp_path: Path) -> None:
    assert other(failing(rewritten(made, lambda writer: None), tmp_path)) == []


def root(writer: Any) -> Any:
    return writer._root_object


def tags(writer: Any, kind: str) -> Iterator[Any]:
    for item in writer._objects:
        if isinstance(item, DictionaryObject) and item.get("/S") == f"/{kind}":
            yield item


def content(writer: Any, page: int, change: Callable[[bytes], bytes]) -> None:
    stream = DecodedStreamObject()
    stream.set_data(change(writer.pages[page].get_contents().get_data()))
    writer.pages[page][N("/Contents")] = writer._add_object(stream)


def drop(item: Any, key: str) -> None:
    del item[N(key)]


def first_link(writer: Any) -> Any:
    return writer.pages[1]["/Annots"][0].get_object()


def outline(writer: Any) -> Any:
    return root(writer)["/Outlines"]["/First"].get_object()["/Next"].get_object()


def font(writer: Any) -> Any:
    fonts = writer.pages[0]["/Resources"]["/Font"]
    return next(iter(fonts.values())).get_object()


def script(writer: Any) -> None:
    act = DictionaryObject({N("/S"): N("/JavaScript"), N("/JS"): TextStringObject("app.alert(1)")})
    root(writer)[N("/OpenAction")] = writer._add_object(act)


def launch(writer: Any) -> None:
    act = DictionaryObject({N("/S"): N("/Launch"), N("/F"): TextStringObject("calc.exe")})
    drop(first_link(writer), "/Dest")
    first_link(writer)[N("/A")] = act


def changed_file(writer: Any) -> None:
    file = root(writer)["/AF"][0].get_object()["/EF"]["/F"].get_object()
    file.set_data(b"a,b\r\n1,3\r\n")


def missing_glyph(data: bytes) -> bytes:
    at = data.rindex(b"[<") + 2
    return data[:at] + b"0000" + data[at + 4 :]


def swapped_pages(writer: Any) -> None:
    kids = root(writer)["/Pages"]["/Kids"]
    kids[1], kids[2] = kids[2], kids[1]


DAMAGE: dict[str, tuple[set[str], Callable[[Any], None]]] = {
    "no mark": ({"tagged"}, lambda w: drop(root(w), "/MarkInfo")),
    "no language": ({"language"}, lambda w: drop(root(w), "/Lang")),
    "title hidden": ({"title"}, lambda w: drop(root(w), "/ViewerPreferences")),
    "level left out": ({"headings", "contents"}, lambda w: next(tags(w, "H2")).update({N("/S"): N("/H4")})),
    "bookmark renamed": ({"bookmarks"}, lambda w: outline(w).update({N("/Title"): TextStringObject("2 Else")})),
    "no bookmarks": ({"bookmarks"}, lambda w: drop(root(w), "/Outlines")),
    "pages swapped": ({"contents", "bookmarks", "artifacts", "pages"}, swapped_pages),
    "link to nothing": ({"links"}, lambda w: first_link(w).update({N("/Dest"): TextStringObject("nowhere")})),
    "cell without scope": ({"header cells"}, lambda w: drop(next(tags(w, "TH"))["/A"], "/Scope")),
    "no tree of ids": ({"header ids"}, lambda w: drop(root(w)["/StructTreeRoot"], "/IDTree")),
    "foot is no artifact": ({"artifacts"}, lambda w: content(w, 1, lambda d: d.replace(b"/Artifact", b"/Span"))),
    "meaning of codes lost": ({"fonts", "glyphs", "artifacts", "title", "contents", "bookmarks"},
                              lambda w: drop(font(w), "/ToUnicode")),
    "font left out": ({"fonts"}, lambda w: drop(font(w)["/DescendantFonts"][0].get_object()["/FontDescriptor"],
                                                "/FontFile2")),
    "sign missing": ({"glyphs", "artifacts"}, lambda w: content(w, 2, missing_glyph)),
    "file changed": ({"attachments"}, changed_file),
    "date changed": ({"dates"}, lambda w: w.add_metadata({"/ModDate": "D:20200101"})),
    "script": ({"actions"}, script),
    "program": ({"actions", "links"}, launch),
    "no profile": ({"marks"}, lambda w: drop(root(w), "/OutputIntents")),
    "page emptied": ({"pages"}, lambda w: content(w, 2, lambda d: b"")),
    "no tags": ({"tagged"}, lambda w: drop(root(w), "/StructTreeRoot")),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_one_thing_damaged_fails_in_its_check(name: str, made: bytes, tmp_path: Path) -> None:
    expected, damage = DAMAGE[name]
    before = {f.partition(":")[0] for f in failing(made, tmp_path)}
    found = {f.partition(":")[0] for f in failing(rewritten(made, damage), tmp_path)}
    assert next(iter(expected)) in CHECKS
    wrong = found - before | (found & expected)
    assert wrong & expected, (name, found)
    if name not in ("no tags", "page emptied", "meaning of codes lost"):  # these take what others look at with them
        assert wrong <= expected, (name, wrong)


@pytest.mark.slow
def test_a_figure_without_words_is_found(tmp_path: Path) -> None:
    given = document()
    given["report"] |= {"sections": ["memory"]}
    data = render_pdf(given)[0]
    found = failing(rewritten(data, lambda w: drop(next(tags(w, "Figure")), "/Alt")), tmp_path)
    assert [f.partition(",")[0].rstrip("0123456789") for f in found] == ["figures: no Alt: page "]


def call(*files: Path | str) -> Any:
    return CliRunner().invoke(render, ["--check-pdf", *map(str, files)], standalone_mode=False)


def test_the_table_and_the_exit_codes(made: bytes, tmp_path: Path) -> None:
    bare = render_pdf(no_run())[0]
    (tmp_path / "good.pdf").write_bytes(bare)
    (tmp_path / "bad.pdf").write_bytes(rewritten(bare, lambda w: drop(root(w), "/Lang")))
    good, bad = call(tmp_path / "good.pdf"), call(tmp_path / "good.pdf", tmp_path / "bad.pdf")
    assert good.return_value == 0 and "17 of 17 checks hold" in good.stdout
    assert "self-checked, not validated" in good.stdout and "n/a   attachments   none" in good.stdout
    assert bad.return_value == 1 and "fail  language      no Lang" in bad.stdout
    quiet = CliRunner().invoke(render, ["--check-pdf", "--quiet", str(tmp_path / "good.pdf")], standalone_mode=False)
    assert quiet.exception is None and quiet.return_value == 0 and quiet.stdout == ""


def test_what_is_no_pdf_of_ours_is_said(made: bytes, tmp_path: Path) -> None:
    writer = Writer()
    writer.add_blank_page(100, 100)
    secret = Writer(clone_from=io.BytesIO(made))
    secret.encrypt("x")
    cases = {"empty.pdf": b"", "text.pdf": b"hello", "cut.pdf": made[: len(made) // 2], "head.pdf": b"%PDF-1.7\n"}
    for name, data in cases.items():
        (tmp_path / name).write_bytes(data)
    writer.write(tmp_path / "other.pdf")
    secret.write(tmp_path / "secret.pdf")
    (tmp_path / "folder.pdf").mkdir()
    said = {
        "empty.pdf": "is empty", "text.pdf": "is not a PDF", "cut.pdf": "damaged PDF", "head.pdf": "damaged PDF",
        "other.pdf": "was not made by tonnage", "secret.pdf": "is encrypted", "none.pdf": "no such file",
        "folder.pdf": "is a folder",
    }  # fmt: skip
    for name, words in said.items():
        result = call(tmp_path / name)
        assert result.return_value == 2 and result.exception is None, name
        assert words in result.stderr and len(result.stderr.splitlines()) == 1, (name, result.stderr)


def test_streams_are_read_in_every_spelling() -> None:
    assert unquoted(b"<41 42 4>") == b"AB@" and unquoted(rb"(a\)\(b\\\101\n)") == b"a)(b\\A\n"
    assert charmap(b"2 beginbfrange <01> <03> <0041> <05> <06> [<0061> <00620063>] endbfrange") == {
        1: "A", 2: "B", 3: "C", 5: "a", 6: "bc",
    }  # fmt: skip


def test_places_and_tags_of_what_a_page_shows() -> None:
    writer = Writer()
    page: Any = writer.add_blank_page(200, 200)
    page[N("/Resources")] = DictionaryObject({N("/Font"): DictionaryObject()})
    data = b"/P <</MCID 4>> BDC q 2 0 0 2 10 20 cm BT 1 0 0 1 5 6 Tm 1 1 Td (x) Tj ET Q EMC /Artifact BMC BT (y) Tj ET"
    stream = DecodedStreamObject()
    stream.set_data(data)
    page[N("/Contents")] = writer._add_object(stream)
    (x, y), lost = read_page(page, {})
    assert (x.mark, x.artifact, x.x, x.y) == (4, False, 22.0, 34.0)
    assert (y.mark, y.artifact) == (None, True) and lost == 1


def test_a_tree_that_holds_itself_ends() -> None:
    writer = Writer()
    writer.add_blank_page(100, 100)
    loop = DictionaryObject({N("/S"): N("/Div")})
    reference = writer._add_object(loop)
    loop[N("/K")] = ArrayObject([reference, NumberObject(0)])
    top = DictionaryObject({N("/K"): reference})
    root(writer)[N("/StructTreeRoot")] = writer._add_object(top)
    out = io.BytesIO()
    writer.write(out)
    assert len(Opened(pypdf.PdfReader(out)).elements) == 2

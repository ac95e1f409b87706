"""The PDF, read back: pages, bookmarks, tags, fonts, attachments, dates, and the same bytes every time."""

import hashlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pypdf
import pytest

from reports import pdf
from reports.book import bind
from reports.fonts import missing_glyphs
from reports.html import paper_page
from reports.pdf import Attachment, PangoMissing, document_date, package_fetcher, render_pdf
from tests.font_files import only_fonts
from tests.report_documents import VARIANTS, document

ATTACHED = [
    Attachment("team.scn", b"edition 2026\n", "The scenario", "Source"),
    Attachment("team.json", b"{}\n", "All numbers"),
]
PIECE = """
import hashlib, sys
from reports.book import bind
from reports.pdf import render_pdf
from tests.report_documents import document
from tests.test_pdf import ATTACHED
print(hashlib.sha256(render_pdf(bind(document()), ATTACHED)[0]).hexdigest())
"""


@pytest.fixture(scope="module")
def rendered() -> tuple[bytes, list[str]]:
    return render_pdf(bind(document()), ATTACHED)


@pytest.fixture(scope="module")
def reader(rendered: tuple[bytes, list[str]]) -> Any:
    return pypdf.PdfReader(io.BytesIO(rendered[0]))


@pytest.fixture(scope="module")
def texts(reader: Any) -> list[str]:
    return [page.extract_text().replace("\u00a0", " ") for page in reader.pages]


def test_nothing_is_complained_of(rendered: tuple[bytes, list[str]]) -> None:
    assert rendered[1] == []


@pytest.mark.parametrize("name", [n for n in VARIANTS if n != "fixture"])
def test_every_variant_is_rendered_without_complaint(name: str) -> None:
    given = VARIANTS[name]()
    data, heard = render_pdf(bind(given))
    assert data.startswith(b"%PDF-1.7") and heard == []
    info = pypdf.PdfReader(io.BytesIO(data)).metadata
    assert info is not None and ("/CreationDate" in info) == ("/ModDate" in info) == bool(given["report"].get("date"))


def test_every_page_says_its_number(texts: list[str]) -> None:
    for number, text in enumerate(texts, 1):
        assert f"Page {number} of {len(texts)}" in text


def test_no_page_is_nearly_empty_and_the_summary_fits_on_the_first(texts: list[str]) -> None:
    assert all(len(text.split()) > 40 for text in texts)
    assert "Executive summary" in texts[0] and "Contents" not in texts[0]
    assert texts[1].count("Contents") >= 1


def test_contents_give_the_pages_on_which_chapters_begin(texts: list[str]) -> None:
    entries = re.findall(r"^((?:\d+|Appendix [A-Z]) [A-Z][^.\n]*?)[ .]+(\d+)$", texts[1], re.M)
    assert len(entries) >= 8
    for title, number in entries:
        assert title.strip() in texts[int(number) - 1].replace("\n", " ")


def test_bookmarks_have_two_levels_and_follow_the_contents(reader: Any) -> None:
    def depth(items: list[Any]) -> int:
        return 1 + max((depth(i) for i in items if isinstance(i, list)), default=0)

    titles = [item.title for item in reader.outline if not isinstance(item, list)]
    assert depth(reader.outline) == 2
    assert titles[0] == "Executive summary" and any(t.startswith("1 ") for t in titles) and titles[-1] == "Glossary"


def test_wide_tables_stand_on_landscape_pages(reader: Any, texts: list[str]) -> None:
    landscape = [i for i, page in enumerate(reader.pages) if page.mediabox.width > page.mediabox.height]
    wide = ("Operator ledger",)
    assert landscape and all(any(word in texts[i] for word in wide) for i in landscape)
    sizes = {(round(p.mediabox.width), round(p.mediabox.height)) for p in reader.pages}
    assert sizes == {(595, 842), (842, 595)}


def test_metadata_come_from_the_scenario_alone(reader: Any) -> None:
    info, report = reader.metadata, document()["report"]
    assert info is not None and str(info.title).endswith("– capacity plan")
    assert info.author == report["author"]
    assert info["/CreationDate"] == info["/ModDate"] == "D:" + report["date"].replace("-", "")


def test_attachments_are_there_once_and_dated(reader: Any) -> None:
    assert {name: data[0] for name, data in reader.attachments.items()} == {a.name: a.data for a in ATTACHED}
    catalog = reader.trailer["/Root"]
    files = [f.get_object() for f in catalog["/AF"]]
    assert sorted(f["/AFRelationship"] for f in files) == ["/Data", "/Source"]
    assert {f["/EF"]["/F"]["/Params"]["/CreationDate"][:10] for f in files} == {
        "D:" + str(document()["report"]["date"]).replace("-", "")
    }


def test_fonts_are_embedded_and_only_those_of_the_document(reader: Any) -> None:
    names = set()
    for page in reader.pages:
        for font in page["/Resources"]["/Font"].values():
            below = font.get_object()["/DescendantFonts"][0].get_object()
            descriptor = below["/FontDescriptor"]
            assert "/FontFile2" in descriptor or "/FontFile3" in descriptor
            names.add(str(below["/BaseFont"]).partition("+")[2])
    assert names and all(n.startswith(("Source-Sans-Pro", "SourceSansPro", "DejaVu-Sans", "DejaVuSans")) for n in names)


def elements(reader: Any) -> list[Any]:
    found, waiting = [], [reader.trailer["/Root"]["/StructTreeRoot"]["/K"]]
    while waiting:
        item = waiting.pop()
        item = item.get_object() if hasattr(item, "get_object") else item
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, dict) and "/S" in item:
            found.append(item)
            waiting.append(item.get("/K", []))
    return found


def test_the_tags_say_what_heads_a_row_and_what_a_column(reader: Any) -> None:
    found = elements(reader)
    heads = [e for e in found if e["/S"] == "/TH" and "/ID" in e]
    assert heads and {e["/A"]["/Scope"] for e in heads} == {"/Row", "/Column"}
    figures = [e for e in found if e["/S"] == "/Figure"]
    assert figures and all(len(e["/Alt"]) > 20 for e in figures)
    names = reader.trailer["/Root"]["/StructTreeRoot"]["/IDTree"]["/Kids"][0].get_object()["/Names"]
    assert len(names) == 2 * len({e["/ID"] for e in heads})


def test_running_heads_are_artifacts(reader: Any) -> None:
    page = reader.pages[2]
    content = page.get_contents()
    assert content is not None
    data = content.get_data()
    assert data.count(b"/Artifact") >= 5
    kept = reader.trailer["/Root"]["/StructTreeRoot"]["/ParentTree"]["/Nums"]
    own = kept[kept.index(page["/StructParents"]) + 1].get_object()
    marks = {int(n) for n in re.findall(rb"/MCID (\d+)", data)}
    assert marks == {i for i, e in enumerate(own) if not isinstance(e, pypdf.generic.NullObject)}


def test_it_is_marked_for_archives_and_readers(reader: Any) -> None:
    root = reader.trailer["/Root"]
    xmp = root["/Metadata"].get_data().decode()
    assert 'pdfuaid:part="1"' in xmp and 'part="3"' in xmp and xmp.count("<rdf:RDF") == 1
    assert root["/MarkInfo"]["/Marked"] and root["/Lang"] == "en" and root["/ViewerPreferences"]["/DisplayDocTitle"]


@pytest.mark.slow
def test_another_process_writes_the_same_bytes(rendered: tuple[bytes, list[str]], root: Path) -> None:
    changed = os.environ | {"PYTHONHASHSEED": "7", "TZ": "Pacific/Auckland", "LC_ALL": "C"}
    run = subprocess.run(
        [sys.executable, "-c", PIECE], cwd=root, env=changed, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == hashlib.sha256(rendered[0]).hexdigest()


def test_dates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert document_date("2026-11-29").isoformat() == "2026-11-29T00:00:00+00:00"
    assert document_date("").isoformat() == "1970-01-02T00:00:00+00:00"
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert document_date("") == pdf.EPOCH


@pytest.mark.parametrize(
    "url", ["https://example.org/a.png", "http://localhost/", "file:///etc/passwd", "ftp://a/b", "file:///../x.ttf"]
)
def test_nothing_else_is_fetched(url: str) -> None:
    with pytest.raises(ValueError):
        package_fetcher().fetch(url)


def test_missing_pango_is_said_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "LIBRARIES", (("no-such-thing", "libno-such-thing.so.9"),))
    with pytest.raises(
        PangoMissing, match=r"libno-such-thing.so.9: apt-get install libpangoft2-1.0-0 libharfbuzz-subset0"
    ):
        render_pdf(bind(document()))


def test_a_character_without_a_glyph_is_a_warning() -> None:
    given = document()
    given["title"] = "\U00012000 with τ and Привет"
    with only_fonts():
        (said,) = missing_glyphs(paper_page(bind(given)))
    assert said == "no installed font has \U00012000 (U+12000): apt-get install fonts-noto-core"

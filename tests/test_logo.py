"""A logo travels inside the page; what is no plain image is not shown, and said."""

import base64
import io
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest

from dsl.limits import LOGO
from reports.book import bind
from reports.html import screen_page
from reports.logo import read_logo
from reports.pdf import render_pdf
from tests.report_documents import document

DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SQUARE = b'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20"/></svg>'


@pytest.mark.parametrize(("name", "data"), [("a.png", DOT), ("b.svg", SQUARE)])
def test_an_image_is_shown_in_both_forms(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    shown, own, why = read_logo(tmp_path, name)
    assert own == data and why == "" and shown.startswith("data:image/")
    book = replace(bind(document()), logo=shown)
    assert f'<img src="{shown}" alt="Logo">' in screen_page(book)
    made, heard = render_pdf(book)
    assert heard == [] and len(pypdf.PdfReader(io.BytesIO(made)).pages) > 1


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("c.svg", SQUARE.replace(b"<rect", b'<image href="http://a.example/x.png"/><rect'), "names other files"),
        ("d.svg", b'<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + SQUARE, "names other files"),
        ("e.txt", b"not an image", "neither a PNG nor an SVG"),
        ("f.png", DOT + bytes(LOGO), "bytes"),
    ],
)
def test_what_is_no_plain_image_is_refused(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(data)
    shown, own, why = read_logo(tmp_path, name)
    assert (shown, own) == ("", b"") and said in why


@pytest.mark.parametrize("name", ["none.png", "../outside.png", "/etc/hostname"])
def test_only_the_scenarios_folder_is_read(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (tmp_path / "outside.png").write_bytes(DOT)
    assert read_logo(inside, name)[2] == f"the logo {name} is no file in the scenario's folder"

"""A document of one page is one page, whatever the scenario holds."""

import io
from pathlib import Path

import pypdf
import pytest

from reports.book import bind
from reports.commands.source import read
from reports.document import build
from reports.html import render_html
from reports.pdf import render_pdf
from tests.experiment_documents import document
from tests.report_documents import VARIANTS, Json

SCENARIOS = Path(__file__).parent.parent / "scenarios"
SHIPPED = sorted([*SCENARIOS.glob("*.scn"), *(SCENARIOS / "unhappy").glob("*.scn")])


def one_page(given: Json) -> Json:
    return given | {"report": dict(given["report"]) | {"kind": "one_page", "sections": None}}


def pages(given: Json) -> int:
    data, warnings = render_pdf(bind(one_page(given)))
    assert warnings == []
    return len(pypdf.PdfReader(io.BytesIO(data)).pages)


@pytest.mark.slow
@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_every_shipped_scenario_fits_one_page(path: Path) -> None:
    assert pages(build(read(path).scenario)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cheapest", "layouts", "growing", "ranges"])
def test_a_table_of_points_fits_one_page(name: str) -> None:
    assert pages(document(name)) == 1


@pytest.mark.parametrize("name", VARIANTS)
def test_unhappy_documents_fit_one_page(name: str) -> None:
    assert pages(VARIANTS[name]()) == 1


def test_one_page_has_no_contents_and_says_where_it_is_from() -> None:
    page = render_html(one_page(document("layouts")))
    assert "Contents</h2>" not in page and 'class="one-page"' in page
    assert "At a glance" in page and "The JSON holds every number" in page
    assert document("layouts")["sha256"][:16] in page

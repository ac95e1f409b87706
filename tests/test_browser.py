"""The HTML in a real browser: quiet, closed, accessible in light and dark, narrow, wide, by keyboard and on paper."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pypdf
import pytest
from playwright.sync_api import Browser

from reports import style
from reports.book import bind
from reports.commands.source import read
from reports.document import build
from reports.html import screen_page
from tests.browser import Opened, chromium, opened
from tests.dark import contrast, dark
from tests.experiment_documents import document
from tests.report_documents import document as whole_report
from tests.test_index import FAILS, GOOD, WRONG, page
from tests.test_validation_report import BOOK

SHIPPED = sorted((Path(__file__).parent.parent / "scenarios").glob("*.scn"))
WIDTHS = (360, 3840)
SIZE = 1.5e6  # bytes; the design asks for about 0.6 MB

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def holds(seen: Opened) -> None:
    """Nothing complains, nothing leaves, nothing sticks out, axe-core finds nothing in light and in dark."""
    assert not seen.complaints and not seen.left
    assert {width: seen.wide(width) for width in WIDTHS} == {width: [] for width in WIDTHS}
    seen.page.set_viewport_size({"width": 1280, "height": 800})
    seen.thin()
    assert seen.violations() == []
    assert seen.pale("light") == []
    assert seen.pale("dark") == []
    assert not seen.complaints and not seen.left


ALWAYS = ("buy", "roofline")  # the widest and the shortest; `make long` opens the others too


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, id=p.stem, marks=() if p.stem in ALWAYS else pytest.mark.long) for p in SHIPPED],
)
def test_every_shipped_report(path: Path, browser: Browser, folder: Path) -> None:
    text = screen_page(bind(build(read(path).scenario)))
    assert len(text.encode()) < SIZE
    with opened(browser, written(folder, f"{path.stem}.html", text)) as seen:
        images = seen.page.get_by_role("img")
        assert all(len(images.nth(i).get_attribute("aria-label") or "") > 20 for i in range(images.count()))
        holds(seen)


def test_the_page_over_several_files(browser: Browser, folder: Path) -> None:
    with opened(browser, written(folder, "index.html", page(GOOD, FAILS, WRONG))) as seen:
        assert seen.stops(2) == ["A in BODY", "A in BODY"]
        holds(seen)


def test_the_validation_report(browser: Browser, folder: Path) -> None:
    with opened(browser, written(folder, "validation.html", screen_page(BOOK))) as seen:
        holds(seen)


@pytest.fixture(scope="module")
def layouts(folder: Path) -> Path:
    """A report with a long table."""
    return written(folder, "layouts.html", screen_page(bind(document("layouts"))))


def test_the_keyboard_reaches_all_that_acts(browser: Browser, layouts: Path) -> None:
    with opened(browser, layouts) as seen:
        assert seen.stops(1) == ["skip"]
        box = seen.page.locator(".skip").bounding_box()
        assert box is not None and box["x"] >= 0, "the skip link shows when it has the focus"
        stops = set(seen.stops(160))
        assert {"A in contents", "BUTTON in THEAD", "INPUT in filter", "SUMMARY in values"} <= stops
        outline = seen.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"


TABLE = """() => [...document.querySelectorAll('.table')].find(part => part.querySelector('.filter'))"""
COLUMN = """([part, column]) => [...part.querySelectorAll('tbody tr:not([hidden])')]
  .map(row => row.cells[column].textContent.trim())"""


def numbers(texts: list[str]) -> list[float]:
    found = [re.sub(r"[\s\u00a0]", "", text).replace("\u2212", "-") for text in texts]
    return [float(text) for text in found if re.fullmatch(r"-?[\d.]+", text)]


def test_sorting_goes_up_down_and_back(browser: Browser, layouts: Path) -> None:
    with opened(browser, layouts) as seen:
        part = seen.page.evaluate_handle(TABLE).as_element()
        assert part is not None
        heads = part.query_selector_all("thead th")
        column = next(i for i, h in enumerate(heads) if "number" in (h.get_attribute("class") or "")
                      and len(set(numbers(seen.page.evaluate(COLUMN, [part, i])))) > 2)  # fmt: skip
        printed = seen.page.evaluate(COLUMN, [part, column])
        button = heads[column].query_selector("button")
        assert button is not None
        for said in ("ascending", "descending", None):
            button.press("Enter")
            assert heads[column].get_attribute("aria-sort") == said
            shown = seen.page.evaluate(COLUMN, [part, column])
            wanted = sorted(numbers(printed), reverse=said == "descending") if said else numbers(printed)
            assert numbers(shown) == wanted and sorted(shown) == sorted(printed)
            missing = [text for text in shown if text == "–"]
            assert not said or shown[len(shown) - len(missing) :] == missing, "missing values stay last"


RAW = """([part, column]) => [...part.querySelectorAll('tbody tr')].map(row => row.cells[column].dataset.value || '')"""


def test_sorting_in_another_locale(browser: Browser, folder: Path) -> None:
    """In German a point stands between thousands: 1.234,5 is more than 999,5 in every column of numbers."""
    given = document("layouts")
    given["report"]["locale"] = "de"
    with opened(browser, written(folder, "de.html", screen_page(bind(given)))) as seen:
        part = seen.page.evaluate_handle(TABLE).as_element()
        assert part is not None
        tried = 0
        for column, head in enumerate(part.query_selector_all("thead th")):
            raw = [float(v) for v in seen.page.evaluate(RAW, [part, column]) if v]
            button = head.query_selector("button")
            if len(set(raw)) < 3 or button is None:
                continue
            button.press("Enter")
            assert [float(v) for v in seen.page.evaluate(RAW, [part, column]) if v] == sorted(raw)
            shown = [t for t in seen.page.evaluate(COLUMN, [part, column]) if re.fullmatch(r"[−\d.,]+", t)]
            read = [float(t.replace(".", "").replace(",", ".").replace("−", "-")) for t in shown]
            assert read == sorted(read)
            tried += any("," in t for t in shown) or max(read) >= 1000
        assert tried > 1


def test_a_filter_keeps_rows_that_have_all_words(browser: Browser, layouts: Path) -> None:
    with opened(browser, layouts) as seen:
        part = seen.page.evaluate_handle(TABLE).as_element()
        assert part is not None
        rows = part.query_selector_all("tbody tr")
        word = str(seen.page.evaluate(COLUMN, [part, 1])[0])
        field = part.query_selector(".filter input")
        assert field is not None
        field.fill(word.upper())
        left = [row.inner_text().lower() for row in rows if row.is_visible()]
        assert left and len(left) == sum(word.lower() in row.text_content().lower() for row in rows)  # type: ignore[union-attr]
        status = part.query_selector(".filter [role=status]")
        assert status is not None and status.inner_text().startswith(f"{len(left)} of {len(rows)} rows")
        field.fill("no row says this")
        assert not any(row.is_visible() for row in rows)
        seen.page.emulate_media(media="print")
        assert all(row.is_visible() for row in rows), "on paper all rows stand"


TOTALS = """() => [...document.querySelectorAll('.table')].find(part => part.querySelector('thead button') &&
  part.querySelector('tr.total'))"""


def test_a_total_stays_last(browser: Browser, folder: Path) -> None:
    with opened(browser, written(folder, "totals.html", screen_page(bind(whole_report())))) as seen:
        part = seen.page.evaluate_handle(TOTALS).as_element()
        assert part is not None
        for button in part.query_selector_all("thead button"):
            for _ in range(2):
                button.click()
                kinds = [row.get_attribute("class") == "total" for row in part.query_selector_all("tbody tr")]
                assert kinds == sorted(kinds) and kinds[-1]


def test_it_prints_as_the_pdf_looks(browser: Browser, layouts: Path) -> None:
    """The light page, its paper size, and none of what only a screen has."""
    with opened(browser, layouts, color_scheme="dark") as seen:
        paper = pypdf.PdfReader(io.BytesIO(seen.page.pdf(prefer_css_page_size=True, print_background=True)))
        text = "\n".join(sheet.extract_text() for sheet in paper.pages)
        assert len(paper.pages) >= 5
        assert {tuple(round(float(x)) for x in sheet.mediabox[2:]) for sheet in paper.pages} <= {(595, 842), (842, 595)}
        assert "Executive summary" in text and "Skip to the content" not in text and "Filter" not in text
        seen.page.emulate_media(media="print")
        ink = seen.page.evaluate("getComputedStyle(document.documentElement).color")
        assert ink == f"rgb({', '.join(str(int(style.INK[i : i + 2], 16)) for i in (1, 3, 5))})"
        assert seen.page.evaluate("[...document.querySelectorAll('thead button')].every(b => "
                                  "getComputedStyle(b).borderTopWidth === '0px')")  # fmt: skip


@pytest.mark.parametrize("width", [320, 768, 1280, 2560])
def test_no_width_makes_the_page_scroll_sideways(width: int, browser: Browser, layouts: Path) -> None:
    with opened(browser, layouts) as seen:
        assert seen.wide(width) == []


def test_it_reads_without_script(browser: Browser, layouts: Path) -> None:
    with opened(browser, layouts, java_script_enabled=False) as seen:
        assert not seen.complaints and not seen.left
        assert seen.page.locator("table").count() > 3 and seen.page.locator("thead button").count() == 0


def test_words_in_figures_keep_their_contrast_in_the_dark() -> None:
    """After the filter of screen.css every pair of word and fill has at least 4.5:1."""
    for fill, word in style.ON.items():
        lighter = "#93B79C" if fill == style.GREEN else fill
        assert contrast(dark(word), dark(lighter)) >= 4.5, fill
    for word in (style.INK, style.MUTE, style.SKY_TEXT, style.PASS, style.WARN, style.FAIL):
        assert contrast(dark(word), (0x14 / 255, 0x1A / 255, 0x21 / 255)) >= 4.5, word


def test_nothing_moves() -> None:
    """No animation or transition: there is none to reduce."""
    sheets = (Path(__file__).parent.parent / "templates").glob("*.css")
    assert not any(re.search(r"animation|transition|scroll-behavior", p.read_text(encoding="utf-8")) for p in sheets)

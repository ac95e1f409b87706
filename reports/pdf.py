"""The book as a PDF: tagged, with bookmarks and attachments, the same bytes for the same input.

WeasyPrint needs Pango from the system; `missing_libraries` looks for it before WeasyPrint is imported, because its
import prints to standard output when it fails. Dates come from the scenario, or from SOURCE_DATE_EPOCH, never today.
"""

import ctypes
import ctypes.util
import logging
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from reports import fonts, installing
from reports.book import Book, bind
from reports.company_pages import printing
from reports.html import paper_page
from reports.identity import head
from reports.plan import Json
from reports.program import moment

if TYPE_CHECKING:
    from weasyprint.urls import URLFetcherResponse

LIBRARIES = (
    ("gobject-2.0", "libgobject-2.0.so.0"),
    ("pango-1.0", "libpango-1.0.so.0"),
    ("harfbuzz", "libharfbuzz.so.0"),
    ("harfbuzz-subset", "libharfbuzz-subset.so.0"),
    ("fontconfig", "libfontconfig.so.1"),
    ("pangoft2-1.0", "libpangoft2-1.0.so.0"),
)
EPOCH = datetime(1980, 1, 1, tzinfo=UTC)  # of attachments of an undated document


class PangoMissing(installing.Missing):
    """PDF cannot be written: system libraries are missing. The text names them and the command that installs them."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(f"PDF needs {', '.join(names)}: {installing.for_pdf()}")
        self.names = tuple(names)


@dataclass(frozen=True)
class Attachment:
    """A file inside the PDF."""

    name: str
    data: bytes
    description: str
    relationship: str = "Data"  # Source: the scenario the document was made from


def missing_libraries() -> list[str]:
    """The system libraries WeasyPrint needs that cannot be loaded."""
    installing.open_folders()
    found = (any(map(loads, (file, ctypes.util.find_library(name), dll(file)))) for name, file in LIBRARIES)
    return [file for (_, file), there in zip(LIBRARIES, found, strict=True) if not there]


def dll(file: str) -> str:
    """What MSYS2 calls a library: libpango-1.0-0.dll for libpango-1.0.so.0."""
    return file.replace(".so.", "-") + ".dll"


def loads(file: str | None) -> bool:
    try:
        return bool(file) and ctypes.CDLL(file or "") is not None
    except OSError:
        return False


def render_pdf(book: Book | Json, attachments: Sequence[Attachment] = ()) -> tuple[bytes, list[str]]:
    """(the PDF, warnings). Raises PangoMissing where the system lacks a library.

    Warnings are characters no font has, and everything WeasyPrint complains about.
    """
    if missing := missing_libraries():
        raise PangoMissing(missing)
    book = book if isinstance(book, Book) else bind(book)
    page = paper_page(book)
    heard: list[str] = []
    with listening(heard), printing(book.company):
        data = written(fonts.spelled(page), book, attachments)
    return data, fonts.missing_glyphs(page) + heard


def written(page: str, book: Book, attachments: Sequence[Attachment]) -> bytes:
    import weasyprint
    from weasyprint.text.fonts import FontConfiguration

    from reports.tagging import finish

    date = document_date(str(head(book.plan)["date"]))
    fetcher = package_fetcher()
    files = [
        weasyprint.Attachment(
            string=a.data,
            name=a.name,
            description=a.description,
            relationship=a.relationship,
            created=date,
            modified=date,
            url_fetcher=fetcher,
        )
        for a in attachments
    ]
    html = weasyprint.HTML(string=page, url_fetcher=fetcher, base_url=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # WeasyPrint leaves its color profile open
        result = html.write_pdf(
            pdf_variant="pdf/a-3a", attachments=files, font_config=FontConfiguration(), finisher=finish, cache={}
        )
    assert isinstance(result, bytes)
    return result


def document_date(stated: str) -> datetime:
    """The date of the document at midnight UTC: the scenario's, else SOURCE_DATE_EPOCH, else a fixed day."""
    try:
        return datetime.fromisoformat(stated).replace(tzinfo=UTC)
    except ValueError:
        return moment() or EPOCH


def package_fetcher() -> Any:
    """A fetcher for data: addresses and the document's own font files; every other address is refused."""
    from weasyprint.urls import URLFetcher

    allowed = {path.resolve() for path in fonts.faces().values()}

    class PackageFetcher(URLFetcher):  # type: ignore[misc]  # weasyprint has no types
        def fetch(self, url: str, headers: Any = None) -> "URLFetcherResponse":
            parts = urlsplit(url)
            if parts.scheme != "data" and (
                parts.scheme != "file" or Path(url2pathname(unquote(parts.path))).resolve() not in allowed
            ):
                raise ValueError(f"a report fetches nothing from outside: {url[:80]}")
            return super().fetch(url, headers)

    return PackageFetcher(allowed_protocols=("data", "file"), allow_redirects=False)


class listening:
    """Collects what WeasyPrint and fontTools log at WARNING and above, and keeps it from the terminal."""

    def __init__(self, heard: list[str]) -> None:
        self.heard = heard
        self.handler = logging.Handler(logging.WARNING)
        self.handler.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]

    def __enter__(self) -> None:
        self.loggers = [logging.getLogger(name) for name in ("weasyprint", "fontTools")]
        self.kept = [(logger, logger.handlers[:], logger.propagate) for logger in self.loggers]
        for logger in self.loggers:
            logger.handlers[:], logger.propagate = [self.handler], False

    def __exit__(self, *_: object) -> None:
        for logger, handlers, propagate in self.kept:
            logger.handlers[:], logger.propagate = handlers, propagate

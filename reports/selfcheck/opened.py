"""A PDF file opened for checking: its pages, and its tree of tags with the text and the place of each."""

import io
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from dsl.inside import Unreadable, plain
from dsl.limits import PDF
from reports.selfcheck.charmaps import Font
from reports.selfcheck.streams import Shown, read_page

MAKER = "Tonnage"


class NotOurs(Exception):
    """The file cannot be checked: the text says why, and what would help."""


@dataclass
class Element:
    """A tag: its kind without the slash, its page (from 0; None: unknown), what it shows, and the tags below it."""

    kind: str
    raw: Any
    page: int | None = None
    shown: list[Shown] = field(default_factory=list)  # its own and all below
    below: "list[Element]" = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its words; spaces of all kinds are one space."""
        return " ".join("".join(piece.text for piece in self.shown).replace("\u200b", "").split())

    def all(self) -> "Iterator[Element]":
        """Itself and every tag below it, in reading order."""
        yield self
        for element in self.below:
            yield from element.all()


class Opened:
    """A PDF of ours; what is read from it is kept."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self.root = reader.trailer["/Root"].get_object()
        self.fonts: dict[Any, Font] = {}

    @cached_property
    def pages(self) -> list[Any]:
        return list(self.reader.pages)

    @cached_property
    def numbers(self) -> dict[int, int]:
        """{object number of a page: its place, from 0}."""
        return {page.indirect_reference.idnum: i for i, page in enumerate(self.pages)}

    @cached_property
    def read(self) -> list[tuple[list[Shown], int]]:
        """What each page shows, and how many of its tags do not close."""
        return [read_page(page, self.fonts) for page in self.pages]

    @cached_property
    def marked(self) -> list[dict[int, list[Shown]]]:
        """What stands under each number of each page."""
        found: list[dict[int, list[Shown]]] = []
        for shown, _ in self.read:
            found.append({})
            for piece in shown:
                if piece.mark is not None and not piece.artifact:
                    found[-1].setdefault(piece.mark, []).append(piece)
        return found

    @cached_property
    def tree(self) -> Element | None:
        """The tree of tags; None where the file has none."""
        top = self.root.get("/StructTreeRoot")
        made = Element("StructTreeRoot", top.get_object()) if top is not None else None
        if made is not None:
            self.grow(made, made.raw.get("/K"), None, set())
        return made

    @cached_property
    def elements(self) -> list[Element]:
        """All tags in reading order."""
        return list(self.tree.all()) if self.tree else []

    def of_kind(self, *kinds: str) -> list[Element]:
        """The tags of some kinds in reading order."""
        return [e for e in self.elements if e.kind in kinds]

    def grow(self, parent: Element, kids: Any, page: int | None, seen: set[int]) -> None:
        """Hangs what a tag holds below it: other tags, and what the pages show under its numbers."""
        held = kids.get_object() if hasattr(kids, "get_object") else kids
        for kid in held if isinstance(held, list) else [] if held is None else [kids]:
            number = getattr(kid, "idnum", None)
            if number is not None and number in seen:
                continue  # a tree that bites its tail ends here
            seen |= {number} if number is not None else set()
            item = kid.get_object() if hasattr(kid, "get_object") else kid
            if isinstance(item, int):
                self.show(parent, int(item), page)
            elif isinstance(item, dict) and "/S" in item:
                own = self.page_of(item, page)
                element = Element(str(item["/S"]).lstrip("/"), item, own)
                parent.below.append(element)
                self.grow(element, item.get("/K"), own, seen)
                parent.shown += element.shown
            elif isinstance(item, dict) and "/MCID" in item:
                self.show(parent, int(item["/MCID"]), self.page_of(item, page))

    def show(self, element: Element, mark: int, page: int | None) -> None:
        if page is not None:
            element.shown += self.marked[page].get(mark, [])

    def page_of(self, item: Any, page: int | None) -> int | None:
        named = item.raw_get("/Pg") if "/Pg" in item else None
        return self.numbers.get(getattr(named, "idnum", -1), page) if named is not None else page


def opened(place: Path) -> Opened:
    """The file, when it is a PDF made by this product; raises NotOurs with the reason."""
    import pypdf
    from pypdf.errors import PyPdfError

    data = content(place)
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted:
            raise NotOurs(f"{place} is encrypted; check the file as `render` wrote it")
        maker = str(reader.metadata.get("/Creator", "")) if reader.metadata else ""
        if not len(reader.pages):
            raise NotOurs(f"{place} has no pages; render it again")
        found = Opened(reader)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OSError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise NotOurs(f"{place} is a damaged PDF ({reason}); render it again") from error
    if not maker.startswith(MAKER):
        by = f" (by {maker})" if maker else ""
        raise NotOurs(f"{place} was not made by tonnage{by}; only PDF files of `render` and `scn` can be checked")
    return found


def content(place: Path) -> bytes:
    """The bytes of a file that begins as a PDF does."""
    try:
        data = plain(place, PDF)
    except Unreadable as error:
        raise NotOurs(f"{place} {error.why}") from error
    except OSError as error:
        raise NotOurs(f"{place} cannot be read: {(error.strerror or 'unknown').lower()}") from error
    if not data:
        raise NotOurs(f"{place} is empty; render it again")
    if b"%PDF-" not in data[:1024]:
        raise NotOurs(f"{place} is not a PDF")
    return data

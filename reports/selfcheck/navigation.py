"""Checks of the ways through the document: bookmarks, contents, links, and what a click may do."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from reports.selfcheck.finding import Finding, close, judged, many, nothing, short
from reports.selfcheck.opened import Element, Opened

OUTSIDE = ("Contents", "Document control")  # headings that the contents do not list
ACTS = ("/JavaScript", "/Launch", "/SubmitForm", "/ImportData", "/GoToR", "/GoToE", "/Movie", "/Sound", "/Rendition",
        "/RichMediaExecute", "/ResetForm", "/Hide", "/Named", "/Thread", "/Trans", "/GoTo3DView")  # fmt: skip
LINE = re.compile(r"^(.*?)[ .…]+(\d+)$")


class Line(NamedTuple):
    """A line of the contents, or a bookmark: level, text and page (from 1; None: it leads nowhere)."""

    level: int
    text: str
    page: int | None


def bookmarks_of(file: Opened) -> list[Line]:
    """The bookmarks in their order."""

    def walk(items: list[Any], level: int) -> Iterator[Line]:
        for item in items:
            if isinstance(item, list):
                yield from walk(item, level + 1)
            else:
                page = file.reader.get_destination_page_number(item)
                yield Line(level, str(item.title), page + 1 if page is not None and page >= 0 else None)

    return list(walk(file.reader.outline, 1)) if "/Outlines" in file.root else []


def contents_of(file: Opened) -> list[Line]:
    """The lines of the contents as printed; a line is of level 2 where it stands further in than the first."""
    found: list[Element] = []
    inside = False
    for element in file.elements:
        if element.kind in ("H2", "H3"):
            inside = element.text == OUTSIDE[0] and element.kind == "H2"
        elif inside and element.kind == "LI":
            found.append(element)
    edge = min((e.shown[0].x for e in found if e.shown), default=0.0)
    return [line(e, edge) for e in found if e.shown]


def line(entry: Element, edge: float) -> Line:
    match = LINE.match(entry.text)
    level = 1 if entry.shown[0].x < edge + 1 else 2
    return Line(level, match[1] if match else entry.text, int(match[2]) if match else None)


def bookmarks(file: Opened) -> Finding:
    """The bookmarks say what the contents say, in the same two levels, with the same pages."""
    own = [b for b in bookmarks_of(file) if b.text not in OUTSIDE]
    listed = contents_of(file)
    wrong = [f"bookmark leads nowhere: {short(b.text)}" for b in own if b.page is None]
    wrong += [f"bookmark of level {b.level}: {short(b.text)}" for b in own if b.level > 2]
    if not own:
        wrong.append("no bookmarks")
    elif listed:
        wrong += differences(*([e._replace(text=close(e.text)) for e in lines] for lines in (own, listed)))
    levels = len({b.level for b in own})
    return judged("bookmarks", wrong, f"{many(len(own), 'bookmark')} of {many(levels, 'level')}")


def differences(own: list[Line], listed: list[Line]) -> list[str]:
    """What stands in one of the two lists only, each as a sentence."""
    if own == listed:
        return []
    missing = [f"no bookmark for {short(c.text)}, page {c.page}" for c in listed if c not in own]
    missing += [f"no line of the contents for bookmark {short(b.text)}, page {b.page}" for b in own if b not in listed]
    return missing or ["the order of bookmarks is not that of the contents"]


def contents(file: Opened) -> Finding:
    """The pages that the contents print are those on which the headings stand."""
    listed = contents_of(file)
    if not listed:
        whole = len(file.pages) == 1
        return nothing("contents", "one page") if whole else Finding("contents", False, "no contents")
    pages = {close(h.text): h.page for h in reversed(file.of_kind("H2", "H3"))}
    wrong = []
    for entry in listed:
        page = pages.get(close(entry.text))
        if page is None:
            wrong.append(f"no heading {short(entry.text)}")
        elif entry.page != page + 1:
            wrong.append(f"{short(entry.text)} is on page {page + 1}, the contents say {entry.page}")
    named = {close(e.text) for e in listed} | {close(o) for o in OUTSIDE}
    wrong += [f"not listed: {short(h.text)}" for h in file.of_kind("H2", "H3") if close(h.text) not in named]
    return judged("contents", wrong, f"{many(len(listed), 'line')} name the page of their heading")


def links(file: Opened) -> Finding:
    """Every link inside the document leads to a place in it."""
    places = file.reader.named_destinations
    wrong, count = [], 0
    for n, page in enumerate(file.pages, 1):
        for note in page.get("/Annots", []):
            note = note.get_object()
            if note.get("/Subtype") == "/Link":
                count += 1
                wrong += [f"page {n}: {why}" for why in broken(file, note, places)]
    return judged("links", wrong, f"{many(count, 'link')} resolve") if count else nothing("links", "none")


def broken(file: Opened, note: Any, places: dict[str, Any]) -> list[str]:
    """What is wrong with a link."""
    action = note.get("/A", {}).get_object() if "/A" in note else {}
    target = note.get("/Dest", action.get("/D"))
    target = target.get_object() if hasattr(target, "get_object") else target
    if target is None:
        return [] if action.get("/S") == "/URI" else ["a link without a target"]
    if isinstance(target, list):
        return [] if getattr(target[0], "idnum", None) in file.numbers else ["a link to a page that is not there"]
    if str(target) not in places:
        return [f"nothing is called {target}"]
    page = file.reader.get_destination_page_number(places[str(target)])
    return [] if page is not None and page >= 0 else [f"{target} is on no page"]


def actions(file: Opened) -> Finding:
    """Nothing in the file runs, and a click leads inside the document or to a web page over https."""
    wrong = [f"{key.lstrip('/')} of the document" for key in ("/OpenAction", "/AA", "/AcroForm") if key in file.root]
    wrong += ["JavaScript in Names"] if "/JavaScript" in file.root.get("/Names", {}) else []
    out = 0
    for number, item in objects(file):
        act = item.get("/S")
        if act in ACTS or "/JS" in item or ("/AA" in item and item.get("/Type") != "/Catalog"):
            wrong.append(f"object {number}: {str(act or 'action').lstrip('/')}")
        elif act == "/URI":
            address = str(item.get("/URI", ""))
            out += 1
            wrong += [] if address.startswith("https://") else [f"object {number}: opens {short(address)}"]
    return judged("actions", wrong, f"no script, no program; {many(out, 'link')} to outside")


def objects(file: Opened) -> Iterator[tuple[int, Any]]:
    """Every dictionary of the file, also those in no tree, and the actions written inside another."""
    from pypdf.generic import DictionaryObject, IndirectObject

    reader = file.reader
    known = [(number, generation) for generation, held in reader.xref.items() for number in held]
    for number, generation in [*known, *((number, 0) for number in reader.xref_objStm)]:
        item: Any = reader.get_object(IndirectObject(number, generation, reader))
        if isinstance(item, DictionaryObject):
            yield number, item
            for key in ("/A", "/OpenAction"):
                inner: Any = item.get(key) if key in item else None
                if isinstance(inner, dict) and not isinstance(item.raw_get(key), IndirectObject):
                    yield number, inner

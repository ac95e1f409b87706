"""Checks of the pages as one sees them: none nearly empty, nothing that belongs together torn apart."""

from reports.selfcheck.finding import Finding, judged, many, short
from reports.selfcheck.opened import Element, Opened
from reports.selfcheck.streams import Shown

TOP, BOTTOM = 28 / 25.4 * 72, 20 / 25.4 * 72  # margins of a page, in points
LEAST = 0.25  # of the text block


def body(file: Opened, page: int) -> list[Shown]:
    """What a page shows besides its running head and foot."""
    return [piece for piece in file.read[page][0] if not piece.artifact and piece.mark is not None]


def openings(file: Opened) -> set[int]:
    """The pages at whose top a section begins."""
    found = set()
    for heading in file.of_kind("H1", "H2"):
        if heading.page is not None and heading.shown:
            highest = max((p.y for p in body(file, heading.page)), default=0.0)
            if max(p.y for p in heading.shown) >= highest - 3:
                found.add(heading.page)
    return found


def filled(file: Opened, page: int) -> float:
    """The share of the text block down to the lowest thing on a page."""
    height = float(file.pages[page].mediabox.height)
    lowest = min((p.y for p in body(file, page)), default=height)
    return (height - TOP - lowest) / (height - TOP - BOTTOM)


def pages(file: Opened) -> Finding:
    """No page is less than a quarter full, except the last of a section; the summary ends on page 1."""
    begin = openings(file)
    inner = [n for n in range(len(file.pages) - 1) if n + 1 not in begin]
    wrong = [f"page {n + 1} is {max(0.0, filled(file, n)):.0%} full" for n in inner if filled(file, n) < LEAST]
    wrong += [f"page {n + 1} is empty" for n in range(len(file.pages)) if not body(file, n)]
    wrong += [f"the summary runs over page 1: the contents are on page {n + 1}" for n in after_summary(file) if n > 1]
    return judged("pages", wrong, many(len(file.pages), "page"))


def after_summary(file: Opened) -> list[int]:
    """The page of the contents, from 0."""
    return [e.page for e in file.of_kind("H2") if e.text == "Contents" and e.page is not None]


def breaks(file: Opened) -> Finding:
    """No heading, caption or table head stands last on a page, and no row of a table alone on one."""
    wrong = []
    captions = [part for table in file.of_kind("Table") for part in table.below if part.kind == "Caption"]
    for element in [*file.of_kind("H1", "H2", "H3", "H4"), *captions]:
        if element.page is not None and element.shown and last(file, element):
            wrong.append(f"page {element.page + 1} ends with {short(element.text, 40)}")
    tables = [t for t in file.of_kind("Table") if t.page is not None and t.shown]
    for table, after in zip(tables, [*tables[1:], None], strict=True):
        wrong += [f"page {(table.page or 0) + 1}: {why}" for why in torn(table, after)]
    return judged("breaks", wrong, f"{many(len(tables), 'table part')}, none torn")


def last(file: Opened, element: Element) -> bool:
    """Whether nothing on its page stands below a tag."""
    own = {id(p) for p in element.shown}
    lowest = min(p.y for p in element.shown)
    return all(p.y >= lowest - 1 for p in body(file, element.page or 0) if id(p) not in own)


def rows(table: Element) -> int:
    """The rows of a part of a table, without its head."""
    return sum(row.kind == "TR" for part in table.below if part.kind == "TBody" for row in part.below)


def torn(table: Element, after: Element | None) -> list[str]:
    """What is wrong with where a table breaks; each page holds its own part of one."""
    follows = after is not None and after.page == (table.page or 0) + 1 and continues(after)
    headed = any(part.kind == "THead" for part in table.below)
    wrong = ["the head of a table without rows"] if headed and not rows(table) else []
    if continues(table) and rows(table) == 1:
        wrong.append(f"one row of a table alone: {short(table.text, 40)}")
    elif follows and rows(table) == 1:
        wrong.append(f"the first row of a table alone: {short(table.text, 40)}")
    return wrong


def continues(table: Element) -> bool:
    """Whether a part goes on with a table of the page before: it has a head and no caption."""
    kinds = {part.kind for part in table.below}
    return "THead" in kinds and "Caption" not in kinds

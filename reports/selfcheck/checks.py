"""All checks of a PDF, in the order in which they are printed."""

from reports.selfcheck import inside, navigation, paging, tags
from reports.selfcheck.finding import Check, Finding
from reports.selfcheck.opened import Opened

CHECKS: dict[str, Check] = {
    "tagged": tags.tagged,
    "language": tags.language,
    "title": inside.title,
    "headings": tags.headings,
    "bookmarks": navigation.bookmarks,
    "contents": navigation.contents,
    "links": navigation.links,
    "header cells": tags.header_cells,
    "header ids": tags.header_ids,
    "figures": tags.figures,
    "artifacts": tags.artifacts,
    "fonts": inside.fonts,
    "glyphs": inside.glyphs,
    "pages": paging.pages,
    "breaks": paging.breaks,
    "attachments": inside.attachments,
    "dates": inside.dates,
    "actions": navigation.actions,
    "marks": inside.marks,
}


def findings(file: Opened) -> list[Finding]:
    """What every check found; a part of the file that no check can read does not hold."""
    return [found(name, check, file) for name, check in CHECKS.items()]


def found(name: str, check: Check, file: Opened) -> Finding:
    try:
        return check(file)
    except Exception as error:  # noqa: BLE001 - the file may be damaged anywhere; that is a finding, not an accident
        text = " ".join(str(error).split())
        return Finding(name, False, f"cannot be read: {type(error).__name__} {text}".strip())

"""Which chapters a document has, and in which order: those that its kind has, or those that the report asks for."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from dsl.kind import CHAPTERS
from reports.plan import Plan
from reports.sections import ONE_PAGE, OUTLINE, Chapter
from reports.sections.one_page import is_one_page


def chosen(plan: Plan) -> list[Chapter]:
    """The chapters of a report: those it asks for as written, else those of its kind in the order of the outline.

    Assumptions, checks, method and provenance cannot be left out.
    """
    if is_one_page(plan):
        return [ONE_PAGE]
    if plan.report.get("sections"):
        return with_kept(in_turn(asked(plan)))
    kind = plan.report.get("kind")
    usual = [c for c in OUTLINE if not c.kinds or kind in c.kinds]
    return sorted(usual, key=lambda c: c.key not in DECIDING) if kind == "comparison" else usual


DECIDING = ("alternatives-side-by-side", "size", "best-points", "sweeps")  # what a comparison begins with


def asked(plan: Plan) -> list[Chapter]:
    """The chapters that `sections` names, each where it is named first; none where nothing but the summary is."""
    named = plan.report.get("sections") or ()
    words = {word: c for c in OUTLINE for word in CHAPTERS.get(c.key, (c.key,))}
    return list({words[word].key: words[word] for word in named if word in words}.values())


def in_turn(wanted: Sequence[Chapter]) -> list[Chapter]:
    """The chapters as written: an appendix that is asked for before one of the body is a chapter of the body."""
    body = max((i for i, c in enumerate(wanted) if not c.appendix), default=-1)
    return [replace(c, appendix=c.appendix and i > body) for i, c in enumerate(wanted)]


def with_kept(outline: Sequence[Chapter]) -> list[Chapter]:
    """The chapters with those that no document is without, each behind the last that usually stands before it."""
    places, found = {c.key: i for i, c in enumerate(OUTLINE)}, list(outline)
    for chapter in kept():
        before = (i for i, c in enumerate(found, 1) if places[c.key] < places[chapter.key])
        found.insert(max(before, default=0), chapter)
    return found


def kept() -> Iterable[Chapter]:
    """The chapters that no document is without."""
    return (c for c in OUTLINE if c.always)

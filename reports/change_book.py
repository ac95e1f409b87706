"""The document of changes (reports/changes.py) as a book: page 1, what changed in each run, files and blocks."""

from reports.book import Book, bound
from reports.locales import written_in
from reports.plan import Json, Plan
from reports.sections import Chapter
from reports.sections.changes import blocks, control, front, run_sections

OUTLINE = (
    Chapter("changed-runs", "What changed", (run_sections,)),
    Chapter("changed-blocks", "Files and blocks", (blocks,), classes="flows"),
)


def bind_changes(made: Json) -> Book:
    """The book of the changes from one document to another."""
    old, new = made["old"], made["new"]
    document = {
        "kind": "changes",
        "changes": made,
        "title": f"What changed from {name(old)} to {name(new)}",
        "file": new["file"],
        "sha256": new["sha256"],
        "edition": new["edition"],
        "engine_version": new["engine_version"],
        "report": {"locale": made.get("locale")},
        "experiments": [{"kind": "changes", "name": "changes", "points": [], "changes": made}],
    }
    plan = Plan(document, {"kind": "run", "name": "", "title": "", "points": []})
    with written_in(made.get("locale")):
        return bound(plan, front(plan), control(plan), OUTLINE)


def name(side: Json) -> str:
    """A document by its title; by its file where it has none."""
    return str(side["title"] or side["file"])

"""The document of a validation (reports/validation/document.py) as a book: page 1, errors by group, every row."""

from reports.book import Book, bound
from reports.plan import Json, plan_of
from reports.sections import Chapter
from reports.sections.validation import every, left_out, memories, method, times
from reports.sections.validation_front import control, front

OUTLINE = (
    Chapter("what-was-compared", "What was compared", (method,), classes="flows"),
    Chapter("step-time", "Step time", (times,)),
    Chapter("memory-of-a-gpu", "Memory of a GPU", (memories,)),
    Chapter("rows-not-compared", "Rows that were not compared", (left_out,)),
    Chapter("every-row", "Every row", (every,), appendix=True, classes="landscape"),
)


def bind_validation(document: Json) -> Book:
    """The book of the errors of one table of measurements, or of a table of times and one of memory."""
    plan = plan_of(document)
    return bound(plan, front(plan), control(plan), OUTLINE)

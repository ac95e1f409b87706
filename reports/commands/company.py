"""The folder of `render --templates DIR`, read and judged, and what is wrong with it as text."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dsl.inside import Unreadable, plain
from dsl.limits import TEMPLATE
from dsl.problems import Problem, show

if TYPE_CHECKING:
    from reports.company import Company


class Refused(Exception):
    """Templates that cannot be used: their problems, and the texts that these point into."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems[0].title)
        self.problems = tuple(problems)

    @property
    def text(self) -> str:
        """The problems as the terminal shows them, each with its line."""
        return show(self.problems, {p.span.file: text_of(p.span.file) for p in self.problems})

    def __reduce__(self) -> tuple[type["Refused"], tuple[tuple[Problem, ...]]]:
        return Refused, (self.problems,)


def text_of(place: str) -> str:
    """The text that a problem points into; empty where it is no file that can be read."""
    try:
        return plain(Path(place), TEMPLATE).decode("utf-8", "replace")
    except (OSError, Unreadable):
        return ""


def company_of(folder: Path | None) -> "Company":
    """The company of a folder, of none nobody; raises Refused where something is wrong with its files."""
    from reports.company import NOBODY, read_company
    from reports.company_pages import wrong
    from reports.html import environment, shipped
    from reports.sections import OUTLINE

    if folder is None:
        return NOBODY
    env = environment()
    chapters = frozenset(c.key for c in OUTLINE)
    company, problems = read_company(folder, shipped(), partial(wrong, env), chapters)
    if problems:
        raise Refused(problems)
    return company

"""What became of one file: what the summary and the index page are made from."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reports.terms import VERDICTS


@dataclass(frozen=True)
class Job:
    """What is asked for one scenario file."""

    file: Path
    out: Path | None  # None: the JSON is handed back as text
    formats: tuple[str, ...]
    overrides: tuple[str, ...] = ()
    varied: tuple[str, ...] = ()
    resume: bool = False  # go on where an earlier call was stopped
    workers: int = 1  # processes for the points of large tables
    scheduler: str | None = None  # of dask, for the same
    templates: Path | None = None  # a company's own templates and style
    allowed: tuple[Path, ...] = ()  # folders that its files may lie in beside its own
    force: bool = False  # though nothing changed


@dataclass(frozen=True)
class Outcome:
    """What came of a job; ``problems`` is text for standard error, ``stream`` the JSON for standard output."""

    file: str
    code: int
    title: str = ""
    verdict: str = "In error"
    sentences: tuple[str, ...] = ()
    written: tuple[Path, ...] = ()
    problems: str = ""
    missing: str = ""
    stream: str = ""
    unmet: tuple[str, ...] = ()  # what does not hold, a line each
    keys: tuple[str, ...] = ()  # the key numbers of page 1, a line each
    reads: tuple[Path, ...] = ()  # the files that its documents depend on
    unchanged: bool = False  # nothing was done: the documents are those of an earlier call


def word(document: Mapping[str, Any]) -> str:
    """The verdict as page 1 words it."""
    verdict = str(document["verdict"]["word"])
    return VERDICTS.get(verdict, verdict)

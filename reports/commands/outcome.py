"""What became of one file: what the summary, the index page and the exit code are made from."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reports.commands.shell import DOES_NOT_HOLD, HOLDS

WORDS = {
    "recommended": "Recommended",
    "recommended_with_conditions": "Recommended, with conditions",
    "not_feasible": "Not feasible",
    "not_decided": "Not decided",
}


@dataclass(frozen=True)
class Job:
    """What is asked for one scenario file."""

    file: Path
    out: Path | None  # None: the JSON is handed back as text
    formats: tuple[str, ...]
    overrides: tuple[str, ...] = ()


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


def holds(document: Mapping[str, Any]) -> bool:
    """Whether every `require` holds (an open one has not failed) and no check of severity fail, in every point."""
    if document["verdict"]["counts"].get("fail"):
        return False
    return all(point_holds(point) for experiment in document["experiments"] for point in experiment["points"])


def point_holds(point: Mapping[str, Any]) -> bool:
    """The same for one design point; one that does not fit or cannot be built fails."""
    verdicts = all(verdict["holds"] is not False for verdict in point.get("verdicts", ()))
    checks = all(check["status"] != "fail" for check in point.get("checks", ()))
    return verdicts and checks and point.get("status", "ok") == "ok"


def code(document: Mapping[str, Any]) -> int:
    """0 or 1, as the document says."""
    return HOLDS if holds(document) else DOES_NOT_HOLD


def word(document: Mapping[str, Any]) -> str:
    """The verdict as page 1 words it."""
    verdict = str(document["verdict"]["word"])
    return WORDS.get(verdict, verdict)

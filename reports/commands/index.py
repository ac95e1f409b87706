"""The page over several files: each file's verdict, and the way to its documents."""

import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from reports.commands.outcome import Outcome
from reports.commands.shell import DOES_NOT_HOLD, HOLDS
from reports.terms import VERDICTS

NAMES = {".html": "HTML", ".pdf": "PDF", ".json": "JSON"}
COLORS = {"recommended_with_conditions": "warn", "met_but_bettered": "warn", "not_decided": "open",
          "nothing_to_decide": "open"}  # fmt: skip
STATUS = {HOLDS: "pass", DOES_NOT_HOLD: "fail"}


def links(outcome: Outcome, folder: Path) -> list[tuple[str, str]]:
    """(address relative to ``folder``, name) of the documents of one file; CSV files are left to its own pages."""
    chosen = [p for p in outcome.written if p.suffix in NAMES]
    return [(quote(os.path.relpath(p, folder).replace(os.sep, "/")), NAMES[p.suffix]) for p in chosen]


def row(outcome: Outcome, folder: Path) -> dict[str, object]:
    """What the template shows of one file; one that holds has the color of its verdict on page 1."""
    held = {VERDICTS[word]: color for word, color in COLORS.items()} if outcome.code == HOLDS else {}
    return {
        "file": outcome.file,
        "title": outcome.title or Path(outcome.file).stem,
        "verdict": outcome.verdict,
        "status": held.get(outcome.verdict) or STATUS.get(outcome.code, "open" if outcome.written else "fail"),
        "sentences": outcome.sentences,
        "numbers": outcome.keys,
        "links": links(outcome, folder),
        "problems": outcome.problems.strip(),
        "missing": outcome.missing,
    }


def page(outcomes: Sequence[Outcome], folder: Path) -> bytes:
    """index.html over ``outcomes``, for the folder it will lie in."""
    from jinja2.sandbox import SandboxedEnvironment

    text = (files("templates") / "index.html").read_text("utf-8")
    template = SandboxedEnvironment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(text)
    return template.render(rows=[row(o, folder) for o in outcomes]).encode("utf-8", "replace")

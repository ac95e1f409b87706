"""Rewrites the files made from the program's own tables: reference, method handbook, commands, the editor's grammar."""

from pathlib import Path

from dsl import textmate
from dsl.reference import reference
from engine.metrics import FACTS, METRICS
from reports.commands.source import read
from reports.handbook import EXAMPLES, handbook
from tools import command_pages

ROOT = Path(__file__).resolve().parents[1]
DSL = ROOT / "dsl"

if __name__ == "__main__":
    (DSL / "REFERENCE.md").write_text(reference(METRICS, FACTS), "utf-8")
    (DSL / "editor/scn.tmLanguage.json").write_text(textmate.text(), "utf-8")
    runs = {name: read(ROOT / "scenarios" / f"{name}.scn").scenario.runs[0] for name in EXAMPLES}
    (ROOT / "docs/method.md").write_text(handbook(runs), "utf-8")
    (ROOT / "docs/commands.md").write_text(command_pages.page(), "utf-8")

"""Rewrites the files that are made from the program's own tables: the reference page and the editor's grammar."""

from pathlib import Path

from dsl import textmate
from dsl.reference import reference
from engine.metrics import FACTS, METRICS

DSL = Path(__file__).resolve().parents[1] / "dsl"

if __name__ == "__main__":
    (DSL / "REFERENCE.md").write_text(reference(METRICS, FACTS), "utf-8")
    (DSL / "editor/scn.tmLanguage.json").write_text(textmate.text(), "utf-8")

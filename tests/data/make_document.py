"""Writes document.json, the document the report tests render, from the shipped scenario of the team's 70B.

    python -m tests.data.make_document

It is test data: nothing checks its numbers, and it need not follow every change of the engine.
"""

import json
from pathlib import Path

from reports.commands.source import read
from reports.document import build

SCENARIO = Path(__file__).resolve().parents[2] / "scenarios" / "team-70b.scn"

if __name__ == "__main__":
    document = build(read(SCENARIO, ()).scenario)
    text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
    Path(__file__).with_name("document.json").write_text(text + "\n", encoding="utf-8")

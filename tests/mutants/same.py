"""Changes that change nothing a test could see, each with its reason: tests/data/same_mutants.csv."""

import csv
from pathlib import Path

from tests.mutants.sites import Site

LIST = Path("tests/data/same_mutants.csv")


def same(root: Path, site: Site) -> str:
    """Why this change changes nothing; empty where the list does not have it. Lines are found by their text."""
    text = (root / site.file).read_bytes()
    line = site.applied(text).split(b"\n")[site.line - 1].decode().strip()
    with open(root / LIST, encoding="utf-8", newline="") as rows:
        found = (row["reason"] for row in csv.DictReader(rows) if (row["file"], row["line"]) == (site.file, line))
        return next(found, "")

"""Every number of three dozen runs as they were when somebody last read them: tests/recorded/*.csv.

No number here is right because it stands here; those that are, by hand or by publication, are in the other tests. What
is recorded shows what a change moves: `python -m tests.recorded` writes the files anew, `git diff` is then read.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dsl.scenario import Run
from reports.commands.source import read
from reports.document import evaluated
from reports.point import point_of

HERE = Path(__file__).parent
Json = Mapping[str, Any]
DIGITS = 6
WHOLE = ("experts", "latent", "gathered", "adapters", "delta", "interleaved", "calibrated")  # with all their tables
TABLES = ("ledger", "memory", "traffic", "stages", "parameters", "cost", "power")


def runs() -> list[Run]:
    """The runs of runs.scn."""
    return list(read(HERE / "runs.scn").scenario.runs)


def point(run: Run) -> Json:
    """What the engine says of one."""
    return point_of(evaluated(run))


def results(point: Json) -> dict[str, str]:
    """Its results, empty where there is none, and what was said of it."""
    return {"status": str(point["status"]), **{name: told(value) for name, value in point["results"].items()}}


def rows(point: Json) -> list[tuple[str, str, str]]:
    """The rows of its tables: which table, what names the row, its numbers."""
    return [(table, *parted(row)) for table in TABLES for row in point[table] or ()]


def parted(row: Json) -> tuple[str, str]:
    """What of a row is text, and its numbers."""
    texts = [str(value) for value in row.values() if isinstance(value, str)]
    numbers = [f"{name} {told(value)}" for name, value in flat(row) if told(value) not in ("", "0")]
    return " / ".join(texts), ", ".join(numbers)


def flat(row: Json) -> Iterator[tuple[str, Any]]:
    """The numbers of a row, those of what it holds with both names."""
    for name, value in row.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{own}", number) for own, number in flat(value))
        elif isinstance(value, (int, float)):
            yield name, value


def told(value: Any) -> str:
    """A number with six digits; no number, nothing."""
    return "" if value is None else f"{value:.{DIGITS}g}"


def written() -> dict[str, str]:
    """Both files as the engine of today has them."""
    points = {run.name: point(run) for run in runs()}
    found = {name: results(point) for name, point in points.items()}
    metrics = next(iter(found.values()))
    wide = [["result", *found], *([m, *(own[m] for own in found.values())] for m in metrics)]
    parts = [["run", "table", "row", "numbers"], *([n, *r] for n in WHOLE for r in rows(points[n]))]
    return {"results.csv": as_csv(wide), "tables.csv": as_csv(parts)}


def as_csv(lines: list[list[str]]) -> str:
    """The lines of a file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def kept(name: str) -> list[list[str]]:
    """The lines of a file as it was recorded."""
    with open(HERE / name, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))

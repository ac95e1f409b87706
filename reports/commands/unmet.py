"""What of a scenario does not hold, as lines for the terminal: every failed `require` with its operands' values."""

from collections.abc import Iterator, Mapping
from typing import Any

from reports.commands.told import told
from reports.point import Json


def unmet(document: Mapping[str, Any]) -> tuple[str, ...]:
    """A line for each require of a run that does not hold, and for each layout that cannot be built or does not fit."""
    runs = [e for e in document["experiments"] if e["kind"] == "run"]
    return tuple(line for run in runs for point in run["points"] for line in _lines(run["name"], point))


def _lines(name: str, point: Json) -> Iterator[str]:
    if point["status"] != "ok":
        yield f"run `{name}`: {'; '.join(point['reasons']) or point['status'].replace('_', ' ')}"
    for verdict in point["verdicts"]:
        if verdict["holds"] is False:
            yield f"run `{name}`: {_told(verdict)}"


def _told(verdict: Json) -> str:
    """`mfu >= 38%` does not hold: mfu = 31.2%, because "…" (plan.scn:41)."""
    operands = ", ".join(f"{text} = {told(**value)}" for text, value in verdict["values"].items())
    because = f', because "{verdict["because"]}"' if verdict["because"] else ""
    return f"{verdict['require']} does not hold: {operands}{because} ({verdict['where']})"

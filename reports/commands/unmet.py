"""What of a scenario does not hold, as lines for the terminal: every failed `require` with its operands' values."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reports.commands.told import told
from reports.point import Json
from reports.quantities import NBSP
from reports.summary import ordered_late


def unmet(document: Mapping[str, Any]) -> tuple[str, ...]:
    """A line for each require that does not hold, each layout that cannot be built or does not fit, a late order."""
    runs = {e["name"]: point for e in document["experiments"] if e["kind"] == "run" for point in e["points"]}
    lines = [line for name, point in runs.items() for line in _lines(f"run `{name}`", point, [])]
    for e in document["experiments"]:
        for point in e["points"] if e["kind"] == "compare" else ():
            told = runs.get(point["name"])
            known = [] if told is None else [v["require"] for v in told["verdicts"]]
            lines += _lines(f"compare `{e['name']}`, run `{point['name']}`", point, known, told is not None)
    lines += [line for e in document["experiments"] if e["kind"] == "portfolio" for line in _programme(e)]
    lines += [f"a{line[1:]}".replace(NBSP, " ") for line in ordered_late(document["verdict"].get("late", 0))]
    return tuple(lines)


def _programme(e: Json) -> Iterator[str]:
    """What of a portfolio does not hold: its own conditions, entries that are late or have no place."""
    name = f"portfolio `{e['name']}`"
    for verdict in e["verdicts"]:
        if verdict["holds"] is False:
            yield f"{name}: {_told(verdict)}"
    for r in e["entries"]:
        if not r["placed"]:
            yield f"{name}, entry `{r['name']}` has no place: {'; '.join(r['reasons'])}"
        elif r["late"]:
            yield f"{name}, entry `{r['name']}` ends {told(r['late'], 'days')} after its deadline"
    for point in e["points"]:
        yield from _lines(f"{name}, entry `{point['name']}`", point | {"status": "ok"}, [])


def _lines(name: str, point: Json, known: Sequence[str], told: bool = False) -> Iterator[str]:
    """What of a point does not hold, without what was said of the same run before."""
    if point["status"] != "ok" and not told:
        yield f"{name}: {'; '.join(point['reasons']) or point['status'].replace('_', ' ')}"
    for verdict in point["verdicts"]:
        if verdict["holds"] is False and verdict["require"] not in known:
            yield f"{name}: {_told(verdict)}"


def _told(verdict: Json) -> str:
    """`mfu >= 38%` does not hold: mfu = 31.2%, because "…" (plan.scn:41)."""
    operands = ", ".join(f"{text} = {told(**value)}" for text, value in verdict["values"].items())
    because = f', because "{verdict["because"]}"' if verdict["because"] else ""
    return f"{verdict['require']} does not hold: {operands}{because} ({verdict['where']})"

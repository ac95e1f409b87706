"""The rows of a sheet from where it was saved: a report's JSON, its acceptance.csv, or the scenario itself."""

import csv
import io
import math
from pathlib import Path
from typing import Any

from dsl.limits import MEASURED, ROWS, TABLE
from dsl.problems import Problem, Span
from reports.point import Json

Sheet = tuple[list[Json], str, list[Problem]]  # rows, the run they are of, problems
NUMBERS = ("Expected", "From", "ranks", "nodes", "size", "m", "n", "k")
TEXTS = ("No.", "Test", "test", "better", "span", "dtype", "reason")
NEEDED = {"id", "test", "title", "unit", "expected", "threshold", "better", "span", "ranks", "size", "dtype", "shape"}
UNITS = {"FLOP/s": "flop/s", "B/s": "bytes/s", "s": "seconds", "1": "share", "B": "bytes", "W": "watts",
         "tokens/s": "tokens/s"}  # fmt: skip


def sheet(file: Path, run: str = "") -> Sheet:
    """The rows of a run (its first with a sheet where none is named)."""
    if file.suffix == ".scn":
        return of_scenario(file, run)
    from reports.commands.rendered import json_of
    from reports.commands.shell import CannotRead, bytes_of

    try:
        return of_csv(bytes_of(file, TABLE), file) if file.suffix == ".csv" else of_document(json_of(file), file, run)
    except CannotRead as error:
        return [], "", [Problem("E02", str(error), Span(str(file), 1, 1), "the sheet")]


def wrong(file: Path, what: str, help: str = "", line: int = 1) -> Problem:
    return Problem("E02", f"`{file}` {what}", Span(str(file), line, 1), "the sheet", help=help)


def of_scenario(file: Path, run: str) -> Sheet:
    """The sheet of a scenario's run, evaluated."""
    from reports.commands.source import read, runs_of, the_run
    from reports.document import evaluated, point

    source = read(file)
    if source.in_error:
        return [], "", [p for p in source.problems if p.severity == "error"]
    _, own, problems = the_run(file, runs_of(source.scenario), run)
    if own is None:
        return [], "", problems
    rows = point(own, evaluated(own), source.scenario.checks)["acceptance"]
    return rows, own.name, [] if rows else [no_rows(file)]


def of_document(document: Any, file: Path, run: str) -> Sheet:
    """The sheet in a report's JSON."""
    from reports.commands.source import the_run

    help = "use a report's JSON, its acceptance.csv, or a scenario (.scn)"
    try:
        own = [e for e in document["experiments"] if e["kind"] == "run"]
        runs: dict[str, list[Json]] = {e["name"]: e["points"][0].get("acceptance") or [] for e in own}
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return [], "", [wrong(file, "is no report's JSON", help)]
    first = next((n for n, rows in runs.items() if rows), "")
    name, rows, problems = the_run(file, runs, run or first)
    if rows is None:
        return [], "", problems
    again = "render the scenario again"
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.keys() >= NEEDED for row in rows):
        return [], "", [wrong(file, "has an acceptance sheet of another version", again)]
    unread = next(((row["id"], what) for row in rows if (what := unreadable(row))), None)
    if unread is not None:
        return [], "", [wrong(file, f"has a row {str(unread[0])[:20]} that cannot be read: {unread[1]}", again)]
    return rows, name, [] if rows else [no_rows(file)]


def unreadable(row: Json) -> str:
    """What of a row is of another kind than the sheet writes; empty where all can be read."""
    for name in ("expected", "threshold", "ranks", "size"):
        if row[name] is not None and not (is_figure(row[name]) and row[name] > 0):
            return f"{name} is no number above zero"
    texts = [name for name in ("id", "test", "title", "unit") if not isinstance(row[name], str)]
    texts += [name for name in ("span", "dtype") if not isinstance(row[name], str | None)]
    if texts:
        return f"{texts[0]} is no text"
    if row["unit"] not in UNITS.values():
        return f"unit is `{row['unit'][:20]}`, none of a sheet"
    if row["span"] and row["ranks"] is None:
        return "ranks are not stated"
    if not isinstance(row["shape"], list) or not all(map(is_figure, row["shape"])):
        return "shape is no list of numbers"
    better = str(row["better"])
    return "" if better in ("higher", "lower") else f"better is `{better[:20]}`, neither higher nor lower"


def is_figure(value: object) -> bool:
    """Whether a value of a document is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < float("inf")


def no_rows(file: Path) -> Problem:
    return wrong(file, "has no acceptance sheet", "a run has one where it can be built, fits, and has a step time")


def of_csv(data: bytes, file: Path) -> Sheet:
    """The sheet of an acceptance.csv, also one that a spreadsheet has saved."""
    lines = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    try:
        return of_table(csv.DictReader(io.StringIO(lines)), file)
    except csv.Error as error:
        return [], "", [wrong(file, f"is no table: {error}", "use the acceptance.csv of a report")]


def of_table(reader: "csv.DictReader[str]", file: Path) -> Sheet:
    """The rows of the table."""
    if len(reader.fieldnames or ()) > MEASURED:
        return [], "", [wrong(file, f"has more than {MEASURED:_} columns", "use the acceptance.csv of a report")]
    names = {str(name).split(" [")[0]: name for name in reader.fieldnames or ()}
    lacking = [name for name in (*TEXTS, *NUMBERS, "Unit") if name not in names]
    if lacking:
        return [], "", [wrong(file, f"lacks the column {lacking[0]}", "use the acceptance.csv of a report")]
    rows: list[Json] = []
    for number, line in enumerate(reader, 2):
        if number > ROWS:
            return [], "", [wrong(file, f"has more than {ROWS:_} rows", line=number)]
        given = {name: (line[own] or "").strip() for name, own in names.items()}
        try:
            rows.append(csv_row(given))
        except ValueError as error:
            return [], "", [wrong(file, f"has a row that cannot be read: {error}", line=number)]
    return rows, "", [] if rows else [no_rows(file)]


def csv_row(given: dict[str, str]) -> Json:
    """One line as the document has it."""
    found: dict[str, Any] = {name: None if given[name] == "" else figure(name, given[name]) for name in NUMBERS}
    shape = [int(found[name]) for name in "mnk" if found[name] is not None]
    row: Json = {"id": given["No."], "test": given["test"], "title": given["Test"], "better": given["better"],
            "unit": UNITS.get(given["Unit"], given["Unit"]), "expected": found["Expected"],
            "threshold": found["From"], "span": given["span"] or None, "dtype": given["dtype"] or None,
            "shape": shape, "reason": given["reason"]} | {n: found[n] for n in ("ranks", "nodes", "size")}  # fmt: skip
    if what := unreadable(row):
        raise ValueError(what)
    return row


def figure(name: str, text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{name} is {text}")
    return value

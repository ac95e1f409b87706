"""`scn fit RUNS.csv`: the library's fitted numbers, fitted anew on published runs, and what the fit is worth."""

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reports.commands import shell
from reports.commands.catalog import table

if TYPE_CHECKING:
    from engine.columns import Column
    from reports.validation.errors import Errors
    from reports.validation.fit import Fit
    from reports.validation.numbers import Number
    from reports.validation.spread import Runs

SCALES = {"%": 100.0, "us": 1e6, "": 1.0}
HEAD = ("", "rows", "median error", "90th percentile", "bias")


def shown(number: "Number", value: float) -> str:
    """A value in the unit that its library row states it in."""
    unit = f" {number.unit}" if number.unit == "us" else number.unit
    return f"{SCALES[number.unit] * value:.4g}{unit}"


def at_bound(number: "Number", value: float) -> str:
    """Which bound a value stands on, if any: a bound means that an effect is missing, not that this is its value."""
    return "low bound hit" if value <= number.low else "high bound hit" if value >= number.high else ""


def where(number: "Number") -> str:
    """The library row that a number is stated in."""
    name = number.gpu if number.path.startswith("cluster.gpu") else number.stack
    return f"{name} {number.path.removeprefix('cluster.gpu.').removeprefix('stack.')}"


def numbers_of(found: "Fit", library: "Column") -> list[dict[str, Any]]:
    """Every fitted number with its value, the spread of the fits that left a source out, and its bounds."""
    made = []
    for i, number in enumerate(found.numbers):
        folds = [float(values[i]) for values in found.folds.values()]
        made.append({
            "name": number.name, "row": where(number), "value": float(found.values[i]), "library": float(library[i]),
            "spread": [min(folds), max(folds)], "bounds": [number.low, number.high],
            "bound_hit": at_bound(number, float(found.values[i])),
        })  # fmt: skip
    return made


def errors_by(found: "Fit") -> "list[Errors]":
    """Errors of sources left out: all, and by framework."""
    from reports.validation.fit import errors_by_framework

    return errors_by_framework(found)


def as_json(found: "Fit", library: "Column", made: date, peaks: "Runs | None" = None) -> dict[str, Any]:
    """What ``--format json`` prints."""
    from dataclasses import asdict

    from reports.validation.fit import errors_left_out
    from reports.validation.spread import coverage, spreads, times

    every, *groups = errors_by(found)
    publishers = errors_left_out(found, found.publisher_left_out)
    seen = times(found)
    memory = {
        "memory_coverage": coverage(peaks), "memory_spreads": [asdict(spread) for spread in spreads(peaks)],
    } if peaks else {}  # fmt: skip
    return {
        "coverage": coverage(seen),
        "spreads": [asdict(spread) for spread in spreads(seen)],
        **memory,
        "date": made.isoformat(),
        "rows": len(found.cases),
        "sources": len(found.folds),
        "numbers": numbers_of(found, library),
        "left_out": {"median_abs": every.median_abs, "p90_abs": every.p90_abs, "bias": every.bias},
        "publishers": len({case.publisher for case in found.cases}),
        "publisher_left_out": {
            "n": publishers.n, "median_abs": publishers.median_abs, "p90_abs": publishers.p90_abs,
            "bias": publishers.bias,
        },
        "by_framework": [
            {"name": e.name, "n": e.n, "median_abs": e.median_abs, "p90_abs": e.p90_abs, "bias": e.bias} for e in groups
        ],
    }


def today() -> date:
    """The day of a fit: as SOURCE_DATE_EPOCH states it, else the calendar's."""
    from reports.program import moment

    stated = moment()
    return stated.date() if stated is not None else date.today()


def percent(value: float | None) -> str:
    """A share as a percentage."""
    return "-" if value is None else f"{100 * value:.1f}%"


def as_text(found: "Fit", library: "Column", made: date, peaks: "Runs | None" = None) -> str:
    """The fitted numbers as a table, the errors of the sources left out, and what the stacks' intervals are made of."""
    from reports.validation.spread import times

    head = ("number", "library row", "fitted", "left-out fits", "bounds", "library", "")
    lines = [head]
    for number, own in zip(found.numbers, numbers_of(found, library), strict=True):
        low, high = (shown(number, v) for v in own["spread"])
        least, most = (shown(number, v) for v in own["bounds"])
        values = shown(number, own["value"]), f"{low} to {high}", f"{least} to {most}", shown(number, own["library"])
        lines.append((number.name, own["row"], *values, own["bound_hit"]))
    title = f"{len(found.numbers)} numbers fitted on {len(found.cases)} runs of {len(found.folds)} sources, {made}"
    errors: Sequence[tuple[str, ...]] = [
        ("each source predicted by the fit without it", *HEAD[1:]),
        *((e.name, str(e.n), *(percent(v) for v in (e.median_abs, e.p90_abs, e.bias))) for e in errors_by(found)),
    ]
    parts = [f"{title}\n{table(lines)}", table(errors), publishers_of(found)]
    parts.append(intervals_of(times(found), "runs", "sources"))
    if peaks:
        parts.append(intervals_of(peaks, "published peaks of memory, predicted in-sample,", "publishers"))
    return "\n\n".join(parts)


def publishers_of(found: "Fit") -> str:
    """Errors where all sources of a publisher are left out together, and what publishers are."""
    from reports.validation.fit import errors_left_out

    names = {case.publisher for case in found.cases}
    if len(names) < 2:
        return "all sources are one publisher's: none can be left out"
    e = errors_left_out(found, found.publisher_left_out, "all")
    head = (f"each of {len(names)} publishers predicted by the fit without all its sources", *HEAD[1:])
    told = table([head, (e.name, str(e.n), *(percent(v) for v in (e.median_abs, e.p90_abs, e.bias)))])
    return f"{told}\na publisher is the first word of a source: an owner of repositories, a first author"


def intervals_of(runs: "Runs", what: str, sources: str) -> str:
    """Measured over predicted of every stack's runs, and how many runs lie inside the intervals of the others."""
    from reports.validation.spread import coverage, spreads

    lines: list[tuple[str, ...]] = [("80% of measured/predicted", "low", "high", "rows", sources, "up to GPUs")]
    for s in spreads(runs):
        counts = str(s.rows), str(s.sources), f"{s.largest or 0:.0f}"
        lines.append((s.stack, percent(s.low), percent(s.high), *counts))
    inside = f"{percent(coverage(runs))} of {len(runs.rows)} {what}"
    return f"{table(lines)}\n{inside} lie inside the intervals that a report has by the other {sources}"


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--memory",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A CSV table of published memory, whose measured over predicted is printed by stack as well.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How the fit is printed.")
def fit(file: Path, memory: Path | None, form: str) -> int:
    """Fit the library's numbers anew on the published runs of FILE, a CSV table.

    Takes the rows of grade A that pre-train on GPUs and have a step time. Prints every number with its spread over
    the fits that leave one source out, its bounds and whether one was hit, how far sources, and publishers with all
    their sources, are off that the fit has not seen, and the interval of every framework that this makes. The library
    is not changed: write a value into the row that is named.

    Exit: 0 fitted, 2 FILE is not such a table.
    """
    from reports.commands.validate import fitted_to, kind_of, table_of
    from reports.validation.fit import stated
    from reports.validation.spread import peaks

    seen = None
    if memory is not None:
        rows = table_of(memory)
        kind_of(memory, rows, "memory")
        seen = peaks(rows)
        if len(set(seen.sources)) < 2:
            raise click.UsageError(f"{memory} has no measured memory of two publishers")
    told = fitted_to(file, table_of(file)), stated(), today(), seen
    click.echo(json.dumps(as_json(*told), indent=1) if form == "json" else as_text(*told))
    return shell.HOLDS

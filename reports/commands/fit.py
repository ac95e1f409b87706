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


def as_json(found: "Fit", library: "Column", made: date) -> dict[str, Any]:
    """What ``--format json`` prints."""
    from dataclasses import asdict

    from reports.validation.spread import coverage, spreads

    every, *groups = errors_by(found)
    return {
        "coverage": coverage(found),
        "spreads": [asdict(spread) for spread in spreads(found)],
        "date": made.isoformat(),
        "rows": len(found.cases),
        "sources": len(found.folds),
        "numbers": numbers_of(found, library),
        "left_out": {"median_abs": every.median_abs, "p90_abs": every.p90_abs, "bias": every.bias},
        "by_framework": [
            {"name": e.name, "n": e.n, "median_abs": e.median_abs, "p90_abs": e.p90_abs, "bias": e.bias} for e in groups
        ],
    }


def percent(value: float | None) -> str:
    """A share as a percentage."""
    return "-" if value is None else f"{100 * value:.1f}%"


def as_text(found: "Fit", library: "Column", made: date) -> str:
    """The fitted numbers as a table, and the errors of the sources left out."""
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
    return f"{title}\n{table(lines)}\n\n{table(errors)}\n\n{intervals_of(found)}"


def intervals_of(found: "Fit") -> str:
    """Measured over predicted of every stack's runs, and how many runs lie inside the intervals of the others."""
    from reports.validation.spread import coverage, spreads

    lines: list[tuple[str, ...]] = [("80% of measured/predicted", "low", "high", "rows", "sources", "up to GPUs")]
    for s in spreads(found):
        counts = str(s.rows), str(s.sources), f"{s.largest:.0f}"
        lines.append((s.stack, percent(s.low), percent(s.high), *counts))
    return f"{table(lines)}\n{percent(coverage(found))} of the runs lie inside the intervals of the other sources"


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How the fit is printed.")
def fit(file: Path, form: str) -> int:
    """Fit the library's numbers anew on the published runs of FILE, a CSV table.

    Takes the rows of grade A that pre-train on GPUs and have a step time. Prints every number with its spread over
    the fits that leave one source out, its bounds and whether one was hit, and how far sources are off that the fit
    has not seen. The library is not changed: write a value into the row that is named.

    Exit: 0 fitted, 2 FILE is not such a table.
    """
    from reports.commands.validate import table_of
    from reports.validation.fit import cases_of, stated
    from reports.validation.fit import fit as fitted

    cases = cases_of(table_of(file))
    if len({case.source for case in cases}) < 2:
        raise click.UsageError(f"{file} has no two sources of pre-training runs of grade A with a step time")
    found, made = fitted(cases), date.today()
    text = json.dumps(as_json(found, stated(), made), indent=1) if form == "json" else as_text(found, stated(), made)
    click.echo(text)
    return shell.HOLDS

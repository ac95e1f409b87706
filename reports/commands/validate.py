"""`scn validate RUNS.csv`: published runs predicted from their configuration, and how far the predictions are off."""

import csv
import json
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dsl.inside import Unreadable
from dsl.limits import TABLE
from reports.commands import shell

if TYPE_CHECKING:
    from reports.validation.document import Held
    from reports.validation.fit import Fit
    from reports.validation.kinds import Kind

Rows = list[dict[str, str]]


def chosen(rows: Rows, conditions: Sequence[str]) -> Rows:
    """The rows whose columns hold what every condition, COLUMN=VALUE, says."""
    columns = list(rows[0]) if rows else []
    for condition in conditions:
        column, equal, value = condition.partition("=")
        column, value = column.strip(), value.strip()
        if not equal:
            raise click.UsageError(f"`--where {condition}`: write COLUMN=VALUE, as in --where framework=MaxText")
        if columns and column not in columns:
            raise click.UsageError(f"`--where {condition}`: the file has no column `{column}`; it has {_list(columns)}")
        left = [row for row in rows if row[column].lower() == value.lower()]
        if rows and not left:
            known = sorted({row[column] for row in rows if row[column]})
            raise click.UsageError(f"`--where {condition}`: no row has this value; `{column}` is {_list(known)}")
        rows = left
    return rows


SHOWN = 40


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more if names else "empty in every row"


def kind_of(file: Path, rows: Rows, asked: str | None) -> "Kind":
    """The kind of a file: as asked for, else memory where it has that table's column; refused where columns lack."""
    from reports.validation.kinds import KINDS

    columns = rows[0] if rows else {}
    kind = KINDS[asked or ("memory" if "value_gib" in columns else "time")]
    if lacking := [name for name in kind.required if name not in columns]:
        raise click.UsageError(
            f"{file} is no table of {kind.table}: it has no column {', '.join(lacking)}"
            + ("" if rows else "; it has no row either")
        )
    return kind


def table_of(file: Path) -> Rows:
    """The rows of a CSV file."""
    from reports.validation.rows import read

    try:
        return read(file)
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(
            f"cannot read {file}: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}"
        ) from error
    except Unreadable as error:
        raise click.UsageError(f"{file} {error.why}{f'; {error.help}' if error.help else ''}") from error
    except csv.Error as error:
        raise click.UsageError(f"cannot read {file}: it is no CSV table ({error})") from error


def hold(file: Path, asked: str | None, conditions: Sequence[str], refit: bool = False) -> "Held":
    """A file read, filtered and predicted; where asked, the library's numbers fitted anew on its rows."""
    from reports.validation.document import Held
    from reports.validation.errors import predictions

    rows = table_of(file)
    kind = kind_of(file, rows, asked)
    rows = chosen(rows, conditions)
    with click.progressbar(
        rows, label=f"predicting {file.name}", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as bar:
        found = predictions(rows, kind, bar)
    return Held(file.name, sha256(shell.bytes_of(file, TABLE)).hexdigest(), kind, rows, found, conditions,
                fitted_to(file, rows) if refit and kind.name == "time" else None)  # fmt: skip


def fitted_to(file: Path, rows: Rows) -> "Fit":
    """The library's numbers fitted anew on a table of runs."""
    from reports.validation.fit import cases_of, fit

    cases = cases_of(rows)
    if len({case.source for case in cases}) < 2:
        raise click.UsageError(f"{file} has no two sources of pre-training runs of grade A with a step time")
    return fit(cases)


def write_report(held: Sequence["Held"], out: Path) -> tuple[list[Path], str]:
    """Writes validation.html, .pdf, .json and the rows as CSV; what they are called, and what a PDF lacked."""
    from reports.commands.files import write
    from reports.commands.job import printed
    from reports.validation.document import build
    from reports.validation_book import bind_validation

    made = printed(STEM, ("html", "pdf", "json", "csv"), build(held), {}, bind_validation)
    kept = {n: d for n, d in made.contents.items() if n.suffix != ".csv" or n.stem.endswith("-rows")}
    return write({out / name: data for name, data in kept.items()}), made.missing


STEM = "validation"


@click.command()
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@click.option(
    "--kind",
    "asked",
    type=click.Choice(["time", "memory"]),
    default=None,
    help="What the file holds: step times or memory. Told from its columns where it is not given.",
)
@click.option(
    "--where", "conditions", multiple=True, metavar="COLUMN=VALUE", help="Only rows whose column has this value."
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How the errors are printed."
)
@click.option(
    "--out",
    default=None,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the report; out where it is not given. With --format json a report is written only where it is.",
)
@click.option(
    "--refit",
    is_flag=True,
    help="Also predict every source and every publisher of step times by a fit of the library's numbers without it.",
)
def validate(
    files: tuple[Path, ...], asked: str | None, conditions: tuple[str, ...], form: str, out: Path | None, refit: bool
) -> int:
    """Predict each published run of FILE, a CSV table, say how far the predictions are off, and write a report.

    A prediction reads only a row's configuration. Errors are predicted / measured - 1 of seconds a step, or of bytes
    a GPU as the row's framework counts them; the bias is their median. A row is left out only where a required column
    is empty; a run that Tonnage cannot evaluate counts as failed. Where no row of FILE has a measurement every row is
    predicted all the same, nothing is compared and no report is written.

    A table of step times and one of memory may be given together and make one report: validation.html and .pdf, its
    numbers as .json, its rows as .csv.

    Exit: 0 predicted, 2 FILE is not such a table, 3 the report could not be written.
    """
    from reports.validation.errors import as_json
    from reports.validation.refit import told
    from reports.validation.text import as_text, measured, unseen

    held = [hold(file, asked, conditions, refit) for file in files]
    refuse_twice(held, form)
    for h in held:
        click.echo(
            json.dumps(as_json(h.rows, h.found, h.kind) | ({"refit": told(h.refit)} if h.refit else {}), indent=1)
            if form == "json"
            else as_text(h.rows, h.found, h.kind) + unseen(told(h.refit) if h.refit else None) + "\n"
        )
    if (form == "json" and out is None) or not all(measured(h.found) or not h.found for h in held):
        return shell.HOLDS  # a table of plans has predictions and no errors to report
    written, missing = write_report(held, out or Path("out"))
    shell.complain("\n".join(str(place) for place in written)) if form == "json" else click.echo(
        "the report\n" + "\n".join(f"  {place}" for place in written)
    )
    if missing:
        shell.complain(missing)
    return shell.CANNOT_WRITE if missing else shell.HOLDS


def refuse_twice(held: Sequence["Held"], form: str) -> None:
    """Two tables of one kind have no report together; JSON is that of one table."""
    names = [h.kind.name for h in held]
    if len(set(names)) < len(names):
        raise click.UsageError(f"{' and '.join(h.file for h in held)} are both tables of {held[0].kind.table}")
    if form == "json" and len(held) > 1:
        raise click.UsageError("--format json takes one FILE")

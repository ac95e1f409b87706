"""`scn validate RUNS.csv`: published runs predicted from their configuration, and how far the predictions are off."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reports.commands import shell

if TYPE_CHECKING:
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


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
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
def validate(file: Path, asked: str | None, conditions: tuple[str, ...], form: str) -> int:
    """Predict each published run of FILE, a CSV table, and say how far the predictions are off.

    A prediction reads only a row's configuration. Errors are predicted / measured - 1 of seconds a step, or of bytes
    a GPU as the row's framework counts them; the bias is their median. A row is left out only where a required column
    is empty; a run that Tonnage cannot evaluate counts as failed.

    Exit: 0 predicted, 2 FILE is not such a table.
    """
    from reports.validation.errors import as_json, predictions
    from reports.validation.text import as_text

    rows = table_of(file)
    kind = kind_of(file, rows, asked)
    rows = chosen(rows, conditions)
    found = predictions(rows, kind)
    click.echo(json.dumps(as_json(rows, found, kind), indent=1) if form == "json" else as_text(rows, found, kind))
    return shell.HOLDS

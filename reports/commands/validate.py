"""`scn validate RUNS.csv`: published runs predicted from their configuration, and how far the predictions are off."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reports.commands import shell
from reports.commands.catalog import table

if TYPE_CHECKING:
    from reports.validation.errors import Errors, Prediction
    from reports.validation.rows import Row

WORST = 20
HEAD = ("", "rows", "failed", "median error", "90th percentile", "bias", "80% of measured/predicted")


def percent(value: float | None, signed: bool = False) -> str:
    """A share as a percentage; a dash where there is none."""
    return "-" if value is None else f"{100 * value:{'+' if signed else ''}.1f}%"


def line(e: "Errors") -> tuple[str, ...]:
    """One group as a line of the table."""
    span = "-" if e.low is None or e.high is None else f"{e.low:.2f} to {e.high:.2f}"
    return (
        e.name,
        str(e.n),
        str(e.failed),
        percent(e.median_abs),
        percent(e.p90_abs),
        percent(e.bias, signed=True),
        span,
    )


def common(rows: "Sequence[Row]", everywhere: "Sequence[Row]") -> list[str]:
    """What the worst rows share more often than all rows do: a group at twice its usual share or more."""
    from reports.validation.errors import GROUPS

    found = []
    for name, key in GROUPS.items():
        usual = Counter(key(row) for row in everywhere)
        for value, count in Counter(key(row) for row in rows).most_common():
            share, normal = count / len(rows), usual[value] / len(everywhere)
            if count >= 3 and share >= 2 * normal:
                found.append(f"{name} {value}: {count} of {len(rows)}, {100 * normal:.0f}% of all rows")
    return found


def as_text(rows: "Sequence[Row]", found: "Sequence[Prediction]") -> str:
    """The errors of all rows, by group, the worst rows, and the rows that failed or were left out."""
    from reports.validation.errors import GROUPS, errors_of, grouped, left_out, worst

    parts = [table([HEAD, line(errors_of("all", found))])]
    for name, key in GROUPS.items():
        parts.append(table([(f"by {name}", *HEAD[1:]), *(line(e) for e in grouped(found, key))]))
    bad = worst(found, WORST)
    lines = [("id", "error", "predicted [s]", "measured [s]", "model", "GPUs", "framework")]
    for p in bad:
        r = p.row
        gpus = f"{r.get('n_gpus', '').removesuffix('.0')} {r.get('gpu', '')}"
        times = f"{p.predicted:.4g}", f"{p.measured:.4g}"
        lines.append((r.get("id", ""), percent(p.error, signed=True), *times, r.get("model", ""), gpus, r["framework"]))
    parts.append(f"the {len(bad)} rows with the largest errors\n" + table(lines))
    if shared := common([p.row for p in bad], [p.row for p in found]):
        parts.append("what they have in common\n" + "\n".join(f"  {text}" for text in shared))
    for title, reasons in (
        ("failed", Counter(p.why for p in found if p.why)),
        ("left out", Counter(why for row in rows if (why := left_out(row)))),
    ):
        if reasons:
            parts.append(f"{title}\n" + "\n".join(f"  {n:>4}  {why}" for why, n in reasons.most_common()))
    return "\n\n".join(parts)


def chosen(rows: "list[dict[str, str]]", conditions: Sequence[str]) -> "list[dict[str, str]]":
    """The rows whose columns hold what every condition, COLUMN=VALUE, says."""
    for condition in conditions:
        column, equal, value = condition.partition("=")
        column, value = column.strip(), value.strip()
        if not equal:
            raise click.UsageError(f"`--where {condition}`: write COLUMN=VALUE, as in --where framework=MaxText")
        if rows and column not in rows[0]:
            raise click.UsageError(
                f"`--where {condition}`: the file has no column `{column}`; it has {', '.join(rows[0])}"
            )
        rows = [row for row in rows if row[column].lower() == value.lower()]
    return rows


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--where", "conditions", multiple=True, metavar="COLUMN=VALUE", help="Only rows whose column has this value."
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How the errors are printed."
)
def validate(file: Path, conditions: tuple[str, ...], form: str) -> int:
    """Predict each published run of FILE, a CSV table, and say how far the predictions are off.

    A prediction reads only a row's configuration. Errors are predicted / measured - 1 of seconds a step; the
    bias is their median. A row is left out only where a required column is empty; a run that Tonnage cannot
    evaluate counts as failed.

    Exit: 0 predicted, 2 FILE is not such a table.
    """
    from reports.validation import rows as published
    from reports.validation.errors import as_json, predictions

    try:
        rows = published.read(file)
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(
            f"cannot read {file}: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}"
        ) from error
    if lacking := [name for name in published.REQUIRED if not rows or name not in rows[0]]:
        raise click.UsageError(f"{file} is no table of runs: it has no column {', '.join(lacking)}")
    rows = chosen(rows, conditions)
    found = predictions(rows)
    click.echo(json.dumps(as_json(rows, found), indent=1) if form == "json" else as_text(rows, found))
    return shell.HOLDS

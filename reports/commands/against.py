"""`scn import --against SHEET FILE…`: output of an acceptance sheet's commands as pass or fail of its rows."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dsl.problems import Problem, Span
from reports.commands import shell
from reports.commands.catalog import table

if TYPE_CHECKING:
    from reports.acceptance.judged import Judged
    from reports.acceptance.observed import Observed

HEAD = ("no.", "test", "size or shape", "measured", "expected", "passes", "result")


def against(sheet_file: Path, files: Sequence[tuple[str, bytes]], run: str, form: str) -> int:
    """Prints the result of every row that was measured; exit 1 where one fails, 2 where nothing can be judged."""
    from dsl.problems import show
    from reports.acceptance.judged import counts, judge
    from reports.acceptance.observed import observed
    from reports.acceptance.sheet import sheet

    rows, name, problems = sheet(sheet_file, run)
    found, wrong = observed(files) if not problems else ([], [])
    judged, left = judge(rows, found)
    problems = [*problems, *wrong]
    if not problems and all(j.result == "not_measured" for j in judged):
        problems.append(nothing(sheet_file, rows, left))
    if problems:
        texts = {n: data[:200_000].decode("utf-8", "replace") for n, data in files}
        shell.complain(show(problems, texts) + "\n")
        return shell.IN_ERROR
    if form == "json":
        whole: dict[str, Any] = {"sheet": str(sheet_file), "run": name or None, "counts": counts(judged)}
        whole |= {"rows": [j.to_json() for j in judged], "unmatched": [of_no_row(o) for o in left]}
        click.echo(json.dumps(whole, indent=1))
    else:
        click.echo(shell.printable(as_text(judged, left)))
    return shell.DOES_NOT_HOLD if counts(judged)["fail"] else shell.HOLDS


def nothing(sheet_file: Path, rows: Sequence[Mapping[str, Any]], left: "Sequence[Observed]") -> Problem:
    """Nothing that was measured belongs to a row; what the sheet asks of the same tests."""
    asked = [wanted(rows, test) for test in dict.fromkeys(o.test for o in left[:3])]
    notes = (*(f"measured: {of_no_row(o)}" for o in left[:3]), *filter(None, asked))
    return Problem("E26", f"nothing measured belongs to a row of {sheet_file}", Span(str(sheet_file), 1, 1),
                   "the sheet", notes=notes, help="run the commands of the sheet as they stand")  # fmt: skip


def wanted(rows: Sequence[Mapping[str, Any]], test: str) -> str:
    """The ranks and sizes at which a sheet has a test; empty where it has not."""
    found: dict[float, list[str]] = {}
    for row in rows:
        if row["test"] == test and row["ranks"]:
            found.setdefault(row["ranks"], []).append(f"{row['size']:.0f} bytes" if row["size"] else "any size")
    each = (f"{ranks:.0f} ranks at {' and '.join(sizes)}" for ranks, sizes in found.items())
    return f"the sheet asks {test} over {'; '.join(each)}" if found else ""


def of_no_row(o: "Observed") -> str:
    """An observation that no row asks for, in words."""
    shape = " x ".join(map(str, o.shape))
    parts = [o.test, shape, o.dtype or "", f"over {o.ranks} ranks" if o.ranks else "",
             f"{o.size:.0f} bytes" if o.size else ""]  # fmt: skip
    return f"{' '.join(filter(None, parts))} ({o.file}:{o.line})"


def as_text(judged: "Sequence[Judged]", left: "Sequence[Observed]") -> str:
    """The rows that were measured, and how many there are of each result."""
    from reports.acceptance.judged import counts

    lines = [HEAD, *(line(j) for j in judged if j.times)]
    told = counts(judged)
    rest = [f"{len(left)} measured values have no row, the first: {of_no_row(left[0])}"] if left else []
    sums = f"{told['pass']} pass, {told['fail']} fail, {told['recorded']} recorded, {told['not_measured']} not measured"
    return "\n".join([table(lines), *rest, sums])


def line(j: "Judged") -> tuple[str, ...]:
    """One row as a line."""
    from reports.sections.acceptance import SIDES, extent, shown, title

    least = shown(j.row, j.row["threshold"])
    passes = "recorded" if least.missing else f"{SIDES[j.row['better']]} {least}"
    measured = f"{shown(j.row, j.measured)}" + (f", worst of {j.times}" if j.times > 1 else "")
    where = f" over {j.row['ranks']:.0f}" if j.row["span"] else ""
    result = f"{j.result}: {j.why}" if j.why else j.result
    expected = str(shown(j.row, j.row["expected"]))
    cells = (j.row["id"], f"{title(j.row)}{where}", extent(j.row).strip(), measured, expected, passes, result)
    return tuple(cell.replace("\u00a0", " ") for cell in cells)

"""`scn diff OLD NEW`, and what `render --diff` makes of it: what changed in the inputs and in every result."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reports.commands import offered, shell
from reports.commands.allowed import allow_import
from reports.commands.catalog import table
from reports.commands.rendered import as_rendered, rendered_before

if TYPE_CHECKING:
    from reports.commands.job import Made
    from reports.point import Json

SHOWN = 20  # results printed without --all
STEM = "-changes"  # after the new file's name, in the names of the documents
KINDS = {"verdicts": "require", "checks": "check"}


@click.command()
@click.argument("old", type=click.Path(path_type=Path), shell_complete=offered.files_of(".scn", ".json"))
@click.argument("new", type=click.Path(path_type=Path), shell_complete=offered.files_of(".scn", ".json"))
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How changes are printed.")
@allow_import
@click.option("--set", "overrides", multiple=True, metavar="NAME=VALUE", help="Replace a setting of NEW.",
              shell_complete=offered.settings)  # fmt: skip
@click.option("--all", "whole", is_flag=True, help=f"Every result, not the {SHOWN} largest changes.")
def diff(old: Path, new: Path, form: str, overrides: tuple[str, ...], whole: bool) -> int:
    """Say what changed from OLD to NEW: inputs first, then results, the largest change first.

    Each is a scenario, or the JSON of one that was rendered before. `scn diff plan.scn plan.scn --set
    cluster.nodes=256` says what one setting does.

    Exit: 0 nothing changed, 1 something changed, 2 a file is in error.
    """
    found = changed(old, new, overrides)
    if isinstance(found, int):
        return found
    with as_rendered((old, new)):
        said = json.dumps(found, ensure_ascii=False, indent=1) if form == "json" else text(found, whole)
    click.echo(said if form == "json" else shell.printable(said))
    return shell.DOES_NOT_HOLD if found["changed"] else shell.HOLDS


def changed(old: Path, new: Path, overrides: tuple[str, ...]) -> "Json | int":
    """The changes from one file to another; the exit code where one of them is in error."""
    from reports.changes import changes

    sides = [document(old, ()), document(new, overrides)]
    if None in sides:
        return shell.IN_ERROR
    before, after = sides
    assert before is not None and after is not None
    with as_rendered((old, new)):
        return changes(before, after)


def document(file: Path, overrides: tuple[str, ...]) -> "Json | None":
    """The document of a scenario, or the one that a JSON file holds; None, with its problems told, where it has any."""
    if file.suffix == ".json":
        found: Json = rendered_before(file)
        return found
    from reports.commands.source import read
    from reports.document import build

    source = read(file, overrides)
    if source.shown:
        shell.complain(source.shown + "\n")
    return None if source.in_error else build(source.scenario)


def text(made: "Json", whole: bool) -> str:
    """The changes as lines: files and verdicts, inputs of each run, results, requirements, blocks."""
    from reports.quantities import NBSP
    from reports.sections.changes import sentences

    old, new = made["old"], made["new"]
    parts = [f"{old['file']} -> {new['file']}\n" + "\n".join(sentences(made))]
    parts += [block for run in made["runs"] for block in run_lines(run, whole)]
    parts += list(other_lines(made))
    if not made["changed"]:
        parts.append("nothing changed")
    return "\n\n".join(parts).replace(NBSP, " ")


def aligned(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows in columns; unlike a table they have no head."""
    return table([("",) * len(rows[0]), *rows]).partition("\n")[2]


def run_lines(run: "Json", whole: bool) -> Iterator[str]:
    """The blocks of text about one run."""
    from reports.sections.assumptions import ABOUT
    from reports.sections.changes import sides, stated

    name = run["new"] if run["old"] == run["new"] else f"{run['old']} -> {run['new']}"
    told = [r for r in run["inputs"] if r["path"].rpartition(".")[2] not in ABOUT]
    own, follow = [r for r in told if stated(r)], [r for r in told if not stated(r)]
    for title, rows in ((f"inputs of {name}", own), ("defaults that follow", follow)):
        if rows:
            yield f"{title}\n" + aligned([(f"  {r['path']}", " -> ".join(sides(r))) for r in rows])
    if run["status"]:
        yield f"{name} was {run['status'][0]}, is {run['status'][1]}: {'; '.join(run['reasons']) or 'no reason given'}"
    if run["results"]:
        yield result_lines(run["results"], whole)
    rows = [(f"  {KINDS[part]} {v['name']}", f"{v['old'] or 'not stated'} -> {v['new'] or 'not stated'}")
            for part in KINDS for v in run[part]]  # fmt: skip
    if rows:
        yield "requirements and checks\n" + aligned(rows)


def result_lines(results: "list[Json]", whole: bool) -> str:
    """The results that changed as a table, the largest change first."""
    from reports.quantities import Quantity
    from reports.sections.changes import quantities

    lines = []
    for row in results if whole else results[:SHOWN]:
        before, after = quantities(row)
        share = Quantity(row["ratio"] - 1 if row["ratio"] is not None else None, "%", 1, signed=True)
        lines.append((f"  {row['name']}", before.text(), "->", after.text(), "" if share.missing else share.text()))
    more = "" if whole or len(results) <= SHOWN else f"\n  and {len(results) - SHOWN} more; --all prints them"
    return "results, the largest change first\n" + aligned(lines) + more


def other_lines(made: "Json") -> Iterator[str]:
    """What only one file has, and tables of points that changed."""
    from reports.sections.changes import largest

    for side in ("old", "new"):
        if made[f"only_{side}"]:
            yield f"only in the {side} file: {', '.join(f'run {name}' for name in made[f'only_{side}'])}"
    for block in made["blocks"]:
        yield f"{block['name']}: {block['old'] or 'not there'} -> {block['new'] or 'not there'}"
    for t in made["tables"]:
        yield (f"{t['kind']} {t['name']}: {t['changed']} of {t['points']} points changed, {t['gone']} gone, "
               f"{t['added']} new; the largest change at {largest(t)}")  # fmt: skip


def documents(made: "Json", stem: str, formats: tuple[str, ...]) -> "Made":
    """The documents of the changes, as those of a scenario are made."""
    from reports.change_book import bind_changes
    from reports.commands.job import printed

    return printed(stem, formats, made, {}, bind_changes)


def rendered(
    pair: tuple[Path, Path], folder: Path, formats: tuple[str, ...], overrides: tuple[str, ...], quiet: bool
) -> int:
    """Writes the documents of the changes from one file to another; the exit code."""
    from reports.commands.files import write

    made = changed(*pair, overrides)
    if isinstance(made, int):
        return made
    with as_rendered(pair):
        found = documents(made, pair[1].stem + STEM, formats)
    for line in found.heard:
        shell.complain(line)
    written = write({folder / name: content for name, content in found.contents.items()})
    if not quiet:
        from reports.sections.changes import heading

        click.echo(shell.printable(f"{pair[0]} -> {pair[1]}: {heading(made)}".replace("\u00a0", " ")))
        for place in (p for p in written if p.suffix != ".csv"):
            click.echo(f"  {place}")
    if found.missing:
        shell.complain(found.missing)
        return shell.CANNOT_WRITE
    return shell.DOES_NOT_HOLD if made["new"]["verdict"] == "not_feasible" else shell.HOLDS

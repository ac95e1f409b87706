"""`scn import`: blocks of the scenario language from files of other programs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dsl.problems import Problem
from reports.commands import offered, shell
from reports.commands.allowed import allow_import
from reports.imports.formats import FORMATS

if TYPE_CHECKING:
    from reports.imports.asked import Given

SHOWN = "\n".join(f"  {f.name:<11} {f.doc}" for f in FORMATS)


@click.command("import", epilog=f"\b\nFormats:\n{SHOWN}")
@click.argument("files", nargs=-1, required=True, metavar="[FORMAT] FILE...", shell_complete=offered.any_file)
@click.option("--name", default="", help="Name of the block; the file's own where none is given.")
@click.option("--plan", type=click.Path(path_type=Path), help="Scenario whose run the files belong to.",
              shell_complete=offered.files_of(".scn"))  # fmt: skip
@click.option("--run", "run_name", default="", help="Which run of the plan; its first where none is given.")
@click.option("--gpu", default="", help="GPU of the library: of a GEMM table, or of a run.",
              shell_complete=offered.library("gpu"))  # fmt: skip
@click.option("--tier", default="", help="Network tier that a test ran over.")
@click.option("--steps", type=click.IntRange(1), default=None, help="Training steps that a trace holds.")
@click.option("--against", type=click.Path(path_type=Path), metavar="SHEET",
              shell_complete=offered.files_of(".json", ".csv", ".scn"),
              help="Pass or fail of an acceptance sheet: a report's JSON, its acceptance.csv, a scenario.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How that is printed.")
@allow_import
@click.option("--per-node", type=click.IntRange(1), default=8, help="GPUs of a node, where a file does not say it.")
def import_(files: tuple[str, ...], name: str, plan: Path | None, run_name: str, gpu: str, tier: str,
            steps: int | None, per_node: int, against: Path | None, form: str) -> int:  # fmt: skip
    """Print blocks of the scenario language made from FILEs of another program; the format is told by what is in them.

    With --against SHEET the files are output of the commands of an acceptance sheet, and its rows pass or fail.

    Exit: 0 printed, or no row fails; 1 a row fails; 2 a file cannot be read or lacks something.
    """
    from dsl.limits import TRACE
    from reports.commands.against import against as judged
    from reports.imports.asked import Asked, Given
    from reports.imports.formats import detected, named, plain, planned

    asked_for = named(files[0]) if len(files) > 1 and against is None else None
    given = [Given(file, shell.bytes_of(Path(file), TRACE)) for file in (files[1:] if asked_for else files)]
    if against is not None:
        return judged(against, [(g.name, g.data) for g in given], run_name, form)
    files_read, packed = plain(given)
    if packed:
        return complained(packed, given)
    found, problems = (asked_for, []) if asked_for else detected(files_read)
    held, wrong = planned(plan, run_name) if plan is not None else (None, [])
    if found is None or problems or wrong:
        return complained([*problems, *wrong], files_read)
    made = found.make(Asked(files_read, name, held, gpu, tier, steps or 0, per_node))
    if made.problems:
        return complained(made.problems, files_read)
    click.echo(made.text, nl=False)
    for line in made.said:
        shell.complain(line)
    return shell.HOLDS


def complained(problems: list[Problem], given: "Sequence[Given]") -> int:
    """The problems on standard error, with the lines of the files that are text."""
    from dsl.problems import show

    texts = {g.name: g.data[:200_000].decode("utf-8", "replace") for g in given}
    shell.complain(show(problems, texts) + "\n")
    return shell.IN_ERROR

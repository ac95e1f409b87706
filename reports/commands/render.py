"""`render FILE…`: every scenario file to HTML, PDF, JSON and CSV, and a page over them where there are several."""

import sys
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import click

from reports.commands import offered, shell
from reports.commands.allowed import allow_import, allowed
from reports.commands.batch import Call, performed
from reports.commands.outcome import Job, Outcome

STREAM = "-"


def formats(context: click.Context, option: click.Parameter, value: str) -> tuple[str, ...]:
    """The formats of `--format html,pdf`, in the order they are made."""
    names = [name.strip().lower() for name in value.split(",") if name.strip()]
    unknown = [name for name in names if name not in offered.FORMATS]
    if unknown or not names:
        said = f"{', '.join(unknown) or 'nothing'} is not a format; there are {', '.join(offered.FORMATS)}"
        raise click.BadParameter(said, context, option)
    if "parquet" in names and find_spec("pyarrow") is None:
        raise click.BadParameter("parquet needs pyarrow: pip install 'tonnage[parquet]'", context, option)
    return tuple(name for name in offered.FORMATS if name in names)


def refuse_clashes(files: tuple[Path, ...]) -> None:
    """Two files whose documents would have the same names cannot go to one folder."""
    seen: dict[str, Path] = {"index": Path("the page over all files")} if len(files) > 1 else {}
    for file in files:
        if file.stem in seen and seen[file.stem] != file:
            raise click.UsageError(f"{seen[file.stem]} and {file} would both write {file.stem}.html; render them apart")
        seen[file.stem] = file


def summary(outcome: Outcome) -> str:
    """A file's verdict, what does not hold, and the places of its documents, as printed."""
    places = [p for p in outcome.written if p.suffix != ".csv"]
    tables = [p for p in outcome.written if p.suffix == ".csv"]
    said = f"{outcome.file}: {outcome.verdict}{', unchanged' if outcome.unchanged else ''}"
    lines = [said, *(f"  {line}" for line in (*outcome.unmet, *places))]
    if tables:
        lines.append(f"  {len(tables)} tables, {tables[0]} and so on")
    return "\n".join(lines)


def write_index(outcomes: Sequence[Outcome], work: Sequence[Job]) -> Path | None:
    """Writes the page over several files; None where there is one file, or no document to read."""
    from reports.commands import files, index

    folder = work[0].out
    if folder is None or len(work) == 1 or not {"html", "pdf"} & set(work[0].formats):
        return None
    place = folder / "index.html"
    return files.write({place: index.page(outcomes, folder)})[0]


class Told:
    """Says what a watch renders, and keeps the page over all its files as they are now."""

    def __init__(self, work: Sequence[Job], quiet: bool) -> None:
        self.work, self.quiet = work, quiet
        self.latest: dict[str, Outcome] = {}

    def __call__(self, outcomes: Sequence[Outcome], changed: Sequence[str], took: float) -> None:
        """The files whole at first, later a line each with what changed and the seconds it took."""
        report(outcomes, self.quiet or bool(changed))
        self.latest |= {outcome.file: outcome for outcome in outcomes}
        write_index([self.latest[str(job.file)] for job in self.work], self.work)
        if self.quiet:
            return
        for outcome in outcomes if changed else ():
            click.echo(shell.printable(f"{outcome.file}: {outcome.verdict} ({', '.join(changed)}; {took:.1f} s)"))
        if not changed:
            click.echo("watching; Ctrl-C ends")
        sys.stdout.flush()


def report(outcomes: Sequence[Outcome], quiet: bool) -> None:
    """Says what became of the files: problems on standard error, documents on standard output."""
    for outcome in outcomes:
        if outcome.problems:
            shell.complain(outcome.problems + "\n")
        if outcome.stream:
            click.echo(outcome.stream.encode())  # JSON is UTF-8 whatever the terminal is
        elif not quiet and outcome.written:
            click.echo(shell.printable(summary(outcome)))
    for line in sorted({outcome.missing for outcome in outcomes if outcome.missing}):
        shell.complain(line)


def check_stream(stream: bool, chosen: tuple[str, ...], files: tuple[Path, ...]) -> None:
    """Standard output takes one JSON document and nothing else."""
    if stream and (chosen != ("json",) or len(files) != 1):
        raise click.UsageError("--out - writes one document: use it with --format json and one file")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, readable=False), shell_complete=offered.rendered)
@click.option("--out", default="out", show_default=True, metavar="DIR", help="Folder of the documents; - streams JSON.",
              shell_complete=offered.folders)
@click.option("--format", "chosen", default="html,pdf", show_default=True, callback=formats,
              help="html,pdf,json,csv,parquet (large tables)", shell_complete=offered.formats)
@click.option("--set", "overrides", multiple=True, metavar="NAME=VALUE", help="Replace a setting (cluster.nodes=256)",
              shell_complete=offered.settings)
@click.option("--vary", "varied", multiple=True, metavar="NAME=RANGE", help="Vary a setting (layout.tensor=1..8)",
              shell_complete=offered.settings)
@click.option("--diff", "pair", nargs=2, type=click.Path(path_type=Path), metavar="OLD NEW",
              shell_complete=offered.files_of(".scn", ".json"),
              help="Say what changed from one file, or rendered JSON, to another; --set applies to NEW.")
@click.option("--check-pdf", is_flag=True, help="Check FILES, which are PDFs made by this program, and render nothing.")
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1, 256),
              help="Processes: one file each, or the points of one file's tables.")
@click.option("--resume", is_flag=True, help="Go on with tables where an earlier call was stopped.")
@click.option("--scheduler", metavar="tcp://HOST:PORT", help="Hand files and points to a dask scheduler's workers.")
@allow_import
@click.option("--templates", type=click.Path(path_type=Path), metavar="DIR",
              shell_complete=offered.folders, help="Your own templates and style.css (docs/templates.md).")
@click.option("--force", is_flag=True, help="Render files again that have not changed.")
@click.option("--watch", is_flag=True, help="Go on, and render again what changes, until Ctrl-C.")
@click.option("--quiet", is_flag=True, help="Say nothing but problems.")
@click.version_option(package_name="tonnage", prog_name="tonnage")
def render(
    files: tuple[Path, ...],
    out: str,
    chosen: tuple[str, ...],
    overrides: tuple[str, ...],
    varied: tuple[str, ...],
    pair: tuple[Path, Path] | None,
    check_pdf: bool,
    jobs: int,
    resume: bool,
    scheduler: str | None,
    templates: Path | None,
    force: bool,
    watch: bool,
    quiet: bool,
) -> int:
    """Render scenario FILES to documents.

    Exit: 0 all holds, 1 a requirement or check does not hold, 2 a file is in error, 3 something could not be written.
    """
    if watch and (pair or check_pdf or out == STREAM):
        raise click.UsageError("--watch renders FILES to a folder: use it without --diff, --check-pdf and --out -")
    if pair:
        return difference(pair, files, out, chosen, overrides, quiet)
    if not files:
        raise click.UsageError("Missing argument 'FILES...': which scenarios?")
    files = tuple(dict.fromkeys(files))
    if check_pdf:
        from reports.commands.check_pdf import checked

        return checked(files, quiet)
    stream = out == STREAM
    check_stream(stream, chosen, files)
    refuse_clashes(files)
    if said := unusable(templates):
        shell.complain(said)
        return shell.IN_ERROR
    folder = None if stream else Path(out)
    own = jobs if len(files) == 1 else 1
    also = allowed()
    work = [
        Job(file, folder, chosen, overrides, varied, resume, own, scheduler, templates, also, force) for file in files
    ]
    call = Call(jobs, scheduler, bars=not quiet and not stream and sys.stderr.isatty())
    if watch:
        from reports.commands.watch import watched

        return watched(work, partial(performed, call=call), Told(work, quiet))
    outcomes = performed(work, call)
    report(outcomes, quiet)
    place = write_index(outcomes, work)
    if place and not quiet:
        click.echo(str(place))
    return shell.worst([outcome.code for outcome in outcomes])


def unusable(templates: Path | None) -> str:
    """What is wrong with a company's templates, before anything is evaluated."""
    if templates is None:
        return ""
    from reports.commands.company import Refused, company_of

    try:
        company_of(templates)
    except Refused as refused:
        return refused.text
    return ""


def difference(
    pair: tuple[Path, Path], files: tuple[Path, ...], out: str, chosen: tuple[str, ...], overrides: tuple[str, ...],
    quiet: bool,
) -> int:  # fmt: skip
    """`--diff OLD NEW`: one document of what changed, in place of those of FILES."""
    from reports.commands.diff import rendered

    if files or out == STREAM:
        raise click.UsageError("--diff OLD NEW writes one document to a folder; `scn diff --format json` streams it")
    return rendered(pair, Path(out), chosen, overrides, quiet)


def main() -> NoReturn:
    """The command `render`."""
    shell.run(render)

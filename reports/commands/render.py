"""`render FILE…`: every scenario file to HTML, PDF, JSON and CSV, and a page over them where there are several."""

import signal
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import NoReturn, Protocol

import click

from reports.commands import shell
from reports.commands.allowed import allow_import, allowed
from reports.commands.outcome import Job, Outcome

FORMATS = ("html", "pdf", "json", "csv", "parquet")
STREAM = "-"


class Tick(Protocol):
    """Told whenever a file is finished, and of the points of its tables."""

    def __call__(self, outcome: Outcome) -> None: ...
    def points(self, table: str, done: int, total: int) -> None: ...


def formats(context: click.Context, option: click.Parameter, value: str) -> tuple[str, ...]:
    """The formats of `--format html,pdf`, in the order they are made."""
    names = [name.strip().lower() for name in value.split(",") if name.strip()]
    unknown = [name for name in names if name not in FORMATS]
    if unknown or not names:
        said = f"{', '.join(unknown) or 'nothing'} is not a format; there are {', '.join(FORMATS)}"
        raise click.BadParameter(said, context, option)
    if "parquet" in names and find_spec("pyarrow") is None:
        raise click.BadParameter("parquet needs pyarrow: pip install 'tonnage[parquet]'", context, option)
    return tuple(name for name in FORMATS if name in names)


def refuse_clashes(files: tuple[Path, ...]) -> None:
    """Two files whose documents would have the same names cannot go to one folder."""
    seen: dict[str, Path] = {"index": Path("the page over all files")} if len(files) > 1 else {}
    for file in files:
        if file.stem in seen and seen[file.stem] != file:
            raise click.UsageError(f"{seen[file.stem]} and {file} would both write {file.stem}.html; render them apart")
        seen[file.stem] = file


def failed(job: Job, error: BaseException) -> Outcome:
    """The outcome of a file on which a worker itself died, as when memory runs out."""
    return Outcome(str(job.file), shell.INTERNAL, problems=f"{job.file}: {shell.internal(error)}")


def in_turn(work: list[Job], tick: Tick) -> list[Outcome]:
    """The files one after the other in this process: one start-up for all."""
    from reports.commands.job import perform

    outcomes = []
    for job in work:
        outcomes.append(perform(job, tick.points))
        tick(outcomes[-1])
    return outcomes


def side_by_side(work: list[Job], jobs: int, tick: Tick) -> list[Outcome]:
    """The files over ``jobs`` processes; spawned, so that each is as fresh as a call of its own."""
    from reports.commands.job import perform

    pool = ProcessPoolExecutor(min(jobs, len(work)), mp_context=get_context("spawn"))
    try:
        with deaf_to_ctrl_c():
            futures = {pool.submit(perform, job): job for job in work}
        done = {futures[future].file: result(future, futures[future], tick) for future in as_completed(futures)}
    except KeyboardInterrupt:
        for worker in active_children():  # what they write is renamed when it is whole
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return [done[job.file] for job in work]


def result(future: Future[Outcome], job: Job, tick: Tick) -> Outcome:
    """What a worker gave for ``job``."""
    try:
        outcome = future.result()
    except BrokenProcessPool as error:
        outcome = failed(job, error)
    tick(outcome)
    return outcome


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    """Processes started meanwhile do not hear Ctrl-C, which a terminal sends to all; this one stops them."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def progress(total: int, shown: bool) -> Iterator[Tick]:
    """Bars on standard error, where that is a terminal: of files, and of the points of a table with their rate."""
    if not shown:
        yield Quiet()
        return
    from reports.commands.bars import Bars

    with Bars(total) as bars:
        yield bars


class Quiet:
    """Says nothing."""

    def __call__(self, outcome: Outcome) -> None: ...
    def points(self, table: str, done: int, total: int) -> None: ...


def summary(outcome: Outcome) -> str:
    """A file's verdict, what does not hold, and the places of its documents, as printed."""
    places = [p for p in outcome.written if p.suffix != ".csv"]
    tables = [p for p in outcome.written if p.suffix == ".csv"]
    lines = [f"{outcome.file}: {outcome.verdict}", *(f"  {line}" for line in (*outcome.unmet, *places))]
    if tables:
        lines.append(f"  {len(tables)} tables, {tables[0]} and so on")
    return "\n".join(lines)


def write_index(outcomes: list[Outcome], folder: Path) -> Path:
    """Writes the page over several files."""
    from reports.commands import files, index

    place = folder / "index.html"
    return files.write({place: index.page(outcomes, folder)})[0]


def report(outcomes: list[Outcome], quiet: bool) -> None:
    """Says what became of the files: problems on standard error, documents on standard output."""
    for outcome in outcomes:
        if outcome.problems:
            shell.complain(outcome.problems + "\n")
        if outcome.stream:
            click.echo(outcome.stream)
        elif not quiet and outcome.written:
            click.echo(shell.printable(summary(outcome)))
    for line in sorted({outcome.missing for outcome in outcomes if outcome.missing}):
        shell.complain(line)


def check_stream(stream: bool, chosen: tuple[str, ...], files: tuple[Path, ...]) -> None:
    """Standard output takes one JSON document and nothing else."""
    if stream and (chosen != ("json",) or len(files) != 1):
        raise click.UsageError("--out - writes one document: use it with --format json and one file")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--out", default="out", show_default=True, metavar="DIR", help="Folder of the documents; - streams JSON.")
@click.option("--format", "chosen", default="html,pdf", show_default=True, callback=formats,
              help="html,pdf,json,csv,parquet (large tables)")
@click.option("--set", "overrides", multiple=True, metavar="NAME=VALUE", help="Replace a setting (cluster.nodes=256)")
@click.option("--vary", "varied", multiple=True, metavar="NAME=RANGE", help="Vary a setting (layout.tensor=1..8)")
@click.option("--diff", "pair", nargs=2, type=click.Path(path_type=Path), metavar="OLD NEW",
              help="Say what changed from one file, or rendered JSON, to another; --set applies to NEW.")
@click.option("--check-pdf", is_flag=True, help="Check FILES, which are PDFs made by this program, and render nothing.")
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1, 256),
              help="Processes: one file each, or the points of one file's tables.")
@click.option("--resume", is_flag=True, help="Go on with tables where an earlier call was stopped.")
@click.option("--scheduler", metavar="tcp://HOST:PORT", help="Hand files and points to a dask scheduler's workers.")
@allow_import
@click.option("--templates", type=click.Path(path_type=Path), metavar="DIR",
              help="Your own templates and style.css (docs/templates.md).")
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
    quiet: bool,
) -> int:
    """Render scenario FILES to documents.

    Exit: 0 all holds, 1 a requirement or check does not hold, 2 a file is in error, 3 something could not be written.
    """
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
    work = [Job(file, folder, chosen, overrides, varied, resume, own, scheduler, templates, also) for file in files]
    with progress(len(work), shown=not quiet and not stream and sys.stderr.isatty()) as tick:
        outcomes = done(work, jobs, scheduler, tick)
    report(outcomes, quiet)
    if folder and len(files) > 1 and {"html", "pdf"} & set(chosen):
        place = write_index(outcomes, folder)
        if not quiet:
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


def done(work: list[Job], jobs: int, scheduler: str | None, tick: Tick) -> list[Outcome]:
    """What came of the files: rendered one after the other, over processes, or over a scheduler's workers."""
    if len(work) == 1 or (jobs == 1 and scheduler is None):
        return in_turn(work, tick)
    if scheduler is None:
        return side_by_side(work, jobs, tick)
    from reports.commands.scheduled import scheduled

    return scheduled(work, scheduler, tick)


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

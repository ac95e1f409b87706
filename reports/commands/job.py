"""One file from text to documents. All of a file's documents are made before the first is written."""

import gc
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.commands import shell, stamps
from reports.commands.company import Refused
from reports.commands.files import write
from reports.commands.outcome import Job, Outcome, word
from reports.commands.reads import below, fingerprints
from reports.commands.source import Source, read
from reports.commands.unmet import unmet
from reports.document import build, exit_code
from reports.experiments.pools import NoDask, workers
from reports.experiments.work import Told, Work, untold, working
from reports.locales import written_in
from reports.point import Json
from reports.withheld import without_amounts

if TYPE_CHECKING:
    from reports.book import Book

NONE: Json = {"files": []}
ORDER = (".html", ".pdf", ".json", ".csv")


def place(path: Path) -> int:
    """Where a kind of file stands among those written: documents, tables, arguments of frameworks."""
    return ORDER.index(path.suffix) if path.suffix in ORDER else len(ORDER)


@dataclass
class Made:
    """Documents by the name they will have, what was complained of on the way, and what a PDF lacked."""

    contents: dict[Path, bytes]
    heard: list[str] = field(default_factory=list)
    missing: str = ""


def perform(job: Job, told: Told = untold) -> Outcome:
    """Does a job; ``told`` hears of the points of tables.

    Whatever goes wrong with one file is its outcome: the other files are still rendered.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of libraries, to their developers; ours are problems
            return rendered(job, told)
    except NoDask as error:
        return Outcome(str(job.file), shell.CANNOT_WRITE, verdict="Not rendered", problems=f"error: {error}")
    except Refused as refused:
        return Outcome(str(job.file), shell.IN_ERROR, verdict="Not rendered", problems=refused.text)
    except shell.CannotWrite as error:
        return Outcome(str(job.file), shell.CANNOT_WRITE, verdict="Not written", problems=f"error: {error}")
    except MemoryError:
        said = f"error: {job.file}: {shell.TOO_LITTLE}"
        return Outcome(str(job.file), shell.CANNOT_WRITE, verdict="Not rendered", problems=said)
    except Exception as error:  # noqa: BLE001 - the catch-all of a worker: one file's accident is not the others'
        said = f"{job.file}: {shell.internal(error)}"
        return Outcome(str(job.file), shell.INTERNAL, verdict="Not rendered", problems=said)


def rendered(job: Job, told: Told = untold) -> Outcome:
    """Reads, evaluates and writes one file; one in error leaves no trace."""
    source = read(job.file, job.overrides, job.varied, job.allowed)
    if source.in_error:
        return Outcome(str(job.file), shell.IN_ERROR, problems=source.shown, reads=source.reads)
    depends = (*source.reads, *below(job.templates))
    before = {} if job.out is None else fingerprints(depends)
    with workers(job.workers, job.scheduler) as pool:
        work = Work(source.recipe, source.scenario.tables, pool, told, job.out, job.resume, job.formats)
        with working(work):
            document = build(source.scenario)
    if job.out is None:
        return finished(job, document, source.shown, stream=as_json(document))
    with no_collection():
        made = documents(job, source, document)
    ordered = sorted(made.contents.items(), key=lambda item: place(item[0]))
    written = tuple(write({job.out / name: data for name, data in ordered}))
    written += tuple(job.out / name for e in document["experiments"] for name in (e.get("streamed") or NONE)["files"])
    heard = "\n".join(filter(None, (source.shown, *made.heard)))
    outcome = replace(finished(job, document, heard, written, made.missing), reads=depends)
    stamps.keep(job, source, before, outcome)
    return outcome


@contextmanager
def no_collection() -> Iterator[None]:
    """Keeps Python's collector of circular garbage still: over the boxes of a PDF it takes a quarter of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def finished(
    job: Job, document: Json, problems: str, written: tuple[Path, ...] = (), missing: str = "", stream: str = ""
) -> Outcome:
    """The outcome of a file that was rendered."""
    stopped = partial(document)
    code = shell.STOPPED if stopped else shell.CANNOT_WRITE if missing else exit_code(document)
    problems = "\n".join(filter(None, (problems, *stopped)))
    sentences = tuple(document["verdict"]["sentences"])
    file, title, verdict = str(job.file), document["title"], word(document)
    keys = () if job.out is None else key_texts(document)
    return Outcome(file, code, title, verdict, sentences, written, problems, missing, stream, unmet(document), keys)


def partial(document: Json) -> list[str]:
    """A line for every table that Ctrl-C left unfinished."""
    return [
        f"stopped: {e['kind']} `{e['name']}` holds the {e['counts']['points']:,} points that were done; "
        "the same call with --resume goes on".replace(",", "_")
        for e in document["experiments"]
        if e.get("counts", {}).get("partial")
    ]


def key_texts(document: Json) -> tuple[str, ...]:
    """The key numbers of page 1 as lines: "Total cost 10.5 M$"."""
    from reports.quantities import Quantity, legible
    from reports.sections.front import label

    rows = [(label(r), legible(Quantity(r["value"], r.get("unit") or "", r.get("decimals")))) for r in
            document.get("key_numbers") or ()]  # fmt: skip
    with written_in(document["report"].get("locale")):
        return tuple(f"{name} {shown.text()}" for name, shown in rows if not shown.missing)


def as_json(document: Json) -> str:
    """The document as text, a blank deeper at each level; a long list has an item a line. It holds no NaN."""
    return _lines(document, "\n")


LONG = 100  # items, from which on each of a list stands on one line
FLAT = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _lines(node: Any, margin: str) -> str:
    inner = f"{margin} "
    if node and isinstance(node, dict):
        rows = [f"{FLAT(key)}: {_lines(value, inner)}" for key, value in node.items()]
        return f"{{{inner}{f',{inner}'.join(rows)}{margin}}}"
    if node and isinstance(node, (list, tuple)):
        rows = [FLAT(value) if len(node) >= LONG else _lines(value, inner) for value in node]
        return f"[{inner}{f',{inner}'.join(rows)}{margin}]"
    return FLAT(node)


def documents(job: Job, source: Source, document: Json) -> Made:
    """The files asked for, of one scenario."""
    given, name = carried(source, document), document["report"].get("logo")
    if set(job.formats) == {"json"} or not (name or job.templates):
        return printed(job.file.stem, job.formats, document, given)
    from reports.book import bind
    from reports.commands.company import company_of
    from reports.logo import read_logo

    shown, data, why = read_logo(job.file.parent, str(name), job.allowed) if name else ("", b"", "")
    company = company_of(job.templates)
    made = printed(job.file.stem, job.formats, document, given | ({str(name): data} if data else {}),
                   lambda own: replace(bind(own, company), logo=shown))  # fmt: skip
    made.heard += [f"warning: {job.file}: {why}"] if why else []
    return made


def carried(source: Source, document: Json) -> dict[str, bytes]:
    """The files that travel in the PDF; in a document without prices without their amounts."""
    if not document.get("withheld"):
        return source.given
    return {name: without_amounts(data.decode("utf-8", "replace")).encode() for name, data in source.given.items()}


def printed(
    stem: str,
    formats: Sequence[str],
    document: Json,
    given: Mapping[str, bytes],
    binder: "Callable[[Json], Book] | None" = None,
) -> Made:
    """A document in the formats asked for; ``given`` is what it was made from, which travels in the PDF, ``binder``
    makes a book of another kind than a capacity plan.

    What draws is imported only where something is drawn.
    """
    data = (as_json(document) + "\n").encode() if {"json", "pdf"} & set(formats) else b""
    made = Made({Path(f"{stem}.json"): data} if "json" in formats else {})
    if set(formats) == {"json"}:
        return made
    from reports.book import bind
    from reports.csv_files import csv_files
    from reports.installing import Missing
    from reports.operations.files import of_document

    try:
        book = (binder or bind)(document)
        tables = {name: text.encode() for name, text in (csv_files(book.tables) | of_document(document)).items()}
        if "csv" in formats:
            made.contents.update({Path(f"{stem}.{name}"): table for name, table in tables.items()})
        if "html" in formats:
            add_html(made, Path(f"{stem}.html"), book, "pdf" not in formats)  # which says the same
        if "pdf" in formats:
            add_pdf(made, Path(f"{stem}.pdf"), book, given, {f"{stem}.json": data} | tables)
    except Missing as error:
        made.missing = str(error)
    return made


def add_html(made: Made, place: Path, book: "Book", tells: bool) -> None:
    """Adds the HTML, and what it lacks where it ``tells``."""
    from reports.fonts import missing_glyphs
    from reports.html import screen_page

    page = screen_page(book)
    made.contents[place] = page.encode()
    made.heard += [f"warning: {place}: {text}" for text in missing_glyphs(page) if tells]


def add_pdf(made: Made, place: Path, book: "Book", given: Mapping[str, bytes], inside: Mapping[str, bytes]) -> None:
    """Adds the PDF with the files that travel in it: what it was made from, then its numbers and tables."""
    from reports.attached import placed
    from reports.pdf import Attachment, render_pdf

    names, about = placed(given), "The scenario"
    files = []
    for name, data in given.items():
        files.append(Attachment(names[name], data, about, "Source"))
        about = "A file that the scenario reads"
    about = "All numbers of this document"
    for name, data in inside.items():
        files.append(Attachment(name if name not in names.values() else f"made/{name}", data, about))
        about = "A table of this document"
    made.contents[place], heard = render_pdf(book, files)
    made.heard.extend(f"warning: {place.name}: {text}" for text in heard)

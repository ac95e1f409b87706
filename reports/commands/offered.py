"""What the shell's completion offers where click does not know: files of a kind, settings, names of the library.

A setting is offered up to its next dot, as folders are; one with choices offers these after its =.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

Offers = list["CompletionItem[str]"]
Offer = Callable[[click.Context, click.Parameter, str], Offers]
FORMATS = ("html", "pdf", "json", "csv", "parquet")


def beginning(typed: str, words: Iterable[str | tuple[str, str]]) -> Offers:
    """The words that begin with what is typed, each once; a pair is a word and what is said about it."""
    pairs = dict((word, "") if isinstance(word, str) else word for word in words)
    return [CompletionItem(word, help=about or None) for word, about in pairs.items() if word.startswith(typed)]


def files_of(*suffixes: str) -> Offer:
    """Offers folders, and files that end so."""

    def offer(context: click.Context, parameter: click.Parameter, typed: str) -> Offers:
        return beginning(typed, listed(typed, suffixes))

    return offer


def listed(typed: str, suffixes: tuple[str, ...]) -> list[str]:
    """Folders, with a slash, and files of the folder that is being typed; hidden ones where a dot is typed."""
    folder, _, begun = typed.rpartition("/")
    before = typed[: len(typed) - len(begun)]
    try:
        places = sorted(Path(folder or before or ".").iterdir())
    except OSError:
        return []
    seen = (place for place in places if begun.startswith(".") or not place.name.startswith("."))
    return [f"{before}{p.name}{'/' * p.is_dir()}" for p in seen if p.is_dir() or p.suffix in suffixes]


def any_file(context: click.Context, parameter: click.Parameter, typed: str) -> Offers:
    """Leaves it to the shell to offer files."""
    return [CompletionItem(typed, type="file")]


def folders(context: click.Context, parameter: click.Parameter, typed: str) -> Offers:
    """Leaves it to the shell to offer folders."""
    return [CompletionItem(typed, type="dir")]


def rendered(context: click.Context, parameter: click.Parameter, typed: str) -> Offers:
    """What `render` takes: scenarios, or PDFs after --check-pdf."""
    return beginning(typed, listed(typed, (".pdf" if context.params.get("check_pdf") else ".scn",)))


def formats(context: click.Context, parameter: click.Parameter, typed: str) -> Offers:
    """A further format of a list with commas between."""
    before = typed.rpartition(",")[0].split(",") if "," in typed else []
    return beginning(typed, (",".join((*before, name)) for name in FORMATS if name not in before))


def settings(context: click.Context, parameter: click.Parameter, typed: str) -> Offers:
    """Settings of a run, its model, cluster, GPU and stack; after the = their choices."""
    from dsl.schema import run_row, run_rows

    path, equals, _ = typed.partition("=")
    if equals:
        row = run_row(path)
        words = (row.choices or ("true", "false") * (row.holds == "flag")) if row else ()
        return beginning(typed, (f"{path}={word}" for word in words))
    return beginning(typed, (step(typed, path, row.doc) for path, row in sorted(run_rows().items())))


def step(typed: str, path: str, doc: str) -> tuple[str, str]:
    """(the path up to its next dot, nothing), or (the whole path with its =, what it means)."""
    further = path[len(typed) :].partition(".")
    return (typed + further[0] + ".", "") if path.startswith(typed) and further[1] else (f"{path}=", doc)


def library(kind: str, several: bool = False) -> Offer:
    """Offers the library's entries of a kind; where several may stand, after commas too."""

    def offer(context: click.Context, parameter: click.Parameter, typed: str) -> Offers:
        before = typed[: typed.rfind(",") + 1] if several else ""
        return beginning(typed, ((before + name, title) for name, title in entries(kind)))

    return offer


def entries(kind: str) -> list[tuple[str, str]]:
    """(name, title) of the library's entries of a kind."""
    from dsl.catalog import catalog

    return [(item.name, item.title) for item in catalog() if item.kind == kind]


def models(context: click.Context, parameter: click.Parameter, typed: str) -> Offers:
    """Models of the library, and configurations."""
    return library("model")(context, parameter, typed) + beginning(typed, listed(typed, (".json",)))


def kinds(context: click.Context, parameter: click.Parameter, typed: str) -> Offers:
    """Kinds of entries that the library holds."""
    from dsl.catalog import catalog

    return beginning(typed, (item.kind for item in catalog()))


def names(context: click.Context, parameter: click.Parameter, typed: str) -> Offers:
    """Entries of the kind named before."""
    return beginning(typed, entries(context.params.get("kind") or ""))


def explained(context: click.Context, parameter: click.Parameter, typed: str) -> Offers:
    """What `scn explain` takes: scenarios, and codes of mistakes."""
    from dsl.problems import CODES

    return beginning(typed, [*listed(typed, (".scn",)), *CODES.items()])


def results(context: click.Context, parameter: click.Parameter, typed: str) -> Offers:
    """Results of a run."""
    from engine.metrics import METRICS

    return beginning(typed, ((metric.name, metric.doc) for metric in METRICS))

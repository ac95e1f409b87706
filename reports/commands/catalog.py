"""`scn catalog [KIND] [NAME]`: what the library holds, with values, units and sources."""

import json
import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from reports.commands import offered, shell

if TYPE_CHECKING:
    from dsl.catalog import Item

WIDTH = 100
# The settings that a list of one kind shows; a list of another kind shows titles only.
COLUMNS = {
    "gpu": ("memory", "memory_bandwidth", "peak.bf16", "link", "power"),
    "model": ("layers", "hidden", "heads", "vocabulary", "sequence"),
    "cluster": ("gpu", "gpus_per_node"),
    "price": ("gpu", "rent", "buy", "term"),
    "stack": ("attention", "passes", "kernel_gap"),
    "hazard": ("gpu", "host", "network", "software", "other"),
    "check": ("severity",),
}


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows in columns, two spaces between them; a column that is empty all through is left out."""
    columns = [column for column in zip(*rows, strict=True) if any(column[1:])]
    widths = [max(map(len, column)) for column in columns]
    lines = zip(*columns, strict=True)
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def kinds_shown(items: "list[Item]") -> str:
    """The kinds and how many entries each has."""
    from dsl.schema import kinds

    counts = Counter(item.kind for item in items)
    rows = [("kind", "entries", "what it is"), *((k, str(n), kinds()[k].doc) for k, n in counts.items())]
    return table(rows) + "\n\nscn catalog KIND lists one kind, scn catalog KIND NAME shows one entry"


def listed(items: "list[Item]") -> str:
    """The entries of one kind, one a line."""
    names = COLUMNS.get(items[0].kind, ())
    rows = [("name", *names, "title")]
    for item in items:
        values = {quoted.path: quoted.text for quoted in item.settings}
        rows.append((item.name, *(values.get(name, "") for name in names), item.title))
    return table(rows)


def entry(item: "Item") -> str:
    """One entry with all its settings and where they come from."""
    title = f' "{item.title}"' if item.title else ""
    base = f" from {item.base}" if item.base else ""
    rows = [("setting", "value", "stands in"), *((q.path, q.text, q.where) for q in item.settings)]
    about = [textwrap.fill(f"{k}: {v}", WIDTH, subsequent_indent="  ") for k, v in item.about.items()]
    head = f"{item.kind} {item.name}{title}{base}\n{item.where}"
    return "\n\n".join(filter(None, (head, table(rows), "\n".join(item.rules), "\n".join(about))))


def as_json(items: "list[Item]") -> str:
    """The entries as JSON; values are in base units, `text` says them in the unit they were written in."""
    plain = [{**item._asdict(), "settings": [q._asdict() for q in item.settings]} for item in items]
    return json.dumps(plain, ensure_ascii=False, indent=1)


def chosen(items: "list[Item]", kind: str, name: str) -> "list[Item]":
    """The entries of a kind, or the one of a name; a call for something that is not there is refused with what is."""
    kinds = list(dict.fromkeys(item.kind for item in items))
    if kind and kind not in kinds:
        raise click.UsageError(missing(f"the library has no {kind}", kind, kinds))
    found = [item for item in items if not kind or item.kind == kind]
    if name and name not in [item.name for item in found]:
        raise click.UsageError(missing(f"the library has no {kind} called {name}", name, [i.name for i in found]))
    return [item for item in found if not name or item.name == name]


def missing(said: str, word: str, legal: list[str]) -> str:
    """What is not there, and what is: the names that begin so, else the nearest, else all."""
    from dsl.problems import listed as phrase
    from dsl.problems import nearest

    begin = [name for name in legal if name.startswith(word.lower())]
    near = nearest(word, legal) if not begin else None
    return shell.printable(f"{said}; did you mean {near}?" if near else f"{said}; it has {phrase(begin or legal)}")


@click.command()
@click.argument("kind", default="", shell_complete=offered.kinds)
@click.argument("name", default="", shell_complete=offered.names)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="text, or json with all.")
def catalog(kind: str, name: str, form: str) -> int:
    """Show the library: its kinds, the entries of a KIND, or one entry by NAME with values, units and sources.

    Exit: 0 shown, 2 there is no such kind or name.
    """
    from dsl.catalog import catalog as read
    from engine.metrics import FACTS, METRICS

    items = chosen(read({m.name: m.dimension for m in (*METRICS, *FACTS)}), kind, name)
    if form == "json":
        click.echo(as_json(items))
    else:
        click.echo(shell.printable(entry(items[0]) if name else listed(items) if kind else kinds_shown(items)))
    return shell.HOLDS

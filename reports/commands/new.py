"""`scn new`: a scenario to start from, for a model, a GPU, a number of GPUs and a price."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reports.commands import offered, shell

if TYPE_CHECKING:
    from dsl.catalog import Item
    from dsl.scenario import Run
    from reports.draft import Site, Wish

SEQUENCES = (8192, 4096, 2048, 1024)  # tried where the model states none
PER_PARAMETER = 20  # tokens: 20 to 22 in table 3 of Hoffmann et al. 2022 (arXiv 2203.15556)
PRICE = re.compile(r"\$?(\d[\d_]*(?:\.\d+)?)")


@click.command()
@click.argument("out", required=False, type=click.Path(path_type=Path))
@click.option("--model", required=True, metavar="NAME|FILE", help="A model of the library, or a config.json.",
              shell_complete=offered.models)  # fmt: skip
@click.option("--gpu", required=True, metavar="NAME", help="A GPU of the library (scn catalog gpu).",
              shell_complete=offered.library("gpu"))  # fmt: skip
@click.option("--gpus", required=True, type=click.IntRange(1, 10_000_000), help="How many.")
@click.option("--price", default="", metavar="PRICE", help="'$2.10/gpu-hour', in quotes; or 2.10.")
@click.option("--tokens", default="", metavar="TOKENS", help="Training tokens, as 15T; 20 a parameter without it.")
@click.option("--force", is_flag=True, help="Overwrite OUT.")
def new(out: Path | None, model: str, gpu: str, gpus: int, price: str, tokens: str, force: bool) -> int:
    """Write a commented scenario to OUT, or to standard output: a first plan that checks and can be rendered.

    Exit: 0 written, 2 something asked for is not there, 3 OUT could not be written, or is there already.
    """
    if out is not None and out.exists() and not force:
        shell.complain(f"error: {out} is there already; --force overwrites it")
        return shell.CANNOT_WRITE
    wish, site = understood(out, model, gpu, gpus, price, tokens)
    text, fits = planned(out, wish, site)
    if out is None:
        click.echo(text, nl=False)
        return shell.HOLDS
    from reports.commands.files import write

    write({out: text.encode()})
    click.echo(shell.printable(f"{out}: {fits}"))
    return shell.HOLDS


def understood(out: Path | None, model: str, gpu: str, gpus: int, price: str, tokens: str) -> "tuple[Wish, Site]":
    """What is asked for in the language's words, and the cluster that the library has for it."""
    from dsl.catalog import catalog
    from reports.commands.catalog import chosen
    from reports.draft import Wish

    items = catalog()
    name, config = model, ""
    if model.endswith(".json"):
        name, config = configuration(Path(model), out)
    else:
        chosen(items, "model", model)
    (part,) = chosen(items, "gpu", gpu)
    amount = counted(tokens, "tokens", "15T")
    return Wish(name, config, gpu, gpus, money(price), f"{amount} tokens" if amount else ""), placed(items, part, gpus)


def configuration(file: Path, out: Path | None) -> tuple[str, str]:
    """The name of a model that is read from a config.json, and the path from the scenario to it."""
    if not file.is_file():
        raise click.UsageError(shell.printable(f"there is no file {file}"))
    stem = file.resolve().parent.name if file.stem == "config" else file.stem
    name = re.sub(r"[^A-Za-z0-9]+", "-", stem).strip("-").lower()
    return name if name[:1].isalpha() else f"model-{name}", os.path.relpath(file, out.parent if out else ".")


def money(price: str) -> str:
    """A price as the language writes it: 2.10 is $2.10/gpu-hour."""
    if not price:
        return ""
    amount, slash, unit = price.partition("/")
    found = PRICE.fullmatch(amount.strip())
    if found is None or (slash and unit.strip() not in ("gpu-hour", "hour")):
        why = "; in a shell, quote it: the $ is eaten otherwise" if amount.startswith(".") or not amount else ""
        raise click.UsageError(shell.printable(f"--price {price} is not a price such as '$2.10/gpu-hour'{why}"))
    return f"${found.group(1)}/gpu-hour"


def counted(text: str, what: str, example: str) -> str:
    """A count as the language writes it, without its unit."""
    bare = text.removesuffix(what).strip()
    if text and not re.fullmatch(r"\d[\d_]*(?:\.\d+)?(?:[kMBT]|[KMGT]i)?", bare):
        raise click.UsageError(shell.printable(f"--{what} {text} is not a number such as {example}"))
    return bare


def placed(items: "list[Item]", part: "Item", gpus: int) -> "Site":
    """The library's network for a GPU, or a plain one of nodes of eight."""
    from reports.draft import Site

    own = {q.path: q for q in part.settings}
    domain = int(own["domain"].value) if "domain" in own else 8
    fabric = next((i for i in items if i.kind == "cluster" and _says(i, "gpu") == part.name), None)
    node = int(_says(fabric, "gpus_per_node") or 8) if fabric is not None else min(8, max(domain, 1))
    if gpus < node:
        fabric, node = None, gpus
    link = own["link"].text if "link" in own else "25 GB/s"
    return Site(fabric.name if fabric else "", node, min(max(domain, node), gpus), link)


def _says(item: "Item", path: str) -> str:
    return next((str(q.text) for q in item.settings if q.path == path), "")


def planned(out: Path | None, wish: "Wish", site: "Site") -> tuple[str, str]:
    """The text with the first layout that fits, else the first that can be built; and what is to be said of it."""
    from reports.draft import Layout, text
    from reports.layouts import best, outcome

    def tried(layout: Layout) -> "Run":
        return checked(text(wish, site, layout, tokens, why), out)

    tokens, why = wish.tokens or "1T tokens", ""
    sequence = length(tried(Layout(sequence=SEQUENCES[-1], batch=wish.gpus)))
    run = tried(Layout(sequence=sequence, batch=wish.gpus))
    active = outcome(run.plain()).columns.get("active_parameters")
    if not wish.tokens and active is not None:
        tokens = f"{suffixed(PER_PARAMETER * float(active[0]))} tokens"
        why = f"{PER_PARAMETER} for each active parameter, the compute-optimal number (Hoffmann et al. 2022)"
    layout, said = best(run.plain(), wish.gpus, site.node, sequence, tried)
    return text(wish, site, layout, tokens, why), said


def length(run: "Run") -> int:
    """The training sequence: the model's own, else the longest of a few that its positions allow."""
    stated, positions = run.plain().get("model.sequence"), run.plain().get("model.positions")
    return int(stated or next((n for n in SEQUENCES if not positions or n <= positions), SEQUENCES[-1]))


def suffixed(tokens: float) -> str:
    """A count with two digits that matter: 1.4T."""
    exact = float(f"{tokens:.2g}")
    size, suffix = (1e12, "T") if exact >= 1e12 else (1e9, "B")
    return f"{exact / size:g}{suffix}"


def checked(text: str, out: Path | None) -> "Run":
    """The run of a text; a configuration that cannot be read is told as `scn check` would."""
    from dsl.files import load_text
    from dsl.problems import show
    from dsl.resolve import resolve
    from reports.commands.source import NAMES

    loaded = load_text(text, out.name if out is not None else "new.scn", out.parent if out is not None else Path())
    scenario, problems = resolve(loaded, NAMES)
    if problems or not scenario.runs:
        raise click.UsageError(shell.printable("no scenario can be made of this:\n" + show(problems, loaded.sources)))
    return scenario.runs[0]

"""`scn size`: how many of which GPUs, in which layout, for a deadline and a budget."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING

import click

from reports.commands import offered, shell

if TYPE_CHECKING:
    from dsl.catalog import Item
    from reports.point import Json
    from reports.size_draft import Asked

MONEY = re.compile(r"\$?(\d[\d_]*(?:\.\d+)?)([kMB]?)\$?")
RANGE = re.compile(r"(\d[\d_]*)(?:\.\.(\d[\d_]*))?")
STEP_TOKENS = 2**23  # tokens a step where no batch is stated: 8.4 million, as runs of this size have
SPOT = ("preemptible", "spot")  # prices that a plan cannot rely on


@click.command()
@click.argument("out", required=False, type=click.Path(path_type=Path))
@click.option("--model", required=True, metavar="NAME|FILE", help="A model of the library, or a config.json.",
              shell_complete=offered.models)  # fmt: skip
@click.option("--tokens", required=True, metavar="TOKENS", help="Training tokens, as 15T.")
@click.option("--gpu", "gpus", required=True, metavar="NAME,…", help="GPUs of the library, with commas between.",
              shell_complete=offered.library("gpu", several=True))  # fmt: skip
@click.option("--days", type=click.FloatRange(min=0, min_open=True), help="The longest time to train.")
@click.option("--budget", default="", metavar="MONEY", help="The most it may cost, as 20M.")
@click.option("--count", "counts", default="8..16384", show_default=True, metavar="FROM..TO", help="GPUs, doubling.")
@click.option("--price", default="", metavar="PRICE,…", help="Per GPU-hour, one a GPU; else the library's median.")
@click.option("--batch", default="", metavar="SEQUENCES", help="Sequences a step; else 8.4 million tokens.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How it is printed.")
@click.option("--force", is_flag=True, help="Overwrite OUT.")
def size(
    out: Path | None, model: str, tokens: str, gpus: str, days: float | None, budget: str, counts: str, price: str,
    batch: str, form: str, force: bool,
) -> int:  # fmt: skip
    """Say how many of which GPUs train MODEL on TOKENS in time and within budget, and in which layout.

    Every layout of every number of GPUs is tried. With OUT the scenario is written there, its run set to the answer, to
    go on with.

    Exit: 0 there is an answer, 1 nothing meets deadline and budget, 2 something asked for is not there, 3 OUT could not
    be written, or is there already.
    """
    if out is not None and out.exists() and not force:
        shell.complain(f"error: {out} is there already; --force overwrites it")
        return shell.CANNOT_WRITE
    asked = understood(out, model, tokens, gpus, days, budget, counts, price, batch)
    found = evaluated(asked.text(), out)
    if out is not None:
        write(out, asked, found)
    if form == "json":
        click.echo(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        click.echo(shell.printable(said(asked, found, out)))
    return shell.DOES_NOT_HOLD if found["chosen"] is None else shell.HOLDS


def understood(
    out: Path | None, model: str, tokens: str, gpus: str, days: float | None, budget: str, counts: str, price: str,
    batch: str,
) -> "Asked":  # fmt: skip
    """The options in the language's words; a usage error for what is not there."""
    from dsl.catalog import catalog
    from reports.commands.catalog import chosen
    from reports.commands.new import configuration, counted, placed
    from reports.size_draft import Asked

    items, config, name = catalog(), "", model
    if model.endswith(".json"):
        name, config = configuration(Path(model), out)
    else:
        chosen(items, "model", model)
    names = [n.strip() for n in gpus.split(",") if n.strip()]
    low, high = counted_range(counts)
    parts = []
    for own, money in zip(names, prices(price, names), strict=True):
        (part,) = chosen(items, "gpu", own)
        amount, source = (money, "as asked") if money else usual_price(items, own)
        parts.append((part, placed(items, part, high), amount, source))
    wish = {
        "model": name,
        "config": config,
        "tokens": f"{counted(tokens, 'tokens', '15T')} tokens",
        "gpus": f"{low}..{high} doubling",
        "deadline": f"{days:g} days" if days else "",
        "budget": f"${amount_of(budget)}" if budget else "",
        "batch": counted(batch, "batch", "2048"),
    }
    asked = Asked(wish, parts, 8192)
    asked.sequence = sequence(asked, out)
    wish["batch"] = wish["batch"] or str(max(1, STEP_TOKENS // asked.sequence))
    return asked


def sequence(asked: "Asked", out: Path | None) -> int:
    """The model's own training sequence, else 8,192 tokens or what its positions allow."""
    from reports.commands.new import checked, length
    from reports.size_draft import Asked

    trial = Asked(asked.wish | {"batch": "8"}, asked.parts, 1024)
    return length(checked(trial.text(), out))


def prices(given: str, names: Sequence[str]) -> list[str]:
    """The price of each GPU as asked, "" where the library's is meant."""
    from reports.commands.new import money

    found = [money(p.strip()) for p in given.split(",")] if given else [""] * len(names)
    if len(found) != len(names):
        raise click.UsageError(f"--price names {len(found)} for {len(names)} GPUs: one each, with commas between")
    return found


def usual_price(items: "Sequence[Item]", gpu: str) -> tuple[str, str]:
    """The median of the library's rents of a GPU, offers that may be taken away left out; and which row it is."""
    rows, texts = [], {}
    for item in items:
        own = {q.path: q for q in item.settings}
        if item.kind == "price" and "rent" in own and "gpu" in own and str(own["gpu"].text) == gpu:
            term = str(own["term"].value) if "term" in own else ""
            if not any(word in term for word in SPOT):
                rows.append((float(own["rent"].value), item.name))
                texts[item.name] = str(own["rent"].text)
    if not rows:
        return "", ""
    value = median_low([rent for rent, _ in rows])
    name = next(name for rent, name in rows if rent == value)
    return f"{name}.rent", f"{texts[name]}: the median of the library's {len(rows)} rents of this GPU"


def counted_range(text: str) -> tuple[int, int]:
    """From and to of --count."""
    found = RANGE.fullmatch(text.strip())
    low = int(found[1].replace("_", "")) if found else 0
    high = int((found[2] or found[1]).replace("_", "")) if found else 0
    if not 1 <= low <= high:
        raise click.UsageError(shell.printable(f"--count {text} is not a range such as 64..4096"))
    return low, high


def amount_of(text: str) -> str:
    """A sum of money without its sign: 20M, 500k, 1_000_000."""
    found = MONEY.fullmatch(text.strip().replace(",", "_"))
    if found is None:
        raise click.UsageError(shell.printable(f"--budget {text} is not a sum such as 20M"))
    return found[1] + found[2]


def evaluated(text: str, out: Path | None) -> "Json":
    """The experiment of the one size block of a text."""
    from dsl.files import load_text
    from dsl.problems import show
    from dsl.resolve import resolve
    from reports.commands.source import NAMES
    from reports.experiments.sizing import evaluate_size

    loaded = load_text(text, out.name if out else "size.scn", out.parent if out else Path())
    scenario, problems = resolve(loaded, NAMES)
    if problems or not scenario.tables:
        raise click.UsageError(shell.printable("no scenario can be made of this:\n" + show(problems, loaded.sources)))
    if not sys.stderr.isatty():
        return evaluate_size(scenario.tables[0])
    from reports.commands.bars import Bars
    from reports.experiments.work import Work, working

    with Bars(1) as bars, working(Work(told=bars.points)):
        return evaluate_size(scenario.tables[0])


def write(out: Path, asked: "Asked", found: "Json") -> None:
    """Writes the scenario, its run as the answer has it."""
    from reports.commands.files import write as written_to

    best = next((p["settings"] for p in found["points"] if p["index"] == found["chosen"]), None)
    written_to({out: asked.text(best).encode()})


def said(asked: "Asked", found: "Json", out: Path | None) -> str:
    """The answer on the terminal."""
    from reports.quantities import NBSP
    from reports.sections.size import sentences

    wish = asked.wish
    head = [f"{wish['model']}, {wish['tokens']}, {wish['batch']} sequences of {asked.sequence} tokens a step"]
    limits = ((f"within {wish['deadline']}", wish["deadline"]), (f"for {wish['budget']}", wish["budget"]))
    head[0] += "".join(f", {text}" for text, stated in limits if stated)
    counts = found["counts"]
    head.append(f"{counts['points']:,} points tried, {counts['met']:,} meet every requirement")
    if counts.get("partial"):
        head.append("stopped before every point was tried: the answer is that of those tried so far")
    priced = [(part.name, price or "no price", source) for part, _, price, source in asked.parts]
    head += [f"{name}: {price}{f', {source}' if source else ''}" for name, price, source in priced]
    lines = [*head, "", *sentences(found)]
    if out is not None:
        lines += ["", f"{out}: written; render it for the whole answer"]
    return "\n".join(lines).replace(NBSP, " ")

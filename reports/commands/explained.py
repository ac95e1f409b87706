"""`scn explain FILE RESULT`: the tree behind a number, as text or JSON."""

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reports.commands import shell

if TYPE_CHECKING:
    from dsl.scenario import Run, Scenario
    from reports.origins import Json, Line

LINES = 100  # two screens of a terminal
WIDTH = 118


def explained(
    file: Path, result: str, run: str | None, depth: int | None, form: str, overrides: tuple[str, ...]
) -> int:
    """Prints the tree of a result of a run, or the names of all results where none is asked for."""
    from reports.commands.source import read

    source = read(file, overrides)
    if source.in_error:
        shell.complain(source.shown)
        return shell.IN_ERROR
    wanted, name = chosen(source.scenario, result, run)
    from reports.document import phased
    from reports.provenance import SHOWS_ITS_PASSES, Provenance

    made = Provenance(wanted, phased, simulated=name == SHOWS_ITS_PASSES)
    if not name:
        click.echo(listed(made.names, wanted, file))
        return shell.HOLDS
    if name not in made.names:
        raise click.UsageError(unknown(name, made.names, wanted, made.missing.get(name, ())))
    tree = made.list([name])[0]
    click.echo(json.dumps(tree, indent=1, ensure_ascii=False) if form == "json" else as_text(tree, wanted, file, depth))
    return shell.HOLDS


def chosen(scenario: "Scenario", result: str, run: str | None) -> "tuple[Run, str]":
    """The run that is meant and the result's own name: RUN.result, --run, or the first run of the file."""
    from reports.commands.source import runs_of, the_run

    head, _, last = result.rpartition(".")
    _, own, problems = the_run(Path(scenario.file), runs_of(scenario), head if run is None else run)
    if own is None:
        raise click.UsageError("; ".join(filter(None, (problems[0].title, problems[0].help))))
    return own, last


EVERYDAY = {"days": "time_to_train", "memory": "memory_per_gpu", "throughput": "tokens_per_second", "price": "cost"}


def unknown(name: str, names: tuple[str, ...], run: "Run", missing: tuple[str, ...]) -> str:
    """What to say of a result that the run does not have: it lacks an input, or there is none of that name."""
    from dsl.problems import listed as listed_words
    from dsl.problems import nearest
    from engine.metrics import BY_NAME

    if name in BY_NAME:
        needs = f": it needs {listed_words(missing)}" if missing else "; render says why"
        return f"run `{run.name}` has no {name}{needs}"
    near = nearest(name, BY_NAME) or EVERYDAY.get(name)
    return f"there is no result `{name}`; " + (f"did you mean {near}?" if near else f"there are {', '.join(names)}")


def listed(names: tuple[str, ...], run: "Run", file: Path) -> str:
    """The results of a run, one a line."""
    from engine.metrics import BY_NAME

    known = [name for name in names if name in BY_NAME]
    width = max(map(len, known))
    head = f"results of run `{run.name}` in {file}; scn explain {file} RESULT tells where one comes from\n"
    return head + "\n".join(f"  {name:<{width}}  {BY_NAME[name].doc}" for name in known)


def as_text(tree: "Json", run: "Run", file: Path, depth: int | None) -> str:
    """The tree with its formulas; of long ones as many levels as fit two screens."""
    from reports.origins import counted, fitting, items_of, lines, told

    items = items_of([tree])
    found = fitting(tree, items, LINES // 2) if depth is None else lines(tree, items, depth)
    head = f"{tree['name']} of run `{run.name}` in {file}"
    text = "\n".join([head, "", *(row for at, line in enumerate(found) for row in printed(line, found, at))])
    hidden = sum(line.hidden for line in found)
    if hidden:
        deepest = max(line.depth for line in found)
        text += f"\n\n… is what stands below, {told(counted(tree, items))} in all; --depth {deepest + 1} shows more"
    return shell.printable(text)


def printed(line: "Line", found: "list[Line]", at: int) -> Iterator[str]:
    """One number: its name and value, what it is, and its formula or source below."""
    item = line.item
    bars = "".join("│  " if follows(found, at, d) else "   " for d in range(1, line.depth))
    branch = ("├─ " if follows(found, at, line.depth) else "└─ ") if line.depth else ""
    said = item["source"] if item["kind"] in ("setting", "constant") else item["label"]
    below = bars + (("│  " if follows(found, at, line.depth) else "   ") if line.depth else "")
    formula = f"= {item['formula']}" if item["formula"] else ""
    formula += f"  ({item['note']})" if item["note"] else ""
    if line.elsewhere:
        formula = f"({line.elsewhere})"
    formula += "  …" if line.hidden else ""
    head = f"{bars}{branch}{line.name} = {item['shown'].replace(chr(160), ' ')}"
    yield from wrapped(head, said, below)
    if formula:
        more = bool(item["children"]) and not line.hidden and not line.elsewhere
        yield from textwrap.wrap(
            formula, WIDTH, initial_indent=below + ("│  " if more else "   "),
            subsequent_indent=below + ("│    " if more else "     "), break_long_words=False,
        )  # fmt: skip


def wrapped(head: str, said: str, below: str) -> Iterator[str]:
    """A number with what is said about it, on the same line where there is room."""
    if len(head) + 3 + len(said) <= WIDTH:
        yield f"{head}   {said}".rstrip()
        return
    first, *rest = textwrap.wrap(said, max(WIDTH - len(head) - 3, 40)) or [""]
    yield f"{head}   {first}"
    yield from textwrap.wrap(" ".join(rest), WIDTH, initial_indent=below + "     ", subsequent_indent=below + "     ")


def follows(found: "list[Line]", at: int, depth: int) -> bool:
    """Whether another number stands below at this depth before the tree goes back up."""
    for line in found[at + 1 :]:
        if line.depth <= depth:
            return line.depth == depth
    return False

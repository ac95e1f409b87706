"""`scn explain CODE`: the long story of a problem code, with a wrong line and the right one."""

import textwrap
from typing import TYPE_CHECKING

import click

from reports.commands import shell

if TYPE_CHECKING:
    from dsl.explanations import Explanation

WIDTH = 88
LONG = 160  # a longer line of an example is cut


def codes() -> str:
    """All codes with what they stand for, one a line."""
    from dsl.problems import CODES

    return "\n".join(f"{code}  {meaning}" for code, meaning in CODES.items())


def story(code: str) -> str:
    """A code's meaning, its story and its examples."""
    from dsl.explanations import EXPLANATIONS
    from dsl.problems import CODES

    told = EXPLANATIONS[code]
    parts = [f"{code}: {CODES[code]}", textwrap.fill(told.story, WIDTH), *examples(told)]
    return "\n\n".join(parts)


def examples(told: "Explanation") -> list[str]:
    """The wrong text and the right one, and what they are read from where that is not the text alone."""
    pairs = (("wrong", told.wrong, told.sets[0]), ("right", told.right, told.sets[1]))
    shown = []
    for word, text, override in pairs:
        body = text or f"scn check plan.scn --set '{override}'"
        saved = f", saved as {told.encoding}" if word == "wrong" and told.encoding != "utf-8" else ""
        shown.append(f"{word}{saved}:\n" + textwrap.indent("\n".join(map(cut, body.splitlines())), "    "))
    lying = [f"where {name} holds:\n" + textwrap.indent(text.rstrip(), "    ") for name, text in told.files]
    return [*shown, *lying]


def cut(line: str) -> str:
    """A line short enough to read."""
    return line if len(line) <= LONG else f"{line[: LONG // 4]} … {line[-LONG // 4 :]}"


@click.command()
@click.argument("code", default="")
def explain(code: str) -> int:
    """Tell the long story of a problem CODE such as E14; without one, list them all.

    Exit: 0 told, 2 there is no such code.
    """
    from dsl.problems import CODES, nearest

    wanted = code.strip().upper()
    if wanted and wanted not in CODES:
        near = nearest(wanted, CODES)
        hint = f"did you mean {near}?" if near else "scn explain lists them"
        raise click.UsageError(shell.printable(f"there is no code {code}; {hint}"))
    click.echo(story(wanted) if wanted else codes())
    return shell.HOLDS

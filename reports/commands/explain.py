"""`scn explain`: the long story of a problem code; what stands behind a result is in reports/commands/explained.py."""

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reports.commands import offered, shell
from reports.commands.allowed import allow_import

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
@click.argument("what", default="", shell_complete=offered.explained)
@click.argument("result", default="", shell_complete=offered.results)
@click.option("--run", default=None, metavar="NAME", help="The run of FILE; the first one where it is left out.")
@click.option("--depth", default=None, type=click.IntRange(0, 100), help="Levels of the tree; by default two screens.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How the tree is printed.")
@allow_import
@click.option("--set", "overrides", multiple=True, metavar="NAME=VALUE", help="Replace a setting of FILE.",
              shell_complete=offered.settings)  # fmt: skip
def explain(
    what: str, result: str, run: str | None, depth: int | None, form: str, overrides: tuple[str, ...]
) -> int:
    """Tell where a number comes from, or what a problem code or a setting means.

    `scn explain FILE RESULT` prints the tree behind a result (step_time, cost, or RUN.step_time): every formula with
    its values, down to the settings with file, line and source, and to the constants of the model. Without a RESULT
    it lists them. `scn explain E14` tells the long story of a problem code; without one, all are listed. `scn explain
    layout.tensor` says what a setting means and holds.

    Exit: 0 told, 2 there is no such code, setting, file, run or result.
    """
    if what.endswith(".scn") or result or Path(what).is_file():
        from reports.commands.explained import explained

        return explained(Path(what), result, run, depth, form, overrides)
    return setting_explained(what) if "." in what else code_explained(what)


def setting_explained(path: str) -> int:
    """Prints what a setting means."""
    from dsl.problems import nearest
    from reports.commands.setting import paths, setting

    told = setting(path)
    if told is None:
        near = nearest(path, paths())
        hint = f"did you mean {near}?" if near else "dsl/REFERENCE.md lists them"
        raise click.UsageError(shell.printable(f"there is no setting {path}; {hint}"))
    click.echo(shell.printable(told))
    return shell.HOLDS


def code_explained(code: str) -> int:
    """Prints the story of a code, or all codes."""
    from dsl.problems import CODES, nearest

    wanted = code.strip().upper()
    if wanted and wanted not in CODES:
        near = nearest(wanted, CODES)
        hint = f"did you mean {near}?" if near else "scn explain lists them"
        raise click.UsageError(shell.printable(f"there is no code {code}; {hint}"))
    click.echo(story(wanted) if wanted else codes())
    return shell.HOLDS

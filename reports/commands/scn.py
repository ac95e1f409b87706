"""`scn`: check scenario files, and say what the installation lacks. Imports no library that draws or computes."""

import gc
import json
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import click

from reports.commands import offered, shell
from reports.commands.allowed import allow_import

# Commands with a file of their own, which is imported when they are called: {command: its file, and its name there}.
FILES = {
    "catalog": "catalog",
    "completion": "completion",
    "diff": "diff",
    "explain": "explain",
    "fit": "fit",
    "fmt": "fmt",
    "import": "import_",
    "lsp": "lsp",
    "new": "new",
    "size": "size",
    "validate": "validate",
}

SCENARIOS = offered.files_of(".scn")


class Commands(click.Group):
    """The commands of this file and those of FILES."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, for help and completion."""
        return sorted({*self.commands, *FILES})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name, imported if need be."""
        if cmd_name not in FILES:
            return super().get_command(ctx, cmd_name)
        command = getattr(import_module(f"reports.commands.{FILES[cmd_name]}"), FILES[cmd_name])
        assert isinstance(command, click.Command)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tonnage", prog_name="tonnage")
def scn() -> None:
    """Work on the scenario language."""


@scn.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, readable=False),
                shell_complete=SCENARIOS)  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How problems are printed.")
@allow_import
@click.option("--set", "overrides", multiple=True, metavar="NAME=VALUE", help="Replace a setting.",
              shell_complete=offered.settings)  # fmt: skip
def check(files: tuple[Path, ...], form: str, overrides: tuple[str, ...]) -> int:
    """Check FILES: every problem with its place and what to type instead.

    Exit: 0 no errors, 2 some file is in error.
    """
    from reports.commands.source import read

    sources = [read(file, overrides) for file in dict.fromkeys(files)]
    if form == "json":
        click.echo(json.dumps([problem for source in sources for problem in source.to_json()], indent=1))
    else:
        for text in filter(None, (source.shown for source in sources)):
            shell.complain(text + "\n")
        for line in (line for source in sources if not source.in_error for line in source.sizes):
            click.echo(line)
        wrong = sum(source.in_error for source in sources)
        click.echo(f"{len(sources)} checked, {wrong} in error" if len(sources) > 1 or wrong else "no problem found")
    return shell.worst([shell.IN_ERROR if source.in_error else shell.HOLDS for source in sources])


@scn.command()
def doctor() -> int:
    """Say what the installation has, what it lacks, and how to get that.

    Exit: 0 complete, 3 something is missing.
    """
    from reports.commands.doctor import examine

    findings = examine()
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        line = f"{finding.mark:<8} {finding.what:<{width}}  {finding.found}"
        click.echo(line + (f"; run: {finding.remedy}" if finding.remedy else ""))
    return shell.CANNOT_WRITE if any(finding.mark == "missing" for finding in findings) else shell.HOLDS


def main() -> NoReturn:
    """The command `scn`. It lives too briefly for collecting garbage to pay: that is a tenth of a check."""
    gc.disable()
    shell.run(scn)

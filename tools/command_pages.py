"""The page of all commands, from their own help."""

import inspect

import click

from reports.commands.render import render
from reports.commands.scn import scn

HEAD = """# Commands

Made from the programs' own help by `make reference`. Exit codes: [in daily use](daily-use.md).
"""


def page() -> str:
    """docs/commands.md."""
    parts = [HEAD, _part("render", render)]
    context = click.Context(scn)
    for name in scn.list_commands(context):
        command = scn.get_command(context, name)
        assert command is not None
        parts.append(_part(f"scn {name}", command))
    return "\n".join(parts)


def _part(name: str, command: click.Command) -> str:
    """One command: how it is called, what it does, its options in a table."""
    text = inspect.cleandoc(command.help or "").replace("\b", "")
    context = click.Context(command, info_name=name)
    lines = [f"## `{name}`", "", f"    {name} {' '.join(command.collect_usage_pieces(context))}", "", _plain(text), ""]
    options = [p for p in command.params if isinstance(p, click.Option)]
    if options:
        lines += ["| option | default | meaning |", "| --- | --- | --- |", *(_row(o, context) for o in options), ""]
    return "\n".join(lines)


def _plain(text: str) -> str:
    return text.replace("<", "\\<").replace("*", "\\*")


def _row(option: click.Option, context: click.Context) -> str:
    names = " ".join([*option.opts[:1], *([] if option.is_flag else [option.make_metavar(context)])])
    shown = option.show_default and option.default is not None
    default = f"`{option.default}`" if shown else ("required" if option.required else "")
    return "| " + " | ".join(_cell(text) for text in (f"`{names}`", default, option.help or "")) + " |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")

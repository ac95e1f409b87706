"""What users write and call. A change here changes the language: say it in CHANGELOG.md, then update this file."""

import click

from dsl.kinds import ARGUMENTS, KINDS, Kind
from reports.commands.render import render
from reports.commands.scn import scn


def settings(kind: Kind) -> int:
    """The number of settings of ``kind``, its inner blocks included."""
    return len(kind.settings) + sum(settings(block) for block in kind.blocks)


def test_kinds_and_how_many_settings_each_has() -> None:
    assert {kind.name: settings(kind) for kind in KINDS} == SETTINGS


def test_choices_with_arguments() -> None:
    written = [f"{path} = {choice}({', '.join(r.path for r in rows)})" for (path, choice), rows in ARGUMENTS.items()]
    assert sorted(written) == [
        "layout.recompute = full(first)",
        "layout.recompute = selective(ops)",
        "layout.schedule = interleaved(virtual_stages)",
        "layout.shard = zero3(within, group)",
        "layout.tp_overlap = fraction(share)",
    ]


def options(command: click.Command) -> list[str]:
    """The options of a command, and its arguments in capitals."""
    return sorted(p.opts[0] if isinstance(p, click.Option) else p.name.upper() for p in command.params if p.name)


def subcommands(group: click.Group) -> dict[str, click.Command]:
    """The commands of a group by their names; one inside another group is called "outer inner"."""
    found: dict[str, click.Command] = {}
    for name in group.list_commands(context := click.Context(group)):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            found |= {f"{name} {inner}": own for inner, own in subcommands(command).items()}
        elif command:
            found[name] = command
    return found


def test_commands_and_their_options() -> None:
    own = ["--allow-import", "--check-pdf", "--diff", "--force", "--format", "--jobs", "--out", "--quiet", "--resume",
           "--scheduler", "--set", "--templates", "--vary", "--version", "--watch", "FILES"]  # fmt: skip
    assert options(render) == own
    assert {name: options(command) for name, command in subcommands(scn).items()} == {
        "catalog": ["--format", "KIND", "NAME"],
        "check": ["--allow-import", "--format", "--set", "FILES"],
        "completion": ["SHELL"],
        "diff": ["--all", "--allow-import", "--format", "--set", "NEW", "OLD"],
        "doctor": [],
        "explain": ["--allow-import", "--depth", "--format", "--run", "--set", "RESULT", "WHAT"],
        "fit": ["--format", "--memory", "FILE"],
        "fmt": ["--check", "FILES"],
        "import": [
            *("--against", "--allow-import", "--format", "--gpu", "--name", "--per-node", "--plan", "--run"),
            *("--steps", "--tier", "FILES"),
        ],
        "lsp": ["--allow-import"],
        "size": ["--batch", "--budget", "--count", "--days", "--force", "--format", "--gpu", "--model", "--price",
                 "--tokens", "OUT"],
        "new": ["--force", "--gpu", "--gpus", "--model", "--price", "--tokens", "OUT"],
        "validate": ["--format", "--kind", "--out", "--refit", "--where", "FILES"],
    }


SETTINGS = {
    "gpu": 40,
    "model": 68,
    "cluster": 65,
    "stack": 59,
    "calibration": 34,
    "trace": 13,
    "run": 87,
    "sweep": 8,
    "compare": 8,
    "optimize": 11,
    "scale": 10,
    "sensitivity": 9,
    "size": 6,
    "portfolio": 12,
    "roofline": 8,
    "check": 6,
    "report": 26,
    "price": 9,
    "hazard": 9,
}

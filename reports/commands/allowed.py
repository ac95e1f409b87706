"""`--allow-import DIR`: folders outside the scenario's own that its imports, configurations and logo may lie in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

C = TypeVar("C", bound=Callable[..., Any])
KEY = "tonnage.allowed"


def kept(context: click.Context, option: click.Parameter, value: tuple[Path, ...]) -> None:
    """Keeps the folders with the call, for whatever reads a scenario in it."""
    context.meta[KEY] = value


def allow_import(command: C) -> C:
    """Gives a command the option."""
    return click.option(
        "--allow-import", multiple=True, metavar="DIR", expose_value=False, callback=kept,
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="A folder outside the scenario's own that its files may be read from.",
    )(command)  # fmt: skip


def allowed() -> tuple[Path, ...]:
    """The folders that the present call allows."""
    context = click.get_current_context(silent=True)
    return tuple(context.meta.get(KEY, ())) if context else ()

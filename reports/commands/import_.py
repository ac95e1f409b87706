"""`scn import`: blocks of the scenario language from files of other programs."""

import os
from hashlib import sha256
from pathlib import Path

import click

from reports.commands import shell


@click.group("import")
def import_() -> None:
    """Turn a file of another program into blocks of the scenario language."""


@import_.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", default="", help="Name of the model; the file's own where none is given.")
def hf(file: Path, name: str) -> int:
    """Print a `model` block from a Hugging Face config.json (FILE).

    Exit: 0 printed, 2 the file cannot be read as a model.
    """
    from dsl.importers.hf import read_config
    from dsl.importers.hf_block import block
    from dsl.problems import show

    try:
        data = read_start(file)
    except OSError as error:
        shell.complain(f"error: cannot read {file}: {error.strerror or error}")
        return shell.IN_ERROR
    found, problems = read_config(data, str(file))
    if found is None:
        shell.complain(show(problems, {str(file): data.decode("utf-8", "replace")}) + "\n")
        return shell.IN_ERROR
    click.echo(block(found, named(file, name), file.name, sha256(data).hexdigest()), nl=False)
    return shell.HOLDS


def read_start(file: Path) -> bytes:
    """The bytes of a file, cut behind the largest size that is read."""
    from dsl.importers.config import LARGEST

    with open(file, "rb") as stream:
        return stream.read(LARGEST + 1)


def named(file: Path, name: str) -> str:
    """The name of the model: as asked for, else the file's, else (config.json) its folder's."""
    from dsl.importers.hf_block import model_name

    own = file.stem if file.stem != "config" else os.path.basename(os.path.abspath(file.parent))
    return model_name(name or own)

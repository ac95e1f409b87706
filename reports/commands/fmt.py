"""`scn fmt FILE…`: scenario files in canonical form. Only white space changes; a file in error is left as it is."""

import errno
import shutil
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import click

from dsl.whole import aside
from reports.commands import offered, shell
from reports.commands.files import put


@dataclass(frozen=True)
class Formatted:
    """One file: its canonical text, whether that differs from what is there, and its problems as text."""

    file: Path
    content: bytes
    differs: bool
    problems: str
    was: str = ""  # the SHA-256 of what is there


def formatted(file: Path) -> Formatted:
    """A file as it would be written."""
    from dsl.files import load
    from dsl.form import canonical
    from dsl.problems import show

    read = load(file).main
    if read.problems:
        return Formatted(file, b"", False, show(read.problems, {read.name: read.text}))
    content = canonical(read.text)[0].encode()
    return Formatted(file, content, sha256(content).hexdigest() != read.sha256, "", read.sha256)


def rewrite(file: Path, content: bytes, was: str) -> None:
    """Puts ``content`` in the place of a file, whole or not at all, with the rights that the file had.

    ``was`` is the SHA-256 of what was formatted: what somebody saved since then is not lost.
    """
    place = file.resolve()  # a link stays a link
    try:
        with aside(place.parent) as folder:
            part = put(folder / "0", place, content)
            shutil.copymode(place, part)
            if sha256(place.read_bytes()).hexdigest() != was:
                raise OSError(errno.EBUSY, "it was changed meanwhile")
            part.replace(place)
    except OSError as error:
        raise shell.CannotWrite(file, error) from error


def done(file: Formatted, check: bool) -> int:
    """Writes or lists one file; its exit code."""
    if file.problems:
        shell.complain(f"{file.problems}\n")
        return shell.IN_ERROR
    if file.differs and check:
        click.echo(shell.printable(str(file.file)))
        return shell.DOES_NOT_HOLD
    if file.differs:
        try:
            rewrite(file.file, file.content, file.was)
        except shell.CannotWrite as error:
            shell.complain(f"error: {error}")
            return shell.CANNOT_WRITE
        click.echo(shell.printable(f"formatted {file.file}"))
    return shell.HOLDS


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, readable=False),
                shell_complete=offered.files_of(".scn"))  # fmt: skip
@click.option("--check", is_flag=True, help="Write nothing; list the files that would change.")
def fmt(files: tuple[Path, ...], check: bool) -> int:
    """Put FILES into canonical form: indentation, aligned =, spaces around operators. Only white space changes.

    Exit: 0 done, 1 with --check: some file would change, 2 a file is in error and was left as it is,
    3 a file could not be written.
    """
    found = [formatted(file) for file in dict.fromkeys(files)]
    codes = [done(file, check) for file in found]
    if not check and not any(file.differs or file.problems for file in found):
        click.echo("nothing to change")
    return shell.worst(codes)

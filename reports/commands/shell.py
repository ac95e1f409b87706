"""What both commands owe the shell: exit codes, and one line instead of a traceback, whatever happens.

Exit: 0 all holds · 1 rendered, some `require` or check does not hold · 2 a file is in error, or the call is wrong
      3 output could not be written, or a tool is missing · 70 our mistake · 130 stopped by Ctrl-C
"""

import errno
import io
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, TextIO, cast

import click

HOLDS, DOES_NOT_HOLD, IN_ERROR, CANNOT_WRITE, INTERNAL, STOPPED = 0, 1, 2, 3, 70, 130
SEVERITY = (HOLDS, DOES_NOT_HOLD, IN_ERROR, CANNOT_WRITE, INTERNAL, STOPPED)
COMPLETING = {"_RENDER_COMPLETE", "_SCN_COMPLETE"}  # what click looks for
REPORT = "this is a mistake in tonnage, not in your file; please report it with the file and what `scn doctor` prints"


WAYS_OUT = {
    errno.ENOSPC: "free some space, or choose another place",
    errno.EDQUOT: "free some space, or choose another place",
    errno.EACCES: "choose a place that you may write to",
    errno.EPERM: "choose a place that you may write to",
    errno.EROFS: "choose a place that you may write to",
    errno.EEXIST: "a file stands where its folder would be: choose another place, or remove the file",
    errno.ENOTDIR: "a file stands where its folder would be: choose another place, or remove the file",
    errno.EISDIR: "a folder of that name is in the way: rename or remove it",
    errno.ENAMETOOLONG: "give the file a shorter name",
    errno.EBUSY: "run it again",
}


class CannotWrite(Exception):
    """Output that could not be written: its place, the reason and the way out."""

    def __init__(self, place: Path | str, reason: OSError) -> None:
        way = WAYS_OUT.get(reason.errno or 0)
        super().__init__(f"cannot write {place}: {reason.strerror or reason}{f'; {way}' if way else ''}")


class CannotRead(Exception):
    """A file that a call names and that is not read: which, why, and the way out."""


def bytes_of(file: Path, most: int) -> bytes:
    """What is in a plain file of at most so many bytes; raises CannotRead."""
    from dsl.inside import Unreadable, plain

    try:
        return plain(file, most)
    except Unreadable as error:
        raise CannotRead(f"{file} {error.why}{f'; {error.help}' if error.help else ''}") from error
    except (OSError, ValueError) as error:
        raise CannotRead(f"cannot read {file}: {getattr(error, 'strerror', None) or error}") from error


def worst(codes: list[int]) -> int:
    """The exit code of a call whose files ended with ``codes``."""
    return max(codes, key=SEVERITY.index, default=HOLDS)


TOO_LITTLE = "there is not enough memory for this; give it more, or less to do at once"


def internal(error: BaseException) -> str:
    """One line for an error that is ours: what, where, and what to do; TONNAGE_TRACEBACK=1 shows it whole."""
    if os.environ.get("TONNAGE_TRACEBACK"):
        traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    text = " ".join(str(error).split())
    return f"internal error: {type(error).__name__}: {text}{where}; {REPORT}"


def printable(text: str) -> str:
    """``text`` without control characters, which could steer a terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else "�" for c in text)


def complain(text: str) -> None:
    """Says ``text`` on standard error; where nobody can hear it the exit code has to do."""
    try:
        click.echo(printable(text), err=True)
    except OSError:
        mute(sys.stderr)


def complain_of_call(error: click.ClickException) -> None:
    """Says what is wrong with a call, with its usage."""
    try:
        error.show()
    except OSError:
        mute(sys.stderr)


def mute(stream: TextIO) -> None:
    """Nobody reads a stream any more: what is left goes nowhere, so that closing it raises nothing."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class Output(io.FileIO):
    """Standard output; what cannot be written is said as of any other output. A reader that goes away is no fault."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise CannotWrite("standard output", error) from error


def open_streams() -> None:
    """Gives a call three standard streams, whatever it was started with.

    A closed one would be the next file that is opened. Nothing can be written to what stands for a closed output.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)
    if sys.stdout is None or sys.stdout is sys.__stdout__:
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        output = io.BufferedWriter(cast(io.RawIOBase, Output(1, "w", closefd=False)))
        sys.stdout = io.TextIOWrapper(output, encoding, "backslashreplace", line_buffering=os.isatty(1))
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115 - to the end


class NoFolder(click.ClickException):
    """The working folder is gone."""

    exit_code = CANNOT_WRITE


def refuse_no_folder() -> None:
    """A call from a folder that was removed has no place to read from or write to."""
    try:
        os.getcwd()
    except OSError as error:
        raise NoFolder("the folder this was called in is not there any more; change to another one") from error


def run(command: click.Command) -> NoReturn:
    """Runs a command to its exit code, and says all that it said before it ends."""
    if COMPLETING & os.environ.keys():
        import_module("reports.commands.completion")  # the shells' scripts, for click to find
    open_streams()
    code = ended(lambda: command.main(standalone_mode=False))
    sys.exit(worst([code, ended(sys.stdout.flush)]))


def ended(work: Callable[[], Any]) -> int:
    """The exit code of ``work``. This is the one place that catches everything."""
    try:
        refuse_no_folder()
        code = work()
    except (KeyboardInterrupt, click.exceptions.Abort):
        complain("stopped; every file written so far is whole")
        code = STOPPED
    except click.ClickException as error:
        complain_of_call(error)
        code = error.exit_code
    except CannotWrite as error:
        complain(f"error: {error}")
        mute(sys.stdout)
        code = CANNOT_WRITE
    except CannotRead as error:
        complain(f"error: {error}")
        code = IN_ERROR
    except (BrokenPipeError, SystemExit):  # click makes an exit of a reader that went away
        mute(sys.stdout)
        code = CANNOT_WRITE
    except MemoryError:
        complain(f"error: {TOO_LITTLE}")
        code = CANNOT_WRITE
    except Exception as error:  # noqa: BLE001 - the catch-all: a traceback never reaches the user
        complain(internal(error))
        code = INTERNAL
    return code if isinstance(code, int) else HOLDS

"""What both commands owe the shell: exit codes, and one line instead of a traceback, whatever happens.

Exit: 0 all holds · 1 rendered, some `require` or check does not hold · 2 a file is in error, or the call is wrong
      3 output could not be written, or a tool is missing · 70 our mistake · 130 stopped by Ctrl-C
"""

import os
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import click

HOLDS, DOES_NOT_HOLD, IN_ERROR, CANNOT_WRITE, INTERNAL, STOPPED = 0, 1, 2, 3, 70, 130
SEVERITY = (HOLDS, DOES_NOT_HOLD, IN_ERROR, CANNOT_WRITE, INTERNAL, STOPPED)
COMPLETING = {"_RENDER_COMPLETE", "_SCN_COMPLETE"}  # what click looks for
REPORT = "this is a mistake in tonnage, not in your file; please report it with the file and what `scn doctor` prints"


class CannotWrite(Exception):
    """Output that could not be written: its place and the reason."""

    def __init__(self, place: Path | str, reason: OSError) -> None:
        super().__init__(f"cannot write {place}: {reason.strerror or reason}")


def worst(codes: list[int]) -> int:
    """The exit code of a call whose files ended with ``codes``."""
    return max(codes, key=SEVERITY.index, default=HOLDS)


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
    """Says ``text`` on standard error."""
    click.echo(printable(text), err=True)


def mute_stdout() -> None:
    """Nobody reads standard output any more: what is left goes nowhere, so that closing it raises nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run(command: click.Command) -> NoReturn:
    """Runs a command to its exit code. This is the one place that catches everything."""
    if COMPLETING & os.environ.keys():
        import_module("reports.commands.completion")  # the shells' scripts, for click to find
    try:
        code = command.main(standalone_mode=False)
        sys.stdout.flush()
    except (KeyboardInterrupt, click.exceptions.Abort):
        complain("stopped; every file written so far is whole")
        code = STOPPED
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except CannotWrite as error:
        complain(f"error: {error}")
        code = CANNOT_WRITE
    except BrokenPipeError:
        mute_stdout()
        code = CANNOT_WRITE
    except Exception as error:  # noqa: BLE001 - the catch-all: a traceback never reaches the user
        complain(internal(error))
        code = INTERNAL
    sys.exit(code if isinstance(code, int) else HOLDS)

"""`render --check-pdf FILE…`: a table of what was checked in each PDF and what was found."""

from pathlib import Path

import click

from reports.commands import shell

GIGABYTE = 1  # of memory that reports/bounded.py leaves


def checked(files: tuple[Path, ...], quiet: bool) -> int:
    """The exit code: 0 all holds, 1 something does not, 2 a file is no PDF of ours. ``quiet`` leaves out what holds."""
    return shell.worst([check(file, quiet) for file in files])


def check(file: Path, quiet: bool) -> int:
    """One file's table on standard output; what cannot be checked is said on standard error."""
    from dsl.limits import CHECKED
    from reports.bounded import TooMuch, bounded
    from reports.selfcheck.checks import findings
    from reports.selfcheck.opened import NotOurs, opened

    try:
        with bounded(CHECKED):
            found = findings(opened(file))
    except NotOurs as error:
        shell.complain(f"error: {error}")
        return shell.IN_ERROR
    except (TooMuch, MemoryError):
        shell.complain(f"error: {file} takes more than {CHECKED} s or {GIGABYTE} GB to check; it is no PDF of ours")
        return shell.IN_ERROR
    except Exception as error:  # noqa: BLE001 - whatever a reader of PDF makes of a file that others wrote
        why = " ".join(str(error).split())[:100] or type(error).__name__
        shell.complain(f"error: {file} is a damaged PDF ({why}); render it again")
        return shell.IN_ERROR
    failed = sum(finding.holds is False for finding in found)
    held = sum(finding.holds is True for finding in found)
    if failed or not quiet:
        lines = [f"  {f.word:4}  {f.name:12}  {f.found}" for f in found if f.holds is False or not quiet]
        asked = f"{held} of {held + failed} checks hold"
        click.echo(shell.printable("\n".join([f"{file}: {asked}", *lines])))
    return shell.DOES_NOT_HOLD if failed else shell.HOLDS

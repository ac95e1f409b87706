"""`render --check-pdf FILE…`: a table of what was checked in each PDF and what was found."""

from pathlib import Path

import click

from reports.commands import shell


def checked(files: tuple[Path, ...], quiet: bool) -> int:
    """The exit code: 0 all holds, 1 something does not, 2 a file is no PDF of ours. ``quiet`` leaves out what holds."""
    return shell.worst([check(file, quiet) for file in files])


def check(file: Path, quiet: bool) -> int:
    """One file's table on standard output; what cannot be checked is said on standard error."""
    from reports.selfcheck.checks import findings
    from reports.selfcheck.opened import NotOurs, opened

    try:
        found = findings(opened(file))
    except NotOurs as error:
        shell.complain(f"error: {error}")
        return shell.IN_ERROR
    failed = sum(finding.holds is False for finding in found)
    held = sum(finding.holds is True for finding in found)
    if failed or not quiet:
        lines = [f"  {f.word:4}  {f.name:12}  {f.found}" for f in found if f.holds is False or not quiet]
        asked = f"{held} of {held + failed} checks hold"
        click.echo(shell.printable("\n".join([f"{file}: {asked}", *lines])))
    return shell.DOES_NOT_HOLD if failed else shell.HOLDS

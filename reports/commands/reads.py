"""The files that a scenario's documents depend on, those included that are looked for and not there.

Every text in quotes may name a file beside the one that it stands in: an import, a configuration, a logo. A name too
many costs a look at the disk; a name too few would leave a document stale.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from dsl.files import Loaded
from dsl.limits import TEMPLATES
from dsl.scenario import Scenario

QUOTED = re.compile(r'"([^"\n\0]{1,255})"')
ENTRIES = 10 * TEMPLATES  # of a folder that is looked through
LARGE = 64_000_000  # bytes from which size and time stand for what a file holds


def reads(loaded: Loaded, scenario: Scenario, told: Sequence[str] = ()) -> tuple[Path, ...]:
    """The file, what it names and what was read, as absolute paths; ``told`` is what the command line sets."""
    own = [file for file in loaded.files.values() if not file.library]
    folders = [file.folder for file in own if file.folder is not None]
    found = [Path(file.key) for file in own]
    found += [file.folder / name for file in own if file.folder is not None for name in QUOTED.findall(file.text)]
    found += [folder / named.partition("=")[2].strip(' "') for folder in folders for named in told if "\0" not in named]
    if loaded.main.folder is not None:
        found += [loaded.main.folder / read.path for read in scenario.imports]
    return tuple(sorted({Path(os.path.abspath(path)) for path in found}))


def digests(loaded: Loaded, scenario: Scenario) -> frozenset[str]:
    """SHA-256 of every file that was read and is none of the installed library."""
    own = {file.sha256 for file in loaded.files.values() if not file.library}
    known = {file.logical for file in loaded.files.values()}
    return frozenset(own | {read.sha256 for read in scenario.imports if read.path not in known})


def fingerprints(paths: Iterable[str | Path]) -> dict[str, str]:
    """What each of the files holds, by its path."""
    return {str(path): fingerprint(path) for path in paths}


def fingerprint(path: str | Path) -> str:
    """SHA-256 of a file; a word where it is none, its size and time where it is large."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            return "folder" if stat.S_ISDIR(status.st_mode) else "no plain file"
        if status.st_size > LARGE:
            return f"{status.st_size} {status.st_mtime_ns}"
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except (OSError, ValueError):
        return "missing"


def below(folder: Path | None) -> list[Path]:
    """A folder and what lies in it, in order, as absolute paths; of one that is too large for templates, a part."""
    return [] if folder is None else sorted(path.absolute() for path in (folder, *islice(folder.rglob("*"), ENTRIES)))

"""Files that are written whole or not at all, though a call may be killed at any moment and others write beside it.

What is not whole yet lies in a hidden folder beside its place, to be renamed. The folder is locked as long as its call
lives, so that the next one knows what a killed one left, and takes it away.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX, SUFFIX = ".tonnage-", ".part"
LOCK = "lock"  # a file, as a folder cannot be locked on every file system


def replace(place: Path, content: bytes) -> None:
    """Puts ``content`` in ``place``; raises OSError where that cannot be, and leaves what was there."""
    with aside(place.parent) as folder:
        part = folder / "0"
        part.write_bytes(content)
        part.replace(place)


@contextmanager
def aside(parent: Path) -> Iterator[Path]:
    """A hidden folder for files that are not whole yet, gone afterwards; so is what killed calls left in ``parent``."""
    import shutil  # nothing is written in most calls of `scn check`

    parent.mkdir(parents=True, exist_ok=True)
    clear(parent)
    folder, lock = opened(parent)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def opened(parent: Path) -> tuple[Path, int]:
    """A new folder and its lock; made again where another call took the unlocked one for one that was left."""
    import fcntl
    import tempfile

    while True:
        folder = Path(tempfile.mkdtemp(SUFFIX, PREFIX, parent))
        try:
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except FileNotFoundError:
            continue
        except OSError:
            with suppress(OSError):
                folder.rmdir()
            raise
        with suppress(OSError):  # a file system without locks: what is left there stays
            fcntl.flock(lock, fcntl.LOCK_EX)
        if os.fstat(lock).st_nlink:
            return folder, lock
        os.close(lock)


def clear(parent: Path) -> None:
    """Takes away the folders of calls that are not there any more; what cannot be is left."""
    for folder in parent.glob(f"{PREFIX}*{SUFFIX}"):
        with suppress(OSError):
            folder.rmdir()  # killed before it had a lock
        with suppress(OSError):
            _remove_unlocked(folder)


def _remove_unlocked(folder: Path) -> None:
    import fcntl
    import shutil

    lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)

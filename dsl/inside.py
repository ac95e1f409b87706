"""Which files a scenario may name: those in its folder and below, the library's, and folders that the caller allows.

Places are compared with all links followed, so that neither .. nor a symbolic link leads out.
"""

import os
import stat
from collections.abc import Iterable
from pathlib import Path


class Unreadable(Exception):
    """A file that is not read: why, and a way out."""

    def __init__(self, why: str, help: str = "") -> None:
        super().__init__(why)
        self.why, self.help = why, help


def inside(path: Path, folders: Iterable[Path]) -> bool:
    """Whether a file lies in one of these folders or below it."""
    real = os.path.realpath(path)
    return any(Path(real).is_relative_to(os.path.realpath(folder)) for folder in folders)


def plain(path: Path, most: int) -> bytes:
    """What is in a plain file; raises Unreadable for folders, devices, pipes and what is larger, OSError for others.

    The pipe is never waited for, and a file that grows while it is read is not followed.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise Unreadable("is not a plain file")
    with open(handle, "rb") as file:
        data = file.read(most + 1) if status.st_size <= most else b""
    if status.st_size > most or len(data) > most:
        raise Unreadable(f"is larger than {size(most)}")
    return data


def size(most: int) -> str:
    """A bound in words: 500 kB, 2 MB."""
    return f"{most // 10**6} MB" if most >= 10**6 else f"{most // 1000} kB"


def outside(path: Path) -> str:
    """What to do about a file outside the folder."""
    place = os.path.dirname(os.path.realpath(path))
    near = os.path.relpath(place)
    return f"copy it there, or call with --allow-import {near if len(near) < len(place) else place}"

"""Which files a scenario may name: those in its folder and below, the library's, and folders that the caller allows.

Places are compared with all links followed, so that neither .. nor a symbolic link leads out.
"""

import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path

PLAIN = "name a file; what a pipe or device gives, write to one first"
TRIES, PAUSE = 20, 0.02  # of reading a file that somebody writes; seconds between two


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

    The pipe is never waited for, and a file that grows while it is read is not followed. One that changes while it is
    read is read again, so that no text is half an old one and half a new one.
    """
    for _ in range(TRIES):
        before = _stamp(path)
        data = _read(path, most)
        if _stamp(path) == before:
            return data
        time.sleep(PAUSE)
    raise Unreadable("changes all the time", "wait until it is written, or copy it")


def _stamp(path: Path) -> tuple[int, int, int]:
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size, status.st_ino


def _read(path: Path, most: int) -> bytes:
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise Unreadable("is a folder" if stat.S_ISDIR(status.st_mode) else "is not a plain file", PLAIN)
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

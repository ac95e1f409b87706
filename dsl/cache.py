"""The folder where the built grammar and the trees of parsed files are kept between calls.

Nothing depends on it: what is missing, unreadable, damaged or of another version is made again, and
a folder that cannot be written is left alone.
"""

import os
import pickle
import stat
import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from dsl.whole import replace

VERSION = "3"  # of the trees: raise it when syntax.py changes


@cache
def folder() -> Path:
    """The user's cache folder for this program; TONNAGE_CACHE names another one."""
    stated = os.environ.get("TONNAGE_CACHE")
    if stated:
        return Path(stated)
    import platformdirs  # not needed where the folder is stated

    return Path(platformdirs.user_cache_dir("tonnage"))


def digest(*parts: str | bytes) -> str:
    """A name for contents: the first half of a SHA-256 over all parts."""
    joined = b"\0".join(p.encode("utf-8", "surrogatepass") if isinstance(p, str) else p for p in parts)
    return sha256(joined).hexdigest()[:32]


@cache
def edition() -> str:
    """What the kept things depend on: the grammar, the readers of it and the version of Python."""
    here = Path(__file__).parent
    sources = [(here / name).read_bytes() for name in ("scn.lark", "lines.py", "build.py", "syntax.py")]
    return digest(VERSION, sys.version, *sources)


def read(name: str) -> Any:
    """What was kept under ``name`` by this edition, or None."""
    try:
        with open(folder() / name, "rb") as file:
            if not ours(file.fileno()):
                return None
            kept, value = pickle.load(file)
    except (
        OSError,
        pickle.PickleError,
        EOFError,
        ValueError,
        TypeError,
        AttributeError,
        ImportError,
        IndexError,
        MemoryError,
    ):
        return None
    return value if kept == edition() else None


def ours(handle: int) -> bool:
    """Whether an open file is this user's or root's and closed to others' writing: what they wrote is not trusted."""
    status = os.fstat(handle)
    user = getattr(os, "geteuid", lambda: status.st_uid)()
    return status.st_uid in (user, 0) and not status.st_mode & stat.S_IWOTH


def write(name: str, value: Any) -> None:
    """Keeps ``value`` under ``name``; whole or not at all, and quietly not where the folder is closed to us."""
    with suppress(OSError, RecursionError, pickle.PickleError):
        replace(folder() / name, pickle.dumps((edition(), value), protocol=5))

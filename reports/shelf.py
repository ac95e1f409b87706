"""Results kept between calls in the cache folder: by kind and name, whole or not at all, and never too many.

What is kept carries its own digest: an entry that is damaged is no entry. What was not asked for longest goes first.
"""

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from dsl.cache import folder, ours
from dsl.whole import replace

MOST: Mapping[str, int] = {"figures": 2_000, "stamps": 2_000}  # entries of a kind; a figure takes about 50 kB
SIGN = 32  # bytes of the digest in front


def taken(kind: str, name: str) -> bytes | None:
    """What is kept under that name; None where nothing is, or where it is damaged."""
    place = folder() / kind / name
    try:
        with open(place, "rb") as file:
            data = file.read() if ours(file.fileno()) else b""
    except OSError:
        return None
    if hashlib.sha256(data[SIGN:]).digest() != data[:SIGN]:
        return None
    with suppress(OSError):
        os.utime(place)  # it was asked for
    return data[SIGN:]


def put(kind: str, name: str, data: bytes) -> None:
    """Keeps ``data``; quietly not where the folder is closed to us."""
    place = folder() / kind / name
    with suppress(OSError):
        replace(place, hashlib.sha256(data).digest() + data)
        cleared(place.parent, MOST[kind])


def cleared(shelf: Path, most: int) -> None:
    """Takes away the oldest entries of a folder that holds more than ``most``, down to three quarters of it."""
    with os.scandir(shelf) as entries:
        ages = [(entry.stat().st_mtime_ns, entry.path) for entry in entries]
    for _, path in sorted(ages)[: len(ages) - most * 3 // 4] if len(ages) > most else ():
        with suppress(OSError):
            os.unlink(path)

"""Writing a report's files: each beside its place, then renamed; all of a report's files or none."""

import errno
import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from dsl.whole import aside
from reports.commands.shell import CannotWrite


def write(contents: Mapping[Path, bytes]) -> list[Path]:
    """Writes every file or raises CannotWrite; what stood in their places is whole until the last one is ready."""
    ready: dict[Path, Path] = {}
    place = Path()
    try:
        with ExitStack() as kept:
            folders: dict[Path, Path] = {}
            for place, content in contents.items():
                if place.parent not in folders:
                    folders[place.parent] = kept.enter_context(aside(place.parent))
                ready[place] = put(folders[place.parent] / str(len(ready)), place, content)
            for place in contents:
                ready[place].replace(place)
    except OSError as error:
        raise CannotWrite(place, error) from error
    return list(contents)


def put(part: Path, place: Path, content: bytes) -> Path:
    """A finished file that can be renamed to ``place``, which is refused where a folder stands there."""
    if place.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    part.write_bytes(content)
    return part

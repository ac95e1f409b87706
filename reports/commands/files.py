"""Writing a report's files: each beside its place, then renamed; all of a report's files or none."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from reports.commands.shell import CannotWrite


def beside(place: Path, content: bytes) -> Path:
    """A finished temporary file in the folder of ``place``; renaming it there is atomic."""
    handle, name = tempfile.mkstemp(prefix=f".{place.name}.", suffix=".part", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, 0o666 & ~umask())
    except OSError:
        os.unlink(name)
        raise
    return Path(name)


def umask() -> int:
    """The mask of a new file's rights; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write(contents: Mapping[Path, bytes]) -> list[Path]:
    """Writes every file or raises CannotWrite; what stood in their places is whole until the last one is ready."""
    ready: dict[Path, Path] = {}
    place = Path()
    try:
        for place, content in contents.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            ready[place] = beside(place, content)
        for place in contents:
            ready[place].replace(place)
    except OSError as error:
        raise CannotWrite(place, error) from error
    finally:
        for part in ready.values():
            part.unlink(missing_ok=True)
    return list(contents)

"""The JSON of an earlier rendering, read back: bounded, and refused where it is something else."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reports.commands import shell

NEEDED = ("experiments", "verdict", "file", "engine_version")
FOREIGN = (KeyError, IndexError, TypeError, AttributeError, ValueError, ArithmeticError, AssertionError, RecursionError)
AGAIN = "write it with --format json"


def rendered_before(file: Path) -> Any:
    """The document in a JSON file that `render --format json` wrote; raises CannotRead."""
    found = json_of(file)
    if not isinstance(found, dict) or any(name not in found for name in NEEDED):
        raise shell.CannotRead(f"{file} is not the JSON of a scenario that was rendered; {AGAIN}")
    return found


def json_of(file: Path) -> Any:
    """What a JSON file of bounded size holds, None where it is none; raises CannotRead where it cannot be read."""
    from dsl.importers.text import values
    from dsl.limits import DOCUMENT, VALUES

    data = shell.bytes_of(file, DOCUMENT)
    if values(data) > VALUES:
        raise shell.CannotRead(f"{file} holds more than {VALUES:_} values; render less at once")
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


@contextmanager
def as_rendered(files: Sequence[Path]) -> Iterator[None]:
    """What fails inside, with documents that were read back, is a document's fault: it was not written by rendering."""
    read_back = [str(file) for file in files if file.suffix == ".json"]
    try:
        yield
    except FOREIGN as error:
        if not read_back:
            raise
        why = " ".join(f"{type(error).__name__} {error}".split())[:100]
        said = f"{' or '.join(read_back)} is not as this version writes it ({why}); {AGAIN} again"
        raise shell.CannotRead(said) from error

"""What another process needs to read a scenario again as this one did."""

from pathlib import Path
from typing import NamedTuple


class Recipe(NamedTuple):
    """The file, the texts of it and of what it imports by their places, and what the command line says."""

    file: str
    texts: tuple[tuple[str, str], ...]
    overrides: tuple[str, ...]
    varied: tuple[str, ...]
    allowed: tuple[Path, ...] = ()  # folders that its files may lie in beside its own

"""One file as the editor holds it, read and checked with everything that it imports."""

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from dsl.files import Loaded, load, load_text
from dsl.problems import Problem
from dsl.resolve import Resolution, resolve
from dsl.scope import Scope
from dsl.server.mended import mended
from dsl.table import Results

# A statement that breaks off at the end of a text takes all others with it; before another one it goes alone.
ANOTHER = "edition 2026\n"


def key_of(path: str) -> str:
    """The name under which a file is known, however its path is written."""
    return os.path.realpath(path)


class Checked:
    """A file with its problems, and the names that are known in it. Everything is worked out when it is asked for.

    ``path`` is a file's path, or any name for a text that is in no file; ``texts`` are the unsaved texts by key.
    """

    def __init__(
        self, path: str, texts: Mapping[str, str], results: Results, library: Path | None = None,
        allowed: tuple[Path, ...] = (),
    ) -> None:  # fmt: skip
        self.path, self.texts, self.results, self.library, self.allowed = path, texts, results, library, allowed

    @property
    def key(self) -> str:
        """The name under which the file is known."""
        return key_of(self.path) if os.path.isabs(self.path) else self.path

    def _load(self, texts: Mapping[str, str]) -> Loaded:
        if os.path.isabs(self.path):
            return load(self.path, self.library, texts, self.allowed)
        return load_text(texts[self.path], self.path, None, self.library)

    @cached_property
    def loaded(self) -> Loaded:
        """The file with its imports, as typed."""
        return self._load(self.texts)

    @cached_property
    def problems(self) -> list[Problem]:
        """All problems and warnings, of imported files too."""
        scenario, problems = resolve(self.loaded, self.results)
        return [*problems, *scenario.warnings]

    @cached_property
    def world(self) -> Resolution:
        """The names of the file and of its imports; blocks that are still open are taken as closed."""
        texts = {key: mended(text) for key, text in self.texts.items()}
        loaded = self.loaded if texts == dict(self.texts) else self._load(texts)
        unread = [key for key, file in loaded.files.items() if key in texts and not file.tree and file.text.strip()]
        if unread:
            loaded = self._load(texts | {key: f"{texts[key]}\n{ANOTHER}" for key in unread})
        return Resolution(loaded, self.results)

    def closed(self, changed: Mapping[str, str] | None = None) -> "Checked":
        """The same with all open blocks closed, and with some texts changed."""
        texts = {key: mended(text) for key, text in self.texts.items()} | (dict(changed) if changed else {})
        return Checked(self.path, texts, self.results, self.library, self.allowed)

    @property
    def scope(self) -> Scope:
        """The names of the file itself."""
        return self.world.main

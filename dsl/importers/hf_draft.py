"""The settings of a model while its configuration is read."""

from collections.abc import Sequence
from typing import NamedTuple

from dsl.importers.config import Config, Key
from dsl.importers.hf_families import REQUIRED, Family


class Taken(NamedTuple):
    """A setting's value, the key that gave it ("" where the model type itself does), and that key's line."""

    value: float | bool | str
    key: str
    line: int


class Draft:
    """Settings by path, remarks, and which layers have a dense MLP."""

    def __init__(self, config: Config, family: Family) -> None:
        self.config, self.family = config, family
        self.settings: dict[str, Taken] = {}
        self.notes: list[str] = []
        self.some_dense = True

    @property
    def layers(self) -> int:
        """Layers, 0 where the configuration does not say."""
        return int(self.number("layers"))

    def number(self, path: str) -> float:
        """A setting that is a number, 0 where it is not there."""
        taken = self.settings.get(path)
        return float(taken.value) if taken is not None and not isinstance(taken.value, str) else 0.0

    def bounded(self, path: str, most: int) -> None:
        """A problem where a setting is beyond what any model has; its value goes."""
        taken = self.settings.get(path)
        if taken is not None and self.number(path) > most:
            self.config.wrong("E20", f"`{taken.key}` of {self.config.name} is above {most:,}", taken.line, "read here")
            del self.settings[path]

    def positive(self, path: str) -> None:
        """A problem where a setting is 0 and no model has none of it."""
        taken = self.settings.get(path)
        if taken is not None and taken.key and self.number(path) < 1:
            self.config.wrong("E20", f"`{taken.key}` of {self.config.name} is 0", taken.line, "at least 1")

    def put(self, path: str, value: float | bool | str, key: Key | None) -> None:
        """States a setting, with the key that gave it or none."""
        self.settings[path] = Taken(value, key.name if key else "", key.line if key else 1)

    def take(self, path: str, *names: str, absent: int = REQUIRED) -> None:
        """States a setting from the first of these keys, else as ``absent``; where that is REQUIRED, a problem."""
        key = self.config.find(*names)
        if key is not None and key.value is not None:
            whole = self.config.whole(key.name)
            if whole is not None:
                self.put(path, whole.value, whole)
        elif absent != REQUIRED:
            self.put(path, absent, None)
        else:
            self.config.lacks(*names)


def first_and_every(flags: Sequence[bool]) -> tuple[int, int] | None:
    """(first, every) such that after the first layers exactly the last of every so many is marked, or None."""
    places = [i for i, flag in enumerate(flags) if flag]
    if not places:
        return None
    every = places[1] - places[0] if len(places) > 1 else places[0] + 1
    first = places[0] - every + 1
    made = [i >= first and (i - first + 1) % every == 0 for i in range(len(flags))]
    return (first, every) if first >= 0 and made == list(flags) else None


def every_and_offset(flags: Sequence[bool]) -> tuple[int, int] | None:
    """(every, offset) such that exactly the layers with that remainder are marked, or None."""
    places = [i for i, flag in enumerate(flags) if flag]
    if not places:
        return None
    every = places[1] - places[0] if len(places) > 1 else len(flags)
    made = [i % every == places[0] for i in range(len(flags))]
    return (every, places[0]) if made == list(flags) else None

"""Where the values of a block come from: what it says of its figures, and of which of them it says that."""

from typing import NamedTuple

from dsl.blocks import Body, Entry, text_of
from dsl.problems import COMMAND_LINE


class Cited(NamedTuple):
    """What a block says of where its figures come from."""

    source: str = ""
    confidence: str = ""
    verified: str = ""
    as_of: str = ""
    quote: str = ""


class Sources:
    """Where the values of one block come from."""

    def __init__(self, name: str, library: bool, body: Body) -> None:
        self.name, self.library = name, library
        entries = body.entries
        self.all = Cited(*(text_of(body, w) for w in Cited._fields))
        self.own = Cited(
            *(text_of(body, w) if w in entries and entries[w].block == name else "" for w in Cited._fields)
        )

    def of(self, entry: Entry) -> Cited:
        """What holds of a setting: the source of a base says nothing of what is written anew on top of it."""
        anew = entry.block == COMMAND_LINE or (entry.block == self.name and entry.file.library == self.library)
        return self.own if anew else self.all

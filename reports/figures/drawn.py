"""Figures that were drawn before, from the cache: by what draws them, their data, the program and the versions.

The data of a figure is plain and frozen, so that its repr says all that the figure shows.
"""

import pickle
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from dsl.cache import digest
from reports import shelf
from reports.locales import marks
from reports.other_fonts import drawable, families
from reports.program import program, versions

if TYPE_CHECKING:
    from reports.figures.picture import Picture

DAMAGED = (pickle.PickleError, EOFError, ValueError, TypeError, AttributeError, ImportError, IndexError, MemoryError)


def name(salt: str) -> str:
    """The name under which the figure of a drawing function and its data is kept."""
    return digest(salt, "".join(marks()), program(), versions(), *other_families(salt))


def other_families(words: str) -> tuple[str, ...]:
    """The fonts that draw the words beside the document's own: a figure looks different where they are not."""
    return () if words.isascii() else (str([c for c in words if not drawable(c)]), *families(words)[1:])


def drawn_before(salt: str) -> "Picture | None":
    """The figure as it was drawn before; None where it has to be drawn."""
    data = shelf.taken("figures", name(salt))
    with suppress(*DAMAGED):
        kept: Any = None if data is None else pickle.loads(data)
        return kept if type(kept).__name__ == "Picture" else None
    return None


def keep(salt: str, drawn: "Picture") -> None:
    """Keeps a figure that was drawn."""
    shelf.put("figures", name(salt), pickle.dumps(drawn, protocol=5))

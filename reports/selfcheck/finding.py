"""What a check of a PDF found."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from reports.selfcheck.opened import Opened

MOST = 3  # of what is wrong, this much is named


class Finding(NamedTuple):
    """One check: what it asks, whether it holds (None: nothing to ask it of), and what was found."""

    name: str
    holds: bool | None
    found: str

    @property
    def word(self) -> str:
        return "n/a" if self.holds is None else "pass" if self.holds else "fail"


Check = Callable[[Opened], Finding]


def judged(name: str, wrong: Sequence[str], found: str) -> Finding:
    """Holds where nothing is wrong; what is wrong is named, the first few of it."""
    more = f"; and {len(wrong) - MOST} more" if len(wrong) > MOST else ""
    return Finding(name, not wrong, "; ".join(wrong[:MOST]) + more if wrong else found)


def nothing(name: str, why: str) -> Finding:
    """A check that does not apply."""
    return Finding(name, None, why)


def close(text: str) -> str:
    """A text without its spaces: lines break at them, and then they are not there."""
    return "".join(text.split())


def short(text: str, most: int = 60) -> str:
    """A text for a message."""
    return text if len(text) <= most else text[: most - 1] + "…"


def many(number: int, what: str) -> str:
    """ "1 link", "3 links"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}".replace(",", "_")

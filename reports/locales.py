"""How numbers are written in a document: what stands between thousands and before decimals, by `report.locale`.

All that words a number asks ``marks`` and nothing else; ``written_in`` says for the time that a document is built or
drawn whose marks hold. Typed numbers, listings, names and dates never ask. The marks are those of Unicode's CLDR, but
that French groups with the no-break space: the narrow one is too thin to see in small print.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

NBSP = "\u00a0"


class Marks(NamedTuple):
    """What a number is written with beside its digits."""

    group: str
    point: str


NEUTRAL = Marks(NBSP, ".")
LOCALES = {
    "neutral": NEUTRAL,
    "en": Marks(",", "."),
    "de": Marks(".", ","),
    "fr": Marks(NBSP, ","),
    "de-CH": Marks("\u2019", "."),
}
_HELD: ContextVar[Marks] = ContextVar("marks of numbers", default=NEUTRAL)


def marks() -> Marks:
    """The marks that hold now."""
    return _HELD.get()


@contextmanager
def written_in(locale: object) -> Iterator[None]:
    """The marks of a locale hold inside; those of no locale that is known are the neutral ones."""
    held = _HELD.set(LOCALES.get(str(locale), NEUTRAL))
    try:
        yield
    finally:
        _HELD.reset(held)


def marked(text: str) -> str:
    """A number as Python writes it, "12,345.6", with the marks that hold."""
    group, point = marks()
    return text.replace(".", "\0").replace(",", group).replace("\0", point)


AS_IS = re.compile(r"[+\u2212]?[\d\u00a0]+(?:\.\d+)?")


def read_as_is(text: str) -> bool:
    """Whether the script of a page reads the number as it is printed: in neutral marks, and no power of ten."""
    return marks() == NEUTRAL and AS_IS.fullmatch(text) is not None


COMMA = re.compile(r"\d,\d")


def listed(texts: Sequence[str]) -> str:
    """Texts as a list: "1.5, 2.5"; "1,5; 2,5" where a comma stands before decimals."""
    parted = marks().point == "," and any(map(COMMA.search, texts))
    return ("; " if parted else ", ").join(texts)


# A number inside a sentence of the engine or of the language: 4_096, 1 920, 0.28. No part of a name, a version or a
# range, and none that says where something was published.
CITED = re.compile(r"(?:[Ss]ections?|[Tt]ables?|[Ff]igures?|[Ee]quations?|arXiv|versions?)[ \u00a0]\Z")
WORDED = re.compile(
    r"(?<![\w.,/:-])(?:\d{1,3}(?:[_\u00a0]\d{3})+(?:\.\d+)?(?![\w\u00a0]*\d)|\d+\.\d+(?!\.?\d|[-_]))"
)


def reworded(text: str) -> str:
    """A sentence of the engine or of the language with its numbers in the marks that hold."""
    return text if marks() == NEUTRAL else WORDED.sub(_reworded, text)


def in_formula(text: str) -> str:
    """A formula with its numbers so; a semicolon parts what a function takes where a comma stands before decimals."""
    return reworded(text.replace(", ", "; ") if marks().point == "," else text)


def _reworded(found: re.Match[str]) -> str:
    cited = CITED.search(found.string, max(0, found.start() - 12), found.start())
    return found[0] if cited else marked(re.sub("[_\u00a0]", ",", found[0]))

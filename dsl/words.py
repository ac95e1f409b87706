"""What the words of the language do, for every highlighter: rules that cut a text up, first match first.

Shapes of tokens are those of the grammar's terminals, kinds and functions come from their own tables; a test holds the
words between values against the grammar. Editors read line by line, so that no rule looks beyond its line.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from dsl.dimensions import DISTRIBUTIONS, FUNCTIONS
from dsl.kinds import KINDS, Kind
from dsl.parse import GRAMMAR

STATEMENTS = ("edition", "import", "let", "require", "where")  # reserved: they begin a statement
OPERATORS = ("and", "divides", "in", "not", "or")
JOINING = ("as", "at", "because", "called", "doubling", "else", "from", "if", "step", "then")
CONSTANTS = ("false", "true")
GAP, MAYBE = r"[ \t]+", r"[ \t]*"


class Rule(NamedTuple):
    """A regular expression whose groups cover all that it matches, and what each of them is.

    lexer.py and textmate.py say how each of these roles looks.
    """

    pattern: str
    roles: tuple[str, ...]


def openings() -> list[str]:
    """Every word that may open a block: kinds, the blocks inside them, and groups of settings such as layout."""
    return sorted({word for kind in KINDS for word in _openings(kind)})


def _openings(kind: Kind) -> Iterator[str]:
    yield kind.name
    yield from (row.path.partition(".")[0] for row in kind.settings if "." in row.path)
    for block in kind.blocks:
        yield from _openings(block)


def shapes() -> dict[str, str]:
    """The regular expressions of the grammar's terminals by name, and PATH, names joined by dots."""
    found = dict(re.findall(r"^([A-Z]+)(?:\.\d)?: +/(.*)/$", GRAMMAR.read_text("utf-8"), re.MULTILINE))
    return found | {"PATH": f"{found['NAME']}(?:\\.{found['NAME']})*"}


def whole(words: Iterable[str]) -> str:
    """A regular expression for any of these words where it is not the beginning of a longer name."""
    return f"(?:{'|'.join(sorted(words))})(?![\\w-])"


@cache
def rules() -> tuple[Rule, ...]:
    """The rules in order; what none of them matches is a mistake of one character."""
    s = shapes()
    name, path, text, opening = s["NAME"], s["PATH"], s["STRING"], whole(openings())
    title, base = f"(?:({MAYBE})({text}))?", f"(?:({GAP})(from)({GAP})({path}))?"
    unit = f"(?!{whole((*OPERATORS, *JOINING))})({s['UNIT']})"  # after a number these words are no units
    call = f"(?={MAYBE}\\()"
    header = ("opening", "space", "block", "space", "text", "space", "word", "space", "base")
    return (
        Rule(f"({s['COMMENT']})", ("comment",)),
        Rule(f"({opening})(?:({GAP})({name}))?{title}{base}(?={MAYBE}\\{{)", header),
        Rule(f"({opening})(?={GAP}at{GAP})", ("opening",)),
        Rule(f"({path})(?={MAYBE}=(?!=))", ("setting",)),
        Rule(
            f"(import)({MAYBE})({text})({MAYBE})(as)({GAP})({name})",
            ("statement", "space", "text", "space", "word", "space", "file"),
        ),
        Rule(f"({text})", ("text",)),
        Rule(f"({whole(STATEMENTS)})", ("statement",)),
        Rule(f"({s['MONEY']})", ("number",)),
        Rule(f"({s['RATIO']})", ("number",)),
        Rule(f"({s['NUMBER']})({MAYBE}){unit}", ("number", "space", "unit")),
        Rule(f"({s['NUMBER']})", ("number",)),
        Rule(f"(\\])({MAYBE}){unit}", ("punctuation", "space", "unit")),
        Rule(f"(as)({GAP})({s['UNIT']})", ("word", "space", "unit")),
        Rule(f"({whole(OPERATORS)})", ("word operator",)),
        Rule(f"({whole(JOINING)})", ("word",)),
        Rule(f"({whole(CONSTANTS)})", ("constant",)),
        Rule(f"({whole((*FUNCTIONS, *DISTRIBUTIONS))}){call}", ("function",)),
        Rule(f"({name}){call}", ("choice",)),
        Rule(f"({path})", ("name",)),
        Rule(rf"(\.\.|\^|{s['COMPARE']}|{s['ADD']}|{s['MULTIPLY']}|=)", ("operator",)),
        Rule(r"([{}()\[\],.])", ("punctuation",)),
    )

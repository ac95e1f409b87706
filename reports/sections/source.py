"""Appendix: the scenario as given, colored, with line numbers, wrapped at 96 columns."""

from collections.abc import Iterator
from typing import NamedTuple

from reports.plan import Plan, Section

COLUMNS = 96
# The look of a token by the first word of its kind; a look has a weight or a slant of its own, so that it survives
# a black-and-white printer.
LOOKS = {"Comment": "comment", "Keyword": "word", "Literal": "value", "Operator": "operator", "Name.Class": "name"}


class Piece(NamedTuple):
    """A stretch of one look."""

    look: str
    text: str


class Line(NamedTuple):
    """One printed line: its number, empty where it carries on the line above, and its pieces."""

    number: str
    pieces: tuple[Piece, ...]


def source(plan: Plan) -> Section | None:
    given = plan.document.get("source") or ""
    facts = {"lines": listing(given), "file": plan.document["file"], "sha": plan.document.get("sha256")}
    return Section("source", "", facts=facts) if given else None


def listing(given: str) -> list[Line]:
    """The text as printed lines; a line of over 96 columns goes on below itself, unnumbered."""
    lines = [*_lines(_pieces(given.replace("\t", "    ")))]
    width, shown = len(str(len(lines))), []
    for n, pieces in enumerate(lines, 1):
        for i, wrapped in enumerate(_wrapped(pieces)):
            shown.append(Line(f"{n if i == 0 else '':>{width}}", tuple(wrapped)))
    return shown


def _pieces(text: str) -> Iterator[Piece]:
    """The tokens of the text with their looks."""
    from dsl.lexer import ScnLexer  # Pygments costs 30 ms, and only this appendix needs it

    for _, token, value in ScnLexer().get_tokens_unprocessed(text):
        kind = str(token).removeprefix("Token.")
        yield Piece(next((look for name, look in LOOKS.items() if kind.startswith(name)), ""), value)


def _lines(pieces: Iterator[Piece]) -> Iterator[list[Piece]]:
    """The pieces line by line; line ends are taken out."""
    line: list[Piece] = []
    for look, text in pieces:
        first, *rest = text.split("\n")
        line.append(Piece(look, first))
        for part in rest:
            yield line
            line = [Piece(look, part)]
    if any(piece.text for piece in line):
        yield line


def _wrapped(pieces: list[Piece]) -> Iterator[list[Piece]]:
    """A line cut into printed lines of at most 96 columns; there is always one."""
    line: list[Piece] = []
    room = COLUMNS
    for look, text in pieces:
        while len(text) > room:
            cut = text.rfind(" ", room // 2, room) + 1 or room  # between words where there are some
            yield [*line, Piece(look, text[:cut])]
            line, text, room = [], text[cut:], COLUMNS
        if text:
            line.append(Piece(look, text))
            room -= len(text)
    yield line

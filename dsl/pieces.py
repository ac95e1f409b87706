"""A text in pieces: its tokens and comments in order, each with the number of line ends before it.

The parser that checks a file also cuts it up here, so that nothing is read in two ways.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dsl.parse import _parser

if TYPE_CHECKING:
    from lark import Token

COMMENT = "COMMENT"
_BETWEEN = re.compile(r"#[^\n]*|\n")  # what stands between tokens beside spaces


class Piece(NamedTuple):
    """A token or a comment; ``starts`` says that a statement begins with it, or that a comment stands between two."""

    kind: str  # the token's name in the grammar, or COMMENT
    text: str
    breaks: int  # line ends between the piece before and this one
    starts: bool


def pieces(text: str) -> list[Piece] | None:
    """The pieces of ``text``; None where it does not follow the grammar."""
    from lark import UnexpectedInput

    from dsl.build import OutOfRange
    from dsl.lines import PastBound

    try:
        return list(_pieces(text))
    except (UnexpectedInput, PastBound, OutOfRange):
        return None


def _pieces(text: str) -> Iterator[Piece]:
    position, breaks, starts = 0, 0, True
    for token in _tokens(text):
        line_end = token.type == "_NL" and token.startswith("\n")
        starts = starts or line_end
        for piece in _comments(text[position : token.end_pos if line_end else token.start_pos], breaks, starts):
            if piece.kind == COMMENT:
                yield piece
            breaks = piece.breaks if piece.kind != COMMENT else 0
        position = token.end_pos or 0
        if line_end:
            continue
        yield Piece("COMMA" if token.type == "_NL" else token.type, str(token), breaks, starts)
        breaks, starts = 0, token.type in ("_NL", "LBRACE")
    yield from (p for p in _comments(text[position:], breaks, starts) if p.kind == COMMENT)


def _comments(gap: str, breaks: int, starts: bool) -> Iterator[Piece]:
    """The comments of a stretch without tokens, then a piece without a kind that holds the line ends after them."""
    for found in _BETWEEN.findall(gap):
        if found == "\n":
            breaks += 1
        else:
            yield Piece(COMMENT, found.rstrip(), breaks, starts)
            breaks = 0
    yield Piece("", "", breaks, starts)


def _tokens(text: str) -> Iterator["Token"]:
    """The tokens as the parser takes them in, line ends that end nothing left out; raises what the parser raises."""
    parser, _, build = _parser()
    build.file = ""
    reading = parser.parse_interactive(text)
    yield from reading.iter_parse()
    reading.feed_eof()  # type: ignore[no-untyped-call]  # lark gives this one no hints

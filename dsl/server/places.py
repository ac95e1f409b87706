"""Places: spans count characters from 1, editors count lines and code units from 0.

The protocol's units are those of UTF-16 unless both sides agree on others: a character beyond the basic plane, such as
an emoji in a title, is two. A byte-order mark is a character for the editor and none for the parser.
"""

import re
from typing import NamedTuple

from dsl.problems import Span

BREAK = re.compile(r"\r\n|\r|\n")  # the protocol's line ends, and the parser's
BOM = "\ufeff"
UTF8, UTF16, UTF32 = "utf-8", "utf-16", "utf-32"
_WIDTH = {UTF8: ("utf-8", 1), UTF16: ("utf-16-le", 2), UTF32: ("utf-32-le", 4)}


class Position(NamedTuple):
    """A place as editors count: line and code units, from 0."""

    line: int
    character: int


class Area(NamedTuple):
    """A stretch of text as editors count; its end does not belong to it."""

    start: Position
    end: Position


class Text:
    """A text as the editor holds it, with the way it counts."""

    def __init__(self, text: str, encoding: str = UTF16) -> None:
        self.rows = BREAK.split(text)
        self.codec, self.size = _WIDTH[encoding]
        self.shift = int(text.startswith(BOM))  # of the first line

    def width(self, text: str) -> int:
        """How many code units the editor counts for ``text``."""
        return len(text) if text.isascii() else len(text.encode(self.codec, "surrogatepass")) // self.size

    def area(self, span: Span) -> Area:
        """A span as the editor counts; one without an end reaches to its line's end, one beyond the text is cut."""
        line = min(max(span.line, 1), len(self.rows)) - 1
        row = self.rows[line]
        shift = self.shift if line == 0 else 0
        start = min(span.column - 1 + shift, len(row))
        end = min(span.end - 1 + shift, len(row)) if span.end > span.column else len(row)
        return Area(Position(line, self.width(row[:start])), Position(line, self.width(row[: max(start, end)])))

    def place(self, position: Position) -> tuple[int, int]:
        """Line and column, from 1, of a place that the editor named; beyond a line's end is its end."""
        if position.line >= len(self.rows):
            return len(self.rows), len(self.rows[-1]) + 1
        row = self.rows[position.line]
        count = index = 0
        while index < len(row) and count < position.character:
            count += self.width(row[index])
            index += 1
        return position.line + 1, max(1, index + 1 - (self.shift if position.line == 0 else 0))

    @property
    def whole(self) -> Area:
        """All of the text."""
        return Area(Position(0, 0), Position(len(self.rows) - 1, self.width(self.rows[-1])))

"""Where the cursor stands, from the text before it alone: half-typed texts have no tree."""

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r'(?P<comment>#[^\n]*)|(?P<text>"(?:[^"\\\n]|\\.)*(?:"|$|(?=\n)))|(?P<end>\n)'
    r"|(?P<number>\$?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?[kMBTG]?i?(?:/[\w-]*(?:/[\w-]*)*)?)"
    r"|(?P<word>[^\W\d][\w-]*(?:\.[\w-]+)*\.?)|(?P<sign>\.\.|[<>!=]=|[^\s\w])"
)
_UNIT = re.compile(r"(?:[\d.][\d_]*[kMBTG]?i?|\])[ \t]+([A-Za-zµμ$%][\w$%µμ/-]*)?$")
_CARRY = frozenset({"and", "or", "because"})
_OPERATORS = frozenset("+-*/^<>") | {"and", "or", "not", "in", "divides", "if", "then", "else", "..", "==", "!="}


class Opened(NamedTuple):
    """A block around the cursor: the words of its first line."""

    words: tuple[str, ...]

    @property
    def kind(self) -> str:
        return self.words[0] if self.words else ""

    @property
    def name(self) -> str:
        return "" if self.words[1:2] in ((), ("from",), ("at",)) else self.words[1]


class Cursor(NamedTuple):
    """The blocks around the cursor, the statement so far without the word that is being typed, and that word.

    ``call`` is the function or choice in whose brackets the cursor stands, ``column`` where the typed word begins.
    ``inside`` is "text", "comment" or "".
    """

    blocks: tuple[Opened, ...]
    words: tuple[str, ...]
    typed: str
    column: int
    call: str
    inside: str
    unit: bool

    @property
    def setting(self) -> str:
        """The path that is being given a value, "" where none is."""
        return self.words[0] if self.words[1:2] == ("=",) else ""

    @property
    def amount(self) -> bool:
        """Whether the typed word belongs to a number before it: 400 G, $2.10/h."""
        return self.unit or self.typed.startswith("$")


def cursor(text: str, line: int, column: int) -> Cursor:
    """The cursor at a line and column, from 1."""
    rows = text.split("\n")
    row = rows[line - 1][: column - 1]
    before = "\n".join([*rows[: line - 1], row])
    reader = _Reader()
    found = None
    for found in _TOKEN.finditer(before):
        reader.take(str(found.lastgroup), found.group())
    return reader.cursor(row, found if found is not None and found.end() == len(before) else None)


class _Reader:
    """Follows blocks, brackets and statements through a text."""

    def __init__(self) -> None:
        self.blocks: list[Opened] = []
        self.words: list[str] = []
        self.last: list[str] = []  # the statement before, which a line may carry on
        self.brackets: list[str] = []  # what stands before each open ( or [

    def take(self, kind: str, token: str) -> None:
        if kind == "comment":
            return
        if kind == "end":
            if not self.brackets and (not self.words or self.words[-1] not in _OPERATORS):
                self.end()
        elif token == "{":
            self.blocks.append(Opened(tuple(self.words)))
            self.end()
        elif token == "}":
            self.blocks = self.blocks[:-1]
            self.brackets = []
            self.end()
        elif token == "," and not self.brackets:
            self.end()
        else:
            self.add(token)

    def add(self, token: str) -> None:
        if token in _CARRY and not self.words:
            self.words = self.last
        if token in ("(", "["):
            self.brackets.append(self.words[-1] if self.words and token == "(" else "")
        elif token in (")", "]") and self.brackets:
            self.brackets.pop()
        self.words.append(token)

    def end(self) -> None:
        if self.words:
            self.last = self.words
        self.words = []

    def cursor(self, row: str, found: re.Match[str] | None) -> Cursor:
        """What the text before the cursor comes to; ``found`` is the token that touches it."""
        kind, token = (str(found.lastgroup), found.group()) if found is not None else ("", "")
        inside = kind if kind == "comment" or (kind == "text" and not re.search(r'^"(?:[^"\\]|\\.)*"$', token)) else ""
        unit = _UNIT.search(row)
        typed = token if kind in ("word", "text") or (kind == "number" and "/" in token) else ""
        typed = (unit.group(1) or "") if unit and not inside else typed
        words = self.words[: self._kept(typed)] if typed else self.words
        call = next((b for b in reversed(self.brackets) if b), "")
        column = len(row) - len(typed) + 1
        return Cursor(tuple(self.blocks), tuple(words), typed, column, call, inside, unit is not None)

    def _kept(self, typed: str) -> int:
        """How many tokens of the statement come before the typed word, which may be several: GB / s."""
        length, left = len(self.words), len(typed)
        while length and left > 0:
            left -= len(self.words[length - 1])
            length -= 1
        return length

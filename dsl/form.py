"""The canonical form of a scenario: `scn fmt`. Only white space changes; tokens and comments stay as they are.

- A line is indented by two spaces for each block it is in; inside ( ) or [ ] by two more than the line that opened it.
  A statement that goes on is indented by two, or after `where` and `require` up to their condition.
- The = of settings on consecutive lines stand below each other. A blank line, any other statement and a setting of
  several lines end the run; a comment of its own does not. Settings inside a line are not aligned.
- A block stands on one line, or its { ends a line and its } begins one. Where lines end is otherwise the author's.
- Between statements one blank line is kept; after an opening bracket and before a closing one there is none.
- Operators stand between spaces, signs touch what they stand before, a number has one space before its unit
  (80 GB, but 90%, 15T, 1..8); two spaces before a comment.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from dsl.parse import parse
from dsl.pieces import COMMENT, Piece, pieces
from dsl.problems import Problem

STEP = 2  # spaces of one level
OPENING = frozenset({"LPAR", "LSQB", "LBRACE"})
CLOSING = frozenset({"RPAR", "RSQB", "RBRACE"})
TOUCHES_NEXT = frozenset({"LPAR", "LSQB", "DOT", "RANGE"})
TOUCHES_LAST = frozenset({"RPAR", "RSQB", "DOT", "RANGE", "COMMA"})
VALUE_ENDS = frozenset({"NUMBER", "UNIT", "MONEY", "RATIO", "STRING", "BOOLEAN", "NAME", "RPAR", "RSQB"})
HANGING = {"WHERE": len("where "), "REQUIRE": len("require ")}


def canonical(text: str, file: str = "scenario.scn") -> tuple[str, list[Problem]]:
    """The text in canonical form; a text with mistakes of grammar as it is, and the mistakes.

    A byte-order mark goes, and line ends are LF.
    """
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    found = pieces(plain)
    if found is None:
        return text, parse(plain, file)[1]
    lines = _lines(_with_breaks(found))
    _align(lines)
    return "".join(f"{line.text}\n" for line in lines), []


@dataclass
class Line:
    """One line of the result. ``head`` is the path of the setting that it begins with, else empty."""

    indent: int
    blank: bool  # a blank line before it
    starts: bool
    pieces: list[Piece] = field(default_factory=list)
    after: str = ""  # kind of the last token before this line
    head: str = ""
    tail: str = ""

    @property
    def text(self) -> str:
        written = f"{self.head}{self.tail}"
        return ("\n" if self.blank else "") + f"{' ' * self.indent}{written}"


def _with_breaks(found: list[Piece]) -> list[Piece]:
    """The pieces with the line ends that they are to have: 0, 1, or 2 for a blank line."""
    spread, inside, laid = _spread(found), list[str](), found[:1]
    for index, (last, piece) in enumerate(pairwise(found), 1):
        _follow(last.kind, inside)
        listed = bool(inside) and inside[-1] != "LBRACE"
        edge = index in spread if piece.kind == "RBRACE" else index - 1 in spread and _opens(last, piece)
        laid.append(piece._replace(breaks=_breaks(last, piece, edge, listed)))
    return laid


def _breaks(last: Piece, piece: Piece, edge: bool, listed: bool) -> int:
    """The line ends between two pieces, at the ``edge`` of a block on several lines, or ``listed`` in ( ) or [ ]."""
    if last.kind == "LBRACE" and piece.kind == "RBRACE":
        return 0
    if edge:
        return 1
    if last.kind in OPENING or piece.kind in CLOSING:
        return min(piece.breaks, 1)
    return min(piece.breaks, 2 if piece.starts or (listed and last.kind in ("COMMA", COMMENT)) else 1)


def _opens(last: Piece, piece: Piece) -> bool:
    """Whether ``piece`` is the first of a block; a comment may stay behind the brace."""
    return last.kind == "LBRACE" and piece.kind != COMMENT


def _follow(kind: str, inside: list[str]) -> None:
    if kind in OPENING:
        inside.append(kind)
    elif kind in CLOSING:
        inside.pop()


def _spread(found: list[Piece]) -> set[int]:
    """The indices of the braces of blocks that stand on several lines."""
    opened, spread = list[int](), set[int]()
    for index, piece in enumerate(found):
        if piece.kind == "LBRACE":
            opened.append(index)
        elif piece.kind == "RBRACE":
            first = opened.pop()
            spread |= {first, index} if any(inner.breaks for inner in found[first + 1 : index + 1]) else set()
    return spread


def _lines(laid: list[Piece]) -> list[Line]:
    """The pieces line by line, each line with its indentation and its words."""
    lines: list[Line] = []
    opened: list[tuple[str, int]] = []  # brackets, each with the indentation of its line
    statement = after = ""
    for piece in laid:
        if piece.breaks or not lines:
            indent = _indent(piece, opened, statement)
            lines.append(Line(indent, bool(lines) and piece.breaks == 2, piece.starts, after=after))
        lines[-1].pieces.append(piece)
        if piece.kind in OPENING:
            opened.append((piece.kind, lines[-1].indent))
        elif piece.kind in CLOSING:
            opened.pop()
        if piece.kind != COMMENT:
            statement = piece.kind if piece.starts else statement
            after = piece.kind
    for line in lines:
        line.head, line.tail = _words(line)
    return lines


def _indent(piece: Piece, opened: list[tuple[str, int]], statement: str) -> int:
    """The indentation of a line that begins with ``piece``."""
    if piece.kind in ("RPAR", "RSQB"):
        return opened[-1][1]
    if opened and opened[-1][0] != "LBRACE":
        return opened[-1][1] + STEP
    level = STEP * len(opened)
    if piece.kind == "RBRACE":
        return level - STEP
    return level if piece.starts else level + HANGING.get(statement, STEP)


def _words(line: Line) -> tuple[str, str]:
    """The text of a line, cut before the = of the setting that it begins with."""
    head, text, cut = "", line.pieces[0].text, _path(line) if line.starts else 0
    kinds = [line.after, *(piece.kind for piece in line.pieces)]
    for index, piece in enumerate(line.pieces[1:], 1):
        if index == cut:
            head, text = text, ""
        sign = kinds[index] == "ADD" and kinds[index - 1] not in VALUE_ENDS
        text += _space(kinds[index], sign, piece) + piece.text
    return head, text


def _path(line: Line) -> int:
    """How many pieces the path of the setting has that the line begins with; 0 where it begins with none."""
    kinds = [piece.kind for piece in line.pieces]
    length = 1
    while kinds[length : length + 2] == ["DOT", "NAME"]:
        length += 2
    return length if kinds[0] == "NAME" and kinds[length : length + 1] == ["EQUAL"] else 0


def _space(before: str, sign: bool, piece: Piece) -> str:
    """What stands between a token and the piece after it."""
    if piece.kind == COMMENT:
        return "  "
    call = before == "NAME" and piece.kind == "LPAR"
    percent = piece.text.startswith("%") and before in ("NUMBER", "RSQB")
    empty = before == "LBRACE" and piece.kind == "RBRACE"
    touches = before in TOUCHES_NEXT or piece.kind in TOUCHES_LAST
    return "" if call or percent or empty or touches or sign else " "


def _align(lines: list[Line]) -> None:
    """Puts the = of each run of settings below each other."""
    for run in _runs(lines):
        width = max(len(line.head) for line in run)
        for line in run:
            line.head = line.head.ljust(width)


def _runs(lines: list[Line]) -> Iterator[list[Line]]:
    run: list[Line] = []
    for line in lines:
        if run and (line.blank or line.indent != run[0].indent or not (line.head or _comment(line))):
            yield run
            run = []
        if line.head:
            run.append(line)
    if run:
        yield run


def _comment(line: Line) -> bool:
    return line.starts and line.pieces[0].kind == COMMENT

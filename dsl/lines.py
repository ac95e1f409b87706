"""Where a statement ends.

Between lexer and parser: a line end inside ( ) or [ ], or right after an operator, is layout; a comma
directly inside { } ends a statement as a line end does; every other line end ends one. The filter
looks backwards only, because a token read ahead would be lexed in the wrong context.
"""

import re
from collections.abc import Iterator

from lark import Token

from dsl.limits import BLOCKS, DEEPEST, NAME, PARTS, TEXT, WORDS

OPENING = {"LBRACE": "RBRACE", "LPAR": "RPAR", "LSQB": "RSQB"}
CLOSING = frozenset(OPENING.values())
PREFIXES = frozenset({"IF", "NOT", "POWER"})
OPERATORS = frozenset(
    {
        "ADD",
        "MULTIPLY",
        "COMPARE",
        "IN",
        "DIVIDES",
        "POWER",
        "RANGE",
        "AND",
        "OR",
        "NOT",
        "IF",
        "THEN",
        "ELSE",
    }
)
BEFORE_SIGN = OPERATORS | {"EQUAL", "LPAR", "LSQB", "COMMA", "REQUIRE", "WHERE"}


# Tokens whose length is bounded: what they are called, and the most characters.
LENGTHS = {
    "STRING": ("text", TEXT),
    "NAME": ("name", NAME),
    "UNIT": ("unit", NAME),
    "MONEY": ("amount", NAME),
}


# Control characters, and those that turn the direction of text around, so that it reads as what it is not.
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class PastBound(Exception):
    """More than is read of one file: nested too deep, too many words, a word too long; never leaves parse.py."""

    def __init__(self, token: Token, title: str, label: str, help: str) -> None:
        super().__init__(title)
        self.token, self.title, self.label, self.help = token, title, label, help


class Lines:
    """The filter; after a parse ``open`` and ``before`` say how far it got."""

    always_accept = ("_NL", "COMMA")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Ready for another file."""
        self.open: list[Token] = []  # brackets not closed yet, innermost last
        self.before: list[Token] = []  # the tokens of the statement so far
        self.header: list[Token] = []  # the tokens before the last {
        self.ended: Token | None = None  # the line end or comma before this statement
        self.prefixes = 0  # nesting of this statement that has no brackets: not, if, ^, signs
        self.outer: list[int] = []  # the same at each open bracket
        self.words = 0  # tokens so far
        self.blocks = [0]  # blocks begun in the file, and in each block that is open

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The tokens that the grammar is to see."""
        self.reset()
        for token in stream:
            kept = self._kept(token)
            if kept is not None:
                self._count(kept)
                yield kept
                self._remember(kept)

    def _kept(self, token: Token) -> Token | None:
        kind = token.type
        last = self.before[-1].type if self.before else None
        if kind == "_NL":
            inside = bool(self.open) and self.open[-1].type != "LBRACE"
            return None if inside or last is None or last in OPERATORS else token
        if kind == "COMMA" and self.open and self.open[-1].type == "LBRACE" and last is not None:
            return Token.new_borrow_pos("_NL", ",", token)
        return token

    def _count(self, token: Token) -> None:
        """Bounds nesting, lengths and numbers before any tree is built."""
        kind = token.type
        self.words += 1
        if self.words > WORDS:
            raise PastBound(token, "the file is too long", f"word {WORDS + 1:_}", "split it and import the parts")
        if kind in LENGTHS and len(token) > LENGTHS[kind][1]:
            what, most = LENGTHS[kind]
            raise PastBound(token, f"this {what} is too long", f"more than {most:_} characters", f"shorten the {what}")
        if kind == "STRING" and (found := STEERING.search(token)):
            label = f"U+{ord(found[0]):04X} steers a terminal or turns text around"
            raise PastBound(token, "this text holds a control character", label, "take it out")
        if kind == "LBRACE":
            self._count_block(token)
        sign = kind == "ADD" and bool(self.before) and self.before[-1].type in BEFORE_SIGN
        self.prefixes += kind in PREFIXES or sign
        if len(self.open) + (kind in OPENING) + self.prefixes > DEEPEST:
            help = f"brackets and blocks may be nested {DEEPEST} deep"
            raise PastBound(token, "nested too deep", f"the {DEEPEST + 1}st level", help)

    def _count_block(self, token: Token) -> None:
        most, where = (BLOCKS, "a file") if len(self.blocks) == 1 else (PARTS, "a block")
        self.blocks[-1] += 1
        if self.blocks[-1] > most:
            raise PastBound(token, "too many blocks", f"{where} may hold {most:_}", "split it")
        self.blocks.append(0)

    def _remember(self, token: Token) -> None:
        kind = token.type
        if kind in OPENING:
            self.open.append(token)
            self.outer.append(self.prefixes)
            if kind == "LBRACE":
                self.header = [*self.before, token]
        elif kind in CLOSING and self.open:
            if kind == "RBRACE" and len(self.blocks) > 1:
                self.blocks.pop()
            self.open.pop()
            self.prefixes = self.outer.pop()
        elif kind == "COMMA" and self.outer:
            self.prefixes = self.outer[-1]
        if kind in ("_NL", "LBRACE"):
            self.before, self.prefixes = [], 0
            self.ended = token
        else:
            self.before.append(token)

"""Where the parser stopped, and the rows that say what a person may have meant there.

A row applies where its test does; the first that applies is used. hints.py and habits.py hold the rows.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from dsl.problems import Span


class Refused(NamedTuple):
    """The token that was refused, those before it in the statement (their types and text), the line."""

    kind: str  # type of the token; "" where no token begins with this character
    text: str
    before: tuple[tuple[str, str], ...]
    line: str
    span: Span
    opened: tuple[str, Span] | None  # the innermost open bracket
    ended: str  # what ended the statement before: "\n", "," or "{"
    below: tuple[str, ...] = ()  # lines under a value that is missing which begin with a dash

    @property
    def last(self) -> str:
        return self.before[-1][0] if self.before else ""

    @property
    def types(self) -> str:
        return " ".join(kind for kind, _ in self.before)

    @property
    def rest(self) -> str:
        """The line from the refused token on."""
        return self.line[self.span.column - 1 :]

    @property
    def head(self) -> str:
        """The line before the refused token."""
        return self.line[: self.span.column - 1]

    @property
    def said(self) -> str:
        """The part of this statement that stands on the line before the refused token."""
        return self.head[start(self.head) :].strip()

    @property
    def tail(self) -> str:
        """The rest of the statement from the refused token on, without a comment."""
        return self.rest[: end(self.rest)].strip()

    def marked(self, first: int, last: int) -> Span:
        """A span of this line from its characters ``first`` to ``last`` (counted from 0, the last one excluded)."""
        return self.span._replace(column=first + 1, end=last + 1)


PIECE = re.compile(r'"(?:[^"\\]|\\.)*"?|#.*|[{}\[\](),]|[^"#{}\[\](),]+')


def start(head: str) -> int:
    """Where the statement that ``head`` ends in begins: after the last brace or comma outside of brackets."""
    found, depth = 0, 0
    for piece in PIECE.finditer(head):
        sign = piece.group()
        depth += (sign in "[(") - (sign in "])")
        if sign in "{}" or (sign == "," and depth <= 0):
            found = piece.end()
    return found


def end(rest: str) -> int:
    """Where the statement that ``rest`` begins in ends: before a comma outside of brackets, a brace or a comment."""
    depth = 0
    for piece in PIECE.finditer(rest):
        sign = piece.group()
        depth += (sign in "[(") - (sign in "])")
        if sign in "{}" or sign.startswith("#") or (sign == "," and depth <= 0):
            return piece.start()
    return len(rest)


LONGEST = 400  # columns of a line that a person may have written: patterns take the square of it
Test = Callable[[Refused], bool]


class Hint(NamedTuple):
    """One row; ``help`` may be made from what was typed, ``mark`` is what it is about where that is not the token."""

    applies: Test
    title: str
    help: str | Callable[[Refused], str]
    mark: Callable[[Refused], Span] | None = None


def spelled(*texts: str) -> Test:
    """Whether the line goes on with one of these texts."""
    return lambda r: any(r.rest.startswith(text) for text in texts)


def after(pattern: str, *kinds: str) -> Test:
    """Whether the statement's token types so far match, and the refused one is of one of these kinds (or of any)."""
    compiled = re.compile(pattern)
    return lambda r: bool(compiled.fullmatch(r.types)) and (not kinds or r.kind in kinds)


def both(*tests: Test) -> Test:
    """Whether all of the tests hold."""
    return lambda r: all(test(r) for test in tests)


def within(*brackets: str) -> Test:
    """Whether the innermost open bracket is one of these."""
    return lambda r: r.opened is not None and r.opened[0] in brackets


class Looks(NamedTuple):
    """A row for a line of a certain look: ``help`` and the mark are made from what the pattern found.

    ``pattern`` is looked for in the whole line and must reach the refused token; ``help`` is a template of its groups
    (``\\1``). The group called ``mark`` is marked, else the whole match.
    """

    pattern: str
    title: str
    help: str | Callable[[re.Match[str]], str]
    when: Test = lambda r: True

    @property
    def hint(self) -> Hint:
        """The row as the others are."""
        return Hint(self._applies, self.title, self._help, self._mark)

    def _found(self, r: Refused) -> re.Match[str] | None:
        at = r.span.column - 1
        if len(r.line) > LONGEST:
            return None
        every = re.finditer(self.pattern, r.line)
        return next((m for m in every if m.start() <= at <= m.end()), None)

    def _applies(self, r: Refused) -> bool:
        return self.when(r) and self._found(r) is not None

    def _help(self, r: Refused) -> str:
        found = self._found(r)
        assert found is not None, "the row applies"
        return found.expand(self.help) if isinstance(self.help, str) else self.help(found)

    def _mark(self, r: Refused) -> Span:
        found = self._found(r)
        assert found is not None, "the row applies"
        group = "mark" if "mark" in found.re.groupindex else 0
        text = found.group(group)
        return r.marked(found.start(group) + len(text) - len(text.lstrip()), found.end(group))

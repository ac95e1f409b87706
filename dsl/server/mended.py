"""Half-typed texts: a block without its } hides all that follows it from the parser.

The missing braces are put where they most likely belong, at the end of the line before the next block that begins at
the margin; nothing else moves, so that every span of the mended text is one of the typed text.
"""

import re
from functools import cache

from dsl.schema import kinds


@cache
def _token() -> re.Pattern[str]:
    """Texts, comments, braces, and the beginning of a block or an import at the margin."""
    margin = rf"^(?:(?:{'|'.join(kinds())})\b(?=[^\n#]*\{{)|import\b|edition\b)"
    return re.compile(rf'(?m)(?P<margin>{margin})|"(?:[^"\\\n]|\\.)*"?|(?P<comment>#[^\n]*)|[{{}}]')


def mended(text: str) -> str:
    """``text`` with a } for every { that nothing closes; the same text where there is none."""
    opened, inserts = 0, list[tuple[int, int]]()
    for found in _token().finditer(text):
        if found.lastgroup == "margin" and opened:
            inserts.append((_end_of_code(text[: found.start()]), opened))
            opened = 0
        token = found.group()
        opened = max(0, opened + (token == "{") - (token == "}"))
    if opened:
        inserts.append((_end_of_code(text), opened))
    for place, count in reversed(inserts):
        text = f"{text[:place]} {'}' * count}{text[place:]}"
    return text


def _end_of_code(text: str) -> int:
    """The end of the last line that is more than a comment, its own comment left out; one has a { in it."""
    rows = text.split("\n")
    while not _code(rows[-1]):
        rows.pop()
    return len("\n".join([*rows[:-1], _code(rows[-1])]))


def _code(row: str) -> str:
    """A line without its comment and the blanks at its end."""
    end = next((found.start() for found in _token().finditer(row) if found.lastgroup == "comment"), len(row))
    return row[:end].rstrip()

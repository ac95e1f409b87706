"""Half-typed texts: a block without its } hides all that follows it from the parser.

The missing braces are put where they most likely belong, at the end of the line before the next block that begins at
the margin; nothing else moves, so that every span of the mended text is one of the typed text.
"""

import re

from dsl.schema import kinds

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"?|#[^\n]*|[{}]|\n')


def mended(text: str) -> str:
    """``text`` with a } for every { that nothing closes; the same text where there is none."""
    starts = re.compile(rf"(?m)^(?:(?:{'|'.join(kinds())})\b[^\n#]*\{{|import\b|edition\b)")
    margins = [found.start() for found in starts.finditer(text)]
    opened, inserts = 0, list[tuple[int, int]]()
    for found in _TOKEN.finditer(text):
        while margins and margins[0] <= found.start():
            if opened:
                inserts.append((_end_of_code(text, margins[0]), opened))
                opened = 0
            margins.pop(0)
        token = found.group()
        opened = max(0, opened + (token == "{") - (token == "}"))
    if opened:
        inserts.append((_end_of_code(text, len(text)), opened))
    for place, count in reversed(inserts):
        text = f"{text[:place]} {'}' * count}{text[place:]}"
    return text


def _end_of_code(text: str, before: int) -> int:
    """The end of the last line before ``before`` that is more than a comment, its own comment left out."""
    end = before
    while end > 0:
        start = text.rfind("\n", 0, end - 1) + 1
        row = text[start:end].rstrip("\r\n")
        code = next((m.start() for m in _TOKEN.finditer(row) if m.group().startswith("#")), len(row))
        if row[:code].strip():
            return start + len(row[:code].rstrip())
        end = start
    return 0

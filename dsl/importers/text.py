"""Files of other programs as text: how large they may be, how they are compressed, what is wrong with their bytes."""

import zlib
from collections.abc import Iterator
from typing import NamedTuple

from dsl.problems import Problem, Span

LARGEST = 256_000_000  # bytes of text; a trace of one step of a 70B model has some tens of millions
LONGEST = 20_000  # characters of a line that are read
GZIP = b"\x1f\x8b"


class Lines(NamedTuple):
    """The lines of a text."""

    text: str

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Each line with its number, cut behind the longest that is read."""
        for number, line in enumerate(self.text.split("\n"), start=1):
            yield number, line[:LONGEST].rstrip("\r")


def unpacked(data: bytes, name: str, largest: int = LARGEST) -> tuple[bytes, list[Problem]]:
    """``data``, or what a gzip file holds, up to the largest size that is read."""
    place = Span(name, 1, 1, 1)
    if data[:2] == GZIP:
        try:
            expander = zlib.decompressobj(wbits=31)
            data = expander.decompress(data, largest + 1)
        except zlib.error:
            return b"", [Problem("E02", f"`{name}` is a gzip file that cannot be unpacked", place)]
        if not expander.eof and len(data) <= largest:
            return b"", [Problem("E02", f"`{name}` is a gzip file that is cut off", place, help="copy it again")]
    if len(data) > largest:
        return b"", [Problem("E02", f"`{name}` is larger than {largest // 10**6} MB", place,
                             help="record a shorter stretch: one or two steps are enough")]  # fmt: skip
    return data, []


def lines_of(data: bytes, name: str) -> tuple[Lines, list[Problem]]:
    """The lines of a file that may be compressed; a byte that is not UTF-8 is shown as one, logs have them."""
    data, problems = unpacked(data, name)
    return Lines(data.decode("utf-8-sig", "replace")), problems

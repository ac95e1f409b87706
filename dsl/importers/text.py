"""Files of other programs as text: how large they may be, how they are compressed, what is wrong with their bytes."""

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from dsl.limits import LINE, LOG_LINE, LOG_LINES, TRACE
from dsl.problems import Problem, Span

LOOKED = 200_000  # characters of a file that tell its format
T = TypeVar("T")
SHORTER = "record a shorter stretch: one or two steps are enough"
GZIP = b"\x1f\x8b"


class Lines(NamedTuple):
    """The lines of a text."""

    text: str

    def numbered(self, longest: int = LOG_LINE) -> Iterator[tuple[int, str]]:
        """Each line with its number, cut behind the longest that is read."""
        number = start = 0
        while start >= 0:
            number, end = number + 1, self.text.find("\n", start)
            last = len(self.text) if end < 0 else end
            yield number, self.text[start : min(last, start + longest)].rstrip("\r")
            start = end + 1 if end >= 0 else -1


def unpacked(data: bytes, name: str, largest: int = TRACE, help: str = SHORTER) -> tuple[bytes, list[Problem]]:
    """``data``, or what a gzip file holds, up to the largest size that is read."""
    place = Span(name, 1, 1, 1)
    if data[:2] == GZIP:
        try:
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(largest + 1)  # of all its members
        except EOFError:
            return b"", [Problem("E02", f"`{name}` is a gzip file that is cut off", place, help="copy it again")]
        except (OSError, zlib.error):
            return b"", [Problem("E02", f"`{name}` is a gzip file that cannot be unpacked", place)]
    if len(data) > largest:
        return b"", [Problem("E02", f"`{name}` is larger than {largest // 10**6} MB", place, help=help)]
    return data, []


def values(data: bytes) -> int:
    """At least as many values as a JSON text holds, counted without reading it."""
    return sum(data.count(mark) for mark in (b",", b"{", b"["))


def known(data: bytes, kinds: Iterable[tuple[Callable[[str], bool], T]]) -> T | None:
    """The first kind that tells a file's unpacked bytes, by how they begin, as its own."""
    start = data[:LOOKED].decode("utf-8-sig", "replace")
    return next((kind for detects, kind in kinds if detects(start)), None)


def lines_of(data: bytes, name: str, largest: int = TRACE, help: str = SHORTER) -> tuple[Lines, list[Problem]]:
    """The lines of a file that may be compressed; a byte that is not UTF-8 is shown as one, logs have them."""
    data, problems = unpacked(data, name, largest, help)
    if data.count(b"\n") > LOG_LINES:
        title = f"`{name}` has more than {LOG_LINES:_} lines"
        return Lines(""), [Problem("E05", title, Span(name, 1, 1, 1), "read up to here", help=help)]
    return Lines(data.decode("utf-8-sig", "replace")), problems


def long_line(lines: Lines, name: str) -> list[Problem]:
    """A problem with a line that is too long to be read, where nothing of it may be passed over."""
    number = next((n for n, line in lines.numbered(LINE + 1) if len(line) > LINE), 0)
    title = f"this line of {name} is longer than {LINE:_} characters"
    return [Problem("E05", title, Span(name, number, 1, 2), help="break it into several")] if number else []


def cells(line: str, delimiter: str = ",") -> list[str]:
    """The cells of one line of a table; none where it is no line of one."""
    return next(rows([line.replace("\r", " ").replace("\n", " ")], delimiter), [])


def rows(lines: Iterable[str], delimiter: str = ",") -> Iterator[list[str]]:
    """The rows of a table; one that cannot be told apart from the next (a quote that stays open) is the last, `?`."""
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield ["?"]
            return

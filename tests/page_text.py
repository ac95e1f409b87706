"""The text of an HTML page as a reader sees it: its nodes in order, with the elements that they stand in."""

from html.parser import HTMLParser
from typing import NamedTuple

VOID = frozenset(("meta", "br", "col", "img", "link", "input", "wbr", "hr", "path", "use", "rect", "line"))
UNREAD = frozenset(("style", "script"))
LISTED = frozenset(("code", "pre"))  # what was written by somebody, letter by letter


class Node(NamedTuple):
    """A stretch of text; ``inside`` are the elements around it, the outermost first, each "name.class#id"."""

    text: str
    inside: tuple[str, ...]

    def within(self, *names: str) -> bool:
        """Whether it stands in an element of one of these names."""
        return any(element.partition(".")[0].partition("#")[0] in names for element in self.inside)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[Node] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            own = dict(attrs)
            classes = "".join(f".{c}" for c in (own.get("class") or "").split())
            self.open.append(tag + classes + (f"#{own['id']}" if own.get("id") else ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content holds no text."""

    def handle_endtag(self, tag: str) -> None:
        names = [element.partition(".")[0].partition("#")[0] for element in self.open]
        if tag in names:
            del self.open[len(names) - 1 - names[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        node = Node(data, tuple(self.open))
        if data.strip() and not node.within(*UNREAD):
            self.found.append(node)


def nodes(page: str) -> list[Node]:
    """The text nodes of a page."""
    reader = _Reader()
    reader.feed(page)
    return reader.found

"""A tree of the document as lines to read: which levels are shown, and what is shown elsewhere."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

Json = Mapping[str, Any]


class Line(NamedTuple):
    """One number of a tree as it is read: its name in the formula above it, how deep it stands, what is below it."""

    depth: int
    name: str
    item: Json
    hidden: int  # parts below it that are not shown here
    elsewhere: bool  # its parts are shown at another place


def items_of(trees: Iterable[Json]) -> dict[str, Json]:
    """The items of some trees by their id."""
    found: dict[str, Json] = {}
    pending = list(trees)
    while pending:
        item = pending.pop()
        pending += item.get("children", ())
        if "id" in item:
            found[item["id"]] = item
    return found


def lines(tree: Json, items: Mapping[str, Json], depth: int, roots: Sequence[str] = ()) -> list[Line]:
    """The lines of a tree down to a depth. An item's parts stand where it first comes; those of other ``roots`` with
    these."""
    found: list[Line] = []
    shown: set[str] = set()

    def add(name: str, given: Json, at: int) -> None:
        item = items[given["see"]] if "see" in given else given
        own, parts = item["id"], item["children"]
        elsewhere = bool(parts) and (own in shown or (at > 0 and own in roots))
        opened = bool(parts) and not elsewhere and at < depth
        found.append(Line(at, name, item, 0 if opened or elsewhere else len(parts), elsewhere))
        if opened:
            shown.add(own)
            for part in parts:
                add(part["name"], part, at + 1)

    add(tree["name"], tree, 0)
    return found


def fitting(tree: Json, items: Mapping[str, Json], most: int, roots: Sequence[str] = ()) -> list[Line]:
    """The lines of as many whole levels as fit into ``most`` lines; the first level is always there."""
    found, depth = lines(tree, items, 1, roots), 2
    while any(line.hidden for line in found):
        more = lines(tree, items, depth, roots)
        if len(more) > most:
            break
        found, depth = more, depth + 1
    return found


def counts(tree: Json, items: Mapping[str, Json]) -> dict[str, int]:
    """How many numbers of each kind stand behind a tree's, each counted once."""
    seen: dict[str, Json] = {}
    pending = [tree]
    while pending:
        item = pending.pop()
        item = items[item["see"]] if "see" in item else item
        if item["id"] not in seen:
            seen[item["id"]] = item
            pending += item["children"]
    kinds = [item["kind"] for item in seen.values()]
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def signs(formula: str) -> str:
    """A formula with a minus for its hyphens."""
    return formula.replace(" - ", " \u2212 ").replace("(-", "(\u2212")

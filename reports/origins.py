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
    elsewhere: str  # where its parts are shown, where that is another place


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


def linked(trees: Iterable[Json]) -> set[str]:
    """The ids that some place of the trees leads to: those of the trees, and of what is written out elsewhere."""
    found = {tree["id"] for tree in trees}
    pending = list(trees)
    while pending:
        item = pending.pop()
        pending += item.get("children", ())
        found |= {item["see"]} if "see" in item else set()
    return found


def lines(tree: Json, items: Mapping[str, Json], depth: int, before: Mapping[str, str] | None = None) -> list[Line]:
    """The lines of a tree down to a depth. An item's parts stand where it first comes; ``before`` tells which items are
    opened at other places, and what to say of them."""
    found: list[Line] = []
    places = dict(before or {})
    places.pop(tree["id"], None)

    def add(name: str, given: Json, at: int) -> None:
        item = items[given["see"]] if "see" in given else given
        parts, elsewhere = item["children"], places.get(item["id"], "") if item["children"] else ""
        opened = bool(parts) and not elsewhere and at < depth
        found.append(Line(at, name, item, 0 if opened or elsewhere else len(parts), elsewhere))
        if opened:
            places[item["id"]] = "see above"
            for part in parts:
                add(part["name"], part, at + 1)

    add(tree["name"], tree, 0)
    return found


def fitting(tree: Json, items: Mapping[str, Json], most: int, before: Mapping[str, str] | None = None) -> list[Line]:
    """The lines of as many whole levels as fit into ``most`` lines; the first level is always there."""
    found, depth = lines(tree, items, 1, before), 2
    while any(line.hidden for line in found):
        more = lines(tree, items, depth, before)
        if len(more) > most:
            break
        found, depth = more, depth + 1
    return found


def told(kinds: Sequence[str]) -> str:
    """How many numbers there are of each kind: "72 quantities, 36 settings and 1 constant of the model"."""
    settings, constants = kinds.count("setting"), kinds.count("constant")
    rows = ((len(kinds) - settings - constants, "quantity", "quantities"), (settings, "setting", "settings"),
            (constants, "constant", "constants"))  # fmt: skip
    first, second, third = (f"{number:,} {one if number == 1 else more}" for number, one, more in rows)
    return f"{first}, {second} and {third} of the model"


def counted(tree: Json, items: Mapping[str, Json]) -> list[str]:
    """The kinds of all numbers that stand behind a tree's and in it, each number once."""
    seen: dict[str, str] = {}
    pending = [tree]
    while pending:
        item = pending.pop()
        item = items[item["see"]] if "see" in item else item
        if item["id"] not in seen:
            seen[item["id"]] = item["kind"]
            pending += item["children"]
    return list(seen.values())


def signs(formula: str) -> str:
    """A formula with a minus for its hyphens."""
    return formula.replace(" - ", " \u2212 ").replace("(-", "(\u2212")

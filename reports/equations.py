"""The engine's formulas as numbered equations: what each says, its form in symbols, the same with a run's own numbers.

A function that works out many numbers has a line for each form of its formula, with the largest of its numbers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from reports.locales import in_formula, reworded
from reports.origins import items_of

Json = Mapping[str, Any]
WORD = re.compile(r"[A-Za-z_][\w.]*")
AGAIN = re.compile(r"_\d+$")  # the second of a name in one formula, and those after it
FLAGS = {"yes": "1", "no": "0"}
FORMS = 2  # of one function that are written out


class Piece(NamedTuple):
    """A stretch of an equation: a variable, with the number that tells it from others of its name, or what it is
    worked out with; ``value`` is that of a variable."""

    text: str
    variable: bool = False
    number: str = ""
    value: str = ""


class Form(NamedTuple):
    """One form of a function's formula with the numbers of one place."""

    symbol: str
    label: str
    pieces: tuple[Piece, ...]
    shown: str
    note: str
    places: int  # how many numbers are worked out by it


class Equation(NamedTuple):
    """A function of the engine with the forms of its formula."""

    function: str
    room: str
    text: str
    source: str
    left_out: str
    forms: tuple[Form, ...]
    more: int  # forms that are not written out
    depth: int  # levels between it and the numbers that the trees are of


def equations(trees: Sequence[Json], formulas: Iterable[Json], most: int = FORMS) -> list[Equation]:
    """An equation for each function that the trees went through, in the order of the formulas."""
    items, found, depths = items_of(trees), dict[str, list[Json]](), levels(trees)
    for item in items.values():
        if item.get("function") and item["children"]:
            found.setdefault(item["function"], []).append(item)
    made = []
    for f in formulas:
        forms = forms_of(found.get(f["function"], ()), items)
        told = (f["function"], f["room"], worded(f["text"]), printed(f["source"]), worded(f["left_out"]))
        depth = min((depths[item["id"]] for item in found.get(f["function"], ())), default=0)
        made.append(Equation(*told, tuple(forms[:most]), max(len(forms) - most, 0), depth))
    return made


def levels(trees: Sequence[Json]) -> dict[str, int]:
    """How far below the trees' own numbers each item stands, by its shortest way."""
    items, found = items_of(trees), dict[str, int]()
    row, depth = [tree["id"] for tree in trees], 0
    while row:
        found |= dict.fromkeys(row, depth)
        below = (part.get("see") or part["id"] for name in row for part in items[name]["children"])
        row, depth = [name for name in dict.fromkeys(below) if name not in found], depth + 1
    return found


def forms_of(found: Sequence[Json], items: Mapping[str, Json]) -> list[Form]:
    """The forms of a function's numbers, those with the largest first; what comes to nothing stands last."""
    alike: dict[tuple[str, str], list[Json]] = {}
    for item in found:
        alike.setdefault((item["unit"], form(item)), []).append(item)
    groups = sorted(alike.values(), key=lambda group: all(not item["value"] for item in group))
    return [written(max(group, key=size), items, len(group)) for group in groups]


def form(item: Json) -> str:
    """The shape of a formula, whatever its symbols are called; functions keep their names."""
    text, own = item["formula"], {part["name"] for part in item["children"]}
    return "sum" if text.startswith("sum of") else WORD.sub(lambda m: "x" if m[0] in own else m[0], text)


def size(item: Json) -> float:
    return abs(float(item["value"] or 0.0))


def written(item: Json, items: Mapping[str, Json], places: int) -> Form:
    """A formula with the numbers of its symbols."""
    values = {part["name"]: items[part["see"]] if "see" in part else part for part in item["children"]}
    name = AGAIN.sub("", item["name"])
    return Form(name, item["label"], tuple(pieces(item["formula"], values)), item["shown"], item["note"], places)


def pieces(formula: str, values: Mapping[str, Json]) -> Iterable[Piece]:
    """A formula cut at its variables; functions, literals and signs stay between them."""
    at = 0
    for found in WORD.finditer(formula):
        name = found[0]
        if name in values:
            yield Piece(in_formula(printed(formula[at : found.start()])))
            base, index = AGAIN.sub("", name), AGAIN.search(name)
            yield Piece(base.replace("_", " "), True, index[0][1:] if index else "", value(values[name]))
            at = found.end()
    yield Piece(in_formula(printed(formula[at:])))


def value(item: Json) -> str:
    """A number in the place of its symbol."""
    shown = str(item["shown"])
    return FLAGS.get(shown, f"({shown})" if shown.startswith(("-", "\u2212")) else shown)


def printed(text: str) -> str:
    """Text of the engine's docstrings with the signs of print."""
    for plain, sign in ((" x ", " × "), (" - ", " \u2212 "), ("(-", "(\u2212"), (">=", "≥"), ("<=", "≤"), ("``", "")):
        text = text.replace(plain, sign)
    return text


def worded(text: str) -> str:
    """The same with its numbers as the document's locale has them."""
    return reworded(printed(text))

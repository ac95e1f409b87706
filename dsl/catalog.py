"""The library as a list: every block of the installed files with its settings in units and where they come from."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dsl.blocks import Condition, Entry
from dsl.files import installed_library, load
from dsl.resolve import Resolution
from dsl.runs import named_block
from dsl.scenario import Value
from dsl.schema import PREFIXES
from dsl.scope import Defined
from dsl.syntax import written
from dsl.table import Results
from dsl.units import scale, shown

ABOUT = ("source", "confidence", "verified", "as_of")  # what a block says about itself


class Quoted(NamedTuple):
    """One setting: its value in base units, the unit it is written in, the text that says both, and its line."""

    path: str
    value: Any
    unit: str
    text: str
    where: str


class Item(NamedTuple):
    """One block of the library; ``about`` holds its source and how good that is, ``rules`` its conditions."""

    kind: str
    name: str
    title: str
    base: str  # the block that it copies
    where: str
    settings: tuple[Quoted, ...]
    about: dict[str, str]
    rules: tuple[str, ...]


def catalog(results: Results | None = None, library: Path | None = None) -> list[Item]:
    """Every named block of the library in the order of its files; what has a problem is left out."""
    items: list[Item] = []
    for file in sorted((library or installed_library()).glob("*.scn")):
        world = Resolution(load(file, library), results)
        items += [_item(world, defined) for defined in world.main.ordered if defined.name]
    return items


def _item(world: Resolution, defined: Defined) -> Item:
    block, body = defined.block, world.body(defined)
    quoted = [*_worked_out(world, defined)] or [_as_written(entry) for entry in body.entries.values()]
    about = {q.path: q.text for q in quoted if q.path in ABOUT}
    where = f"{defined.scope.file.logical}:{block.name_span.line}"
    rules = tuple(_rule("require", c) for c in body.requires) + tuple(_rule("where", c) for c in body.wheres)
    settings = tuple(q for q in quoted if q.path not in ABOUT)
    return Item(
        defined.kind.name, block.name, block.title, block.base.path if block.base else "", where, settings, about, rules
    )


def _rule(word: str, condition: Condition) -> str:
    because = f' because "{condition.because}"' if condition.because else ""
    return f"{word} {written(condition.expression)}{because}"


def _worked_out(world: Resolution, defined: Defined) -> Iterator[Quoted]:
    """The settings of a part, model, cluster … in base units; nothing for kinds that hold conditions."""
    if defined.kind.statements:
        return
    prefix = PREFIXES.get(defined.kind.name, "")
    for full, value in named_block(world, defined).items():
        path = full.removeprefix(prefix)
        if full.startswith(prefix) and not (defined.kind.name == "cluster" and path.startswith("gpu.")):
            yield Quoted(path, value.value, value.unit_written, _said(path, value), value.where)


def _said(path: str, value: Value) -> str:
    """A value as one would write it, in the unit it was written in."""
    worth = value.value
    if isinstance(worth, bool):
        return "true" if worth else "false"
    if isinstance(worth, (int, float)):
        text = _exact(worth, value.unit_written)
        return f"{text}:1" if path.endswith(".oversubscription") else text
    return ", ".join(map(str, worth)) if isinstance(worth, tuple) else str(worth)


def _exact(value: float, unit: str) -> str:
    """A quantity with all its digits where it is whole, else with those that people read."""
    amount = round(value / scale(unit), 6)
    return f"{int(amount):_} {unit}".rstrip() if amount == int(amount) and unit[:1] not in "$%" else shown(value, unit)


def _as_written(entry: Entry) -> Quoted:
    text = written(entry.value)
    where = f"{entry.file.logical}:{entry.span.line}"
    return Quoted(entry.path, None, "", text.strip('"') if entry.row.holds in ("text", "date") else text, where)

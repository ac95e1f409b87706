"""Where numbers come from: the engine's trees with the source of every setting, as the JSON document has them.

A tree is {id, kind, name, label, value, unit, formula, note, source, function, children}: its formula is in the names
of its children, its value in base units and unrounded, its function that of the engine which works it out. What stands
in several places is written out once; elsewhere it is {name, see}, and the item with that id is meant.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dsl.follows import follows
from dsl.scenario import Run, Value
from dsl.schema import run_row
from engine.evaluate import evaluate_phases
from engine.metrics import BY_NAME
from engine.provenance.documented import ROOMS, said
from engine.provenance.graph import Record
from engine.provenance.origin import ENGINE, assignments
from engine.provenance.quantities import COUNTED
from engine.provenance.tracing import leaves, results
from engine.provenance.tree import Item, Trees
from engine.read import read
from reports.locales import reworded
from reports.origins import items_of
from reports.point import Json
from reports.quantities import Quantity, as_written, readable
from reports.units import unit_of

SHOWS_ITS_PASSES = "simulated_step_time"  # the only result that needs the schedule simulated


class Provenance:
    """The trees of one run. Items are numbered in the order in which they are first written out."""

    def __init__(self, run: Run, phased: Any, simulated: bool = False) -> None:
        self.run = run
        record = Record()
        own, phases = phased(run, lambda values, owner: leaves(record, values, owner))
        found, self.missing = results(
            record, lambda: evaluate_phases(read(own), [(n, read(p)) for n, p in phases], advise=simulated)
        )
        self.trees, self.names = Trees(record, found), tuple(found)
        self.numbers: dict[Any, str] = {}
        self.plain = run.plain()

    def list(self, names: Sequence[str]) -> list[Json]:
        """The trees of some results, each written out under its own name; those that the run lacks are left out."""
        roots = {name: self.trees.of(name) for name in names if name in self.names and name in BY_NAME}
        for item in roots.values():
            self.number(item)
        return [self.whole(name, item) for name, item in roots.items()]

    def number(self, item: Item) -> str:
        return self.numbers.setdefault(item, f"n{len(self.numbers) + 1}")

    def written(self, name: str, item: Item) -> Json:
        """An item with all below it; one that has its number is written out elsewhere."""
        return {"name": name, "see": self.numbers[item]} if item in self.numbers else self.whole(name, item)

    def whole(self, name: str, item: Item) -> Json:
        """An item with all below it."""
        number = self.number(item)
        children = [self.written(symbol, part) for symbol, part in item.parts]
        if item.kind == "setting":
            return self.setting(number, name, item)
        made: Json = {"id": number, "kind": item.kind, "name": name, "label": label(item), "value": finite(item.value)}
        made |= {"unit": base(item.unit), "shown": shown(item.value, item.unit, item.kind), "formula": item.formula}
        return made | {"note": item.note, "source": source(item), "function": item.by, "children": children}

    def setting(self, number: str, name: str, item: Item) -> Json:
        """A setting: where it is stated and on whose word, or how it follows from others."""
        value, row = self.value(item), run_row(item.text)
        own = value is not None and not item.where and (value.origin in ("derived", "default") or value.note)
        found = follows(item.text, self.plain) if own else None
        holds, written = "" if row is None else row.holds, "" if value is None else value.unit_written
        made: Json = {"id": number, "kind": "setting", "name": name, "label": item.text, "value": item.value}
        made |= {"unit": base(holds), "shown": stated(item.value, holds, written)}
        made |= {"formula": "" if found is None else found.text, "note": "", "source": stated_at(value)}
        return made | {"children": [] if found is None else [self.input(path) for path in found.inputs]}

    def input(self, path: str) -> Json:
        """A setting that another follows from."""
        name = path.replace("cluster.gpu.", "gpu.")
        node = self.trees.record.setting(path, float(self.plain[path]))
        made = self.written(path, self.trees.item(node))
        return made | {"name": path} if name != path else made

    def value(self, item: Item) -> Value | None:
        """The setting as the scenario has it, a phase's own where it is one's."""
        phases = dict(self.run.phases)
        return phases.get(item.where, {}).get(item.text) if item.where else self.run.settings.get(item.text)


def finite(value: float) -> float | None:
    """A number as JSON can hold it: none where it is infinite or none."""
    return value if math.isfinite(value) else None


def shown(value: float, unit: str, kind: str) -> str:
    """A number as people read it: a result in its own unit, any other in one that suits it."""
    return (Quantity(value, unit) if kind == "result" else readable(value, unit)).text()


def stated(value: float, holds: str, written: str) -> str:
    """A setting as people read it."""
    return ("yes" if value else "no") if holds == "flag" else as_written(value, holds, written).text()


def stated_at(value: Value | None) -> str:
    """Place, origin and source of a setting: "library/gpus.scn:41: NVIDIA H100 datasheet, vendor"."""
    if value is None:
        return "not stated"
    place = value.where or value.origin
    words = [w for w in (reworded(value.note), value.source, value.confidence) if w]
    return f"{place}: {', '.join(words)}" if words else place


def label(item: Item) -> str:
    """What a number is, in words."""
    return item.label or COUNTED.get(item.text, ("", ""))[1] or item.text


def source(item: Item) -> str:
    """Where a formula or a constant stands in the engine, and what is said about it there."""
    file, _, line = item.where.partition(":")
    if item.kind != "constant" or not line:
        return item.where
    name = item.text.partition("[")[0]
    known = assignments(str(ENGINE.parent / Path(file))).get(name)
    return f"{item.where}: {known[1]}" if known and known[1] else item.where


def base(unit: str) -> str:
    """The base unit that a value is in: "B" for GiB, nothing for shares and plain numbers."""
    found = unit_of(unit).base
    return "" if found in ("1", "flag") else found


def provenance(run: Run, names: Sequence[str], phased: Any) -> list[Json]:
    """The trees of some results of a run, each written out once."""
    return Provenance(run, phased, SHOWS_ITS_PASSES in names).list(names)


def formulas(trees: Sequence[Json]) -> list[Json]:
    """What the engine says of every function that the trees went through, room by room."""
    names = dict.fromkeys(item["function"] for item in items_of(trees).values() if item.get("function"))
    order = [title for title, _ in ROOMS]
    found = sorted((said(name) for name in names), key=lambda s: (order.index(s.room), s.file, s.line))
    return [s._asdict() for s in found]

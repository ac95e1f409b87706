"""A table of design points as the JSON document has it: every point with its settings, results, status and verdicts.

Above ``MOST`` points the document holds only those that the report shows; the whole table streams to a file.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsl.expressions import Compiled
from dsl.fitting import shown_in
from dsl.scenario import Axis, Chart, Item, Measured, Table
from dsl.schema import run_row
from dsl.space import Space
from dsl.syntax import Name, Shown
from engine.metrics import BY_NAME, METRICS
from reports.experiments.evaluation import (
    CANNOT_BE_BUILT,
    DOES_NOT_FIT,
    FAILS,
    NOT_EVALUATED,
    OK,
    STATUS,
    Found,
    evaluated,
)
from reports.experiments.layout_rules import words
from reports.experiments.parts import one
from reports.experiments.removals import Removal, Removals, needs
from reports.experiments.work import gather
from reports.intervals import intervals
from reports.judgement import limit_of, plain
from reports.point import Json
from reports.quantities import fixed, in_binary

MOST = 10_000  # points that the document holds
COUNTED = ("points", "failed", "met")
FOLLOWING = ("cluster.gpus", "layout.data")  # shown beside the axes
DEFAULT_COLUMNS = ("step_time", "mfu", "memory_per_gpu", "tokens_per_second", "time_to_train", "cost")


@dataclass
class Tally:
    """What is counted over all points, and the rows that are kept."""

    table: Table
    removals: Removals = field(default_factory=Removals)
    status: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(STATUS), dtype=np.int64))
    points: int = 0
    failed: int = 0
    met: int = 0
    rows: list[Json] = field(default_factory=list)
    missing: dict[str, tuple[str, ...]] = field(default_factory=dict)
    partial: bool = False
    files: list[Json] = field(default_factory=list)

    def state(self) -> Json:
        """What was counted, as JSON keeps it."""
        return {
            "removals": [vars(removal) for removal in self.removals.found.values()],
            "status": self.status.tolist(),
            "rows": self.rows,
            "missing": self.missing,
        } | {name: getattr(self, name) for name in COUNTED}

    def restore(self, state: Json) -> None:
        """Takes up what was counted before."""
        self.removals = Removals({(r["kind"], r["text"]): Removal(**r) for r in state["removals"]})
        self.status = np.array(state["status"], dtype=np.int64)
        self.rows, self.missing = state["rows"], {name: tuple(own) for name, own in state["missing"].items()}
        for name in COUNTED:
            setattr(self, name, state[name])

    def add(self, found: Found, points: int) -> None:
        """Counts some points, of which a `where` may have dropped the rest."""
        self.points += points
        self.status += np.bincount(found.status, minlength=len(STATUS))
        ok = found.status == OK
        fails = np.any(found.verdicts == FAILS, axis=0) if len(found.verdicts) else np.zeros(found.size, dtype=bool)
        self.failed += int(np.count_nonzero(ok & fails))
        self.met += int(np.count_nonzero(ok & ~fails))
        self.missing |= found.missing
        for removal in found.removed:
            self.removals.add(removal)


def evaluate_table(table: Table, space: Space | None = None) -> Json:
    """The experiment of a sweep (and what every other table has in common) for the document."""
    assert table.space is not None and table.base is not None
    space = space or table.space()
    into = Sweep(table, space)
    gather(table, space, into)
    into.tally.rows.sort(key=lambda row: int(row["index"]))
    return document(table, space, into.tally)


class Sweep:
    """The points of a sweep: counted, and those kept that the document holds."""

    def __init__(self, table: Table, space: Space) -> None:
        self.table, self.space, self.tally, self.shown = table, space, Tally(table), thinned(space)

    def add(self, found: Found, points: int) -> None:
        """Takes a part in, of which ``points`` were evaluated or dropped."""
        self.tally.add(found, points)
        self.tally.rows += table_rows(self.table, self.space, found, np.flatnonzero(self.shown(found.index)))

    def stop(self) -> None:
        """Says that what was gathered is not all."""
        self.tally.partial = True

    def streamed(self, files: list[Json]) -> None:
        """Says which files hold the whole table."""
        self.tally.files = files

    def state(self) -> Any:
        """What was gathered, as JSON keeps it."""
        return self.tally.state()

    def restore(self, state: Any) -> None:
        """Takes up what was gathered before."""
        self.tally.restore(state)


def thinned(space: Space) -> Callable[[NDArray[np.int64]], NDArray[np.bool_]]:
    """Which points of a table the document holds: all, or every other value of its longest axes until they are few."""
    lengths = [len(d.steps) for d in space.dimensions]
    every = [1] * len(lengths)
    while prod(-(-n // k) for n, k in zip(lengths, every, strict=True)) > MOST:
        left = [-(-n // k) for n, k in zip(lengths, every, strict=True)]
        every[left.index(max(left))] *= 2

    def chosen(index: NDArray[np.int64]) -> NDArray[np.bool_]:
        result = np.ones(len(index), dtype=bool)
        for at, step in zip(np.unravel_index(index, lengths) if lengths else (), every, strict=True):
            result &= at % step == 0
        return result

    return chosen


def table_rows(table: Table, space: Space, found: Found, chosen: NDArray[np.intp]) -> Iterator[Json]:
    """The chosen points of a part as the document has them."""
    assert table.base is not None
    few = found.take(chosen)
    shown = [item(few.values) for item in table.show] if table.show else []
    missing = [None] * few.size
    known = {m.name: plain(few.results[m.name].tolist()) if m.name in few.results else missing for m in METRICS}
    for k in range(few.size):
        settings = told_settings(space, few, k)
        results = {name: values[k] for name, values in known.items()}
        broken = [text for text, flags in few.broken.items() if flags[k]]
        status = int(few.status[k])
        spread = intervals({**few.settings, **settings}, results) if status in (OK, DOES_NOT_FIT) else None
        columns = [plain(picked(value, k)) for value in shown] if table.show else [
            results[name] for name in default_columns(table)]  # fmt: skip
        yield {
            "index": int(few.index[k]),
            "settings": settings,
            "results": results,
            "status": STATUS[status],
            "reason": short(status, broken, results),
            "reasons": sentences(status, broken, few.wrong, results),
            "verdicts": [None if v < 0 else bool(v) for v in few.verdicts[:, k]],
            "shown": columns,
            "measured": measured_at(table.measured, few.settings, settings, k),
            "interval": spread and {name: [own["low"], own["high"]] for name, own in spread.items()},
        }


def picked(value: Any, k: int) -> Any:
    """The value of one point: of an array its element, else what all points share."""
    if not isinstance(value, np.ndarray):
        return value
    return value[k] if len(value) > 1 else value[0]


def short(status: int, broken: Sequence[str], results: Mapping[str, float | None]) -> str | None:
    """Why a point has no place, in one cell: the memory that it needs, or the first rule that it breaks."""
    memory = results.get("memory_per_gpu")
    if status == CANNOT_BE_BUILT:
        return broken[0] if broken else "layout"
    if status == DOES_NOT_FIT and memory is not None:
        return f"{fixed(memory / 2**30, 0)} GiB"
    return "lacks input" if status == NOT_EVALUATED else None


def sentences(
    status: int, broken: Sequence[str], wrong: Set[str], results: Mapping[str, float | None]
) -> list[str]:
    """The same in sentences."""
    headroom = results.get("memory_headroom")
    if status == CANNOT_BE_BUILT:
        return [name if name in wrong else f"it cannot be built: it needs {words(name)}" for name in broken]
    if status == DOES_NOT_FIT and headroom is not None and headroom < 0:
        return [f"the fullest stage needs {fixed(-headroom / 2**30, 1)} GiB more than the GPU has"]
    if status == DOES_NOT_FIT:
        return ["what is offloaded needs more than a node's host memory has"]
    return ["an input is missing"] if status == NOT_EVALUATED else []


def measured_at(
    blocks: Sequence[Measured], every: Mapping[str, Any], settings: Mapping[str, Any], k: int
) -> dict[str, float] | None:
    """Measured values of a point: those of the block that names it."""
    for block in blocks:
        here = {path: settings.get(path, picked(every.get(path), k)) for path in block.at}
        if block.at and all(same(here[path], wanted) for path, wanted in block.at.items()):
            return {name: plain(value.value) for name, value in block.values.items()}
    return None


def same(found: Any, wanted: Any) -> bool:
    """Whether a setting of a point is the one that is named."""
    if isinstance(found, (int, float)) and isinstance(wanted, (int, float)):
        return bool(np.isclose(found, wanted, rtol=1e-9))
    return bool(found == wanted)


def document(table: Table, space: Space, tally: Tally) -> Json:
    """What every table has: axes, columns, counts, what was removed, points, requirements, charts."""
    assert table.base is not None
    lacks = sorted({name for names in tally.missing.values() for name in names})
    return {
        "kind": table.kind,
        "name": table.name,
        "title": table.title,
        "where": table.where,
        "base": table.base.name,
        "axes": axes(table),
        "columns": columns(table),
        "counts": counts(tally),
        "removed": [removed(table, space, removal) for removal in tally.removals.ordered],
        "points": tally.rows,
        "requires": requirements(table),
        "charts": [chart(c, tally.rows, table) for c in table.charts],
        "streamed": streamed(tally.files),
        "unavailable": [{"result": name, "missing": list(own)} for name, own in tally.missing.items()],
        "notes": [f"not given: {', '.join(lacks)}"] if lacks else [],
    }


def requirements(table: Table) -> list[Json]:
    """The requirements with their reasons, and the limit of each that sets one."""
    base = {} if table.base is None else table.base.plain()
    return [
        {"text": r.text, "because": r.because or None, "where": r.where, "limit": limit_of(r.compute, base)}
        for r in table.requires
    ]


def streamed(files: Sequence[Json]) -> Json | None:
    """The files that hold the whole table, and their rows."""
    if not files:
        return None
    names = [str(own["file"]) for own in files]
    return {"file": ", ".join(names), "files": names, "rows": files[0]["rows"]}


def axes(table: Table) -> list[Json]:
    """What varies: base units, and the texts as they were written."""
    return [
        {
            "path": a.path,
            "label": a.path.rpartition(".")[2].replace("_", " "),
            "unit": "" if (row := run_row(a.path)) is None else shown_in(row),
            "values": [axis_value(a, i) for i in range(len(a.values))],
            "texts": list(a.texts),
            "together": a.together,
        }
        for a in table.axes
    ]


def default_columns(table: Table) -> list[str]:
    """The results shown where the table names none."""
    return list(DEFAULT_COLUMNS)


def columns(table: Table) -> list[Json]:
    """What is shown of every point."""
    if table.show:
        return [{"text": i.text, "called": i.called, "unit": unit_of(i.unit, i.compute)} for i in table.show]
    return [{"text": name, "called": "", "unit": BY_NAME[name].unit} for name in default_columns(table)]


def unit_of(stated: str, compute: Compiled) -> str:
    """The unit to show an expression in: as stated, that of the result it names, or its own."""
    e = compute.expression
    inner = e.expression if isinstance(e, Shown) else e
    if stated or not isinstance(inner, Name):
        return stated or compute.type.unit
    return BY_NAME[inner.path].unit if inner.path in BY_NAME else compute.type.unit


def counts(tally: Tally) -> Json:
    """How many points there are of each kind; ``evaluated`` are those that can be built."""
    kept = int(tally.status.sum())
    return {
        "points": tally.points,
        "dropped": tally.points - kept,
        "cannot_be_built": int(tally.status[CANNOT_BE_BUILT]),
        "does_not_fit": int(tally.status[DOES_NOT_FIT]),
        "not_evaluated": int(tally.status[NOT_EVALUATED]),
        "failed": tally.failed,
        "met": tally.met,
        "evaluated": kept - int(tally.status[CANNOT_BE_BUILT]) - int(tally.status[NOT_EVALUATED]),
        "partial": tally.partial,
    }


def removed(table: Table, space: Space, r: Removal) -> Json:
    """A rule with the points that it takes away, and the nearest of those that it alone does."""
    rules = {"where": table.wheres, "require": table.requires}.get(r.kind, ())
    rule = next((rule for rule in rules if rule.text == r.text), None)
    near = None if r.nearest is None else single(table, space, r.nearest)
    return {
        "rule": r.text,
        "kind": r.kind,
        "points": r.points,
        "alone": r.alone,
        "index": r.nearest,
        "nearest": near and told_settings(space, near),
        "because": (rule.because or None) if rule else None,
        "gap": plain(r.gap),
        "needs": near and (needs(rule, near.values) if rule else memory_needs(near)),
    }


def single(table: Table, space: Space, index: int) -> Found:
    """One point evaluated by itself, those included that a `where` drops."""
    return evaluated(table._replace(wheres=()), one(space, index))


def memory_needs(near: Found) -> str:
    """What would admit a point that does not fit."""
    name, over = "memory_per_gpu", -float(near.results["memory_headroom"][0])
    room = plain(near.values.get("cluster.host_memory"))
    if over <= 0 and room is not None:
        name, over = "memory_host", float(near.results["memory_host"][0]) - room
    held = float(near.results[name][0])
    return f"{name} is {in_binary(held).text()} there, {in_binary(over).text()} too much"


def axis_settings(space: Space, found: Found, k: int = 0) -> dict[str, Any]:
    """The settings of a point that vary, in the order of the axes."""
    at = np.unravel_index(found.index[k], [len(d.steps) for d in space.dimensions]) if space.dimensions else ()
    return {a.path: axis_value(a, i) for d, i in zip(space.dimensions, at, strict=True) for a in d.axes}


def told_settings(space: Space, found: Found, k: int = 0) -> dict[str, Any]:
    """The settings of a point that vary, and those that follow from them and are shown beside."""
    settings = axis_settings(space, found, k)
    return settings | {path: plain(picked(found.settings.get(path), k)) for path in FOLLOWING if path not in settings}


def axis_value(axis: Axis, position: int) -> Any:
    """A value of an axis: a choice with arguments as it was written, so that two of them differ."""
    value = axis.values[position]
    return axis.texts[position] if isinstance(value, dict) else plain(value)


def chart(c: Chart, points: Sequence[Json], table: Table) -> Json:
    """A chart with the value of each of its expressions at every point."""
    found: Json = {"kind": c.kind, "title": c.title}
    for name in ("x", "y", "color", "series", "facet"):
        item = c.axes.get(name)
        found[name] = None if item is None else charted(item, points, table)
    return found


def charted(item: Item, points: Sequence[Json], table: Table) -> Json:
    """An expression at every point, by the settings and results that the document has."""
    base = {} if table.base is None else table.base.plain()
    values = [plain(item({**base, **p["settings"], **p["results"]})) for p in points]
    return {"text": item.text, "unit": unit_of(item.unit, item.compute), "values": values}


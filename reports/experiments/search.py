"""`optimize`: the best points of a table, the front of cost against days, near misses, and why the winner wins.

The order is that of the aims, `minimize` or `maximize` first, then `then_by`; points that tie stand by fewest GPUs,
then in the order in which their settings are written. The front holds the points that no other beats in both.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsl.gap import sides
from dsl.scenario import Item, Rule, Table
from dsl.space import Space
from dsl.syntax import Name
from engine.columns import Column
from reports.experiments.evaluation import FAILS, OK, Found, evaluated, run
from reports.experiments.parts import one
from reports.experiments.removals import Removal
from reports.experiments.table import Tally, axis_value, document, removed, single, table_rows, unit_of
from reports.experiments.winner import MARKET, winner
from reports.experiments.work import gather
from reports.judgement import plain
from reports.point import Json

KEEP = 10
EVERY = 1_000  # points up to which the document holds all
CLOUD = 2_000  # points of the scatter behind the front
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio
HARDWARE = ("cluster.gpu", "cluster")  # settings that name it, the first that varies
NEAR = 5  # near misses told
FRONT = ("cost", "time_to_train")
NEEDED = (*FRONT, "memory_per_gpu", "memory_headroom")


@dataclass(frozen=True)
class Aim:
    """What is sought: an expression and its sign, 1 for small and -1 for large values."""

    item: Item
    sign: float

    @property
    def direction(self) -> str:
        return "minimize" if self.sign > 0 else "maximize"


def aims(table: Table) -> list[Aim]:
    """The aims of a search, ties last."""
    order = (("minimize", 1.0), ("maximize", -1.0), ("then_by", 1.0))
    return [Aim(item, sign) for name, sign in order for item in table.aims.get(name, ())]


@dataclass
class Ranked:
    """Points in order, each a row of keys that ends with its GPUs and its index; the first ``most`` are kept."""

    most: int
    rows: NDArray[np.float64] | None = None

    def add(self, rows: NDArray[np.float64]) -> None:
        """Adds points: keys x points."""
        both = rows if self.rows is None else np.concatenate([self.rows, rows], axis=1)
        if both.shape[1] > self.most and rows.shape[1] > 4 * self.most:
            worst = np.partition(both[0], self.most - 1)[self.most - 1]
            both = both[:, both[0] <= worst]
        self.rows = both[:, np.lexsort(both[::-1])[: self.most]]

    @property
    def index(self) -> list[int]:
        return [] if self.rows is None else [int(i) for i in self.rows[-1]]


@dataclass
class Front:
    """The points of which no other is both cheaper and faster."""

    rows: NDArray[np.float64] = field(default_factory=lambda: np.zeros((4, 0)))  # cost, seconds, GPUs, index

    def add(self, rows: NDArray[np.float64]) -> None:
        """Adds points: the two results, GPUs and index."""
        both = np.concatenate([self.rows, rows[:, np.all(np.isfinite(rows[:2]), axis=0)]], axis=1)
        both = both[:, np.lexsort(both[::-1])]
        best = np.concatenate([[np.inf], np.minimum.accumulate(both[1])[:-1]])
        self.rows = both[:, both[1] < best]

    @property
    def index(self) -> list[int]:
        return [int(i) for i in self.rows[-1]]


@dataclass
class Search:
    """What a search gathers over all points."""

    table: Table
    tally: Tally
    ranked: Ranked
    front: Front = field(default_factory=Front)
    cloud: list[NDArray[np.float64]] = field(default_factory=list)
    markets: dict[str, Ranked] = field(default_factory=dict)  # the best point that rents each GPU at each price

    def stop(self) -> None:
        """Says that what was gathered is not all."""
        self.tally.partial = True

    def streamed(self, files: list[Json]) -> None:
        """Says which files hold the whole table."""
        self.tally.files = files

    def state(self) -> Any:
        """What was gathered, as JSON keeps it."""
        rows = None if self.ranked.rows is None else self.ranked.rows.tolist()
        drawn = [own.tolist() for own in self.cloud]
        markets = {name: own.rows.tolist() for name, own in self.markets.items() if own.rows is not None}
        own = {"ranked": rows, "front": self.front.rows.tolist(), "cloud": drawn, "markets": markets}
        return self.tally.state() | own

    def restore(self, state: Any) -> None:
        """Takes up what was gathered before."""
        self.tally.restore(state)
        self.ranked.rows = None if state["ranked"] is None else np.array(state["ranked"])
        self.front.rows = np.array(state["front"]).reshape(4, -1)
        self.cloud = [np.array(own).reshape(4, -1) for own in state["cloud"]]
        self.markets = {name: Ranked(1, np.array(own)) for name, own in state["markets"].items()}

    def add(self, found: Found, points: int) -> None:
        """Judges some points."""
        self.tally.add(found, points)
        met = found.status == OK
        if len(found.verdicts):
            met &= ~np.any(found.verdicts == FAILS, axis=0)
        chosen = np.flatnonzero(met)
        self.cloud = thinner([*self.cloud, cloud(found, apart_from_limits(self.table, found))])
        if not len(chosen):
            return
        few = found.take(chosen)
        tail = [column(few.settings.get("cluster.gpus"), few.size), few.index.astype(np.float64)]
        keys = [key(aim, few) for aim in aims(self.table)]
        rows = np.array([*keys, *tail])
        self.ranked.add(rows)
        for name, own in markets_of(few):
            self.markets.setdefault(name, Ranked(1)).add(rows[:, own])
        if all(name in few.results for name in FRONT):
            self.front.add(np.array([*(few.results[name] for name in FRONT), *tail]))


    @property
    def rival(self) -> int | None:
        """The best point that rents other GPUs than the winner does, or the same at another price."""
        firsts = Ranked(2)
        for own in self.markets.values():
            if own.rows is not None:
                firsts.add(own.rows)
        return firsts.index[1] if len(firsts.index) > 1 else None


def markets_of(found: Found) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """The points that rent the same GPUs at the same price, by what they rent."""
    rented = [found.settings.get(path) for path in MARKET]
    if not any(isinstance(value, np.ndarray) for value in rented):
        yield repr(rented), np.ones(found.size, dtype=bool)
        return
    columns = [np.broadcast_to(np.asarray(value), (found.size,)) for value in rented]
    names = np.array([repr(row) for row in zip(*columns, strict=True)])
    for name in dict.fromkeys(names.tolist()):
        yield name, names == name


def column(value: Any, count: int) -> Column:
    """A value of every point."""
    return np.broadcast_to(np.asarray(np.nan if value is None else value, dtype=np.float64), (count,))


def key(aim: Aim, found: Found) -> Column:
    """What points are ordered by: small is good; a value that is missing stands last."""
    values = aim.sign * column(aim.item(found.values), found.size)
    return np.where(np.isnan(values), np.inf, values)


def apart_from_limits(table: Table, found: Found) -> NDArray[np.bool_]:
    """The points that fit and meet what is required of others than the results of the front, whose limits are drawn."""
    others = np.array([not of_front(rule) for rule in table.requires], dtype=bool)
    fails = found.verdicts[others] == FAILS if len(found.verdicts) else np.zeros((0, found.size), dtype=bool)
    return np.asarray((found.status == OK) & ~np.any(fails, axis=0))


def of_front(rule: Rule) -> bool:
    """Whether a rule compares a result of the front with a limit."""
    both = [side.expression for side in sides(rule) or ()]
    return any(isinstance(e, Name) and e.path in FRONT for e in both)


def cloud(found: Found, met: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Index, cost, days and whether they meet what is asked, of the points that have both."""
    rows = [found.results.get(name) for name in FRONT]
    if any(row is None for row in rows):
        return np.zeros((4, 0))
    both = np.array([found.index.astype(np.float64), *[row for row in rows if row is not None], met])
    return both[:, np.isfinite(both[1]) & np.isfinite(both[2])]


def evaluate_search(table: Table) -> Json:
    """The experiment of an optimize for the document."""
    assert table.space is not None and table.base is not None
    space = table.space()
    keep = table.settings.get("keep")
    search = Search(table, Tally(table), Ranked(max(int(keep.value), 2) if keep else KEEP))
    gather(table, space, search, frozenset(needed(table)))
    return told(search, space, int(keep.value) if keep else KEEP)


def needed(table: Table) -> set[str]:
    """Results that a search asks of every point."""
    own = {name for aim in aims(table) for name in aim.item.compute.needs}
    return own.union(NEEDED, *(rule.compute.needs for rule in table.requires))


def thinner(rows: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """At most twice as many points as are drawn, evenly over their numbers."""
    return rows if sum(r.shape[1] for r in rows) <= 2 * CLOUD else [evenly(np.concatenate(rows, axis=1))]


def evenly(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """As many points as are drawn, evenly over their numbers; which ones does not depend on the parts they came in.

    Those whose number times the golden ratio has the smallest fraction (Knuth, The Art of Computer Programming 3, 6.4).
    """
    return rows[:, np.argsort(rows[0].astype(np.uint64) * GOLDEN, kind="stable")[:CLOUD]]


def told(search: Search, space: Space, keep: int) -> Json:
    """The document's part: the kept points, the front, near misses, the winner."""
    table, tally = search.table, search.tally
    best, front = search.ranked.index[:keep], search.front.index
    misses = near_misses(tally.removals.ordered)
    chosen = {*best, *search.ranked.index[:2], *front, search.rival, *(r.nearest for r in misses)}
    told_of = sorted(i for i in chosen if i is not None)
    shown = range(tally.points) if tally.points <= EVERY else told_of
    tally.rows = [row for i in shown for row in shown_row(table, space, i, i in told_of)]
    found = document(table, space, tally)
    own = [removed(table, space, r) for r in misses]
    return found | {
        "aims": aim_rows(table, space, best),
        "best": best,
        "front": front,
        "nearest": [{"index": r["index"], "require": r["rule"], "gap": r["gap"], "needs": r["needs"]} for r in own],
        "winner": winner(table, space, search.ranked.index, [a.item for a in aims(table)], search.rival),
        "cloud": cloud_of(search.cloud, space),
    }


def aim_rows(table: Table, space: Space, best: Sequence[int]) -> list[Json]:
    """What is sought, in order, with the value of the base run as it stands and of the choice."""
    assert table.base is not None
    settings = table.base.plain()
    base = settings | {name: own[0] for name, own in run(table.base, settings).columns.items()}
    won = single(table, space, best[0]).values if best else None
    return [
        {"text": a.item.text, "direction": a.direction, "unit": unit_of(a.item.unit, a.item.compute),
         "base": _number(a.item(base)), "best": None if won is None else _number(a.item(won))}
        for a in aims(table)
    ]  # fmt: skip


def _number(value: Any) -> float | None:
    found = plain(value)
    return found if isinstance(found, float) else None


def shown_row(table: Table, space: Space, index: int, told_of: bool = True) -> list[Json]:
    """One point as the document has it; none where a `where` drops it and nothing else tells of it."""
    found = single(table, space, index) if told_of else evaluated(table, one(space, index))
    return list(table_rows(table, space, found, np.arange(found.size)))


def near_misses(removals: Sequence[Removal]) -> list[Removal]:
    """The rules that alone stand against a point, the smallest gap first."""
    own = [r for r in removals if r.nearest is not None and r.kind != "layout"]
    return sorted(own, key=lambda r: (r.gap, r.nearest))[:NEAR]


def cloud_of(rows: Sequence[NDArray[np.float64]], space: Space) -> Json | None:
    """The points behind the front: hardware, cost, seconds and whether every requirement of other results holds."""
    every = evenly(np.concatenate(rows, axis=1)) if rows else np.zeros((4, 0))
    if not every.shape[1]:
        return None
    every = every[:, np.argsort(every[0])]
    return {
        "index": [int(i) for i in every[0]],
        "kind": kinds(space, every[0].astype(np.int64)),
        "cost": [float(f"{x:.6g}") for x in every[1]],
        "time_to_train": [float(f"{x:.6g}") for x in every[2]],
        "met": [bool(x) for x in every[3]],
    }


def kinds(space: Space, index: NDArray[np.int64]) -> list[str] | None:
    """The hardware of points by their numbers; None where it does not vary."""
    axes = {a.path: (k, a) for k, d in enumerate(space.dimensions) for a in d.axes}
    named = next((axes[path] for path in HARDWARE if path in axes), None)
    if named is None:
        return None
    places = np.unravel_index(index, [len(d.steps) for d in space.dimensions])[named[0]]
    return [str(axis_value(named[1], int(i))) for i in places]

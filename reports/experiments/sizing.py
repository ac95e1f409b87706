"""A `size` evaluated: for each cluster the fewest GPUs that meet deadline and budget, and the cheapest number of them.

Every layout of every number of GPUs is a point; a point counts where it fits and every requirement holds. Where none
does, the nearest miss says what stands against it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dsl.scenario import Table
from dsl.space import Space
from reports.experiments.evaluation import Found
from reports.experiments.removals import Removals
from reports.experiments.search import Ranked, Search, cloud_of, near_misses, needed, shown_row
from reports.experiments.table import Tally, document, removed
from reports.experiments.work import gather
from reports.judgement import plain
from reports.point import Json

KEPT = 3  # points kept for each cluster and order
SAID = ("cluster", "cluster.gpu", "cluster.price", "cluster.gpus_per_node")


def evaluate_size(table: Table) -> Json:
    """The experiment of one size block."""
    assert table.space is not None and table.base is not None
    space = table.space()
    into = Sizes(table, space)
    wanted = needed(into.answers[0].search.table) | needed(into.answers[0].other.table)
    gather(table, space, into, frozenset(wanted))
    whole, found = into.whole, into.answers
    shown = sorted({i for one in found for i in one.points})
    whole.rows = [row for i in shown for row in shown_row(table, space, i)]
    best = best_of(table, [one for one in found if one.cheapest is not None], whole.rows)
    chosen = [i for one in found for i in (one.cheapest, one.fewest) if i is not None]
    return document(table, space, whole) | {
        "deadline": _limit(table, "deadline"),
        "budget": _limit(table, "budget"),
        "answers": [one.told(table, space) for one in found],
        "chosen": best,
        "best": [best, *(i for i in dict.fromkeys(chosen) if i != best)] if best is not None else [],
        "front": sorted({i for one in found for i in one.search.front.index}),
        "cloud": cloud_of([rows for one in found for rows in one.search.cloud], space),
    }


def _limit(table: Table, name: str) -> float | None:
    value = table.settings.get(name)
    return None if value is None else float(value.value)


class Answer:
    """What one cluster comes to."""

    def __init__(self, table: Table, space: Space) -> None:
        self.space, self.plain = space, space.variants[0].plain
        self.tally = Tally(table, Removals())
        orders = {name: table.aims[name] for name in ("cheapest", "fewest")}
        self.search = Search(_ordered(table, orders["cheapest"]), self.tally, Ranked(KEPT))
        self.other = Search(_ordered(table, orders["fewest"]), Tally(table, Removals()), Ranked(KEPT))

    def holds(self, at: Sequence[int]) -> bool:
        """Whether a point at these positions stands on this cluster."""
        return all(at[k] == i for k, i in self.space.variants[0].positions.items())

    def add(self, found: Found, points: int) -> None:
        """Judges some points."""
        self.search.add(found, points)
        self.other.add(found, points)
        self.other.cloud.clear()

    @property
    def cheapest(self) -> int | None:
        return next(iter(self.search.ranked.index), None)

    @property
    def fewest(self) -> int | None:
        return next(iter(self.other.ranked.index), None)

    @property
    def nearest(self) -> Any:
        """The near miss with the smallest gap, where nothing meets every requirement."""
        misses = near_misses(self.tally.removals.ordered) if self.cheapest is None else []
        return misses[0] if misses else None

    @property
    def points(self) -> list[int]:
        """The points that the document shows of it."""
        own = [self.nearest.nearest] if self.nearest is not None else []
        return [*self.search.ranked.index, *self.other.ranked.index, *self.search.front.index, *own]

    def told(self, table: Table, space: Space) -> Json:
        """The answer as the document has it."""
        near = self.nearest
        said = None if near is None else removed(table, space, near)
        return {
            **{path.rpartition(".")[2]: plain(self.plain.get(path)) for path in SAID},
            "fewest": self.fewest,
            "cheapest": self.cheapest,
            "points": self.tally.points,
            "met": self.tally.met,
            "open": [] if self.cheapest is None else unjudged(table, space, self.cheapest),
            "nearest": said and {"index": said["index"], "require": said["rule"], "gap": said["gap"],
                                 "needs": said["needs"]},
        }  # fmt: skip


def unjudged(table: Table, space: Space, index: int) -> list[str]:
    """The requirements that cannot be judged at a point for want of an input."""
    held = shown_row(table, space, index)[0]["verdicts"]
    return [rule.text for rule, own in zip(table.requires, held, strict=True) if own is None]


def _ordered(table: Table, items: Sequence[Any]) -> Table:
    """The table with these aims, the first before the others."""
    return table._replace(aims={"minimize": tuple(items[:1]), "then_by": tuple(items[1:])})


class Sizes:
    """All points of a size: counted together, and each judged for its own cluster."""

    def __init__(self, table: Table, space: Space) -> None:
        self.lengths = [len(d.steps) for d in space.dimensions]
        self.whole = Tally(table)
        self.answers = [Answer(table, Space(space.dimensions, (variant,))) for variant in space.variants]

    def add(self, found: Found, points: int) -> None:
        """Takes a part in, all of one cluster; of one whose points are all dropped nobody knows which."""
        self.whole.add(found, points)
        if found.size:
            at = np.unravel_index(int(found.index[0]), self.lengths)
            next(a for a in self.answers if a.holds([int(i) for i in at])).add(found, points)

    def stop(self) -> None:
        """Says that what was gathered is not all."""
        self.whole.partial = True

    def streamed(self, files: list[Json]) -> None:
        """Says in which files all points are."""
        self.whole.files = files

    def state(self) -> Any:
        """What was gathered, as JSON keeps it."""
        return {"whole": self.whole.state(), "answers": [[a.search.state(), a.other.state()] for a in self.answers]}

    def restore(self, state: Any) -> None:
        """Takes up what was gathered before."""
        self.whole.restore(state["whole"])
        for own, (search, other) in zip(self.answers, state["answers"], strict=True):
            own.search.restore(search)
            own.other.restore(other)


def best_of(table: Table, found: Sequence[Answer], rows: Sequence[Json]) -> int | None:
    """The cheapest of all clusters; where nothing has a price, that with the fewest GPUs."""
    known = {row["index"]: row for row in rows}
    priced = [one.cheapest for one in found if known[one.cheapest]["results"]["cost"] is not None]
    if priced:
        return min((i for i in priced if i is not None), key=lambda i: (known[i]["results"]["cost"], i))
    fewest = [one.fewest for one in found if one.fewest is not None]
    return min(fewest, key=lambda i: (known[i]["settings"]["cluster.gpus"], i)) if fewest else None


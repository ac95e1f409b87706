"""Why the winner of a search wins: its margins to the next points, and what would have to change for it to lose."""

from collections.abc import Iterator, Sequence
from typing import Any

from dsl.scenario import Item, Table
from dsl.space import Space
from engine.metrics import METRICS
from reports.experiments.evaluation import Found, run
from reports.experiments.parts import one
from reports.experiments.table import axis_settings, single
from reports.judgement import plain
from reports.point import Json
from reports.quantities import Quantity

AGAINST = 2  # points that the winner is held against
SHOWN = ("cost", "time_to_train", "step_time", "mfu", "memory_per_gpu", "tokens_per_second")
UNITS = {m.name: m.unit for m in METRICS}


def winner(table: Table, space: Space, order: Sequence[int], sought: Sequence[Item]) -> Json | None:
    """The first of ``order``: its settings, its margins to those behind it, and where it breaks even with the next."""
    if not order:
        return None
    best, *others = (single(table, space, index) for index in order[: AGAINST + 1])
    margins = [
        {"against": int(other.index[0]), "rows": list(margin_rows(best, other, sought))} for other in others
    ]
    costs = bool(sought) and sought[0].text == "cost" and bool(others)
    return {
        "index": int(best.index[0]),
        "settings": axis_settings(space, best),
        "margins": margins,
        "break_even": list(break_even(table, space, best, others[0])) if costs else [],
    }


def margin_rows(best: Found, other: Found, sought: Sequence[Item]) -> Iterator[Json]:
    """What is sought and the main results, of the winner and of another point."""
    for item in sought:
        if item.text not in SHOWN:
            yield _row(item.text, plain(item(best.values)), plain(item(other.values)))
    for name in SHOWN:
        if name in best.results and name in other.results:
            yield _row(name, plain(best.results[name]), plain(other.results[name]))


def _row(name: str, own: Any, other: Any) -> Json:
    known = isinstance(own, float) and isinstance(other, float)
    return {"name": name, "winner": own, "other": other, "difference": plain(own - other) if known else None}


def break_even(table: Table, space: Space, best: Found, other: Found) -> Iterator[Json]:
    """Price, days and utilization at which the winner costs what the runner-up does.

    Cost is linear in the price of a GPU-hour and in the length of the run: one more evaluation gives each slope.
    """
    assert table.base is not None
    own, gap = part_settings(space, best), other.results["cost"][0] - best.results["cost"][0]
    price = own.get("cluster.price")
    if price:
        dearer = run(table.base, own | {"cluster.price": 2.0 * price}).columns.get("cost")
        slope = None if dearer is None else (dearer[0] - best.results["cost"][0]) / price
        if slope:
            yield _told("price", price + gap / slope, price, "$/GPU-h", 3, "a GPU-hour of it costs {} (it costs {})")
    tokens = own.get("tokens")
    longer = run(table.base, own | {"tokens": 2.0 * tokens}).columns if tokens else {}
    if "cost" not in longer or "mfu" not in best.results:
        return
    seconds = float(best.results["time_to_train"][0])
    slope = (longer["cost"][0] - best.results["cost"][0]) / (longer["time_to_train"][0] - seconds)
    if slope:
        later, mfu = seconds + gap / slope, float(best.results["mfu"][0])
        yield _told("duration", later, seconds, "days", 2, "it takes {} (it takes {})")
        yield _told("utilization", mfu * seconds / later, mfu, "%", 2, "its utilization falls to {} (it is {})")


def part_settings(space: Space, found: Found) -> dict[str, Any]:
    """The settings of one point, as the engine reads them."""
    return one(space, int(found.index[0])).settings


def _told(what: str, value: float, now: float, unit: str, decimals: int, said: str) -> Json:
    there, here = (Quantity(float(x), unit, decimals).text() for x in (value, now))
    sentence = f"It stays the cheapest until {said.format(there, here)}"
    return {"what": what, "value": plain(value), "now": plain(now), "unit": unit, "sentence": sentence}

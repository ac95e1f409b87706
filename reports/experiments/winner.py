"""Why the winner of a search wins: its margins to the next points, and what would have to change for it to lose."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dsl.scenario import Item, Table
from dsl.space import Space
from reports.experiments.evaluation import Found, run
from reports.experiments.parts import one
from reports.experiments.table import axis_settings, single
from reports.judgement import plain
from reports.point import Json
from reports.quantities import Quantity

AGAINST = 2  # points that the winner is held against
SHOWN = ("cost", "time_to_train", "step_time", "mfu", "memory_per_gpu", "tokens_per_second")
MARKET = ("cluster.gpu", "cluster.price")  # whose cost moves with the price of a GPU-hour: what rents these alike


def winner(
    table: Table, space: Space, order: Sequence[int], sought: Sequence[Item], rival: int | None
) -> Json | None:
    """The first of ``order``: its settings, its margins to those behind it, and where it breaks even with the
    ``rival``, the best point that rents other GPUs or at another price."""
    if not order:
        return None
    best, *others = (single(table, space, index) for index in order[: AGAINST + 1])
    margins = [
        {"against": int(other.index[0]), "rows": list(margin_rows(best, other, sought))} for other in others
    ]
    costs = bool(sought) and sought[0].text == "cost" and "cost" in best.results
    other = single(table, space, rival) if costs and rival is not None else None
    return {
        "index": int(best.index[0]),
        "settings": axis_settings(space, best),
        "margins": margins,
        "rival": None if other is None else rival,
        "break_even": [] if other is None else list(break_even(table, space, best, other)),
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


def break_even(table: Table, space: Space, best: Found, rival: Found) -> Iterator[Json]:
    """Price, days and utilization of the winner at which it costs what its rival does, the rival as it is predicted.

    Between points that rent the same GPUs at one price, no price changes the order, and what slows one slows the
    other: the rival is of another market, so that its cost stays. The winner's is linear in the price of a GPU-hour
    and in the length of the run: one more evaluation gives each slope.
    """
    assert table.base is not None
    own, gap = part_settings(space, best), rival.results["cost"][0] - best.results["cost"][0]
    against, price = market(part_settings(space, rival)), own.get("cluster.price")
    if price:
        dearer = run(table.base, own | {"cluster.price": 2.0 * price}).columns.get("cost")
        slope = None if dearer is None else (dearer[0] - best.results["cost"][0]) / price
        if slope:
            said = "a GPU-hour of its own costs {} (it costs {})"
            yield _told("price", price + gap / slope, price, "$/GPU-h", 3, against, said)
    tokens = own.get("tokens")
    longer = run(table.base, own | {"tokens": 2.0 * tokens}).columns if tokens else {}
    if "cost" not in longer or "mfu" not in best.results:
        return
    seconds = float(best.results["time_to_train"][0])
    slope = (longer["cost"][0] - best.results["cost"][0]) / (longer["time_to_train"][0] - seconds)
    if slope:
        later, mfu = seconds + gap / slope, float(best.results["mfu"][0])
        yield _told("duration", later, seconds, "days", 2, against, "it alone takes {} (it takes {})")
        said = "its own utilization falls to {} (it is {})"
        yield _told("utilization", mfu * seconds / later, mfu, "%", 2, against, said)


def market(settings: Mapping[str, Any]) -> str:
    """What a point rents: "h100-sxm at 2.10 $/GPU-h"."""
    price = settings.get("cluster.price")
    name = str(settings.get("cluster.gpu") or "another GPU")
    return f"{name} at {Quantity(float(price), '$/GPU-h', 2).text()}" if price else name


def part_settings(space: Space, found: Found) -> dict[str, Any]:
    """The settings of one point, as the engine reads them."""
    return one(space, int(found.index[0])).settings


def _told(what: str, value: float, now: float, unit: str, decimals: int, against: str, said: str) -> Json:
    there, here = (Quantity(float(x), unit, decimals).text() for x in (value, now))
    sentence = f"It costs less than the best on {against} until {said.format(there, here)}"
    return {"what": what, "value": plain(value), "now": plain(now), "unit": unit, "sentence": sentence}

"""Limits that a prediction meets and that may be missed all the same: by the interval, or by what was measured.

  inside    the limit lies inside the interval of the result: it holds where the run reaches the prediction
  beyond    the limit lies outside the interval, on the side that fails: what was published says that it does not hold
  measured  what the scenario states as measured of this run breaks the limit
"""

from collections.abc import Iterable, Mapping
from typing import Any

from engine.metrics import BY_NAME
from reports.prose import joined
from reports.quantities import NBSP, RELATIONS, Quantity
from reports.terms import words

Json = Mapping[str, Any]
Row = dict[str, Any]
Ends = Mapping[str, tuple[float, float]]
FITS = "fits the GPU's memory"


def doubts(limits: Iterable[Json | None], ends: Ends, measured: Iterable[tuple[str, float]] = ()) -> list[Row]:
    """Each limit that holds by the prediction alone, with why; of the same result and limit one."""
    known = dict(measured)
    found: dict[tuple[Any, ...], Row] = {}
    for limit in limits:
        if limit is None or not isinstance(limit["value"], float):
            continue
        why = _why(limit, ends.get(limit["name"]), known.get(limit["name"]))
        if why:
            found[limit["name"], limit["op"], limit["value"]] = _row(limit, why, ends, known)
    return list(found.values())


def _row(limit: Json, why: str, ends: Ends, measured: Mapping[str, float]) -> Row:
    low, high = ends.get(limit["name"]) or (None, None)
    own = {"result": limit["name"], "of": limit.get("of"), "op": limit["op"], "limit": limit["value"], "why": why}
    return own | {"low": low, "high": high, "measured": measured.get(limit["name"])}


def _why(limit: Json, ends: tuple[float, float] | None, measured: float | None) -> str:
    upper = limit["op"].startswith("<")
    if measured is not None and _breaks(measured, limit):
        return "measured"
    if ends is None:
        return ""
    best, worst = ends if upper else ends[::-1]
    return "beyond" if _breaks(best, limit) else "inside" if _breaks(worst, limit) else ""


def _breaks(value: float, limit: Json) -> bool:
    bound = float(limit["value"])
    return value > bound if limit["op"].startswith("<") else value < bound


def of_point(main: Json) -> list[Row]:
    """The doubts about a run of the document: of what is required and holds, and of the memory of its GPU."""
    ends = {name: (own["low"], own["high"]) for name, own in (main["intervals"] or {}).items()}
    measured = [(row["name"], row["value"]) for row in main.get("measured") or () if row["value"] is not None]
    held = [v["limit"] for v in main["verdicts"] if v["holds"]]
    return [*doubts(held, ends, measured), *_memory(main, ends)] if main["status"] == "ok" else []


def _memory(main: Json, ends: Ends) -> list[Row]:
    """That the upper end of the memory's interval is over what a GPU has."""
    capacity, name = main["settings"].get("cluster.gpu.memory"), "memory_per_gpu"
    if capacity is None or name not in ends or ends[name][1] <= capacity:
        return []
    return [_row({"name": name, "op": "<=", "value": capacity}, FITS, ends, {})]


def refuted(found: Iterable[Json]) -> bool:
    """Whether one of them says that the requirement does not hold, rather than that it may not."""
    return any(d["why"] in ("beyond", "measured") for d in found)


def told(found: Iterable[Json]) -> list[str]:
    """The doubts in sentences: those that refute first, the limits inside their intervals in one, memory last."""
    rows = list(found)
    said = [_refutation(d) for d in rows if d["why"] in ("measured", "beyond")]
    inside = [d for d in rows if d["why"] == "inside"]
    if inside:
        which = joined(f"{called(d)} {RELATIONS[d['op']]}{NBSP}{shown(d['result'], d['limit'])}" for d in inside)
        one = len(inside) == 1
        said.append(f"{'This limit lies' if one else 'These limits lie'} inside the interval of the prediction and may "
                    f"be missed: {which}")  # fmt: skip
    return said + [_over(d) for d in rows if d["why"] == FITS]


def called(d: Json) -> str:
    """The result in words; of an entry of a programme its end."""
    return f"end of {d['of']}" if d["of"] else words(d["result"])


def _refutation(d: Json) -> str:
    limit, side = shown(d["result"], d["limit"]), "over" if d["op"].startswith("<") else "under"
    if d["why"] == "measured":
        return f"Measured, its {words(d['result'])} is {shown(d['result'], d['measured'])}, {side} the limit of {limit}"
    low, high = (shown(d["result"], d[end]) for end in ("low", "high"))
    return f"All of the interval of {words(d['result'])}, {low} to {high}, is {side} the limit of {limit}"


def _over(d: Json) -> str:
    high, capacity = shown(d["result"], d["high"]), shown(d["result"], d["limit"])
    return f"It fits by the prediction; the upper end of its interval, {high}, is over the {capacity} of a GPU"


def shown(name: str, value: Any) -> str:
    """A result in the unit that it is printed in."""
    return Quantity(value, BY_NAME[name].unit, BY_NAME[name].decimals).text()

"""Page 1 of a file that holds tables of design points and no run: the verdict and the key numbers of its first table.

A search decides: its choice is recommended where it meets every requirement, with conditions where the report states
some or a limit lies inside the interval of its result, and nothing is feasible where no point meets all.
A sweep, a scaling or a sensitivity shows; what is to be decided is not stated by them.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from engine.metrics import BY_NAME
from reports.doubts import doubts, refuted, told
from reports.judgement import margin
from reports.plan import Json
from reports.prose import count, joined
from reports.quantities import Quantity
from reports.summary import KEY_NUMBERS, NOTES, UNCOSTED
from reports.terms import words

KINDS = ("optimize", "sweep", "scale", "sensitivity")
"""In the order in which page 1 is about them."""
LARGER = ("mfu", "tokens_per_second", "effective_training_time", "memory_headroom")


def subject(experiments: Sequence[Json]) -> Json | None:
    """The table that page 1 is about; None where the file holds none."""
    found = [e for kind in KINDS for e in experiments if e["kind"] == kind]
    return found[0] if found else None


def choice(e: Json) -> Json | None:
    """The point that page 1 shows: the best of a search; else the best that meets all by what is shown first."""
    own: dict[int, Json] = {int(p["index"]): p for p in e["points"]}
    if e["kind"] == "optimize":
        return next((own[i] for i in e.get("best") or () if i in own), None)
    kept: list[Json] = [p for p in e["points"] if meets(p)]
    name = next((c["text"] for c in e.get("columns") or () if c["text"] in BY_NAME), "")
    known = [p for p in kept if isinstance(p["results"].get(name), (int, float))]
    if e["kind"] == "scale" or not known:
        return known[-1] if known else next(iter(kept), None)
    sign = -1.0 if name in LARGER else 1.0
    return min(known, key=lambda p: sign * float(p["results"][name]))


def meets(point: Json) -> bool:
    """Whether a point is feasible and no requirement fails."""
    return point["status"] == "ok" and not any(v is False for v in point.get("verdicts") or ())


def verdict(e: Json, conditions: int) -> dict[str, Any]:
    """The verdict word and at most four sentences about the first table."""
    found, required = choice(e), bool(e.get("requires"))
    doubted, word = doubts_of(e, found), "not_decided"
    if e["kind"] == "optimize" and required and not refuted(doubted):
        fair = "recommended_with_conditions" if conditions or doubted else "recommended"
        word = "not_feasible" if found is None else fair
    return {"word": word, "sentences": [*sentences(e, found), *told(doubted)], "counts": {}, "doubts": doubted,
            "better": None}  # fmt: skip


def doubts_of(e: Json, found: Json | None) -> list[dict[str, Any]]:
    """The limits that the choice of a search meets by the prediction alone."""
    if e["kind"] != "optimize" or found is None:
        return []
    ends = {name: (low, high) for name, (low, high) in (found.get("interval") or {}).items()}
    return doubts([r.get("limit") for r in e.get("requires") or ()], ends)


def sentences(e: Json, found: Json | None) -> list[str]:
    """How many points meet what is required, what the best comes to, and the chances of a sensitivity."""
    c = e.get("counts") or {}
    total, met = int(c.get("points") or len(e["points"])), int(c.get("met") or 0)
    said = []
    if e["kind"] == "sensitivity":
        said += [f"{count(len(e.get('tornado') or ()), 'input')} move over their stated ranges"]
        said += [f"the chance that {x['require']} holds is {Quantity(x['share'], '%', 0).text()}"
                 for x in e.get("chances") or () if x.get("share") is not None]  # fmt: skip
        return said[:3]
    held = ("meet", "meets", "all requirements") if e.get("requires") else ("are", "is", "feasible")
    said.append(f"Of {count(total, 'point')}, {count(met, 'point') if met else 'none'} {held[met < 2]} {held[2]}")
    if e["kind"] == "optimize" and found is not None:
        numbers = [figure(n, found["results"].get(n)) for n in ("cost", "time_to_train", "mfu", "memory_per_gpu")]
        said.append(f"The choice comes to {joined(filter(None, numbers))}")
    if e["kind"] == "sweep":
        said.append("A sweep shows and does not decide")
    if found is None and e.get("nearest"):
        said.append(
            f"The nearest misses {e['nearest'][0]['require']} by {Quantity(e['nearest'][0]['gap'], '%', 2).text()}"
        )
    return said


def figure(name: str, value: Any) -> str:
    """A result in print, with its words where the unit does not say what it is; empty where it is missing."""
    if not isinstance(value, (int, float)):
        return ""
    shown = Quantity(value, BY_NAME[name].unit, BY_NAME[name].decimals).text()
    return shown if name in ("cost", "time_to_train") else f"{shown} {words(name)}"


def key_numbers(e: Json, shown: Iterable[tuple[str, str, str]]) -> list[dict[str, Any]]:
    """The five numbers of page 1, of the point that it shows; beneath each its limit, else the range of the table."""
    found = choice(e)
    results = found["results"] if found else e.get("base_results") if e["kind"] == "sensitivity" else None
    if not results:
        return []
    bounds = {r["limit"]["name"]: r["limit"] for r in e.get("requires") or () if r.get("limit")}
    wanted = [row for row in shown if row[0] in results][:5] or [
        (c["text"], c.get("called") or "", c.get("unit") or "") for c in e.get("columns") or () if c["text"] in results
    ]
    priced = results.get("cost") is not None
    usual = [UNCOSTED if n == "cost" and not priced else (n, label) for n, label in KEY_NUMBERS]
    named = {row[0] for row in wanted}
    wanted = [*wanted, *((n, label, "") for n, label in usual if n in results and n not in named)][:5]
    return [number(e, results, bounds.get(n), (n, label, unit)) for n, label, unit in wanted]


def number(e: Json, results: Json, limit: dict[str, Any] | None, shown: tuple[str, str, str]) -> dict[str, Any]:
    """One key number of the chosen point."""
    name, label, unit = shown
    metric, value = BY_NAME[name], results.get(name)
    unit, places = unit or metric.unit, metric.decimals
    if unit == "tokens/s" and isinstance(value, (int, float)) and value >= 1e5:
        unit, places = ("M tokens/s", 2) if value >= 1e6 else ("k tokens/s", 0)
    return {
        "name": name,
        "label": label or metric.name.replace("_", " ").capitalize(),
        "value": value,
        "unit": unit,
        "decimals": places,
        "limit": None if limit is None else {"value": limit["value"], "op": limit["op"]},
        "margin": margin(value, limit),
        "note": spread(e, name, unit, places) or NOTES.get(name, ""),
    }


def spread(e: Json, name: str, unit: str, decimals: int) -> str:
    """P10 to P90 of a sensitivity, else the range over the feasible points."""
    band = (e.get("bands") or {}).get(name)
    if band:
        low, high = band.get("p10"), band.get("p90")
        return f"P10–P90 {Quantity(low, unit, decimals).number()}–{Quantity(high, unit, decimals).number()}"
    values: list[Any] = [p["results"].get(name) for p in e["points"] if p["status"] == "ok"]
    known = [float(v) for v in values if isinstance(v, (int, float))]
    if len(known) < 2 or min(known) == max(known):
        return ""
    ends = [Quantity(v, unit, decimals).number() for v in (min(known), max(known))]
    return f"feasible: {ends[0]}–{ends[1]}"


def without_an_answer(experiments: Sequence[Json]) -> bool:
    """Whether a search of the file found no point that meets all that it requires."""
    return any(e["kind"] in ("optimize", "size") and not e.get("best") for e in experiments)

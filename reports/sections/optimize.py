"""Searches: the best points, why the first wins, what each rule removed, what nearly met it, cost against days."""

from collections.abc import Sequence
from typing import Any

from engine.metrics import BY_NAME
from reports import terms
from reports.plan import Json, Plan, Section
from reports.prose import capital, count, joined, sentence
from reports.quantities import Quantity, legible, telling
from reports.sections import points
from reports.sections.sweep import tables_of
from reports.tables import Cell, Table, UnitOf, number, text

FINER = 3  # decimals more than a result has by itself, where points differ by less than it shows
KINDS = {"where": "where", "layout": "cannot be built", "memory": "does not fit", "require": "requirement"}


def optimize(plan: Plan) -> list[Section]:
    """A section for each search of the file."""
    return [section(e) for e in plan.experiments("optimize")]


def section(e: Json) -> Section:
    key = f"optimize-{e['name']}"
    own = {int(p["index"]): p for p in e["points"]}
    best = [own[i] for i in e.get("best") or () if i in own]
    charts = [c for c in points.chart_keys(e) if e.get("charts")]
    figures = (f"front/{e['name']}", f"removed/{e['name']}", *(k for k, _ in charts))
    facts = {
        "key": key,
        "name": e["name"],
        "base": e["base"],
        "points": int((e.get("counts") or {}).get("points") or len(e["points"])),
        "steps": points.steps(e),
        "outcome": points.outcome(e),
        "aims": aims(e),
        "kept": len(best),
        "winner": winner_of(e),
        "margins": margins(e),
        "break_even": [sentence(b["sentence"]) for b in (e.get("winner") or {}).get("break_even") or ()],
        "front": front_facts(e),
        "charts": charts,
        "full": f"points-{e['name']}",
        "whole": len(e["points"]) >= int((e.get("counts") or {}).get("points") or 0),
        "streamed": e.get("streamed"),
    }
    tables = tables_of(
        points.points_table(e, f"{key}-best", best_caption(e), best, "The first is the choice.", ranked=True),
        margins_table(key, e),
        removed_table(key, e),
        nearest_table(key, e),
    )
    return Section(key, e["title"] or e["name"], tables, figures, facts=facts, template="optimize")


def aims(e: Json) -> str:
    """What decides, in order: "least cost, then least time to train"."""
    said = [f"{'least' if a['direction'] == 'minimize' else 'most'} {terms.words(a['text'])}" for a in e["aims"]]
    return ", then ".join(said)


def best_caption(e: Json) -> str:
    return f"The best points of {e['name']}, by {aims(e)}"


def shown(name: str, value: Any, signed: bool = False, decimals: int | None = None) -> Quantity:
    """A result as it is shown, with more decimals where wanted; a difference of percentages is in points."""
    metric = BY_NAME.get(name)
    unit = metric.unit if metric else ""
    given = value if isinstance(value, (int, float)) else None
    wanted = decimals if decimals is not None or metric is None else metric.decimals
    made = Quantity(given, "points" if signed and unit == "%" else unit, wanted, signed=signed)
    return made if signed else legible(made)


def decimals(found: Sequence[Json], i: int) -> int | None:
    """Decimals with which the differences of a result tell the points apart; those of the result at least."""
    name = str(found[0]["rows"][i]["name"])
    metric, usual = BY_NAME.get(name), shown(name, None)
    if metric is None or metric.decimals is None:
        return None
    gaps = [(less(m["rows"][i]) or 0.0) / usual.display.factor for m in found]
    return telling(gaps, metric.decimals, metric.decimals + FINER)


def winner_of(e: Json) -> dict[str, Any] | None:
    """The name of the first point and its results, where there is one."""
    own = {int(p["index"]): p for p in e["points"]}
    first = next((own[i] for i in e.get("best") or () if i in own), None)
    if first is None:
        return None
    results = {n: shown(n, first["results"].get(n)) for n in ("cost", "time_to_train", "mfu", "memory_per_gpu")}
    return {"name": points.named(e, first["settings"]), "results": results, "point": first}


def margins(e: Json) -> list[str]:
    """A clause for each runner-up: what it costs and takes beside the winner."""
    found = (e.get("winner") or {}).get("margins") or ()
    called = points.names(e, [int(m["against"]) for m in found] + [int(i) for i in (e.get("best") or ())[:1]])
    said = []
    for m in found[:2]:
        rows = [f"{shown(r['name'], less(r), True, decimals(found[:2], i)).text()} {terms.words(r['name'])}"
                for i, r in enumerate(m["rows"][:3]) if less(r) is not None]  # fmt: skip
        said.append(f"{called.get(int(m['against']), 'another')}: {joined(rows)}")
    return said


def less(row: Json) -> float | None:
    """The other point less the choice."""
    own, other = row.get("winner"), row.get("other")
    known = isinstance(own, (int, float)) and isinstance(other, (int, float))
    return float(other) - float(own) if known else None  # type: ignore[arg-type]


def margins_table(key: str, e: Json) -> Table | None:
    """The winner beside those that follow it, with differences."""
    found = list((e.get("winner") or {}).get("margins") or ())[:2]
    if not found:
        return None
    called = points.names(e, [int(e["best"][0]), *(int(m["against"]) for m in found)])
    rows: list[tuple[Cell, ...]] = []
    for i, row in enumerate(found[0]["rows"]):
        name, digits = row["name"], decimals(found, i)
        own = shown(name, row["winner"], decimals=digits)
        cells: list[Cell] = [capital(terms.words(name)), UnitOf(own), own]
        for m in found:
            other = m["rows"][i]
            cells += [shown(name, other["other"], decimals=digits), shown(name, less(other), True, digits)]
        rows.append(tuple(cells))
    heads = [number(called.get(int(i), "–"), width=27) for i in (e["best"][0], *(m["against"] for m in found))]
    pairs = [c for h in heads[1:] for c in (h, number("Difference", width=19))]
    columns = (text("Result"), text("Unit", 16), heads[0], *pairs)
    more = "A difference is the other point less the choice."
    return Table(f"{key}-margins", "The choice beside those that follow it", columns, tuple(rows), more=more)


def removed_table(key: str, e: Json) -> Table | None:
    """How many points each rule removed, and the nearest of those that it alone removed."""
    rows = tuple(
        (str(r["rule"]), KINDS.get(str(r["kind"]), str(r["kind"])), float(r["points"]), float(r.get("alone") or 0),
         points.named(e, r["nearest"]) if r.get("nearest") else None, r.get("needs"))
        for r in e.get("removed") or () if r.get("points")
    )  # fmt: skip
    columns = (text("Rule"), text("Kind", 21), number("Points", "", 0, 14), number("Alone", "", 0, 14),
               text("Nearest", 38), text("What would admit it", 44))  # fmt: skip
    more = "A point that several rules remove counts with each; alone are those that no other rule removes."
    idle = sum(not r.get("points") for r in e.get("removed") or ())
    more += f" Left out: {count(idle, 'rule')} that removed none." if idle else ""
    return Table(f"{key}-rules", "Points that each rule removed", columns, rows, wide=True, more=more) if rows else None


def nearest_table(key: str, e: Json) -> Table | None:
    """The points that miss least, and what would admit them."""
    found = [r for r in e.get("nearest") or () if r.get("require")]
    called = points.names(e, [int(r["index"]) for r in found])
    far = [100 * r["gap"] for r in found if r.get("gap") is not None]
    rows = tuple((called.get(int(r["index"]), "–"), str(r["require"]), r.get("gap"), r.get("needs")) for r in found)
    columns = (text("Point", 50), text("Requirement"), number("Misses by", "%", telling(far, 2), 20),
               text("What would admit it", 50))  # fmt: skip
    more = "The distance to the limit is a share of the larger of both sides."
    return Table(f"{key}-nearest", "Nearest misses", columns, rows, more=more) if rows else None


def front_facts(e: Json) -> dict[str, Any] | None:
    """Both ends of the frontier."""
    own = {int(p["index"]): p for p in e["points"] if p["results"].get("cost") is not None}
    on = sorted((own[i] for i in e.get("front") or () if i in own), key=lambda p: p["results"]["time_to_train"])
    if len(on) < 2:
        return None
    called = points.names(e, [int(p["index"]) for p in on])
    ends = [{"name": called[int(p["index"])], "days": shown("time_to_train", p["results"]["time_to_train"]),
             "cost": shown("cost", p["results"]["cost"])} for p in (on[0], on[-1])]  # fmt: skip
    return {"points": len(on), "fast": ends[0], "cheap": ends[1]}

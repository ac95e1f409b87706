"""Sensitivities: how far each input moves a result, the spread of all together, the chance of each requirement."""

from typing import Any

from engine.metrics import BY_NAME
from reports import terms
from reports.figures import distribution, tornado
from reports.plan import Json, Plan, Section
from reports.prose import capital, joined
from reports.quantities import Quantity
from reports.sections.optimize import shown
from reports.sections.sweep import tables_of
from reports.tables import Cell, Table, UnitOf, number, text

TORNADOES, DISTRIBUTIONS = 3, 4  # drawn; the tables hold all
LISTED = 2  # results whose values at both ends of each range have room in the table
FROM = {"inputs": "stated ranges", "predictor": "the predictor", "failures": "failures"}


def sensitivity(plan: Plan) -> list[Section]:
    """A section for each sensitivity of the file; it may hold no point, only ranges."""
    return [section(e) for e in plan.document["experiments"] if e["kind"] == "sensitivity"]


def section(e: Json) -> Section:
    key, name = f"sensitivity-{e['name']}", e["name"]
    swings = [(f"tornado/{name}/{i}", terms.words(n)) for i, n in enumerate(tornado.metrics(e)[:TORNADOES])]
    spread = [
        (f"distribution/{name}/{i}", terms.words(n)) for i, n in enumerate(distribution.metrics(e)[:DISTRIBUTIONS])
    ]
    facts = {
        "key": key,
        "name": name,
        "base": e["base"],
        "inputs": len(e.get("tornado") or ()),
        "samples": e.get("samples"),
        "seed": e.get("seed"),
        "swings": swings,
        "spread": spread,
        "largest": largest(e),
        "chances": chances(e),
        "shares": shares(e),
    }
    tables = tables_of(ranges_table(key, e), bands_table(key, e), chances_table(key, e), shares_table(key, e))
    figures = tuple(k for k, _ in (*swings, *spread))
    return Section(key, e["title"] or name, tables, figures, facts=facts, template="sensitivity")


def largest(e: Json) -> dict[str, Any] | None:
    """The input that moves the first result most."""
    data = tornado.from_experiment(e)
    if data is None or not data.swings:
        return None
    first = data.swings[0]
    ends = [tornado.difference(data, v) for v in (first.favorable, first.adverse)]
    return {"name": first.name, "range": first.range, "result": data.title, "ends": ends, "unit": data.unit}


def ranges_table(key: str, e: Json) -> Table | None:
    """Every input with its range and what each result comes to at both ends."""
    found = tornado.metrics(e)
    wanted = found[:LISTED]
    rows = []
    for row in e.get("tornado") or ():
        ends = tornado.ends_text(e, row)
        kind = "P10 and P90" if row.get("percentiles") else "its range"
        cells: list[Cell] = [tornado.input_name(row), kind, ends["low"], ends["high"]]
        cells += [row[side]["results"].get(n) for n in wanted for side in ("low", "high")]
        rows.append(tuple(cells))
    columns = [text("Input"), text("Ends of", 27), text("Low", 24), text("High", 24)]
    for n in wanted:
        metric, name = BY_NAME[n], capital(terms.words(n))
        columns += [number(f"{name}, {side}", metric.unit, metric.decimals + (metric.unit == "$M"), 19)
                    for side in ("low", "high")]  # fmt: skip
    return Table(f"{key}-ranges", "Inputs, their ranges, and the results at both ends", tuple(columns), tuple(rows),
                 more=f"{beyond(e)} {'Other results are in the JSON.' if len(found) > LISTED else ''}".strip(),
                 ) if rows else None  # fmt: skip


def beyond(e: Json) -> str:
    """Inputs whose value in the base run lies outside their ends: both ends then lie on one side of the base."""
    rows = [r for r in e.get("tornado") or () if outside(r.get("base"), r["low"]["value"], r["high"]["value"])]
    said = joined(f"{tornado.input_name(r)} ({tornado.ends_text(e, r)['base']})" for r in rows)
    return f"The base lies outside the ends of {said}." if said else ""


def outside(value: float | None, low: float | None, high: float | None) -> bool:
    return value is not None and low is not None and high is not None and not low <= value <= high


def bands_table(key: str, e: Json) -> Table | None:
    """P10, P50 and P90 of every result, beside the value at the base."""
    base = e.get("base_results") or {}
    rows: list[tuple[Cell, ...]] = []
    for n, band in (e.get("bands") or {}).items():
        own = shown(n, base.get(n))
        rows.append(
            (capital(terms.words(n)), UnitOf(own), own, *(shown(n, band.get(p)) for p in ("p10", "p50", "p90")))
        )
    columns = (text("Result", 52), text("Unit", 22), number("Base"), number("P10"), number("P50"), number("P90"))
    off = joined(terms.words(n) for n, b in (e.get("bands") or {}).items()
                 if outside(base.get(n), b.get("p10"), b.get("p90")))  # fmt: skip
    more = f"The base lies outside P10 to P90 of {off}: the samples are not centered on it." if off else ""
    return Table(f"{key}-bands", "Percentiles over the samples", columns, tuple(rows), more=more) if rows else None


def chances(e: Json) -> list[str]:
    """The chance of each requirement as a clause."""
    found = e.get("chances") or ()
    return [f"{c['require']}: {Quantity(c['share'], '%', 0).text()}" for c in found if c.get("share") is not None]


def chances_table(key: str, e: Json) -> Table | None:
    """The share of samples that meet each requirement."""
    because = {r["text"]: r.get("because") for r in e.get("requires") or ()}
    rows = tuple((str(c["require"]), c.get("share"), because.get(c["require"])) for c in e.get("chances") or ())
    columns = (text("Requirement"), number("Chance", "%", 1, 20), text("Reason", 60))
    return Table(f"{key}-chances", "Share of the samples that meet each requirement", columns, rows) if rows else None


def shares(e: Json) -> str:
    """Where the spread of the first result comes from, as a clause."""
    for n, parts in (e.get("shares") or {}).items():
        said = [f"{Quantity(p['share'], '%', 0).text()} from {FROM.get(str(p['from']), str(p['from']))}" for p in parts]
        return f"Of the spread of {terms.words(n)}, {joined(said)}" if said else ""
    return ""


def shares_table(key: str, e: Json) -> Table | None:
    """What share of each result's variance comes from where."""
    found = e.get("shares") or {}
    origins = list(dict.fromkeys(str(p["from"]) for parts in found.values() for p in parts))
    rows: list[tuple[Cell, ...]] = []
    for n, parts in found.items():
        own = {str(p["from"]): p.get("share") for p in parts}
        rows.append((capital(terms.words(n)), *(own.get(o) for o in origins)))
    columns = (text("Result", 52), *(number(capital(FROM.get(o, o)), "%", 1, 28) for o in origins))
    return Table(f"{key}-shares", "Share of the variance by what causes it", columns, tuple(rows)) if rows else None

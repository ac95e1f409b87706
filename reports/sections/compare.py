"""Comparisons: runs side by side with a baseline, what makes each differ, and the inputs in which they differ."""

from collections.abc import Sequence
from typing import Any

from reports.figures.waterfall import CAUSES
from reports.plan import Json, Plan, Section
from reports.prose import capital, joined
from reports.quantities import Quantity
from reports.sections.assumptions import ABOUT, input_value
from reports.tables import Cell, Column, Status, Table, UnitOf, number, text
from reports.terms import HELD, words
from reports.turned import MANY, turned

PAIRED = 2  # up to so many other runs have their difference beside them
DRAWN = 3  # other runs whose waterfalls are drawn; the tables hold all
ROOM = 118.0  # mm for the columns of runs
FOLLOWS = ("default", "derived")


def compare(plan: Plan) -> list[Section]:
    """A section for each compare block of the file."""
    return [section(plan, e) for e in plan.document["experiments"] if e["kind"] == "compare"]


def section(plan: Plan, e: Json) -> Section:
    key = f"compare-{e['name']}"
    others = [p["name"] for p in e["points"] if p["name"] != e["baseline"]]
    tables = (
        results_table(key, e),
        differences_table(key, e) if len(others) > PAIRED else None,
        conditions_table(key, e),
        causes_table(key, e, "step_time", "seconds"),
        causes_table(key, e, "cost", "usd"),
        inputs_table(key, e, stated=True),
        inputs_table(key, e, stated=False),
    )
    falls = [f"waterfall/{e['name']}/{2 * i + part}" for i in range(min(len(others), DRAWN)) for part in (0, 1)]
    figures = (f"step_time/{e['name']}", f"memory/{e['name']}", *falls)
    facts = {
        "key": key,
        "name": e["name"],
        "baseline": e["baseline"],
        "others": others,
        "headlines": [headline(e, i) for i, p in enumerate(e["points"]) if p["name"] != e["baseline"]][:MANY],
        "beside": len(others) <= PAIRED,
        "pairs": [(name, *falls[2 * i : 2 * i + 2]) for i, name in enumerate(others[:DRAWN])],
        "order": joined(e["waterfall"]["order"]),
        "drawn": DRAWN,
        "paired": len(others) <= PAIRED,
    }
    return Section(key, e["title"] or capital(e["name"]), tuple(t for t in tables if t), figures, facts=facts,
                   template="compare")  # fmt: skip


LEAST = (("cost", "costs least"), ("time_to_train", "is done first"))


def verdict_line(e: Json) -> str:
    """A comparison in a sentence: the run that costs least, the one done first, how many meet what is required."""
    best: dict[str, list[str]] = {}
    for name, said in LEAST:
        if all(p["results"].get(name) is not None for p in e["points"]):
            found = min(e["points"], key=lambda p: float(p["results"][name]))
            typed = found["figures"].get(name) or {}
            value = Quantity(found["results"][name], typed.get("unit") or "", typed.get("precision"))
            best.setdefault(found["name"], []).append(f"{said} ({value.text()})")
    clauses = [f"{run} {joined(said)}" for run, said in best.items()]
    whole = sum(p["status"] == "ok" and all(v["holds"] for v in p["verdicts"]) for p in e["points"])
    if any(p["verdicts"] for p in e["points"]):
        clauses.append(f"{'all' if whole == len(e['points']) else whole or 'none'} meet what is required")
    title = e["title"] or e["name"]
    said = "; ".join(clauses) or "no run has a cost or a time"
    return f"Of the {len(e['points'])} runs of “{title}”, {said}"


def shown(row: Json, value: Any, signed: bool = False) -> Quantity:
    """A value of a row as it is shown; a difference of percentages is in points."""
    unit = "points" if signed and row["unit"] == "%" else row["unit"]
    decimals = row["decimals"] if row["decimals"] is not None else None if value is None else places(row)
    return Quantity(value if isinstance(value, float) else None, unit, decimals, signed=signed)


def places(row: Json) -> int:
    """Decimals with which the largest value of a row has four digits; none for whole numbers."""
    values = [abs(Quantity(v, row["unit"]).value or 0.0) / Quantity(v, row["unit"]).display.factor
              for v in row["values"] if isinstance(v, float)]  # fmt: skip
    if all(v == int(v) for v in values):
        return 0
    top = max(values)
    return next((d for d in range(4) if top >= 10 ** (3 - d)), 4)


def label(row: Json) -> str:
    """The words over a row: those the author chose, else the result's name, else the expression."""
    return row["called"] or (capital(words(row["text"])) if row["text"].isidentifier() else row["text"])


def ordered(e: Json) -> list[int]:
    """The runs' places, the baseline's first."""
    return sorted(range(len(e["points"])), key=lambda i: e["points"][i]["name"] != e["baseline"])


def results_table(key: str, e: Json) -> Table:
    """A row each result: the baseline's value, each other run's with its difference, and the best by name."""
    first, *rest = order = ordered(e)
    paired = len(rest) <= PAIRED
    rows: list[tuple[Cell, ...]] = []
    for row in e["rows"]:
        own = shown(row, row["values"][first])
        cells: list[Cell] = [label(row), UnitOf(own), own]
        for i in rest:
            cells += [shown(row, row["values"][i])]
            cells += [shown(row, row["differences"][i], signed=True)] if paired else []
        rows.append((*cells, joined(row["best"]) or "–"))
    wide = 19.0 if paired else min(24.0, ROOM / (len(rest) + 1))
    runs = [number(e["points"][i]["name"], width=wide) for i in (first, *rest)]
    heads: list[Column] = [runs[0]]
    for head in runs[1:]:
        heads += [head, number("Difference", width=19)] if paired else [head]
    columns = (text("Result"), text("Unit", 17), *heads, text("Best", 24))
    more = "" if len(order) > MANY else f"Differences are to {e['baseline']}."
    made = Table(f"{key}-results", f"Runs of {e['name']} side by side", columns, tuple(rows), wide=True, more=more)
    return turned(made, len(order), 2)


def differences_table(key: str, e: Json) -> Table:
    """Signed differences of every other run to the baseline."""
    rest = ordered(e)[1:]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (label(row), UnitOf(shown(row, row["differences"][rest[0]], True)),
         *(shown(row, row["differences"][i], signed=True) for i in rest))
        for row in e["rows"]
    )  # fmt: skip
    columns = (text("Result"), text("Unit", 20), *heads(e, rest))
    made = Table(f"{key}-differences", f"Differences to {e['baseline']}", columns, rows, wide=True)
    return turned(made, len(rest), 2)


def heads(e: Json, places: Sequence[int]) -> list[Column]:
    width = min(26.0, ROOM / max(1, len(places)))
    return [number(e["points"][i]["name"], width=width) for i in places]


def conditions_table(key: str, e: Json) -> Table | None:
    """Every condition that binds a run of the comparison, with its verdict run by run; n/a where it does not bind."""
    order = ordered(e)
    found: dict[str, dict[int, Json]] = {}
    for i in order:
        for v in e["points"][i]["verdicts"]:
            found.setdefault(v["require"], {})[i] = v
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (require, first(by)["origin"], *(Status(HELD[by[i]["holds"]] if i in by else "na") for i in order))
        for require, by in found.items()
    )
    width = min(24.0, ROOM / len(order))
    columns = (text("Requirement"), text("Stated in", 26),
               *(Column(e["points"][i]["name"], "status", width=width) for i in order))  # fmt: skip
    made = Table(f"{key}-conditions", "What is required of each", columns, rows, wide=True)
    return turned(made, len(order), 2) if rows else None


def first(by: dict[int, Json]) -> Json:
    return next(iter(by.values()))


def causes_table(key: str, e: Json, part: str, unit: str) -> Table | None:
    """Signed amounts by cause, a column each other run; the last row is their sum, the difference."""
    falls = [f for f in e["waterfall"][part] if f["bars"]]
    if not falls:
        return None
    causes = dict.fromkeys(bar["cause"] for f in falls for bar in f["bars"])
    shown_in, decimals = _unit(part, [f["difference"] for f in falls] + [f["from"] for f in falls])
    amounts = [{bar["cause"]: bar[unit] for bar in f["bars"]} for f in falls]
    rows: list[tuple[Cell, ...]] = [(capital(CAUSES.get(c, c)), *(a.get(c) for a in amounts)) for c in causes]
    last: tuple[Cell, ...] = ("Difference", *(f["difference"] for f in falls))
    width = 48.0 / len(falls) if len(falls) <= PAIRED else 24.0  # two tables side by side
    columns = (text("Cause", 36), *(number(f["run"], shown_in, decimals, width, signed=True) for f in falls))
    what = {"step_time": "step time", "cost": "cost"}[part]
    made = Table(f"{key}-{part.replace('_', '-')}", f"What the {what} differs by from {e['baseline']}", columns,
                 (*rows, last), totals=1, wide=True)  # fmt: skip
    return turned(made, len(falls), 1)


def _unit(part: str, values: Sequence[float | None]) -> tuple[str, int]:
    top = max(abs(v) for v in values if v is not None)
    if part == "cost":
        return ("M$", 3) if top >= 1e5 else ("$", 2)
    return ("s", 3) if top >= 0.1 else ("ms", 3)


def inputs_table(key: str, e: Json, stated: bool) -> Table | None:
    """The settings that differ: those somebody stated (in the file or the library), or those that follow from them."""
    order = ordered(e)
    rows = tuple(
        (row["path"], *(value_text(row, i) for i in order))
        for row in e["inputs"]
        if row["path"].rpartition(".")[2] not in ABOUT and stated != all(o in (*FOLLOWS, None) for o in row["origins"])
    )
    width = None if len(order) <= 3 else ROOM / len(order)
    columns = (Column("Setting", "code", width=58), *(text(e["points"][i]["name"], width) for i in order))
    caption = "Every input in which the runs differ" if stated else "Defaults that follow from these inputs, and differ"
    name = f"{key}-inputs" if stated else f"{key}-follows"
    return turned(Table(name, caption, columns, rows, wide=True), len(order), 1) if rows else None


def value_text(row: Json, place: int) -> str:
    """The value of a setting in one run, with its unit."""
    value, _ = input_value(row["values"][place], row["unit"], row["written"][place])
    return value.text() if isinstance(value, Quantity) else str(value or "–")


def headline(e: Json, place: int) -> dict[str, Any]:
    """One other run in words: its days, its cost and its step against the baseline, and the largest cause of each."""
    point = e["points"][place]
    found: dict[str, Any] = {"run": point["name"], "status": point["status"], "reasons": list(point["reasons"])[:1]}
    for part, unit in (("step_time", "seconds"), ("cost", "usd")):
        fall = next(f for f in e["waterfall"][part] if f["run"] == point["name"])
        if not fall["bars"]:
            found[part] = None
            continue
        shown_in, decimals = _unit(part, [fall["from"], fall["to"]])
        top = max(fall["bars"], key=lambda bar: abs(bar[unit]))
        found[part] = {
            "same": not top[unit],
            "to": Quantity(fall["to"], shown_in, decimals),
            "gap": Quantity(fall["difference"], shown_in, decimals, signed=True),
            "share": Quantity(fall["difference"] / fall["from"] if fall["from"] else None, "%", 1, signed=True),
            "cause": words(top["cause"]),
            "amount": Quantity(top[unit], shown_in, decimals, signed=True),
        }
    return found

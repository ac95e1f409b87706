"""Page 1 in numbers: the verdict that follows from requires and checks, and the five key numbers.

The rules of the verdict, on the first run of the file with the programmes that the file holds; the first that applies:
  not_feasible                 it cannot be built, does not fit, a require, a deadline or a check of severity fail
                               does not hold, or an order on the day of the document misses the first day
  not_decided                  nothing is required, a require is open because an input is missing, or one that the
                               prediction meets is broken by what was measured of the run, or by its whole interval
  met_but_bettered             every require holds, and the file holds an alternative that meets all and is better on
                               what is sought (reports/better.py)
  recommended_with_conditions  every require holds, and the report states conditions, a check warns, or a limit lies
                               inside the interval of its result: it is a condition that the run reaches the prediction
  recommended                  every require holds, outside the intervals; no check warns, no condition is stated
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.metrics import BY_NAME
from reports.doubts import doubts, of_point, refuted, told
from reports.judgement import margin
from reports.point import Json
from reports.prose import amount, count, joined

STATUSES = ("pass", "note", "warn", "fail", "open", "na")
KEY_NUMBERS = (
    ("time_to_train", "Time to train"),
    ("cost", "Total cost"),
    ("mfu", "Model FLOPs utilization"),
    ("effective_training_time", "Effective training time"),
    ("memory_per_gpu", "Peak memory per GPU"),
)
STATUS_WORDS = {
    "pass": ("passes", "pass"),
    "note": ("is noted", "are noted"),
    "warn": ("warns", "warn"),
    "fail": ("fails", "fail"),
    "open": ("is open", "are open"),
}
UNCOSTED = ("step_time", "Step time")  # in place of the cost where nothing has a price
NOTES = {
    "mfu": "6N, active parameters, dense peak",
    "mfu_attention": "6N and full attention, dense peak",
    "mfu_causal": "causal FLOPs, dense peak",
    "memory_per_gpu": "as the driver shows it",
    "cost": "lines with a value",
}


MOST = 4  # sentences of the verdict


def verdict(
    points: Sequence[Json], conditions: int, planned: Sequence[Json] = (), beaten: Json | None = None, late: int = 0
) -> Json:
    """The verdict word, its sentences, the count of checks by status, doubts about limits, what is better.

    ``late``: days by which an order on the day of the document misses the first day that the report states.
    """
    main = points[0]
    counts = Counter(c["status"] for c in main["checks"])
    found = [*of_point(main), *(d for e in planned for d in at_risk(e))]
    held = [v["holds"] for v in main["verdicts"]], [h for e in planned for _, h in programme_holds(e)]
    return {
        "word": "not_feasible" if late else word(main, [*held[0], *held[1]], counts, conditions, found, beaten),
        "sentences": [*ordered_late(late), *sentences(main, counts, points, planned, found, beaten)][:MOST],
        "counts": {status: counts[status] for status in STATUSES},
        "doubts": found,
        "better": beaten,
        "late": late,
    }


def word(
    main: Json, holds: Sequence[bool | None], counts: Counter[str], conditions: int, found: Sequence[Json],
    beaten: Json | None,
) -> str:  # fmt: skip
    """The word by the rules above."""
    if main["status"] in ("cannot_be_built", "does_not_fit") or False in holds or counts["fail"]:
        return "not_feasible"
    if not holds or None in holds or main["status"] != "ok" or refuted(found):
        return "not_decided"
    if beaten is not None:
        return "met_but_bettered"
    return "recommended_with_conditions" if conditions or counts["warn"] or found else "recommended"


def sentences(
    main: Json, counts: Counter[str], points: Sequence[Json], planned: Sequence[Json] = (),
    found: Sequence[Json] = (), beaten: Json | None = None,
) -> list[str]:  # fmt: skip
    """At most four sentences of facts: requires, what is better, doubts, checks, and other runs that do not hold."""
    total = len(main["verdicts"]) + sum(len(programme_holds(e)) for e in planned)
    text = []
    if main["reasons"]:
        text.append(main["reasons"][0])
    elif not total:
        text.append("The scenario states no requirement")
    else:
        text.append(_requirements(main, planned, bool(found)))
    if beaten is not None:
        text.append(beaten["sentence"])
    text += told(found)
    if main["checks"]:
        text.append(_checks(counts))
    failing = sum(1 for p in points[1:] if failed(p))
    if failing:
        text.append(_others(failing, len(points) - 1))
    return text[:MOST]


def ordered_late(late: int) -> list[str]:
    """That the order comes too late, in a sentence; nothing where it does not."""
    return [f"An order on the day of this document misses the first day by {count(late, 'day')}"] if late else []


def programme_holds(e: Json) -> list[tuple[str, bool | None]]:
    """What a programme must meet, and whether it does: its requirements, deadlines, places, those of its entries."""
    own: list[tuple[str, bool | None]] = [("of the programme", v["holds"]) for v in e["verdicts"]]
    own += [("deadline", r["placed"] and not r["late"]) for r in e["entries"] if r["deadline"] is not None]
    own += [("place", False) for r in e["entries"] if r["deadline"] is None and not r["placed"]]
    return own + [("of its entries", v["holds"]) for p in e["points"] for v in p["verdicts"]]


def at_risk(e: Json) -> list[Json]:
    """The deadlines of a programme that entries meet by the prediction alone, by the upper ends of their intervals."""
    name, rows = "time_to_train", [r for r in e["entries"] if r["deadline"] is not None and r["placed"]]
    limits = [{"name": name, "op": "<=", "value": r["deadline"], "of": r["name"]} for r in rows]
    kept = [(r, own) for r, own in zip(rows, limits, strict=True) if not r["late"] and r["latest"] is not None]
    return [d for r, own in kept for d in doubts([own], {name: (r["end"], r["latest"])})]


def _others(failing: int, runs: int) -> str:
    if runs == 1:
        return "The other run of the file does not meet what it requires"
    return (
        f"{failing} of the {runs} other runs of the file {'does' if failing == 1 else 'do'} not meet what is required"
    )


def _requirements(main: Json, planned: Sequence[Json], doubted: bool) -> str:
    """How many requirements are met, with those of the programmes."""
    beside = [row for e in planned for row in programme_holds(e)]
    holds = Counter([v["holds"] for v in main["verdicts"]] + [h for _, h in beside])
    total = holds.total()
    if holds[True] == total:
        few = {1: "Its requirement is met", 2: "Both requirements are met"}
        said = few.get(total, f"All {total} requirements are met")
        return said + (" by the prediction" if doubted else "") + _whose(len(main["verdicts"]), beside)
    parts = [f"{holds[True]} of {total} requirements are met"]
    parts += [f"{holds[False]} are not" if holds[False] > 1 else "one is not"] if holds[False] else []
    parts += [f"{holds[None]} cannot be decided for want of an input"] if holds[None] else []
    return ", ".join(parts) + _whose(len(main["verdicts"]), beside)


def _whose(own: int, beside: Sequence[tuple[str, bool | None]]) -> str:
    """Of what the requirements are, where a programme has some: one of the run, two of the programme, one deadline."""
    kinds = Counter(kind for kind, _ in beside)
    parts = [f"{amount(own)} of the run"] if own else []
    parts += [count(n, kind) if " " not in kind else f"{amount(n)} {kind}" for kind, n in kinds.items()]
    return f": {joined(parts)}" if beside else ""


def _checks(counts: Counter[str]) -> str:
    applied = sum(n for status, n in counts.items() if status != "na")
    parts = [f"{counts[s]} {one if counts[s] == 1 else many}" for s, (one, many) in STATUS_WORDS.items() if counts[s]]
    return f"Of {applied} checks that apply, {', '.join(parts)}"


def failed(point: Mapping[str, Any]) -> bool:
    """Whether a point makes the exit code 1: a require does not hold, a check fails, the layout does not fit."""
    return (
        point["status"] in ("cannot_be_built", "does_not_fit")
        or any(v["holds"] is False for v in point["verdicts"])
        or any(c["status"] == "fail" for c in point["checks"])
    )


def limits(point: Json) -> dict[str, Json]:
    """The tightest limit a require sets on each result."""
    found: dict[str, Json] = {}
    for limit in (v["limit"] for v in point["verdicts"]):
        if limit is None or not isinstance(limit["value"], float):
            continue
        known = found.get(limit["name"])
        upper = limit["op"].startswith("<")
        if known is None or (limit["value"] < known["value"]) == upper:
            found[limit["name"]] = limit
    return found


def key_numbers(point: Json, shown: Iterable[tuple[str, str, str]]) -> list[Json]:
    """The five numbers of page 1: those that the report shows (name, label, unit), else the usual ones."""
    wanted = [row for row in shown if row[0] in point["results"]][:5]
    priced = point["results"].get("cost") is not None
    usual = [UNCOSTED if name == "cost" and not priced else (name, label) for name, label in KEY_NUMBERS]
    bounds = limits(point)
    if not wanted:
        wanted = [(name, label, "") for name, label in usual]
    return [_key_number(point, bounds.get(name), name, label, unit) for name, label, unit in wanted]


def _key_number(point: Json, limit: Json | None, name: str, label: str, unit: str) -> Json:
    metric = BY_NAME[name]
    value = point["results"][name]
    return {
        "name": name,
        "label": label or metric.name.replace("_", " ").capitalize(),
        "value": value,
        "unit": unit or metric.unit,
        "decimals": metric.decimals,
        "limit": None if limit is None else {"value": limit["value"], "op": limit["op"]},
        "margin": margin(value, limit),
        "note": NOTES.get(name, ""),
        "interval": (point["intervals"] or {}).get(name),
    }

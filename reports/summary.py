"""Page 1 in numbers: the verdict that follows from requires and checks, and the five key numbers.

The rules of the verdict, on the first run of the file:
  not_feasible                 it cannot be built, does not fit, or a require or a check of severity fail does not hold
  not_decided                  nothing is required, or a require is open because an input is missing
  recommended_with_conditions  every require holds, and the report states conditions or a check warns
  recommended                  every require holds, no check warns, no condition is stated
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from engine.metrics import BY_NAME
from reports.judgement import margin
from reports.point import Json

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
GIB = 2.0**30
UNCOSTED = ("step_time", "Step time")  # in place of the cost where nothing has a price
NOTES = {
    "mfu": "6N, active parameters, dense peak",
    "mfu_attention": "6N and full attention, dense peak",
    "mfu_causal": "causal FLOPs, dense peak",
    "memory_per_gpu": "as the driver shows it",
    "cost": "lines with a value",
}


def verdict(points: Sequence[Json], conditions: int) -> Json:
    """The verdict word, its sentences, and the count of checks by status."""
    main = points[0]
    counts = Counter(c["status"] for c in main["checks"])
    holds = [v["holds"] for v in main["verdicts"]]
    if main["status"] in ("cannot_be_built", "does_not_fit") or False in holds or counts["fail"]:
        word = "not_feasible"
    elif not holds or None in holds or main["status"] != "ok":
        word = "not_decided"
    else:
        word = "recommended_with_conditions" if conditions or counts["warn"] else "recommended"
    return {
        "word": word,
        "sentences": sentences(main, counts, points),
        "counts": {status: counts[status] for status in STATUSES},
    }


def sentences(main: Json, counts: Counter[str], points: Sequence[Json]) -> list[str]:
    """At most three sentences of facts: requires, checks, and other runs that do not hold."""
    holds = Counter(v["holds"] for v in main["verdicts"])
    total = len(main["verdicts"])
    text = []
    if main["reasons"]:
        text.append(main["reasons"][0])
    elif not total:
        text.append("The scenario states no requirement")
    else:
        text.append(_requirements(holds, total))
    if near := _near_the_limit(main):
        text.append(near)
    if main["checks"]:
        text.append(_checks(counts))
    failing = sum(1 for p in points[1:] if failed(p))
    if failing:
        text.append(_others(failing, len(points) - 1))
    return text[:3]


def _near_the_limit(main: Json) -> str:
    """That a plan fits by its prediction alone, where the interval of its memory crosses the capacity; else nothing."""
    high = ((main["intervals"] or {}).get("memory_per_gpu") or {}).get("high")
    capacity = main["settings"].get("cluster.gpu.memory")
    if main["status"] != "ok" or high is None or capacity is None or high <= capacity:
        return ""
    ends = f"{high / GIB:.1f} GiB, is over the {capacity / GIB:.1f} GiB of a GPU"
    return f"It fits by the prediction; the upper end of its interval, {ends}"


def _others(failing: int, runs: int) -> str:
    if runs == 1:
        return "The other run of the file does not meet what it requires"
    return (
        f"{failing} of the {runs} other runs of the file {'does' if failing == 1 else 'do'} not meet what is required"
    )


def _requirements(holds: Counter[Any], total: int) -> str:
    if holds[True] == total:
        return f"All {total} requirements are met" if total > 1 else "Its requirement is met"
    parts = [f"{holds[True]} of {total} requirements are met"]
    parts += [f"{holds[False]} are not" if holds[False] > 1 else "one is not"] if holds[False] else []
    parts += [f"{holds[None]} cannot be decided for want of an input"] if holds[None] else []
    return ", ".join(parts)


def _checks(counts: Counter[str]) -> str:
    applied = sum(n for status, n in counts.items() if status != "na")
    parts = [f"{counts[s]} {one if counts[s] == 1 else many}" for s, (one, many) in STATUS_WORDS.items() if counts[s]]
    return f"Of {applied} checks that apply, {', '.join(parts)}"


def failed(point: Json) -> bool:
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

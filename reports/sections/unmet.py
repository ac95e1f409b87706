"""What a run that fails misses, by how much, and what would mend it: for page 1, from the document alone."""

import math
from typing import Any

from engine.metrics import BY_NAME
from reports.judgement import UPPER
from reports.plan import Json, Plan
from reports.prose import joined, sentence
from reports.quantities import Quantity, legible
from reports.tables import Cell, Table, code, number, text
from reports.terms import words

RESULTS = (("memory_per_gpu", "Memory a GPU", "GiB", 1), ("step_time", "Step", "s", 2),
           ("time_to_train", "Time to train", "days", 1), ("cost", "Cost", "M$", 2))  # fmt: skip
RATE = "At the same rate"


def missed(plan: Plan) -> list[str]:
    """A sentence for each requirement that does not hold: what it comes to, its limit, the share that it misses."""
    return [sentence(told(plan, v)) for v in plan.verdicts if v["holds"] is False]


def told(plan: Plan, verdict: Json) -> str:
    """One requirement that does not hold; one that sets no number of a result as it is written."""
    limit = verdict.get("limit") or {}
    shown = of_limit(plan, limit)
    if shown is None or shown.missing or not shown.limit:
        return f"{verdict['require']} does not hold"
    far = abs((shown.value or 0.0) / shown.limit - 1)
    side = "over" if limit["op"] in UPPER else "under"
    because = f" ({verdict['because']})" if verdict.get("because") else ""
    bound = Quantity(shown.limit, shown.unit, shown.decimals).text()
    return f"{words(limit['name'])} is {shown.text()}, {Quantity(far, '%', 1).text()} {side} {bound}{because}"


def of_limit(plan: Plan, limit: Json) -> Quantity | None:
    """A result with its limit, in its usual unit; None for what is no result."""
    metric = BY_NAME.get(limit.get("name") or "")
    if metric is None:
        return None
    return legible(Quantity(plan.results.get(metric.name), metric.unit, metric.decimals, limit["value"], limit["op"]))


def at_the_limit(plan: Plan) -> list[str]:
    """What would meet a limit of days or cost at the same rate: more GPUs, fewer tokens, a lower price."""
    limits = [v["limit"] for v in plan.verdicts if v["holds"] is False and v.get("limit")]
    found = {limit["name"]: limit["value"] for limit in limits if limit["op"] in UPPER and limit["value"]}
    said = [fleet(plan, found["time_to_train"])] if "time_to_train" in found else []
    said += [price(plan, found["cost"])] if "cost" in found else []
    return [sentence(s) for s in said if s]


def fleet(plan: Plan, days: float) -> str:
    """How many GPUs, in whole nodes, or tokens take the days of the limit at the tokens/s of each GPU as predicted."""
    seconds, used, tokens = plan.results.get("time_to_train"), plan.results.get("used_gpus"), plan.number("tokens")
    node = plan.number("cluster.gpus_per_node") or 1.0
    if not seconds or not used or not tokens:
        return ""
    needed = math.ceil(used * seconds / days / node - 1e-9) * node
    limit = Quantity(days, "days", 1).text()
    reached = Quantity(tokens * days / seconds, "T tokens" if tokens >= 1e12 else "B tokens", 1).text()
    gpus = f"{Quantity(needed, '', 0).text()} GPUs in place of {Quantity(used, '', 0).text()}"
    return f"{RATE} of a GPU {limit} take {gpus}, or train {reached}"


def price(plan: Plan, usd: float) -> str:
    """The price of a GPU-hour at which the cost is at its limit, all other lines as they are."""
    cost, rate = plan.results.get("cost"), plan.number("cluster.price")
    line = next((r["usd"] for r in plan.point["cost"] if r["line"] == "GPUs"), None)
    own = rate * (1 - (cost - usd) / line) if cost and rate and line else 0.0
    if not rate or own <= 0:
        return ""
    shown = [Quantity(r, "$/GPU-h", 2).text() for r in (own, rate)]
    return f"At {shown[0]} in place of {shown[1]} the cost is {Quantity(usd, 'M$', 2).text()}"


def remedies_table(plan: Plan) -> Table | None:
    """The changes that would mend the run, each evaluated: what it then needs, takes and costs, and what it misses."""
    found = plan.point.get("remedies") or ()
    kept = [r for r in RESULTS if any(f["results"].get(r[0]) is not None for f in found)]
    columns = (
        code("Change", 46),
        *(number(title, unit, decimals, 19) for _, title, unit, decimals in kept),
        text("Requirements"),
    )
    rows = tuple((changed(f), *(f["results"].get(name) for name, *_ in kept), outcome(f)) for f in found)
    meets = any(not f["misses"] and f["status"] == "ok" for f in found)
    caption = "Nearest changes, each evaluated" if meets else "The change that comes nearest, evaluated"
    return Table("remedies", caption, columns, rows) if rows else None


def changed(found: Json) -> str:
    """The settings that change: "tensor = 4, recompute = full"."""
    return ", ".join(f"{c['setting']} = {c['value'].replace('_', '') if c['value'][0].isdigit() else c['value']}"
                     for c in found["changes"])  # fmt: skip


def outcome(found: Json) -> Cell:
    """Whether all requirements hold, or which do not, and by how much."""
    if found["status"] != "ok":
        return "does not fit"
    if not found["misses"]:
        return "all met"
    return "misses " + joined(
        m["require"] + (f" by {Quantity(m['over'], '%', 1).text()}" if m["over"] is not None else "")
        for m in found["misses"]
    )


def unmet(plan: Plan) -> dict[str, Any] | None:
    """The facts of page 1 about a run that fails; None for one that meets all."""
    said = missed(plan)
    if plan.point["status"] == "ok" and not said:
        return None
    met = [f for f in plan.point.get("remedies") or () if f["status"] == "ok" and not f["misses"]]
    return {"missed": said, "limits": at_the_limit(plan), "mends": [changed(f) for f in met]}

"""Sizes: how many GPUs of each cluster meet deadline and budget, in which layout; what stands against the others."""

from typing import Any

from reports.plan import Json, Plan, Section
from reports.prose import capital, count, joined
from reports.quantities import Quantity
from reports.sections.cost import money_unit
from reports.tables import Cell, Table, number, text
from reports.terms import words

DEGREES = (("tensor", "TP"), ("context", "CP"), ("pipeline", "PP"), ("data", "DP"), ("expert", "EP"))


def size(plan: Plan) -> list[Section]:
    """A section for each size of the file."""
    return [section(e) for e in plan.document["experiments"] if e["kind"] == "size"]


def section(e: Json) -> Section:
    key = f"size-{e['name']}"
    own = points_of(e)
    tables = (answers_table(key, e, own), misses_table(key, e), rules_table(key, e))
    chosen = own.get(e["chosen"]) if e["chosen"] is not None else None
    facts = {
        "key": key,
        "base": e["base"],
        "deadline": Quantity(e["deadline"], "days", 1),
        "budget": Quantity(e["budget"], *money_unit(e["budget"])),
        "answers": len(e["answers"]),
        "points": count(int(e["counts"]["points"]), "point"),
        "met": int(e["counts"]["met"]),
        "partial": bool(e["counts"].get("partial")),
        "winner": None if chosen is None else told(e, chosen),
        "fewer": fewer(e, own),
        "open": [f"{joined(a['open'])} of {a['cluster'] or a['gpu']}" for a in e["answers"] if a["open"]],
        "without": [a["cluster"] or a["gpu"] for a in e["answers"] if a["cheapest"] is None],
        "figure": f"front/{e['name']}",
    }
    return Section(key, e["title"] or capital(e["name"]), tuple(t for t in tables if t), (f"front/{e['name']}",),
                   facts=facts, template="size")  # fmt: skip


def points_of(e: Json) -> dict[int, Json]:
    return {int(p["index"]): p for p in e["points"]}


def cluster_of(e: Json, point: Json) -> Json:
    """The answer of the cluster that a point stands on."""
    name = point["settings"].get("cluster")
    found = [a for a in e["answers"] if name is None or a["cluster"] == name]
    return dict(found[0])


def layout(settings: Json) -> str:
    """A layout in one line: "TP 8 · PP 2 · DP 64, micro-batch 2, recompute none, ZeRO-1, 1F1B"."""
    degrees = [f"{short} {int(n)}" for axis, short in DEGREES if (n := settings.get(f"layout.{axis}")) and n > 1]
    said = [" · ".join(degrees) or "one GPU"]
    if settings.get("layout.micro_batch"):
        said.append(f"micro-batch {int(settings['layout.micro_batch'])}")
    if settings.get("layout.recompute"):
        said.append(f"recompute {words(str(settings['layout.recompute']))}")
    said += [words(str(settings[p])) for p in ("layout.shard", "layout.schedule") if settings.get(p)]
    return ", ".join(said)


def told(e: Json, point: Json) -> dict[str, Any]:
    """One answer in words."""
    answer, results = cluster_of(e, point), point["results"]
    return {
        "gpus": Quantity(point["settings"]["cluster.gpus"], "", 0),
        "gpu": answer["gpu"],
        "cluster": answer["cluster"],
        "layout": layout(point["settings"]),
        "days": Quantity(results["time_to_train"], "days", 1),
        "cost": Quantity(results["cost"], *money_unit(results["cost"])),
        "memory": Quantity(results["memory_per_gpu"], "GiB", 1),
        "interval": interval(point),
    }


def interval(point: Json) -> str:
    """What four in five published runs of the framework make of the days."""
    ends = (point.get("interval") or {}).get("time_to_train")
    return f"{Quantity(ends[0], 'days', 1).text()} to {Quantity(ends[1], 'days', 1).text()}" if ends else ""


def fewer(e: Json, own: dict[int, Json]) -> list[str]:
    """Clusters of which fewer GPUs than the cheapest number meet everything too."""
    said = []
    for a in e["answers"]:
        few, cheap = own.get(a["fewest"]), own.get(a["cheapest"])
        if few and cheap and few["settings"]["cluster.gpus"] < cheap["settings"]["cluster.gpus"]:
            gpus = Quantity(few["settings"]["cluster.gpus"], "", 0).text()
            said.append(f"{gpus} {a['gpu']} in {Quantity(few['results']['time_to_train'], 'days', 1).text()}")
    return said


def answers_table(key: str, e: Json, own: dict[int, Json]) -> Table:
    """A row for each cluster's cheapest answer, and one for its fewest GPUs where that is another."""
    rows: list[tuple[Cell, ...]] = []
    chosen = None
    for a in e["answers"]:
        for what in ("cheapest", "fewest"):
            point = own.get(a[what]) if a[what] is not None else None
            if what == "fewest" and (point is None or a["fewest"] == a["cheapest"]):
                continue
            if point is not None and a[what] == e["chosen"] and what == "cheapest":
                chosen = len(rows)
            rows.append(answer_row(e, a, what, point))
    cost = [r[5] for r in rows if isinstance(r[5], float)]
    columns = (text("Cluster", 24), text("GPU", 19), number("GPUs", decimals=0, width=14), text("Layout"),
               number("Days", decimals=1, width=14), number("Cost", *money_unit(max(cost, default=None)), width=17),
               number("Memory", "GiB", 1, 15), text("Of its answers", 20))  # fmt: skip
    more = "The shaded one is the cheapest of all." if chosen is not None else ""
    caption = "What meets every requirement"
    return Table(f"{key}-answers", caption, columns, tuple(rows), wide=True, chosen=chosen, more=more)


def answer_row(e: Json, a: Json, what: str, point: Json | None) -> tuple[Cell, ...]:
    name = a["cluster"] or "–"
    if point is None:
        return (name, a["gpu"], None, "no number of GPUs and no layout meets all", None, None, None, "none")
    results = point["results"]
    days = None if results["time_to_train"] is None else results["time_to_train"] / 86400
    return (name, a["gpu"], point["settings"]["cluster.gpus"], layout(point["settings"]), days, results["cost"],
            results["memory_per_gpu"], "cheapest" if what == "cheapest" else "fewest GPUs")  # fmt: skip


def misses_table(key: str, e: Json) -> Table | None:
    """For clusters without an answer the nearest miss."""
    own = points_of(e)
    rows: list[tuple[Cell, ...]] = []
    for a in e["answers"]:
        near = a["nearest"]
        if near:
            point = own.get(near["index"])
            own_settings = None if point is None else point["settings"]
            at = f"{int(own_settings['cluster.gpus'])} GPUs, {layout(own_settings)}" if own_settings else "–"
            rows.append((a["cluster"] or a["gpu"], near["require"], at, near["needs"] or "–"))
    columns = (text("Cluster", 26), text("What stands against it", 50), text("At the nearest point"),
               text("By how much", 52))  # fmt: skip
    return Table(f"{key}-misses", "Clusters without an answer", columns, tuple(rows), wide=True) if rows else None


def rules_table(key: str, e: Json) -> Table | None:
    """How many points each rule takes away."""
    taking = [r for r in e["removed"] if r["points"]]
    rows: tuple[tuple[Cell, ...], ...] = tuple((r["rule"], r["kind"], r["points"], r["alone"]) for r in taking)
    columns = (text("Rule"), text("Kind", 24), number("Points", decimals=0, width=24),
               number("Alone", decimals=0, width=24))  # fmt: skip
    more = "A point that several rules take away counts with each; alone: no other rule does."
    return Table(f"{key}-rules", "Points that each rule takes away", columns, rows, more=more) if rows else None


def sentences(e: Json) -> list[str]:
    """The answer in sentences, for the terminal."""
    own = points_of(e)
    said = []
    for a in e["answers"]:
        name = f"{a['gpu']}" + (f" ({a['cluster']})" if a["cluster"] else "")
        if a["cheapest"] is None:
            near = a["nearest"]
            why = f": {near['require']} stands against the nearest, {near['needs']}" if near else ""
            said.append(f"{name}: no number of GPUs meets all{why}")
            continue
        for what, i in (("cheapest", a["cheapest"]), ("fewest GPUs", a["fewest"])):
            if what == "cheapest" or i != a["cheapest"]:
                t = told(e, own[i])
                parts = [t["days"].text(), *([] if t["cost"].missing else [t["cost"].text()])]
                judged = f" (not judged: {joined(a['open'])})" if a["open"] else ""
                said.append(f"{name}, {what}: {t['gpus'].text()} GPUs, {joined(parts)}{judged}; {t['layout']}")
    return said

"""Page 1 in words where a file is about a table of design points: what it chose or shows, what would change that."""

from typing import Any

from engine.metrics import BY_NAME
from reports import terms
from reports.judgement import UPPER
from reports.plan import Json, Plan
from reports.prose import capital, count, joined, lower_first, sentence
from reports.quantities import Quantity
from reports.sections import points
from reports.sections.alternatives import verdicts
from reports.sections.compare import verdict_line as comparison_line
from reports.sections.optimize import aims, margins, shown, winner_of
from reports.sections.portfolio import verdict_line as programme_line
from reports.sections.sensitivity import largest
from reports.sections.unmet import RESULTS
from reports.table_summary import choice, subject
from reports.tables import Table, filled, number, text

SIDE = 5  # runs of a comparison, on page 1
SIDE_RESULTS = {"step_time": "Step", "mfu": "MFU", "time_to_train": "Time to train", "memory_per_gpu": "Memory",
                "cost": "Cost"}  # fmt: skip
CLOSEST = 3  # points of a search without an answer, on page 1
SIDE_BY_SIDE = "The runs stand side by side"
KINDS = {"optimize": "search", "sweep": "sweep", "scale": "scaling", "sensitivity": "sensitivity"}


def table_facts(plan: Plan) -> dict[str, Any] | None:
    """The paragraphs of page 1 about the file's first table; None where it holds a run, or no table."""
    found = subject(plan.document["experiments"])
    if found is None or plan.experiment["points"]:
        return None
    return {
        "key": f"{found['kind']}-{found['name']}",
        "subtitle": subtitle(found),
        "decision": decision(found),
        "about": [sentence(s) for s in about(found)],
        "change": [sentence(s) for s in change(found)],
        "others": [{"key": f"{e['kind']}-{e['name']}", "text": one_line(e)} for e in tables(plan) if e is not found],
        "heading": heading(found),
    }


def heading(e: Json) -> str:
    """What the paragraph about a table is called."""
    if e["kind"] == "optimize":
        return "Why this plan." if winner_of(e) else "What was found."
    return "What it shows."


def closest(plan: Plan) -> Table | None:
    """The points of a search without an answer that miss least, with what they come to; else None."""
    e = subject(plan.document["experiments"])
    if e is None or plan.experiment["points"] or e["kind"] != "optimize" or winner_of(e):
        return None
    own = {int(p["index"]): p for p in e["points"]}
    found = [(r, own[int(r["index"])]) for r in e.get("nearest") or () if r.get("require") and int(r["index"]) in own]
    called = points.names(e, [int(p["index"]) for _, p in found])
    rows = tuple(
        (called[int(p["index"])], *(p["results"].get(n) for n, *_ in RESULTS), f"misses {r['require']}")
        for r, p in found[:CLOSEST]
    )
    columns = (
        text("Point", 50),
        *(number(title, unit, decimals, 18) for _, title, unit, decimals in RESULTS),
        text("Requirements"),
    )
    return Table("closest", "The points that miss least", columns, rows) if rows else None


def side_by_side(plan: Plan) -> Table | None:
    """The runs of a comparison with what they come to; none in a document of another kind."""
    plans = (plan, *plan.others)[:SIDE]
    if plan.report.get("kind") != "comparison" or len(plans) == 1:
        return None
    shown = [plan.result(name) for name in SIDE_RESULTS]
    rows = tuple((p.experiment["name"], *(p.result(q).value for q in SIDE_RESULTS), verdicts(p)) for p in plans)
    columns = (
        text("Run", 34),
        *(number(SIDE_RESULTS[q], shown[i].unit, shown[i].decimals, 20) for i, q in enumerate(SIDE_RESULTS)),
        text("Requirements"),
    )
    return filled(Table("side", "The runs side by side", columns, rows, chosen=0))


def tables(plan: Plan) -> list[Json]:
    """All tables of the file."""
    return [e for e in plan.document["experiments"] if e["kind"] in KINDS]


def beside_runs(plan: Plan) -> list[dict[str, str]]:
    """A line for each comparison, table and programme of a file that is about a run.

    Of a comparison that holds the better run only where it is: the verdict has its numbers.
    """
    if not plan.experiment["points"]:
        return []
    told = {"compare": comparison_line, "portfolio": programme_line, **dict.fromkeys(KINDS, one_line)}
    better = (plan.document["verdict"].get("better") or {}).get("experiment")
    lines = [(e, SIDE_BY_SIDE if e["kind"] == "compare" and e["name"] == better else told[e["kind"]](e))
             for e in plan.document["experiments"] if e["kind"] in told]  # fmt: skip
    return [{"key": f"{e['kind']}-{e['name']}", "text": said} for e, said in lines]


def subtitle(e: Json) -> str:
    """What was looked at, in one line: "Search over 90 points of dense: nodes, tensor-parallel degree …"."""
    over = [terms.setting(str(a["path"])) for a in e.get("axes") or ()]
    over = over or ([terms.setting(str(e["over"]))] if e.get("over") else [])
    total = int((e.get("counts") or {}).get("points") or len(e["points"]))
    much = f" over {count(total, 'point')}" if total else ""
    return f"{capital(KINDS[e['kind']])}{much} of {e['base']}" + (f": {joined(over)}" if over else "")


def decision(e: Json) -> str:
    """What the choice of a search would be, to be decided."""
    won = winner_of(e) if e["kind"] == "optimize" else None
    return f"The choice of the search is {won['name']}." if won else ""


def about(e: Json) -> list[str]:
    """What the table comes to, in at most three sentences."""
    if e["kind"] == "optimize":
        return chosen(e)
    if e["kind"] == "sensitivity":
        most = largest(e)
        return [f"{most['name']} ({most['range']}) moves the {lower_first(most['result'])} most: {most['ends'][0]} to "
                f"{most['ends'][1]} {most['unit']}"] if most else []  # fmt: skip
    best = choice(e)
    said = [f"of {points_word(e)}, {joined(points.outcome(e))}"]
    if best is not None:
        name = next((c["text"] for c in e.get("columns") or ()), "")
        value = shown(name, best["results"].get(name))
        what = "The largest feasible" if e["kind"] == "scale" else "The best that meets all"
        said.append(f"{what}, {points.named(e, best['settings'])}, has {value.text()} {terms.words(name)}")
    return said


def points_word(e: Json) -> str:
    return count(int((e.get("counts") or {}).get("points") or len(e["points"])), "point")


def chosen(e: Json) -> list[str]:
    """The winner with its numbers and the first of its margins."""
    won = winner_of(e)
    if won is None:
        return [f"of {points_word(e)}, {joined(points.outcome(e))}"]
    results = [q.text() for q in won["results"].values() if not q.missing]
    beside = margins(e)
    return [f"By {aims(e)} the choice is {won['name']}: {joined(results)}"] + (
        [f"Beside it, {beside[0]}"] if beside else []
    )


def reached(e: Json) -> list[str]:
    """What the best of the points that fit come to, of each result with a limit; nothing where not all are known."""
    fit = [p for p in e["points"] if p["status"] == "ok"]
    if len(e["points"]) < int((e.get("counts") or {}).get("points") or 0) or not fit:
        return []
    limits = {r["limit"]["name"]: r["limit"] for r in e.get("requires") or () if r.get("limit")}
    said = []
    for name, limit in limits.items():
        known = [v for p in fit if isinstance(v := p["results"].get(name), (int, float))]
        if known and name in BY_NAME:
            best, side = (min(known), "least") if limit["op"] in UPPER else (max(known), "largest")
            said.append(f"the {side} {terms.words(name)} of a point that fits is {shown(name, best).text()}")
    return [joined(said)] if said else []


def change(e: Json) -> list[str]:
    """Break-even points of the choice, and what would admit the nearest that is refused."""
    found = reached(e) if e["kind"] == "optimize" and not winner_of(e) else []
    found += [str(b["sentence"]) for b in (e.get("winner") or {}).get("break_even") or ()][:2]
    near = [r for r in e.get("nearest") or () if r.get("require")]
    if near:
        said = str(near[0].get("needs") or "") or f"by {Quantity(near[0].get('gap'), '%', 2).text()}"
        found.append(f"The nearest that is refused misses {near[0]['require']}: {said}")
    found += [f"The requirement {c['require']} holds in {Quantity(c['share'], '%', 0).text()} of the samples"
              for c in e.get("chances") or () if c.get("share") is not None][:2]  # fmt: skip
    return found[:3]


def one_line(e: Json) -> str:
    """A table of the file in one clause."""
    title = f"{KINDS[e['kind']]} “{e['title'] or e['name']}”"
    if e["kind"] == "optimize":
        won = winner_of(e)
        return f"The {title} chooses {won['name']}" if won else f"The {title} finds no point that meets all"
    if e["kind"] == "sensitivity":
        return f"The {title} moves {count(len(e.get('tornado') or ()), 'input')}"
    return f"The {title} holds {points_word(e)}"

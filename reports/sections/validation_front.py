"""Page 1 and document control of a validation: what was held against what, and how far the predictions are off."""

from typing import Any

from reports.plan import Json, Plan, Section
from reports.prose import joined
from reports.quantities import Quantity
from reports.tables import Cell, Table, code, number, text


def tables_of(plan: Plan) -> list[Json]:
    """The validations of a document; none in the document of a scenario."""
    return [e for e in plan.document["experiments"] if e["kind"] == "validation"]


def front(plan: Plan) -> Section:
    """The headline errors of each table, and which of them meet their goal."""
    made = tables_of(plan)
    facts = {
        "subtitle": joined(f"{predicted(e)} {WHAT[e['name']]} of {e['sources']} sources" for e in made),
        "files": [{"name": e["file"], "sha": str(e["sha256"])[:12]} for e in made],
        "compared": [compared(e) for e in made],
        "conditions": made[0]["conditions"],
    }
    figures = (f"predicted_measured/{made[0]['name']}",)
    return Section("summary", "Summary", (headline(made),), figures, facts=facts, template="validation_front")


def predicted(e: Json) -> int:
    """Rows of a table that have a prediction; those that could not be evaluated have none."""
    return int(e["errors"]["n"] - e["errors"]["failed"])


WHAT = {"time": "step times", "memory": "memory peaks"}


def compared(e: Json) -> dict[str, Any]:
    """The sentence of one table: rows, error, goal, interval, layouts."""
    errors, goal = e["errors"], e["goal"]
    told = {name: Quantity(errors[name], "%", 1).text() for name in ("median_abs", "p90_abs")}
    groups = e["layouts"]
    pairs, right = sum(g["pairs"] for g in groups), sum(g["right"] for g in groups)
    return {
        "name": e["name"],
        "title": e["title"],
        "what": e["what"],
        "n": predicted(e),
        "failed": errors["failed"],
        "left_out": len(e["left_out"]),
        **told,
        "bias": Quantity(errors["bias"], "%", 1, signed=True).text(),
        "goals": [Quantity(goal[k], "%", 0).text() for k in ("median", "p90")],
        "inside": Quantity(share(errors["inside"], errors["with_interval"]), "%", 0).text(),
        "fitted_on": e["fitted_on"],
        "refit": refit(e["refit"]),
        "groups": len(groups),
        "near": sum(g["regret"] <= 0.02 for g in groups),
        "right": Quantity(share(right, pairs), "%", 0).text(),
        "pairs": pairs,
    }


def refit(made: Json | None) -> dict[str, Any] | None:
    """The sentence of the fits that left out what they are held against."""
    if not made:
        return None
    errors = [
        {"a": row["a"], "of": row["of"], **{k: Quantity(row[k], "%", 1).text() for k in ("median_abs", "p90_abs")}}
        for row in made["without"]
    ]
    return {"rows": made["rows"], "numbers": made["numbers"], "without": errors}


def share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def headline(made: list[Json]) -> Table:
    """A row each table: rows, failed, errors, bias, goal, rows inside their interval."""
    columns = (
        text("Compared", 46),
        number("Predicted", width=16),
        number("Failed", width=12),
        number("Median error", "%", 1, width=18),
        number("90th percentile", "%", 1, width=20),
        number("Bias", "%", 1, width=12, signed=True),
        number("In their interval", "%", 0, width=20),
        text("Goal, median and 90th percentile"),
    )
    rows: list[tuple[Cell, ...]] = []
    for e in made:
        r, goal = e["errors"], e["goal"]
        goals = " and ".join(Quantity(goal[k], "%", 0).text() for k in ("median", "p90"))
        rows.append((e["title"], predicted(e), r["failed"], r["median_abs"], r["p90_abs"], r["bias"],
                     share(r["inside"], r["with_interval"]), goals))  # fmt: skip
        for w in (e["refit"] or {}).get("without", ()):
            name = f"{e['title']}, {w['a']}s left out"
            rows.append((name, e["refit"]["rows"], 0, w["median_abs"], w["p90_abs"], w["bias"], None, goals))
    more = "Error is predicted over measured, less one; its size is what the median and percentile are of."
    return Table("headline", "Errors of all rows", columns, tuple(rows), more=more)


def control(plan: Plan) -> Section:
    """The files that were read, with their hashes."""
    document = plan.document
    rows: list[tuple[Cell, ...]] = [
        ("Engine", f"Tonnage {document['engine_version']}, edition {document['edition']}", " "),
        *(("Measured", i["path"], i["sha256"]) for i in document["imports"]),
    ]
    rows += [("Filter", c, " ") for e in tables_of(plan)[:1] for c in e["conditions"]]
    columns = (text("Item", 20), text("Value"), code("SHA-256", 106))
    more = "The same engine on these files reproduces the figures byte for byte."
    return Section("control", "Document control", (Table("provenance", "Provenance", columns, tuple(rows), more=more),))

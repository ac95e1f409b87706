"""The document of changes: page 1, inputs, results, requirements and checks of each run, files and blocks."""

from typing import Any

from reports.plan import Json, Plan, Section
from reports.prose import capital, count, joined
from reports.quantities import Quantity, legible
from reports.sections.assumptions import ABOUT, input_value
from reports.sections.front import label
from reports.tables import Cell, Column, Status, Table, UnitOf, code, number, text
from reports.terms import VERDICTS, words

FOLLOWS = ("default", "derived", None)
NAMED = 5  # inputs and results that page 1 names
GLYPHS = {"recommended": "pass", "recommended_with_conditions": "warn", "met_but_bettered": "warn",
          "not_feasible": "fail", "not_decided": "open", "nothing_to_decide": "open"}  # fmt: skip


def changes_of(plan: Plan) -> Json:
    found: Json = plan.document["changes"]
    return found


def front(plan: Plan) -> Section:
    """Page 1: both files, both verdicts, the key numbers with what they were, the first changes."""
    made = changes_of(plan)
    old, new = made["old"], made["new"]
    runs = made["runs"]
    facts = {
        "old": old,
        "new": new,
        "word": GLYPHS.get(new["verdict"], "open"),
        "heading": heading(made),
        "verdicts": [VERDICTS.get(side["verdict"], side["verdict"]) for side in (old, new)],
        "changed": made["changed"],
        "keys": [key(row) for row in made["key_numbers"]],
        "sentences": sentences(made),
        "runs": [first_changes(run) for run in runs],
        "only": (made["only_old"], made["only_new"]),
        "overrides": made["overrides"],
        "turned": turned(runs),
    }
    return Section("summary", "Executive summary", facts=facts, template="changes_front")


def heading(made: Json) -> str:
    if not made["changed"]:
        return "Nothing changed"
    inputs = sum(1 for run in made["runs"] for row in run["inputs"] if stated(row))
    results = sum(len(run["results"]) for run in made["runs"])
    return capital(f"{count(inputs, 'input')} and {count(results, 'result')} changed")


def sentences(made: Json) -> list[str]:
    """What page 1 says under its heading."""
    old, new = (VERDICTS.get(made[side]["verdict"], made[side]["verdict"]) for side in ("old", "new"))
    said = [f"The verdict is {new.lower()}, as before." if old == new else
            f"The verdict was {old.lower()} and is {new.lower()}."]  # fmt: skip
    names = [f"{run['old']} and {run['new']}" for run in made["runs"] if run["old"] != run["new"]]
    return said + [f"No run has the same name in both files: {name} are held against each other." for name in names]


def stated(row: Json) -> bool:
    """Whether a changed input is more than a default that follows from others."""
    return not all(origin in FOLLOWS for origin in row["origins"])


def key(row: Json) -> dict[str, str]:
    """A key number with what it was."""
    now = legible(Quantity(row["value"], row.get("unit") or "", row.get("decimals")))
    was = legible(Quantity(row["old"], row.get("unit") or "", row.get("decimals")))
    change = row["value"] / row["old"] - 1 if row["old"] and row["value"] is not None else None
    share = "" if change is None else f", {Quantity(change, '%', 1, signed=True).text()}"
    return {"label": label(row), "number": now.number(), "unit": "" if now.missing else now.display.name,
            "below": f"was {was.text()}{share}"}  # fmt: skip


def first_changes(run: Json) -> dict[str, Any]:
    """The first inputs and the largest results of one run, as phrases."""
    inputs = [r for r in run["inputs"] if stated(r) and r["path"].rpartition(".")[2] not in ABOUT]
    return {
        "name": run["new"],
        "inputs": [f"{r['path']} from {sides(r)[0]} to {sides(r)[1]}" for r in inputs[:NAMED]],
        "more": max(0, len(inputs) - NAMED),
        "results": [result_phrase(r) for r in run["results"][:NAMED]],
        "status": run["status"] and [words(s) for s in run["status"]],
        "reasons": run["reasons"][:1],
    }


def result_phrase(row: Json) -> str:
    before, after = quantities(row)
    share = Quantity(row["ratio"] - 1 if row["ratio"] is not None else None, "%", 1, signed=True)
    said = f"{words(row['name'])} from {before.text()} to {after.text()}"
    return said if share.missing else f"{said} ({share.text()})"


def quantities(row: Json) -> tuple[Quantity, Quantity]:
    """Old and new value of a result in one unit, small enough that neither prints as 0."""
    shown = [legible(Quantity(row[side], row["unit"], row["decimals"])) for side in ("old", "new")]
    small = min(shown, key=lambda q: q.display.factor)
    before, after = (Quantity(row[side], small.unit, small.decimals) for side in ("old", "new"))
    return before, after


def sides(row: Json) -> list[str]:
    """Old and new value of an input with their units."""
    texts = []
    for place, side in enumerate(("old", "new")):
        value, _ = input_value(row[side], row["unit"], row["written"][place])
        texts.append(value.text() if isinstance(value, Quantity) else str(value or "–"))
    return texts


def turned(runs: list[Json]) -> list[str]:
    """Requirements that a run now meets or no longer meets."""
    said = {("pass", "fail"): "no longer holds", ("fail", "pass"): "holds now", (None, "fail"): "is new and fails"}
    return [f"{v['name']} {said[v['old'], v['new']]} ({run['new']})" for run in runs for v in run["verdicts"]
            if (v["old"], v["new"]) in said]  # fmt: skip


def run_sections(plan: Plan) -> list[Section]:
    """A section for every run that both documents hold."""
    return [run_section(run, i) for i, run in enumerate(changes_of(plan)["runs"])]


def run_section(run: Json, place: int) -> Section:
    key = f"run-{run['new']}"
    tables = (
        inputs_table(key, run, True),
        results_table(key, run),
        judged_table(key, run),
        inputs_table(key, run, False),
    )
    title = run["new"] if run["old"] == run["new"] else f"{run['old']} → {run['new']}"
    given = tuple(t for t in tables if t)
    facts = {"name": title, "tables": [t.key for t in given], "key": key, "figure": f"changes/changes/{place}",
             "results": len(run["results"])}  # fmt: skip
    return Section(key, title, given, (f"changes/changes/{place}",), facts=facts, template="changes_run")


def inputs_table(key: str, run: Json, own: bool) -> Table | None:
    """The inputs that changed: those somebody stated, or the defaults that follow."""
    rows = tuple(
        (r["path"], *sides(r), r["where"]) for r in run["inputs"]
        if stated(r) == own and r["path"].rpartition(".")[2] not in ABOUT
    )  # fmt: skip
    columns = (code("Setting", 60), text("Old"), text("New"), text("Stated in", 34))
    caption = "Inputs that changed" if own else "Defaults that follow, and changed"
    return Table(f"{key}-{'inputs' if own else 'follows'}", caption, columns, rows, wide=True) if rows else None


def results_table(key: str, run: Json) -> Table | None:
    """Every result that changed, the largest change first."""
    rows: list[tuple[Cell, ...]] = []
    for r in run["results"]:
        before, after = quantities(r)
        gap = Quantity(r["difference"], "points" if before.unit == "%" else before.unit, before.decimals, signed=True)
        ratio = r["ratio"] - 1 if r["ratio"] is not None else None
        rows.append((r["name"], UnitOf(after), before, after, gap, Quantity(ratio, "%", 1, signed=True)))
    columns = (code("Result", 52), text("Unit", 22), number("Old", width=25), number("New", width=25),
               number("Difference", width=25), number("Change", width=22))  # fmt: skip
    more = "The largest change is the first row: the difference over the larger of the two values."
    return Table(f"{key}-results", "Results that changed", columns, tuple(rows), wide=True, more=more) if rows else None


def judged_table(key: str, run: Json) -> Table | None:
    """Requirements and checks that are new, gone or judged otherwise."""
    rows: list[tuple[Cell, ...]] = [
        (kind, r["name"], *(Status(r[side]) if r[side] else "not stated" for side in ("old", "new")))
        for kind, part in (("Requirement", "verdicts"), ("Check", "checks"))
        for r in run[part]
    ]
    columns = (text("Kind", 26), text("Name"), Column("Old", "status", width=26), Column("New", "status", width=26))
    return Table(f"{key}-judged", "Requirements and checks that changed", columns, tuple(rows)) if rows else None


def blocks(plan: Plan) -> Section | None:
    """Runs and blocks that only one file has, tables whose points changed, imported files."""
    made = changes_of(plan)
    tables = (alone_table(made), tables_table(made), files_table(made))
    given = tuple(t for t in tables if t)
    facts = {"tables": [t.key for t in given]}
    return Section("blocks", "", given, facts=facts, template="changes_blocks") if given else None


def alone_table(made: Json) -> Table | None:
    rows: list[tuple[Cell, ...]] = [(f"run {name}", "there", "–") for name in made["only_old"]]
    rows += [(f"run {name}", "–", "there") for name in made["only_new"]]
    rows += [(b["name"], b["old"] or "–", b["new"] or "–") for b in made["blocks"]]
    columns = (text("Block", 60), text("Old"), text("New"))
    caption = "Blocks that only one file has, or that are titled otherwise"
    return Table("blocks", caption, columns, tuple(rows)) if rows else None


def tables_table(made: Json) -> Table | None:
    rows: list[tuple[Cell, ...]] = [
        (f"{t['kind']} {t['name']}", t["points"], t["changed"], t["gone"], t["added"], largest(t))
        for t in made["tables"]
    ]
    columns = (text("Table", 42), number("In both", decimals=0), number("Changed", decimals=0),
               number("Gone", decimals=0), number("Added", decimals=0), text("Largest change"))  # fmt: skip
    return Table("tables", "Tables of points", columns, tuple(rows), wide=True) if rows else None


def largest(table: Json) -> str:
    top = table["largest"]
    return f"{top['at']}: {result_phrase(top['results'][0])}" if top else "–"


def files_table(made: Json) -> Table | None:
    rows = tuple((f["name"], (f["old"] or "–")[:16], (f["new"] or "–")[:16]) for f in made["files"])
    columns = (text("Imported file", 60), code("Old, SHA-256 begins", 56), code("New, SHA-256 begins", 56))
    return Table("files", "Imported files that changed", columns, rows) if rows else None


def control(plan: Plan) -> Section:
    """Both documents with their hashes."""
    made = changes_of(plan)
    rows: list[tuple[Cell, ...]] = [
        (capital(side), made[side]["file"], made[side]["sha256"]) for side in ("old", "new")
    ]
    for side in ("old", "new"):
        engine = f"Tonnage {made[side]['engine_version']}, edition {made[side]['edition']}"
        rows.append((f"{capital(side)} engine", engine, " "))
    overridden = zip(("Old", "New"), made["overrides"], strict=True)
    rows += [(f"{side} overridden", joined(texts), " ") for side, texts in overridden if texts]
    columns = (text("Item", 24), text("Value"), code("SHA-256", 106))
    return Section("control", "Document control", (Table("provenance", "Provenance", columns, tuple(rows)),))

"""What changed from one document to another: inputs, every result, verdicts and checks, files and blocks.

Both sides are documents of reports/document.py, fresh or read back from JSON. Runs are matched by name; where the two
files share no name, their first runs are. Inputs that somebody stated come before defaults that follow; results come in
the order of their change, the largest first: |new - old| over the larger of the two, so that twice and half weigh the
same. A result that only one side has comes last.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.metrics import BY_NAME
from reports.point import Json, number
from reports.terms import HELD

FOLLOWS = ("default", "derived")
SAME = 1e-11  # relative: results carry 12 digits
ABOUT_FILES = ("file", "title", "sha256", "engine_version", "edition")


def changes(old: Json, new: Json) -> Json:
    """The document of the changes from ``old`` to ``new``."""
    pairs, alone = paired(runs_of(old), runs_of(new))
    found = [run_changes(before, after) for before, after in pairs]
    files = (imports(old), imports(new))
    blocks = (other_blocks(old), other_blocks(new))
    made = {
        "kind": "changes",
        "old": {name: old.get(name) for name in ABOUT_FILES} | {"verdict": old["verdict"]["word"]},
        "new": {name: new.get(name) for name in ABOUT_FILES} | {"verdict": new["verdict"]["word"]},
        "overrides": [list(side.get("overrides") or ()) for side in (old, new)],
        "runs": found,
        "only_old": [e["name"] for e in alone[0]],
        "only_new": [e["name"] for e in alone[1]],
        "tables": list(table_changes(old, new)),
        "files": [row(path, files[0].get(path), files[1].get(path)) for path in merged(*files)
                  if files[0].get(path) != files[1].get(path)],
        "blocks": [row(name, blocks[0].get(name), blocks[1].get(name)) for name in merged(*blocks)
                   if blocks[0].get(name) != blocks[1].get(name)],
        "key_numbers": key_numbers(old, new),
        "locale": (new.get("report") or {}).get("locale"),
    }  # fmt: skip
    return made | {"changed": anything(made)}


def anything(made: Json) -> bool:
    """Whether inputs, results, verdicts, checks or blocks differ."""
    of_runs = any(r[part] for r in made["runs"] for part in ("inputs", "results", "verdicts", "checks", "status"))
    return bool(of_runs or made["only_old"] or made["only_new"] or made["tables"] or made["blocks"])


def row(name: str, old: Any, new: Any) -> Json:
    return {"name": name, "old": old, "new": new}


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The names of both, those of the new side first."""
    return list(dict.fromkeys([*new, *old]))


def runs_of(document: Json) -> list[Json]:
    """The runs of a document; where it has none, the baseline of its first comparison."""
    runs = [e for e in document["experiments"] if e["kind"] == "run" and e["points"]]
    return runs or [e | {"points": [p], "name": p["name"]} for e in document["experiments"] if e["kind"] == "compare"
                    for p in e["points"] if p["name"] == e["baseline"]][:1]  # fmt: skip


def paired(old: Sequence[Json], new: Sequence[Json]) -> tuple[list[tuple[Json, Json]], tuple[list[Json], list[Json]]]:
    """(pairs, (only old, only new)): runs of the same name; the first of each where no name is in both."""
    before = {e["name"]: e for e in old}
    pairs = [(before[e["name"]], e) for e in new if e["name"] in before]
    if not pairs and old and new:
        pairs = [(old[0], new[0])]
    taken = [id(e) for pair in pairs for e in pair]
    return pairs, ([e for e in old if id(e) not in taken], [e for e in new if id(e) not in taken])


def run_changes(old: Json, new: Json) -> Json:
    """Everything that changed in one run."""
    before, after = old["points"][0], new["points"][0]
    status = (before["status"], after["status"])
    return {
        "old": old["name"],
        "new": new["name"],
        "status": None if status[0] == status[1] else list(status),
        "reasons": after["reasons"] if status[0] != status[1] else [],
        "inputs": input_changes(before, after),
        "results": result_changes(before["results"], after["results"]),
        "verdicts": verdict_changes(before, after),
        "checks": check_changes(before, after),
    }


def input_changes(old: Json, new: Json) -> list[Json]:
    """Settings whose value changed, those that somebody stated first; null where one side has none."""
    before, after = ({r["path"]: r for r in side["inputs"]} for side in (old, new))
    rows = []
    for path in merged(before, after):
        sides = before.get(path) or {}, after.get(path) or {}
        values = [side.get("value") for side in sides]
        if values[0] != values[1]:
            rows.append({
                "path": path,
                "unit": sides[1].get("unit") or sides[0].get("unit"),
                "old": values[0],
                "new": values[1],
                "written": [side.get("written") for side in sides],
                "origins": [side.get("origin") for side in sides],
                "where": sides[1].get("where") or sides[0].get("where"),
            })  # fmt: skip
    return sorted(rows, key=rank)


def rank(row: Json) -> tuple[bool, int]:
    """Where a changed input stands: what somebody stated first; the run's own settings, its layout, then the rest."""
    head, dot, _ = str(row["path"]).partition(".")
    follows = all(origin in (*FOLLOWS, None) for origin in row["origins"])
    return follows, 0 if not dot else 1 if head == "layout" else 2


def result_changes(old: Mapping[str, float | None], new: Mapping[str, float | None]) -> list[Json]:
    """Every result that changed, the largest change first."""
    rows = []
    for name in merged(old, new):
        a, b = old.get(name), new.get(name)
        change = size_of(a, b)
        if change is None or change > SAME:
            metric = BY_NAME.get(name)
            gap = None if a is None or b is None else number(b - a)
            rows.append({"name": name, "unit": metric.unit if metric else "", "old": a, "new": b, "difference": gap,
                         "decimals": metric.decimals if metric else None,
                         "ratio": number(b / a) if a and b is not None else None, "size": number(change)})  # fmt: skip
    return sorted(rows, key=lambda r: -(r["size"] or 0.0))


def size_of(old: float | None, new: float | None) -> float | None:
    """|new - old| / max(|old|, |new|), from 0 to 2; None where only one side has the result."""
    if old is None or new is None:
        return 0.0 if old is new else None
    return abs(new - old) / max(abs(old), abs(new)) if old != new else 0.0


def verdict_changes(old: Json, new: Json) -> list[Json]:
    """Requirements that are new, gone, or judged otherwise; null where a side does not state one."""
    sides = [{v["require"]: v for v in side["verdicts"]} for side in (old, new)]
    words = [{text: HELD[v["holds"]] for text, v in side.items()} for side in sides]
    return [row(text, words[0].get(text), words[1].get(text)) for text in merged(*words)
            if words[0].get(text) != words[1].get(text)]  # fmt: skip


def check_changes(old: Json, new: Json) -> list[Json]:
    """Checks whose status changed."""
    sides = [{c["id"]: c["status"] for c in side["checks"]} for side in (old, new)]
    return [row(name, sides[0].get(name), sides[1].get(name)) for name in merged(*sides)
            if sides[0].get(name) != sides[1].get(name)]  # fmt: skip


def imports(document: Json) -> dict[str, str]:
    """Files that a document was made from, with their hashes."""
    return {i["path"]: i["sha256"] for i in document.get("imports") or ()}


def other_blocks(document: Json) -> dict[str, str]:
    """The experiments that are no runs, as "kind name"."""
    return {f"{e['kind']} {e['name']}": e.get("title") or "no title" for e in document["experiments"]
            if e["kind"] != "run"}  # fmt: skip


def key_numbers(old: Json, new: Json) -> list[Json]:
    """The numbers of page 1 of the new document, with what they were."""
    before = runs_of(old)[0]["points"][0]["results"] if runs_of(old) else {}
    return [k | {"old": before.get(k["name"])} for k in new.get("key_numbers") or ()]


def table_changes(old: Json, new: Json) -> Iterator[Json]:
    """Tables of points that both documents hold: how many points are new, gone or changed, and the largest change."""
    before = {(e["kind"], e["name"]): e for e in old["experiments"] if e["kind"] not in ("run", "roofline")}
    for e in new["experiments"]:
        other = before.get((e["kind"], e["name"]))
        if other is None or e["kind"] in ("run", "roofline"):
            continue
        sides = [{place_of(p): p for p in points_of(side)} for side in (other, e)]
        both = [place for place in sides[1] if place in sides[0]]
        found = [(place, result_changes(sides[0][place]["results"], sides[1][place]["results"])) for place in both]
        changed = [(place, rows) for place, rows in found if rows]
        gone, added = len(sides[0]) - len(both), len(sides[1]) - len(both)
        if changed or gone or added:
            top = max(changed, key=lambda item: item[1][0]["size"] or 0.0, default=None)
            largest = None if top is None else {"at": top[0], "results": top[1][:5]}
            yield {"kind": e["kind"], "name": e["name"], "points": len(both), "changed": len(changed), "gone": gone,
                   "added": added, "largest": largest}  # fmt: skip


def points_of(e: Json) -> list[Json]:
    """The points of a table; of a sensitivity its bands, as one point."""
    if e["kind"] != "sensitivity":
        return list(e["points"])
    bands = {f"{name} {p}": value for name, band in e["bands"].items() for p, value in band.items()}
    return [{"name": "bands", "results": bands}]


def place_of(point: Json) -> str:
    """What a point of a table is known by: its name, else the settings that vary."""
    settings = point.get("settings") or {}
    return str(point.get("name") or ", ".join(f"{path} = {value}" for path, value in settings.items()))

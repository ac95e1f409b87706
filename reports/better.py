"""What of a file beats its first run: another run of a comparison, or the choice of a search.

An alternative counts where it does the same work (model, tokens, sequence length), is feasible, fails no check, meets
what is required of it and of the run, and is better on what is sought by more than print shows:
  compare   it costs less; where one of the two has no cost, it is done earlier on no more GPUs
  optimize  it is better by the first aim of the search, where the search varies the run
The first block of the file that holds one tells of the best that it holds.
"""

from collections.abc import Iterator, Sequence

from engine.metrics import BY_NAME
from reports.doubts import shown
from reports.point import Json
from reports.prose import joined
from reports.quantities import Quantity
from reports.summary import failed
from reports.table_summary import choice
from reports.terms import setting

WORK = ("model", "tokens", "sequence")
SAID = {"cost": "costs less", "time_to_train": "is done earlier"}


def better(main: Json, experiments: Sequence[Json]) -> Json | None:
    """The alternative that beats the run: experiment, kind, name, what it is better by, both values, both results."""
    return next((found for e in experiments for found in FOUND.get(e["kind"], lambda *_: ())(main, e)), None)


def _of_comparison(main: Json, e: Json) -> Iterator[Json]:
    """The run of a comparison that costs least, else the one that is done first, where that is not the run itself."""
    if all(p["name"] != main["settings"]["name"] for p in e["points"]):
        return
    others = [p for p in e["points"] if p["name"] != main["settings"]["name"] and same_work(main, p) and holds(p)]
    for by in ("cost", "time_to_train"):
        own = main["results"].get(by)
        found = [p for p in others if p["results"].get(by) is not None]
        if by == "time_to_train":
            found = [p for p in found if None in (main["results"]["cost"], p["results"]["cost"])]
            found = [p for p in found if (p["results"]["used_gpus"] or 0) <= (main["results"]["used_gpus"] or 0)]
        best = min(found, key=lambda p: float(p["results"][by]), default=None)
        if best is not None and own is not None and beats(by, best["results"][by], own, "minimize"):
            yield row(main, e, best["name"], by, "minimize", (best["results"][by], own), best["results"])
            return


def _of_search(main: Json, e: Json) -> Iterator[Json]:
    """The choice of a search that varies the run, where it is better by the first aim."""
    found, aim = choice(e), (e.get("aims") or [{}])[0]
    best: Json | None = dict(found) if found else None
    own = aim.get("base")
    if e["base"] != main["settings"]["name"] or best is None or own is None or not same_work(main, best):
        return
    if meets_limits(main, best["results"]) and beats(aim["text"], aim["best"], own, aim["direction"]):
        name, values = "the search's choice", (aim["best"], own)
        yield row(main, e, name, aim["text"], aim["direction"], values, best["results"], gpus(best))


FOUND = {"compare": _of_comparison, "optimize": _of_search}


def same_work(main: Json, other: Json) -> bool:
    """Whether both train the same model on as many tokens of the same length; a point of a table has what varies."""
    own = main["settings"]
    return all(own.get(p) == v for p, v in other["settings"].items() if p in WORK or p.startswith("model."))


def holds(point: Json) -> bool:
    """Whether a run is feasible, fails no check, and meets every requirement."""
    return point["status"] == "ok" and not failed(point) and all(v["holds"] for v in point["verdicts"])


def meets_limits(main: Json, results: Json) -> bool:
    """Whether the results keep to what a comparison requires of the run; its own requirements the search has."""
    for limit in (v["limit"] for v in main["verdicts"] if v.get("origin") not in (None, main["settings"]["name"])):
        value = limit and results.get(limit["name"])
        if limit and (value is None or (value > limit["value"] if limit["op"][0] == "<" else value < limit["value"])):
            return False
    return True


def beats(name: str, value: float | None, own: float, direction: str) -> bool:
    """Whether a value is better than the run's own, and prints differently."""
    if value is None or (value >= own if direction == "minimize" else value <= own):
        return False
    return in_print(name, value) != in_print(name, own)


def in_print(name: str, value: float) -> str:
    """A result as it is printed; a number with its first four digits where it is an expression."""
    return shown(name, value) if name in BY_NAME else f"{value:.4g}"


def row(
    main: Json, e: Json, name: str, by: str, direction: str, values: tuple[float, float], results: Json, gpus: str = ""
) -> Json:
    """The alternative as the document has it."""
    heading = SAID.get(by) if direction == "minimize" else None
    heading = heading or f"has {'less' if direction == 'minimize' else 'more'} {setting(by)}"
    said = sentence(main, name, by, values, results, gpus)
    return {"experiment": e["name"], "kind": e["kind"], "name": name, "by": by, "direction": direction,
            "value": values[0], "own": values[1], "heading": f"{name} {heading}", "sentence": said}  # fmt: skip


def sentence(main: Json, name: str, by: str, values: tuple[float, float], results: Json, gpus: str) -> str:
    """Both beside each other: what is sought, then cost and time."""
    names = [n for n in ("cost", "time_to_train") if n != by and None not in (results.get(n), main["results"].get(n))]
    sides = [
        joined([in_print(by, value), *(shown(n, own[n]) for n in names)])
        for value, own in zip(values, (results, main["results"]), strict=True)
    ]
    return f"Beside it {name}{gpus} comes to {sides[0]}; this run to {sides[1]}"


def gpus(point: Json) -> str:
    """How many GPUs a point of a table has, and of which cluster where that is varied."""
    count, cluster = point["settings"].get("cluster.gpus"), point["settings"].get("cluster")
    of = f" of {cluster}" if cluster else ""
    return f" ({Quantity(count, '', 0).number()} GPUs{of})" if isinstance(count, (int, float)) else ""

"""The other runs of the file side by side with this one."""

from collections.abc import Sequence

from reports.plan import Plan, Section
from reports.prose import capital, joined
from reports.quantities import Quantity
from reports.sections.assumptions import ABOUT, input_value
from reports.tables import Cell, Table, UnitOf, code, number, text
from reports.terms import words

COMPARED = (
    "step_time",
    "mfu",
    "memory_per_gpu",
    "bubble",
    "exposed_communication",
    "effective_training_time",
    "time_to_train",
    "gpu_hours",
    "cost",
    "energy",
    "peak_power",
)
RUNS_SHOWN = 5  # others side by side; the JSON holds all
DIFFERENCES = 2  # up to so many others each have their difference to this run beside them
ROOM = 122.0  # mm for the columns of runs
SETTINGS_SHOWN = 40
PARTS = ("layout.", "", "model.", "cluster.", "cluster.gpu.", "stack.")  # the longest that fits; "" fits all


def alternatives(plan: Plan) -> Section | None:
    if not plan.others or compared_whole(plan):
        return None
    tables = tuple(t for t in (runs_table(plan), results_table(plan), settings_table(plan)) if t)
    return Section(
        "alternatives",
        "Runs of the file" if any(e["kind"] == "compare" for e in plan.document["experiments"]) else "",
        tables,
        ("compared_step_time", "compared_memory"),
        facts={
            "others": len(plan.others),
            "shown": min(len(plan.others), RUNS_SHOWN),
            "name": plan.experiment["name"],
            "paired": len(plan.others) <= DIFFERENCES,
        },
    )


def compared_whole(plan: Plan) -> bool:
    """Whether one comparison of the file holds every run of it: it says more than this section."""
    runs = {p.experiment["name"] for p in (plan, *plan.others)}
    comparisons = (e for e in plan.document["experiments"] if e["kind"] == "compare")
    return any(runs <= {point["name"] for point in e["points"]} for e in comparisons)


def runs_table(plan: Plan) -> Table:
    """Every run with its verdicts."""
    rows = tuple(
        (p.experiment["name"], p.experiment.get("title") or "", verdicts(p), found(p)) for p in (plan, *plan.others)
    )
    columns = (text("Run", 34), text("Title"), text("Requirements", 42), text("Checks that warn or fail", 44))
    return Table("runs", "Runs of the file", columns, rows, chosen=0, more="The run this document is about is shaded.")


def verdicts(plan: Plan) -> str:
    if plan.point["status"] != "ok":
        return words(plan.point["status"])
    held = [v["holds"] for v in plan.verdicts]
    parts = [f"{held.count(k)} {word}" for k, word in ((True, "hold"), (False, "fail"), (None, "open")) if k in held]
    return joined(parts) or "none stated"


def found(plan: Plan) -> str:
    return (
        ", ".join(f"{c['id']} ({c['status']})" for c in plan.point["checks"] if c["status"] in ("warn", "fail"))
        or "none"
    )


def results_table(plan: Plan) -> Table | None:
    """Results side by side; beside each other run its difference to this one."""
    shown = plan.others[:RUNS_SHOWN]
    paired = len(shown) <= DIFFERENCES
    rows = []
    for name in COMPARED:
        own = plan.result(name)
        values = [p.result(name).value for p in shown]
        if own.missing and all(v is None for v in values):
            continue
        cells: list[Cell] = [capital(words(name)), UnitOf(own), own]
        for value in values:
            cells += [Quantity(value, own.unit, own.decimals), *([difference(own, value)] if paired else [])]
        rows.append(tuple(cells))
    width = min(ROOM / (len(shown) + 1), 23.0)
    heads = [number(p.experiment["name"], width=23 if paired else width) for p in (plan, *shown)]
    pairs = [c for head in heads[1:] for c in (head, *([number("Difference", width=21)] if paired else []))]
    columns = (text("Result"), text("Unit", 16), heads[0], *pairs)
    return Table("compared", "Results side by side", columns, tuple(rows), wide=len(shown) > 1) if rows else None


def difference(own: Quantity, value: float | None) -> Quantity:
    gap = None if value is None or own.value is None else value - own.value
    return Quantity(gap, "points" if own.unit == "%" else own.unit, own.decimals, signed=True)


def settings_table(plan: Plan) -> Table | None:
    """The settings in which the runs differ, without those that only speak about others or follow from them."""
    shown = plan.others[:RUNS_SHOWN]
    paths = sorted({*plan.settings, *(k for p in shown for k in p.settings)}, key=lambda k: (part(k), k))
    said = (k for k in paths if k.rpartition(".")[2] not in ABOUT and not all(derived(p, k) for p in (plan, *shown)))
    differing = [k for k in said if any(p.settings.get(k) != plan.settings.get(k) for p in shown)]
    rows = tuple((k, *setting_texts((plan, *shown), k)) for k in differing)
    width = ROOM / (len(shown) + 1) if len(shown) > DIFFERENCES else None
    columns = (code("Setting", 50 if width else 62), *(text(p.experiment["name"], width) for p in (plan, *shown)))
    caption = "Settings in which the runs differ"
    return Table("differences", caption, columns, rows, wide=True, most=SETTINGS_SHOWN) if rows else None


def derived(plan: Plan, path: str) -> bool:
    return bool(plan.stated.get(path, {}).get("origin") == "derived")


def part(path: str) -> int:
    """The place of a setting in the table: of the run, of its layout, what else is chosen, then what it names."""
    if "." not in path:
        return 0
    return PARTS.index(max((start for start in PARTS if f"{path}.".startswith(start)), key=len)) + 1


def setting_texts(plans: Sequence[Plan], path: str) -> list[str]:
    """A setting in each run; quantities of one kind in one unit, that in which they are shortest."""
    given = [input_value(p.settings.get(path), p.stated.get(path, {}).get("unit"))[0] for p in plans]
    numbers = [v for v in given if isinstance(v, Quantity)]
    units = [q.unit for q in numbers if all(q.display.base == other.display.base for other in numbers)]
    best = min(units, key=lambda unit: sum(len(q.shown_as(unit).text()) for q in numbers), default="")
    shown = (v.shown_as(best) if best and isinstance(v, Quantity) else v for v in given)
    return [v.text() if isinstance(v, Quantity) else str(v or "–") for v in shown]

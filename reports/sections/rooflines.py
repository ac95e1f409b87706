"""Operations against the roof of a part: arithmetic intensity, what binds it, and its time between two bounds."""

from reports.plan import Json, Plan, Section
from reports.prose import amount, count, joined
from reports.quantities import Quantity, readable
from reports.tables import Cell, Table, UnitOf, number, text

BOUND = {"compute": "arithmetic", "memory": "memory", "network": "the network"}


def operations(plan: Plan) -> list[Json]:
    """The operations of the file."""
    return [e for e in plan.document["experiments"] if e["kind"] == "roofline"]


def verdict_line(plan: Plan) -> str:
    """What binds how many of the operations; one that states no bytes has no intensity to hold against the ridge."""
    found = [e["points"][0]["bound"] for e in operations(plan)]
    many = {k: (found.count(k), f"bound by {what}") for k, what in BOUND.items() if k in found}
    parts = [f"{amount(n)} {'is' if n == 1 else 'are'} {what}" for n, what in many.values()]
    if without := found.count(None):
        parts.append(f"{amount(without)} {'states' if without == 1 else 'state'} no bytes")
    return f"Of {count(len(found), 'operation')}, {joined(parts)}"


def rooflines(plan: Plan) -> Section | None:
    found = operations(plan)
    if not found:
        return None
    columns = (
        text("Operation"),
        text("Part", 20),
        number("Intensity", "FLOP/byte", 1, width=17),
        number("Ridge", "FLOP/byte", 1, width=17),
        text("Bound by", 19),
        number("Least time", width=15),
        number("Most time", width=15),
        text("Unit", 13),
        number("From", "tokens", 0, width=13),
        number("From", "inner size", 0, width=15),
    )
    rows = tuple(_row(e) for e in found)
    more = (
        "Least time: arithmetic and movement overlap wholly; most: not at all. "
        "From: the tokens, or for a split multiply the inner size, from which it is bound by arithmetic."
    )
    return Section("rooflines", "", (Table("rooflines", "Operations against the roof", columns, rows, more=more),),
                   facts={"operations": len(found)})  # fmt: skip


def _row(experiment: Json) -> tuple[Cell, ...]:
    point = experiment["points"][0]
    r = point["results"]
    low = readable(r["lower"], "s")
    high = Quantity(r["upper"], low.unit, low.decimals)
    return (experiment["title"] or experiment["name"], point["settings"]["gpu"], r["intensity"], r["ridge"],
            point["bound"] or "–", low, high, UnitOf(low), r["smallest_batch"], r["smallest_inner"])  # fmt: skip

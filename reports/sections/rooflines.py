"""Operations against the roof of a part: arithmetic intensity, what binds it, and its time between two bounds."""

from reports.plan import Json, Plan, Section
from reports.quantities import Quantity, readable
from reports.tables import Cell, Table, UnitOf, number, text


def rooflines(plan: Plan) -> Section | None:
    found = [e for e in plan.document["experiments"] if e["kind"] == "roofline"]
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

"""Appendix: how the numbers of page 1 are worked out, with the scenario's own values, sources, and what is left out."""

from reports.equations import Equation, equations
from reports.intervals import basis
from reports.plan import Plan, Section
from reports.quantities import Quantity
from reports.tables import total
from reports.validation.stated import MEMORY, TIMES

MOST = 7  # equations of a room that are printed
KINDS = ("gemm", "sdpa", "hbm", "collective", "launch", "wait")


def method(plan: Plan) -> Section:
    """The step as the sum of its kinds, the rule of thumb beside it, and how far predictions are off."""
    ledger = plan.point["ledger"]
    formula = plan.point.get("formula_days")
    shown = (("step", bool(ledger)), ("rule", bool(formula)))
    facts = {
        "sums": {k: Quantity(total([r["exposed"] for r in ledger if r["kind"] == k]), "s", 3) for k in KINDS},
        "formula": formula,
        "sources": sources(plan),
        "fidelity": str(plan.setting("fidelity", "operator")),
        "held": [TIMES, MEMORY],
        "spread": spread(plan),
        "traced": bool(plan.document.get("formulas")),
    }
    return Section("method", "", equations=tuple(key for key, own in shown if own), facts=facts)


def equation_rooms(plan: Plan) -> list[Section]:
    """A section for each room of the engine that the numbers of page 1 went through."""
    rooms: dict[str, list[Equation]] = {}
    for e in equations(plan.document.get("provenance") or [], plan.document.get("formulas") or []):
        if e.forms:
            rooms.setdefault(e.room, []).append(e)
    return [
        Section(
            f"method-{room.lower().replace(' ', '-')}",
            room,
            equations=tuple(e.function for e in nearest(made)),
            facts={"made": nearest(made), "left": [e.function for e in made if e not in nearest(made)]},
            template="equations",
        )
        for room, made in rooms.items()
    ]


def nearest(made: list[Equation]) -> list[Equation]:
    """The equations that stand nearest to the numbers of page 1, in the order of the room."""
    kept = sorted(made, key=lambda e: e.depth)[:MOST]
    return [e for e in made if e in kept]


def spread(plan: Plan) -> dict[str, object] | None:
    """What four in five published runs under the run's stack took against the prediction."""
    low, high = plan.number("stack.measured_low"), plan.number("stack.measured_high")
    if low is None or high is None or not plan.point.get("intervals"):
        return None
    found = basis(plan.point)
    return {
        "low": Quantity(low, "%", 0),
        "high": Quantity(high, "%", 0),
        "rows": Quantity(found.rows if found else None),
        "kind": found.kind if found else "",
        "stack": plan.name_of("stack"),
    }


def sources(plan: Plan) -> list[str]:
    """The sources of the checks and of the measured values, each once; those of inputs have a table."""
    named = [str(row.get("source") or "") for part in ("checks", "measured") for row in plan.point[part]]
    return sorted({one for source in named for one in source.split("; ") if one})

"""Appendix: the formulas with the scenario's own numbers, their sources, and what the model leaves out."""

from reports.plan import Plan, Section
from reports.quantities import Quantity, readable
from reports.tables import total


def method(plan: Plan) -> Section:
    ledger = plan.point["ledger"]
    sums = {
        kind: Quantity(total([r["exposed"] for r in ledger if r["kind"] == kind]), "s", 3)
        for kind in ("gemm", "sdpa", "hbm", "collective", "launch", "wait")
    }
    steps = steps_of(plan)
    equations = tuple(
        key
        for key, shown in (
            ("step", bool(ledger)),
            ("flops", plan.results.get("active_parameters") is not None),
            ("mfu", not plan.result("mfu").missing),
            ("ring", True),
            ("days", steps is not None and not plan.result("time_to_train").missing),
            ("rule", bool(plan.point.get("formula_days"))),
        )
        if shown
    )
    return Section(
        "method",
        "",
        equations=equations,
        facts={
            "sums": sums,
            "steps": Quantity(steps),
            "peak": readable(plan.number(f"cluster.gpu.peak.{plan.setting('precision', 'bf16')}"), "FLOP/s"),
            "gpus": Quantity(plan.number("cluster.gpus")),
            "tokens": readable(plan.number("tokens"), "tokens"),
            "batch_tokens": batch_tokens(plan),
            "formula": plan.point.get("formula_days"),
            "sources": sources(plan),
            "active": Quantity(plan.results.get("active_parameters")),
            "fidelity": str(plan.setting("fidelity", "operator")),
        },
    )


def batch_tokens(plan: Plan) -> Quantity:
    batch, sequence = plan.number("batch"), plan.number("sequence") or plan.number("model.sequence")
    shown = readable(batch * sequence if batch and sequence else None, "tokens")
    return shown.shown_as(shown.unit, 1 if shown.display.factor > 1 else 0)


def steps_of(plan: Plan) -> float | None:
    tokens, batch = plan.number("tokens"), batch_tokens(plan).value
    return tokens / batch if tokens and batch else None


def sources(plan: Plan) -> list[str]:
    """The sources of the checks and of the measured values, each once; those of inputs have a table."""
    named = [str(row.get("source") or "") for part in ("checks", "measured") for row in plan.point[part]]
    return sorted({one for source in named for one in source.split("; ") if one})

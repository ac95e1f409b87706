"""One optimizer step: where its time goes, by block and phase of the ledger."""

from collections import defaultdict

from reports.plan import Json, Plan, Section
from reports.prose import capital
from reports.tables import Table, number, share, text, total
from reports.terms import words

BLOCKS = (
    "attention", "mixer", "mlp", "experts", "mtp", "head", "embedding", "data", "pipeline", "optimizer", "launch",
    "step",
)  # fmt: skip
BLOCK_NAMES = {
    "attention": "Attention block",
    "mixer": "Mixer block",
    "mlp": "MLP block",
    "experts": "Expert block",
    "mtp": "Multi-token prediction",
    "head": "Head and loss",
    "embedding": "Embedding",
    "data": "Data parallel traffic",
    "pipeline": "Pipeline: bubble and traffic",
    "optimizer": "Optimizer",
    "launch": "Kernel launches",
    "step": "Fixed time and stragglers",
}
PHASES = ("forward", "recompute", "backward", "step")
KIND_NAMES = {
    "gemm": "Matrix multiply",
    "sdpa": "Attention kernel",
    "hbm": "Memory-bound kernels",
    "collective": "Communication, exposed",
    "launch": "Kernel launches",
    "wait": "Bubble and fixed time",
}


def step(plan: Plan) -> Section | None:
    """From the ledger; where a run has none (fidelity = reduced), from the results that add up to the step."""
    ledger = plan.point["ledger"]
    facts = {"rows": len(ledger), "stages": int(plan.number("layout.pipeline") or 1)}
    if not ledger:
        table = terms_table(plan)
        return Section("step", "", (table,), facts=facts) if table else None
    by_kind = sums(ledger, "kind")
    largest = max(by_kind, key=lambda k: by_kind[k])
    return Section(
        "step",
        "",
        (blocks_table(ledger), kinds_table(ledger)),
        ("step_time", "roofline"),
        facts=facts
        | {
            "largest": KIND_NAMES.get(largest, words(largest)),
            "largest_share": share(by_kind[largest], sum(by_kind.values())),
            "hidden": total([row["seconds"] - row["exposed"] for row in ledger if row["kind"] == "collective"]),
        },
    )


TERMS = (
    "compute_time",
    *(f"{axis}_communication" for axis in ("tensor", "context", "pipeline", "data")),
    "bubble_time",
    "overhead_time",
)


def terms_table(plan: Plan) -> Table | None:
    """The terms of a step that has no ledger."""
    whole = plan.results.get("step_time")
    found = [(capital(words(name)), value) for name in TERMS if (value := plan.results.get(name)) is not None]
    unit, decimals = time_unit(whole or 0.0)
    columns = (text("Term", 56), number("Time", unit, decimals, width=28), number("Share", "%", 1, width=24))
    rows = (*((name, value, share(value, whole)) for name, value in found), ("Step time", whole, share(whole, whole)))
    return Table("terms", "Terms of one step", columns, rows, totals=1) if whole is not None else None


def sums(ledger: list[Json], key: str, seconds: str = "exposed") -> dict[str, float]:
    """Exposed (or busy) seconds by the value of one column of the ledger."""
    result: dict[str, float] = defaultdict(float)
    for row in ledger:
        result[row[key]] += row[seconds]
    return dict(result)


def blocks_table(ledger: list[Json]) -> Table:
    """Exposed seconds by block and phase; the sum is the step time."""
    cells: dict[tuple[str, str], float] = defaultdict(float)
    for row in ledger:
        cells[row["block"], row["phase"]] += row["exposed"]
    phases = [p for p in PHASES if any(phase == p for _, phase in cells)]
    blocks = [
        b for b in (*BLOCKS, *sorted({b for b, _ in cells} - set(BLOCKS))) if any(block == b for block, _ in cells)
    ]
    whole = sum(cells.values())
    unit, decimals = time_unit(whole)
    rows = tuple(
        (
            BLOCK_NAMES.get(b, words(b).capitalize()),
            *(cells.get((b, p)) for p in phases),
            in_block(cells, b),
            share(in_block(cells, b), whole),
        )
        for b in blocks
    )
    last = (
        "Step time",
        *(sum(v for (_, phase), v in cells.items() if phase == p) for p in phases),
        whole,
        share(whole, whole),
    )
    columns = (
        text("Block"),
        *(number(p.capitalize() if p != "step" else "Once a step", unit, decimals, width=23) for p in phases),
        number("Total", unit, decimals, width=23),
        number("Share", "%", 1, width=20),
    )
    return Table("blocks", "Time of one step by block and phase, exposed time only", columns, rows + (last,), totals=1)


def time_unit(step: float) -> tuple[str, int]:
    """The unit and decimals of the rows of a step: tenths of a millisecond, from 20 s on milliseconds."""
    return ("ms", 1) if step < 1 else ("s", 4) if step < 20 else ("s", 3)


def in_block(cells: dict[tuple[str, str], float], block: str) -> float:
    return sum(v for (b, _), v in cells.items() if b == block)


def kinds_table(ledger: list[Json]) -> Table:
    """Exposed and busy seconds by kind of work."""
    exposed, busy = sums(ledger, "kind"), sums(ledger, "kind", "seconds")
    whole = sum(exposed.values())
    unit, decimals = time_unit(whole)
    rows = tuple(
        (KIND_NAMES.get(k, words(k)), busy[k], exposed[k], share(exposed[k], whole))
        for k in sorted(exposed, key=lambda k: -exposed[k])
    )
    columns = (
        text("Kind of work", 38),
        number("Busy", unit, decimals, width=16),
        number("Exposed", unit, decimals, width=17),
        number("Share", "%", 1, width=13),
    )
    return Table(
        "kinds",
        "The same step by kind of work",
        columns,
        rows,
        more="Busy time includes what is hidden behind other work.",
    )

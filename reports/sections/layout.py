"""The configuration: layout, resolved values, GPUs bought, used, idle and spare, parameters."""

from reports.plan import Plan, Section
from reports.quantities import Quantity, readable
from reports.tables import NO_UNIT, Cell, Table, UnitOf, filled, number, share, text, total
from reports.terms import words

AXES = ("tensor", "context", "pipeline", "data", "expert", "expert_tensor")
COUNTED = ("bought", "used", "idle", "spare")
HALF = 84.0  # mm: two tables stand side by side


def layout(plan: Plan) -> Section | None:
    if not plan.settings:
        return None
    tables = (axes_table(plan), parameters_table(plan), gpus_table(plan), values_table(plan))
    return Section(
        "layout",
        "",
        tuple(kept for t in tables if t and (kept := filled(t))),
        facts={
            "billed": (plan.point.get("gpus") or {}).get("billed_rule"),
            "gpus": plan.point.get("gpus") or {},
            "model": plan.name_of("model"),
            "cluster": plan.name_of("cluster"),
            "order": [words(a) for a in plan.setting("layout.order") or []],
            "reasons": plan.point.get("reasons", []),
            "alternatives": plan.point.get("alternatives", []),
        },
    )


def axes_table(plan: Plan) -> Table:
    """Every parallel axis: degree, members in one domain, domains and pods spanned, tier reached."""
    traffic = {row["axis"]: row for row in plan.point["traffic"]}
    rows = []
    for axis in AXES:
        degree, row = plan.number(f"layout.{axis}"), traffic.get(axis, {})
        if (degree is None and not row) or (axis == "expert_tensor" and degree == 1):
            continue
        rows.append(
            (
                words(axis),
                degree if degree is not None else row.get("size"),
                row.get("members_per_domain"),
                row.get("domains"),
                row.get("pods"),
                row.get("tier") or ("no traffic" if degree == 1 else "–"),
                readable(row.get("bandwidth"), "B/s").shown_as("GB/s", 1),
            )
        )
    columns = (
        text("Axis", 26),
        number("Degree", decimals=0),
        number("In one domain", decimals=0, width=24),
        number("Domains", decimals=0),
        number("Pods", decimals=0),
        text("Tier reached"),
        number("Bandwidth", "GB/s", 1, width=26),
    )
    return Table("axes", "Parallel axes and where they reach", columns, tuple(rows), wide=True)


VALUES = (  # path, label
    ("model", "Model"),
    ("cluster", "Cluster"),
    ("cluster.gpu", "GPU"),
    ("stack", "Training framework"),
    ("tokens", "Training tokens"),
    ("batch", "Global batch"),
    ("sequence", "Sequence length"),
    ("layout.micro_batch", "Micro-batch"),
    ("precision", "Precision"),
    ("layout.schedule", "Pipeline schedule"),
    ("layout.schedule.virtual_stages", "Virtual stages"),
    ("layout.recompute", "Recompute"),
    ("layout.shard", "Sharding of states"),
    ("layout.shard.within", "Shard group"),
    ("layout.sequence_parallel", "Sequence parallelism"),
    ("cluster.placement", "Placement"),
    ("checkpoint.interval", "Checkpoint interval"),
    ("fidelity", "Fidelity"),
)

DERIVED = (  # result, label, unit
    ("micro_batches", "Micro-batches a step", NO_UNIT),
    ("data_parallel", "Data-parallel ranks", "GPUs"),
    ("expert_tensor_parallel", "Tensor parallelism of an expert", "GPUs"),
    ("expert_data_parallel", "Copies of an expert", NO_UNIT),
    ("kv_replication", "Copies of a key/value head", NO_UNIT),
    ("sequence_multiple", "Sequence must be a multiple of", "tokens"),
    ("padded_vocabulary", "Vocabulary, padded", "tokens"),
)


def values_table(plan: Plan) -> Table:
    """The resolved values of the run, each with where it comes from."""
    rows = []
    for path, label in VALUES:
        value = plan.settings.get(path)
        if value is None:
            continue
        stated = plan.stated.get(path, {})
        rows.append(
            (
                label,
                *shown(value, stated.get("unit") or UNIT_OF_PATH.get(path, "")),
                str(stated.get("origin") or "derived"),
            )
        )
    for name, label, unit in DERIVED:
        found = plan.result(name)
        if not found.missing and (plan.settings.get("model.experts") or not name.startswith("expert_")):
            rows.append((label, found, unit, "derived"))
    return Table(
        "values",
        "Resolved values of the run",
        (text("Setting", 56), number("Value", width=48), text("Unit", 34), text("Origin")),
        tuple(rows),
        wide=True,
    )


UNIT_OF_PATH = {
    "tokens": "tokens",
    "batch": "sequences",
    "sequence": "tokens",
    "layout.micro_batch": "sequences",
    "checkpoint.interval": "s",
}


def shown(value: object, unit: str) -> tuple[Cell, Cell]:
    if isinstance(value, bool):
        return ("yes" if value else "no"), NO_UNIT
    if isinstance(value, (int, float)):
        quantity: Quantity = (
            readable(float(value), unit) if value >= 1e6 or unit in ("s", "seconds") else Quantity(float(value), unit)
        )
        return quantity, UnitOf(quantity) if quantity.display.name else NO_UNIT
    return words(str(value)), NO_UNIT


def gpus_table(plan: Plan) -> Table | None:
    """GPUs bought, used, idle, spare."""
    gpus = plan.point.get("gpus") or {}
    rows = tuple((name.capitalize(), gpus.get(name), share(gpus.get(name), gpus.get("bought"))) for name in COUNTED)
    columns = (
        text("GPUs", HALF - 56),
        number("Number", decimals=0, width=28),
        number("Share of bought", "%", 1, width=28),
    )
    return Table("gpus", "GPUs bought, used, idle and spare", columns, rows, wide=True) if gpus else None


def parameters_table(plan: Plan) -> Table | None:
    """Exact parameter count by part; none where the model states how many there are and nothing is counted."""
    if plan.number("model.parameters") is not None:
        return None
    parts = [
        (
            words(p["part"]).capitalize()
            if p["part"].islower() and words(p["part"]) == p["part"]
            else words(p["part"]),
            p["count"],
        )
        for p in plan.point["parameters"]
    ]
    whole = total([float(n) for _, n in parts])
    rows = tuple((name, float(n), share(float(n), whole)) for name, n in parts) + (
        ("Total", whole, share(whole, whole)),
    )
    columns = (text("Part", HALF - 56), number("Parameters", decimals=0, width=36), number("Share", "%", 1, width=20))
    caption = "Parameters, counted from the dimensions"
    return Table("parameters", caption, columns, rows, totals=1, wide=True) if parts else None

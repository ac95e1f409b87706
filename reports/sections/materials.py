"""The bill of materials: what is bought or rented in pieces, counted from what the scenario states, else not stated."""

import math
from collections.abc import Iterator
from typing import Any

from reports.materials import LEVELS, Network, network_of
from reports.plan import Json, Plan, Section
from reports.quantities import Quantity, fixed
from reports.tables import Cell, Table, number, text

NOT_STATED = "not stated"
ID = 4.0  # bytes of a token in a data set
Row = tuple[str, Cell, str, str]


def materials(plan: Plan) -> Section | None:
    """Nodes, network, power and storage of the run's cluster."""
    if not plan.experiment["points"] or not plan.number("cluster.gpus"):
        return None
    found, why = network_of(plan.settings | {"cluster.gpus": fleet(plan)})
    rows = [*nodes(plan), *switches(plan, found, why), *power(plan), *storage(plan)]
    columns = (text("Item", 50), number("Count", width=24), text("Unit", 20), text("How it is counted"))
    table = Table("materials", "Bill of materials", columns, tuple(rows))
    facts = {
        "open": [r[0] for r in rows if r[1] == NOT_STATED],
        "radix": found.radix if found else None,
        "levels": len(found.switches) if found else 0,
        "end": finish(plan),
        "start": plan.report.get("start"),
        "programme": apart(plan),
    }
    return Section("materials", "", (table,), facts=facts)


def fleet(plan: Plan) -> float | None:
    """The GPUs that are bought: those of the programme that the run is part of, else the run's."""
    return float(plan.programme["gpus"]) if plan.programme else plan.number("cluster.gpus")


def apart(plan: Plan) -> Json | None:
    """The programme and the run, where it holds other GPUs than the run takes."""
    run, whole = plan.number("cluster.gpus"), fleet(plan)
    if plan.programme is None or run == whole:
        return None
    return {"title": plan.programme["title"], "gpus": whole, "run": plan.experiment["title"], "run_gpus": run}


def finish(plan: Plan) -> str:
    """How long after the delivery the run ends."""
    time = plan.result("time_to_train")
    return "" if time.missing else time.text()


def row(item: str, count: float | None, unit: str, how: str, decimals: int = 0) -> Row:
    """A line; without a count it says so."""
    return item, NOT_STATED if count is None else Quantity(count, "", decimals), unit, how


def nodes(plan: Plan) -> Iterator[Row]:
    """GPUs, nodes and spares."""
    gpus, each = fleet(plan) or 0.0, plan.number("cluster.gpus_per_node") or 1.0
    part, spares = plan.name_of("cluster.gpu"), plan.number("cluster.spares") or 0.0
    own = apart(plan) is None
    count = plan.number("cluster.nodes") if own else None
    yield row(f"GPU, {part}", gpus, "pcs", "cluster.gpus" if own else "GPUs that the programme holds")
    how = "GPUs over those of a node" if count is None else "cluster.nodes"
    yield row(f"Node of {fixed(each, 0)} GPUs", float(math.ceil(gpus / each)) if count is None else count, "pcs", how)
    yield row("Spare GPU", spares, "pcs", "cluster.spares")


def switches(plan: Plan, found: Network | None, why: str) -> Iterator[Row]:
    """Switches by level, cables and transceivers."""
    if found is None:
        yield row("Network switch", None, "pcs", why)
        yield row("Cable and optics", None, "pcs", why)
        return
    per_node = plan.number("cluster.gpus_per_node") or 1.0
    yield row("Network port of a node", per_node, "pcs", "one port a GPU of the rate of the outer tiers")
    for name, count in zip(LEVELS, found.switches, strict=False):
        yield row(f"{name.capitalize()} switch, {found.radix} ports", float(count), "pcs", HOW[name])
    below = ("Cable, node to leaf", "Cable, leaf to spine", "Cable, spine to core")
    for name, count in zip(below, found.cables, strict=False):
        yield row(name, float(count), "pcs", "ports of the level below that lead up")
    if found.transceivers:
        yield row("Optical transceiver", float(found.transceivers), "pcs", "two at each cable between switches")


HOW = {
    "leaf": "GPUs over the downlinks of a leaf",
    "spine": "uplinks of the leaves over the ports of a spine that lead down",
    "core": "uplinks of the spines over the ports of a core",
}


def power(plan: Plan) -> Iterator[Row]:
    """Racks, kW of a node and of a rack, and the facility."""
    lines = {str(r["line"]): r.get("peak") for r in plan.point["power"]}
    own = [lines.get(k) for k in ("GPUs", "host", "NICs")]
    count = plan.number("cluster.nodes")
    known = [float(v) for v in own if v is not None]
    each = sum(known) / count if known and count else None
    yield row("Power of a node", None if each is None else each / 1e3, "kW", "GPUs, host and NICs at full load", 1)
    tiers = [str(t) for t in plan.setting("cluster.tier") or ()]
    span = plan.number(f"cluster.tier.{tiers[0]}.span") if tiers else None
    per_node, gpus = plan.number("cluster.gpus_per_node") or 1.0, fleet(plan) or 0.0
    racks = float(math.ceil(gpus / span)) if span and span > per_node else None
    how = "one scale-up domain a rack" if racks else "nodes a rack are not stated"
    yield row("Rack", racks, "pcs", how)
    per_rack = each * (span or 0.0) / per_node / 1e3 if each and racks else None
    yield row("Power of a rack", per_rack, "kW", how, 1)
    peak = plan.result("peak_power")
    cooled = f"PUE {Quantity(plan.number('cluster.pue'), '', 2).text()}"
    cooled += "" if apart(plan) is None else ", a GPU's share as in the run"
    facility = (peak.value or 0.0) / 1e6 * gpus / (plan.number("cluster.gpus") or gpus)
    yield row("Facility, power and cooling", None if peak.missing else facility, "MW", cooled, 2)


def storage(plan: Plan) -> Iterator[Row]:
    """Checkpoints kept, the rate of a save, the feed of the data set."""
    checkpoint: dict[str, Any] = dict(plan.point.get("checkpoint") or {})
    size, save, kept = checkpoint.get("size"), checkpoint.get("save"), plan.number("checkpoint.retain")
    total = size * kept / 1e12 if size and kept else None
    how = f"{fixed(kept or 0.0, 0)} kept of {Quantity(size, 'TB', 2).text()}" if total else "needs checkpoint.retain"
    yield row("Storage of checkpoints", total, "TB", how, 1)
    yield row(
        "Write rate of a save", size / save / 1e9 if size and save else None, "GB/s", "its bytes over its seconds", 1
    )
    tokens = plan.results.get("tokens_per_second")
    feed = tokens * ID / 1e6 if tokens else None
    yield row("Data set feed", feed, "MB/s", "tokens a second, four bytes each", 1)
    data = plan.number("tokens")
    yield row("Data set", data * ID / 1e12 if data else None, "TB", "training tokens, four bytes each", 1)

"""The bill of materials: what is bought or rented in pieces, counted from what the scenario states, else not stated."""

import math
from collections.abc import Iterator

from reports.dates import dates
from reports.materials import COUNTED_FROM, network_of, outer_tiers
from reports.plan import Json, Plan, Section
from reports.prose import joined
from reports.quantities import Quantity, fixed
from reports.sections.bill_network import network
from reports.sections.bill_rows import NOT_STATED, Row, row
from reports.sections.bill_storage import storage
from reports.sections.calendar import calendar, day
from reports.tables import Table, number, text


def materials(plan: Plan) -> Section | None:
    """Nodes, network, power and storage of the run's cluster."""
    if not plan.experiment["points"] or not plan.number("cluster.gpus"):
        return None
    found, why = network_of(plan.settings | {"cluster.gpus": fleet(plan)})
    rows = [*nodes(plan), *network(plan, found, why), *power(plan), *storage(plan)]
    columns = (text("Item", 66), number("Count", width=22), text("Unit", 14), text("How it is counted"))
    table = Table("materials", "Bill of materials", columns, tuple(rows))
    when = dates(plan.point, plan.report)
    facts = {
        "open": [r[0] for r in rows if r[1] == NOT_STATED],
        "sources": counted_from(plan) if found else [],
        "radix": found.radix if found else None,
        "levels": len(found.switches) if found else 0,
        "end": finish(plan),
        "first": day(when.first),
        "late": when.late,
        "programme": apart(plan),
    }
    return Section("materials", "", tuple(t for t in (calendar(plan), table) if t), facts=facts)


def counted_from(plan: Plan) -> list[str]:
    """The sources of the ports, radix and rails that the network is counted from; where they stand, without one."""
    paths = [f"cluster.{name}" for name in COUNTED_FROM]
    paths += [f"cluster.tier.{t}.{name}" for t in outer_tiers(plan.settings) for name in ("radix", "oversubscription")]
    rows = [r for p in paths if (r := plan.stated.get(p)) and r["origin"] != "default"]
    return list(dict.fromkeys(str(r.get("source") or r.get("where") or "") for r in rows))


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
    """How long the run takes."""
    time = plan.result("time_to_train")
    return "" if time.missing else time.text()


def nodes(plan: Plan) -> Iterator[Row]:
    """GPUs, nodes and spares."""
    gpus, each = fleet(plan) or 0.0, plan.number("cluster.gpus_per_node") or 1.0
    part, spares = plan.name_of("cluster.gpu"), plan.number("cluster.spares") or 0.0
    own = apart(plan) is None
    count = plan.number("cluster.nodes") if own else None
    yield row(f"GPU, {part}", gpus, "pcs", "cluster.gpus" if own else "GPUs that the programme holds")
    how = "GPUs over those of a node" if count is None else "cluster.nodes"
    yield row(f"Node of {fixed(each, 0)} GPUs", float(math.ceil(gpus / each)) if count is None else count, "pcs", how)
    whole = (
        f"; {fixed(math.ceil(spares / each), 0)} more nodes where they stand in nodes of their own" if spares else ""
    )
    yield row("Spare GPU", spares, "pcs", f"cluster.spares{whole}")


def power(plan: Plan) -> Iterator[Row]:
    """Racks, kW of a node and of a rack, what computes, its cooling, and the facility at the meter."""
    each = node_power(plan)
    yield row("Power of a node", each and each / 1e3, "kW", "GPUs, host and NICs at full load", 1)
    in_rack, how = nodes_in_rack(plan)
    gpus, per_node = fleet(plan) or 0.0, plan.number("cluster.gpus_per_node") or 1.0
    racks = float(math.ceil(math.ceil(gpus / per_node) / in_rack)) if in_rack else None
    yield row("Rack of nodes", racks, "pcs", how)
    per_rack = each * in_rack / 1e3 if each and in_rack else None
    what = f"{fixed(in_rack, 0)} nodes of a full rack; switches of its own are not in it" if in_rack else how
    yield row("Power of a rack", per_rack, "kW", what, 1)
    yield from facility(plan, gpus / (plan.number("cluster.gpus") or gpus or 1.0))


def node_power(plan: Plan) -> float | None:
    """Watts of one node at full load, of the lines that are known."""
    lines = {str(r["line"]): r.get("peak") for r in plan.point["power"]}
    known = [float(v) for v in (lines.get(k) for k in ("GPUs", "host", "NICs")) if v is not None]
    count = (plan.number("cluster.gpus") or 0.0) / (plan.number("cluster.gpus_per_node") or 1.0)
    return sum(known) / count if known and count else None


def nodes_in_rack(plan: Plan) -> tuple[float | None, str]:
    """Nodes of one rack and why: as stated, else those of a scale-up domain that is more than a node."""
    stated, per_node = plan.number("cluster.nodes_per_rack"), plan.number("cluster.gpus_per_node") or 1.0
    if stated:
        return stated, f"nodes over cluster.nodes_per_rack, {fixed(stated, 0)}"
    tiers = [str(t) for t in plan.setting("cluster.tier") or ()]
    span = plan.number(f"cluster.tier.{tiers[0]}.span") if tiers else None
    if span and span > per_node:
        return span / per_node, "one scale-up domain a rack"
    return None, "needs cluster.nodes_per_rack"


def facility(plan: Plan, share: float) -> Iterator[Row]:
    """Megawatts of what computes, of cooling and losses, and of both at the meter; ``share`` of the run's."""
    lines = {str(r["line"]): r.get("peak") for r in plan.point["power"]}
    peak, extra = plan.result("peak_power").value, lines.get("PUE overhead")
    cooled = f"PUE {Quantity(plan.number('cluster.pue'), '', 2).text()}"
    cooled += "" if apart(plan) is None else ", a GPU's share as in the run"
    absent = [str(r["line"]) for r in plan.point["power"] if r.get("peak") is None]
    less = f"; not included: {joined(absent)}" if absent and peak is not None else ""
    it = None if peak is None or extra is None else (peak - extra) * share
    cooling = None if extra is None else extra * share
    for name, watts, how in (
        ("Power of computers and network", it, f"peak of the lines of power{less}"),
        ("Cooling and losses", cooling, f"(PUE − 1) of it, {cooled}"),
        ("Facility at the meter", None if peak is None else peak * share, "both"),
    ):
        yield row(name, None if watts is None else watts / 1e6, "MW", how, 2)

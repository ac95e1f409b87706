"""Lines of a bill of materials about the network: ports, switches by level, cables by level, optics by kind."""

from collections.abc import Iterator, Mapping
from typing import Any

from reports.materials import LEVELS, Network, cable_of, link_rate, optics
from reports.plan import Plan
from reports.quantities import Quantity, fixed
from reports.sections.bill_rows import Row, row

HOW = {
    "leaf": "ports of nodes over the downlinks of a leaf",
    "spine": "uplinks of the leaves over the ports of a spine that lead down",
    "core": "uplinks of the spines over the ports of a core",
}
CABLES = ("Cable, node to leaf", "Cable, leaf to spine", "Cable, spine to core")
MADE = {"copper": "copper", "active_optical": "active optical cable", "fiber": "fiber"}


def network(plan: Plan, found: Network | None, why: str) -> Iterator[Row]:
    """Switches by level, cables by level, transceivers by kind."""
    if found is None:
        yield row("Network switch", None, "pcs", why)
        yield row("Cable and optics", None, "pcs", why)
        return
    ports, rails, planes = (plan.number(f"cluster.{name}") or 1.0 for name in ("ports", "rails", "planes"))
    spread = f", over {fixed(rails, 0)} leaves, one for each rail" if rails > 1 else ""
    spread += f", in {fixed(planes, 0)} networks of their own" if planes > 1 else ""
    yield row("Network port of a node", ports, "pcs", f"cluster.ports{spread}")
    for name, count in zip(LEVELS, found.switches, strict=False):
        yield row(f"{name.capitalize()} switch, {found.radix} ports", float(count), "pcs", HOW[name])
    yield from links(plan.settings, found)


def links(settings: Mapping[str, Any], found: Network) -> Iterator[Row]:
    """Cables by level with their rate, and transceivers by kind; what is at their ends where that is stated."""
    open_tiers = []
    for level, count in enumerate(found.cables):
        tier, made = cable_of(settings, level)
        open_tiers += [] if made else [tier]
        rate = Quantity(link_rate(settings, tier), "Gb/s").text()
        kind = f", {MADE[made]}" if made else ""
        yield row(f"{CABLES[level]}, {rate}{kind}", float(count), "pcs", "ports of the level below that lead up")
    if open_tiers:
        needs = ", ".join(f"cluster.tier.{t}.cable" for t in dict.fromkeys(open_tiers))
        yield row("Optical transceiver", None, "pcs", f"needs {needs}")
    for own in optics(settings, found):
        rate = Quantity(own.rate, "Gb/s").text()
        name = f"{own.links} × {rate}" if own.links > 1 else rate
        ends = "one end of the cables to leaves, both of the others" if own.place == "switches" else "of all nodes"
        each = f", {own.links} links each" if own.links > 1 else ""
        yield row(f"Optical transceiver of {own.place}, {name}", float(own.count), "pcs", f"{ends}{each}")

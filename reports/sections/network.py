"""Who talks over which wire: traffic by axis, tiers of the cluster, the picture of the cluster."""

from reports.plan import Plan, Section
from reports.prose import joined
from reports.tables import Cell, Table, number, text
from reports.terms import words


def network(plan: Plan) -> Section | None:
    """Left out where nothing is sent (one GPU)."""
    traffic = plan.point["traffic"]
    tables = tuple(t for t in (traffic_table(plan), tiers_table(plan)) if t)
    if not tables:
        return None
    return Section(
        "network",
        "Network",
        tables,
        ("traffic_by_tier", "topology"),
        facts={
            "axes": len(traffic),
            "placement": words(str(plan.setting("cluster.placement", "packed"))),
            "single": not traffic,
            "outer": [words(r["axis"]) for r in traffic if (r.get("pods") or 1) > 1],
        },
    )


def traffic_table(plan: Plan) -> Table | None:
    rows = tuple(
        (
            words(r["axis"]),
            r["size"],
            r.get("tier"),
            collectives(r.get("collective")),
            r.get("bandwidth"),
            r.get("oversubscription"),
            r.get("bytes"),
            r.get("seconds"),
            r.get("exposed"),
        )
        for r in plan.point["traffic"]
    )
    columns = (
        text("Axis", 17),
        number("Ranks", decimals=0, width=13),
        text("Tier", 15),
        text("Collectives"),
        number("Bandwidth", "GB/s", 1, width=20),
        number("Effective oversub\u00adscription", "", 1, width=19),
        number("Sent a step", "GB", 2, width=17),
        number("Busy", "s", 3, width=15),
        number("Exposed", "s", 3, width=16),
    )
    more = EXCHANGE if any(str(r.get("collective")).startswith("all_to_all") for r in plan.point["traffic"]) else ""
    caption = "Traffic of one GPU in one step, by axis"
    return Table("traffic", caption, columns, rows, more=more, wide=True) if rows else None


EXCHANGE = (
    "Bandwidth is that of a ring; of an all-to-all that leaves its scale-up domain, what oversubscribed links leave "
    "of a GPU's network card."
)


def collectives(names: str | None) -> str:
    return joined(words(n) for n in (names or "").split(", ")) if names else ""


def tiers_table(plan: Plan) -> Table | None:
    """The tiers of the cluster, innermost first."""
    names = plan.setting("cluster.tier") or ()
    rows: list[tuple[Cell, ...]] = []
    for name in [names] if isinstance(names, str) else names:
        values = [
            plan.number(f"cluster.tier.{name}.{key}") for key in ("span", "bandwidth", "latency", "oversubscription")
        ]
        rows.append((name, *values))
    columns = (
        text("Tier", 17),
        number("Span", "GPUs", 0, width=15),
        number("Bandwidth", "GB/s", 1, width=19),
        number("Latency", "µs", 1, width=14),
        number("Oversub\u00adscription", "", 1, width=19),
    )
    return Table("tiers", "Tiers, per GPU and direction, innermost first", columns, tuple(rows)) if rows else None

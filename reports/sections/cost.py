"""Cost and power by line. A line without a figure says so: it is not zero."""

from reports.identity import written_date
from reports.plan import Json, Plan, Section
from reports.prices import flag_text, is_price, key
from reports.prose import capital
from reports.quantities import Quantity, fixed
from reports.tables import Cell, Table, number, share, text, total

NOT_INCLUDED = "not included"


def cost(plan: Plan) -> Section | None:
    lines = plan.point["cost"]
    if not lines:
        return None
    return Section(
        "cost",
        "",
        (cost_table(plan),),
        ("cost_by_line",) if sum(r["usd"] is not None for r in lines) > 2 else (),
        facts={
            "lines": len(lines),
            "absent": [r["line"] for r in lines if r["usd"] is None],
            "missing": plan.missing_for("cost"),
            "billed": (plan.point.get("gpus") or {}).get("billed_rule"),
            "currency": plan.report["currency"],
            "rate": plan.report["rate"],
            "converted": converted(plan),
            "tax": plan.number("cluster.cost.tax"),
            "days": days_of(plan),
        },
    )


def converted(plan: Plan) -> str | None:
    """The total in the report's own currency, where that is not the dollar and a rate is stated."""
    currency, rate, whole = plan.report["currency"], plan.report["rate"], plan.results.get("cost")
    return fixed(whole * rate, 0) if currency not in (None, "USD") and rate and whole else None


def cost_table(plan: Plan) -> Table:
    lines = plan.point["cost"]
    whole = total([r["usd"] for r in lines])
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            capital(r["line"]),
            money(r["usd"]),
            share(r["usd"], whole) if r["usd"] is not None else "–",
            r.get("basis"),
            r.get("source"),
            quoted(plan, r.get("source")),
        )
        for r in lines
    )
    last: tuple[Cell, ...] = (
        "Total of the lines included",
        money(whole) if whole is not None else None,
        share(whole, whole),
        "",
        "",
        "",
    )
    columns = (
        text("Line", 25),
        number("Amount", *money_unit(whole), width=21),
        number("Share", "%", 1, width=14),
        text("Basis"),
        text("Setting", 36),
        text("Quote and date", 27),
    )
    return Table(
        "cost",
        "Cost by line",
        columns,
        (*rows, tuple(" " if c == "" else c for c in last)),
        totals=1,
    )


def price_rows(plan: Plan) -> dict[str, Json]:
    """The prices and rates of this run by their path, as the document has judged them."""
    own = {key(r) for r in plan.point["inputs"] if is_price(r)}
    return {r["path"]: r for r in (plan.document.get("prices") or {}).get("rows") or () if key(r) in own}


def quoted(plan: Plan, path: str | None) -> str | None:
    """The quote of the price behind a cost line, its day, and what is to be said against it."""
    row = price_rows(plan).get(str(path))
    if row is None:
        return None
    return "; ".join(t for t in (row["quote"], written_date(row["as_of"]), flag_text(row["flags"])) if t) or None


def days_of(plan: Plan) -> list[str]:
    """First and last day of the prices of this run; one where they are the same."""
    found = sorted(r["as_of"] for r in price_rows(plan).values() if r["as_of"])
    return [written_date(d) for d in dict.fromkeys(found[:1] + found[-1:])]


def money_unit(whole: float | None) -> tuple[str, int]:
    """Millions from 100,000 dollars upward."""
    return ("M$", 3) if whole is None or whole >= 1e5 else ("$", 2)


def power_unit(whole: float | None) -> tuple[str, int]:
    """Megawatts from 1 MW upward, else kilowatts."""
    return ("MW", 3) if whole is None or whole >= 1e6 else ("kW", 2)


def readable_power(value: float | None) -> Quantity:
    unit, decimals = power_unit(value)
    return Quantity(value, unit, decimals - 1)


def money(value: float | None) -> Cell:
    return NOT_INCLUDED if value is None else value


def power(plan: Plan) -> Section | None:
    lines = plan.point["power"]
    if not lines:
        return None
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (r["line"][:1].upper() + r["line"][1:], watts(r["peak"]), watts(r["mean"]), r.get("basis"), r.get("source"))
        for r in lines
    )
    peak, mean = (total([r[k] for r in lines]) for k in ("peak", "mean"))
    sums: tuple[Cell, ...] = ("Total of the lines included", peak, mean, " ", " ")
    columns = (
        text("Line", 26),
        number("Peak", *power_unit(peak), width=21),
        number("Mean", *power_unit(peak), width=21),
        text("Basis"),
        text("Source", 38),
    )
    return Section(
        "power",
        "Power and energy",
        (Table("power", "Power by line", columns, (*rows, sums), totals=1),),
        facts={
            "peak": readable_power(peak),
            "mean": readable_power(mean),
            "absent": [r["line"] for r in lines if r["peak"] is None],
            "lines": len(lines),
            "missing": plan.missing_for("energy"),
            "peak_missing": plan.missing_for("peak_power"),
        },
    )


def watts(value: float | None) -> Cell:
    return NOT_INCLUDED if value is None else value

"""A design review holds no prices: neither the JSON document nor what is printed, tabled or attached of it.

What is a price, a cost or an amount of money goes; a requirement on one keeps whether it holds, so that the verdict
stays that of the scenario.
"""

import re
from typing import Any

from dsl.schema import run_row
from engine.metrics import METRICS
from reports.plan import Json
from reports.units import unit_of

MONEY = frozenset(m.name for m in METRICS if m.dimension.startswith("usd"))
REQUIRED = "a requirement on money (withheld)"
AMOUNT = "[withheld]"
NUMBER = r"\d(?:[\d,._\u00a0\u2019]*\d)?(?:e[+-]?\d+)?"
CURRENCY = r"(?:[kMGBT]?\$[kMGBT]?|[kMB]?USD|(?:k|M|B|million |billion )?dollars?)"
AMOUNTS = re.compile(
    rf"(?:{NUMBER}\s?(?:\.\.\s?{NUMBER}\s?)?{CURRENCY}(?!\w)|\$\s?{NUMBER}\s?(?:[kMBT]\b|million\b|billion\b)?"
    rf"|USD\s{NUMBER})(?:/[\w-]+)?",
    re.IGNORECASE,
)
WHICH = ("name", "text", "path", "result")
KEPT = ("aims", "unavailable")  # what is sought, and what lacks an input, are no amounts


def without_prices(document: Json) -> dict[str, Any]:
    """The document of a design review: no price, no cost, no amount of money anywhere in it."""
    shown: dict[str, Any] = walked({k: v for k, v in document.items() if k != "prices"}, "")
    return shown | {"withheld": ["prices"]}


def without_amounts(text: str) -> str:
    """A text with every amount of money struck out."""
    return AMOUNTS.sub(AMOUNT, text)


def walked(node: Any, key: str) -> Any:
    """A part of the document without what is money in it."""
    if isinstance(node, dict):
        return {k: v for k, v in ((k, part(v, k)) for k, v in masked(node).items()) if v is not GONE}
    if isinstance(node, (list, tuple)):
        rows = [row for row in node if key in KEPT or not about_money(row)]
        return [walked(row, key) for row in rows]
    return without_amounts(node) if isinstance(node, str) else node


def without_results(point: Json) -> dict[str, Any]:
    """A point whose results hold no money, for the key numbers of page 1."""
    return {**point, "results": {name: v for name, v in point["results"].items() if not is_money(name)}}


GONE = object()


def part(value: Any, key: str) -> Any:
    """The value of a key: amounts go, lines of a cost are none, a difference in cost has no causes."""
    if key == "usd":
        return None
    if not is_money(key):
        return walked(value, key)
    if not isinstance(value, list):
        return GONE
    falls = [row for row in value if isinstance(row, dict) and "bars" in row]
    return [row | dict.fromkeys(("from", "to", "difference")) | {"bars": []} for row in falls]


def is_money(name: str) -> bool:
    """Whether a result or a setting is an amount of money."""
    row = run_row(name)
    return name.rpartition(".")[2] in MONEY or (row is not None and row.holds.startswith("usd"))


def about_money(row: Any) -> bool:
    """Whether a row of a list is a figure, an input or a column that is money."""
    if not isinstance(row, dict) or "require" in row:
        return False
    names = [row[w] for w in WHICH if isinstance(row.get(w), str)]
    return any(is_money(n) for n in names) or in_money(row.get("unit"))


def in_money(unit: Any) -> bool:
    """Whether a unit is one of money, alone or by something else."""
    return isinstance(unit, str) and bool(unit) and ("$" in unit or "usd" in f"{unit} {unit_of(unit).base}".lower())


def masked(row: Json) -> Json:
    """A requirement or a check on money without what it says; whether it holds stays."""
    values, unit = row.get("values"), row.get("unit")
    if isinstance(row.get("by"), str) and is_money(row["by"]):
        return {k: None if isinstance(v, float) else v for k, v in row.items()}
    named = isinstance(values, dict) and any(is_money(n) for n in values)
    if "require" in row and (named or AMOUNTS.search(str(row["require"]))):
        gone = {k: "" for k in ("because", "where") if k in row} | {k: None for k in ("limit",) if k in row}
        return {**row, "require": REQUIRED, "values": {}, **gone}
    if "severity" in row and (named or in_money(unit)):
        return {**row, "limit": None, "result": None, "margin": None, "values": {}, "unit": ""}
    return row

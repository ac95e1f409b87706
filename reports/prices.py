"""Prices and rates of a document: which quote and day each is from, and which are too old or were never looked up.

The day they are held against is that of the report; where it states none, the newest day in the file: a revision's or
a price's. It is never the day of rendering, so that the same file gives the same document.
  old         taken more than 180 days before that day
  recall      its source was recalled, not opened; unverified: nobody said that it was opened
  undated     a price without a day: how old it is cannot be told
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from reports.identity import written_date
from reports.prose import amount, count, joined

Json = Mapping[str, Any]
OLDEST = 180  # days
RATES = ("cluster.capex.network", "cluster.capex.staff")  # shares that cost lines are made of, beside cluster.cost.*
SAID = {
    "old": f"older than {OLDEST} days",
    "recall": "from recall",
    "unverified": "unverified",
    "undated": "no date stated",
}


def prices(points: Iterable[Json], report: Json) -> dict[str, Any]:
    """All prices and rates of the runs, each once, and the day that they are held against."""
    found = {key(row): row for p in points for row in p.get("inputs") or () if is_price(row)}
    on = reference(list(found.values()), report)
    rows = [
        {k: row[k] for k in ("path", "value", "unit", "where", "source", "as_of", "quote")}
        | {"days": age(row, on), "flags": flags(row, on)}
        for row in found.values()
    ]
    return {"on": on, "rows": rows}


def is_price(row: Json) -> bool:
    """Whether an input is a price, or a rate that a cost line is made of; a part's list price is the cluster's too."""
    path = str(row["path"])
    rate = path in RATES or path.startswith("cluster.cost.")
    stated = row["origin"] != "default" and path.startswith("cluster.") and not path.startswith("cluster.gpu.")
    return stated and row["value"] is not None and (rate or str(row["unit"] or "").startswith("usd"))


def key(row: Json) -> tuple[Any, ...]:
    """What makes two rows one price: two clusters at the same quote have one."""
    return row["path"], row["value"], row.get("source"), row.get("as_of"), row.get("quote")


def reference(rows: Sequence[Json], report: Json) -> str | None:
    """The day of the report, else the newest day in the file; None where there is none."""
    if report.get("date"):
        return str(report["date"])
    days = [r.get("date") for r in report.get("revisions") or ()] + [r.get("as_of") for r in rows]
    return max((str(d) for d in days if d), default=None)


def age(row: Json, on: str | None) -> int | None:
    """Days from the day of a price to that day; None where one of the two is not stated."""
    if not on or not row.get("as_of"):
        return None
    return (date.fromisoformat(on) - date.fromisoformat(str(row["as_of"]))).days


def flags(row: Json, on: str | None) -> list[str]:
    """What is to be said against a price or a rate; nothing where its day is near and its source was read."""
    days = age(row, on)
    found = ["old"] if days is not None and days > OLDEST else []
    found += [str(row["verified"])] if row.get("verified") in ("recall", "unverified") else []
    undated = not row.get("as_of") and str(row["unit"] or "").startswith("usd")
    return found + (["undated"] if undated else [])


def flag_text(found: Sequence[str]) -> str:
    """The flags in words: "older than 180 days, from recall"."""
    return ", ".join(SAID[f] for f in found)


def told(found: Json) -> str:
    """Page 1's sentence: how many of the prices and rates are flagged, and which."""
    rows = found.get("rows") or ()
    marked = {f: [r for r in rows if f in r["flags"]] for f in SAID}
    parts = [f"{amount(len(own))} {_said(f, len(own) == 1, found)}" for f, own in marked.items() if own]
    which = joined(dict.fromkeys(str(r["path"]) for r in rows if r["flags"]))
    return f"Of {count(len(rows), 'price or rate', 'prices and rates')}, {joined(parts)}: {which}." if parts else ""


def _said(flag: str, one: bool, found: Json) -> str:
    """What one or several prices are said to be."""
    if flag == "undated":
        return "states no date" if one else "state no date"
    on = f" on {written_date(found['on'])}" if flag == "old" else ""
    return f"{'is' if one else 'are'} {SAID[flag]}{on}"

"""The numbers of a page 1 against its JSON: each is a typed number there, rounded as it is printed.

It reads the page's text, not the code that words it: a number with its unit is looked for among the numbers of the
document that have the unit's dimension, and among the few that follow from them by hand.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Any, NamedTuple

from dsl.schema import run_row
from engine.metrics import BY_NAME

Json = Mapping[str, Any]

# Units as printed: dimension, and how many of its base units one is.
UNITS = {
    "days": ("s", 86400.0), "h": ("s", 3600.0), "min": ("s", 60.0), "s": ("s", 1.0), "ms": ("s", 1e-3),
    "GiB": ("B", 2.0**30), "MiB": ("B", 2.0**20), "GB": ("B", 1e9), "TB": ("B", 1e12),
    "M$": ("USD", 1e6), "k$": ("USD", 1e3), "$": ("USD", 1.0), "$/GPU-h": ("USD/s", 1 / 3600),
    "$/M tokens": ("USD/token", 1e-6), "%": ("1", 0.01), "times": ("1", 1.0), "TFLOP/s": ("FLOP/s", 1e12),
    "tokens/s": ("tokens/s", 1.0), "T tokens": ("tokens", 1e12), "B tokens": ("tokens", 1e9), "GPUs": ("", 1.0),
    "GPU-h": ("GPU s", 3600.0), "M GPU-h": ("GPU s", 3.6e9), "W": ("W", 1.0), "kW": ("W", 1e3), "MW": ("W", 1e6),
    "B parameters": ("", 1e9), "GB/s": ("B/s", 1e9), "TB/s": ("B/s", 1e12), "MWh": ("J", 3.6e9), "GWh": ("J", 3.6e12),
}  # fmt: skip
# Dimensions and units of the language, for those above.
SAME = {
    "seconds": "s", "bytes": "B", "bytes/s": "B/s", "flop/s": "FLOP/s", "usd": "USD", "usd/s": "USD/s", "share": "1",
    "watts": "W", "joules": "J", "ratio": "1", "number": "1", "usd/token": "USD/token", "gpu_seconds": "GPU s",
}  # fmt: skip
BY_KEY = {
    "s": ("interval", "mtbf", "restart", "save", "pause", "days", "seconds", "late", "wait", "start", "end",
          "deadline"),
    "1": ("margin", "over", "gap", "utilization", "effective", "share", "error", "measured_low", "measured_high"),
    "USD": ("usd",),
}
OF_KEY = {key: dimension for dimension, keys in BY_KEY.items() for key in keys}
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
DATES = re.compile(rf"\b\d{{1,2}}\u00a0?\s?(?:{MONTHS})(?:\s\d{{4}})?|\d{{4}}-\d\d-\d\d")
NUMBER = re.compile(
    r"(?<![\w.,$-])(?P<number>(?:\d{1,3}(?:\u00a0\d{3})+|\d+)(?:\.\d+)?)(?!\.?\d)(?:[\u00a0 ](?P<unit>"
    + "|".join(re.escape(u).replace("\\ ", "[\u00a0 ]") for u in sorted(UNITS, key=len, reverse=True))
    + r")(?![\w/]))?(?:(?P<range>[\u00a0 ](?:to|and|–)[\u00a0 ](?=\d))|(?!\w))"
)


class Printed(NamedTuple):
    """A number of the page: its digits, decimals, unit, and the words around it."""

    text: str
    unit: str
    around: str
    key: bool = False  # whether it is of a key number

    @property
    def value(self) -> float:
        return float(self.text.replace("\u00a0", ""))

    @property
    def decimals(self) -> int:
        return len(self.text.partition(".")[2])


def summary(page: str) -> str:
    """The HTML of page 1, without figures, the trees that open, listings and links to other sections."""
    start = page.index('id="section-summary"')
    text = page[start : page.index("</section>", start)]
    text = re.sub(r"<(svg|details|code|figure)\b.*?</\1>|<h1.*?</h1>", " ", text, flags=re.DOTALL)
    text = re.sub(r'<p class="subtitle">.*?</p>|<table class="identity">.*?</table>', " ", text, flags=re.DOTALL)
    return re.sub(r'<a class="(?:ref|page)".*?</a>|<caption>.*?</caption>', " ", text, flags=re.DOTALL)


def printed(page: str, document: Json) -> list[Printed]:
    """Every number of page 1 that no author wrote."""
    html = summary(page)
    tables = re.findall(r"<table\b.*?</table>", html, re.DOTALL)
    blocks = re.findall(r'<div><p class="label">.*?</div>|<p\b.*?</p>', re.sub(r"<table\b.*?</table>", "", html,
                                                                              flags=re.DOTALL), re.DOTALL)  # fmt: skip
    words = authored(document)
    return [n for b in blocks for n in in_block(b, words)] + [n for t in tables for n in in_table(t, words)]


def plain(html: str, words: Sequence[str]) -> str:
    text = unescape(re.sub(r"<[^>]*>", "", re.sub(r"</p>", " ; ", html)))
    for word in words:
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", " … ", text) if word in text else text
    return DATES.sub(" … ", text)


def in_block(html: str, words: Sequence[str]) -> Iterator[Printed]:
    """The numbers of a paragraph or of a key number; one without a unit has that of its range, or of the key."""
    text, key = plain(html, words), "label" in html
    found = list(NUMBER.finditer(text))
    units = [(m["unit"] or "").replace("\u00a0", " ") for m in found]
    for i in range(len(found) - 2, -1, -1):
        units[i] = units[i] or (units[i + 1] if found[i]["range"] else "")
    head = next((u for u in units if u), "") if key else ""
    for m, unit in zip(found, units, strict=True):
        yield Printed(m["number"], unit or head, text[max(0, m.start() - 30) : m.end() + 20].strip(), key)


def in_table(html: str, words: Sequence[str]) -> Iterator[Printed]:
    """The numbers of the cells of a table, in the units of its head; those of texts as in a paragraph."""
    head, _, body = html.partition("</thead>")
    units = [unescape("".join(re.findall(r'class="unit">([^<]*)<', cell))) for cell in head.split('scope="col"')[1:]]
    for row in body.split("<tr")[1:]:
        for unit, cell in zip(units, re.split(r"<t[hd]\b", row)[1:], strict=True):
            text = plain(f"<td{cell}", words)
            for m in NUMBER.finditer(text):
                yield Printed(m["number"], (m["unit"] or unit).replace("\u00a0", " "), text.strip())


WRITTEN = re.compile(r"[A-Za-z].*\d|\d.*[A-Za-z]", re.DOTALL)


def authored(document: Json) -> list[str]:
    """What somebody wrote, longest first: titles, reasons, conditions, names."""
    found = [s for s in texts(document["report"]) if s]
    for key, value in leaves(document):
        if isinstance(value, str) and key.rpartition(".")[2] in ("title", "name", "because", "require", "id", "advice"):
            found.append(value)
    every = {s for s in found for s in (s, s[:1].upper() + s[1:], s[:1].lower() + s[1:]) if WRITTEN.search(s)}
    return sorted(every, key=lambda s: (-len(s), s))


def texts(node: Any) -> Iterator[str]:
    for _, value in leaves(node):
        if isinstance(value, str):
            yield value


def leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a document with the names on the way to it, a dot between them."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from leaves(value, f"{path}.{key}")
    elif isinstance(node, (list, tuple)):
        for value in node:
            yield from leaves(value, path)
    else:
        yield path, node


OF_NAMED = ("value", "limit", "own", "other", "low", "high", "difference", "interval")  # beside the name of a result
SKIPPED = ("provenance", "formulas", "source", "ledger", "acceptance", "bus_bandwidth", "timeline", "curve", "curves")


def known(document: Json) -> dict[str, list[float]]:
    """The typed numbers of a document by dimension; "" holds those that have none, counts among them."""
    found: dict[str, list[float]] = {}
    for dimension, value in typed({k: v for k, v in document.items() if k not in SKIPPED}):
        found.setdefault(dimension, []).append(abs(value))
    for dimension, value in derived(document):
        found.setdefault(dimension, []).append(abs(value))
    return found


def known_of_keys(document: Json) -> dict[str, list[float]]:
    """Those of the key numbers alone, with their intervals as shares of them."""
    found: dict[str, list[float]] = {}
    for row in document["key_numbers"]:
        ends = row.get("interval")
        shares = [("1", ends[s] / row["value"]) for s in ("low", "high")] if ends and row["value"] else []
        for dimension, value in [*typed(row), *shares]:
            found.setdefault(dimension, []).append(abs(value))
    return found


def typed(node: Any, name: str = "", unit: str | None = None) -> Iterator[tuple[str, float]]:
    """(dimension, value) of every number below, by its unit, its result or setting, or its key."""
    if isinstance(node, Mapping):
        own = node.get("unit") if isinstance(node.get("unit"), str) else None
        named = str(node["name"]) if isinstance(node.get("name"), str) and node["name"] in BY_NAME else None
        for key, value in node.items():
            if key in SKIPPED:
                continue
            inner = named if named and key in OF_NAMED else key
            kept = key in ("value", "limit", "low", "high", "interval", "result") or isinstance(value, list)
            yield from typed(value, name if key in ("low", "high", "value") and not named else inner,
                             own if own is not None else unit if kept else None)  # fmt: skip
    elif isinstance(node, (list, tuple)):
        yield "", float(len(node))
        for value in node:
            yield from typed(value, name, unit)
    elif isinstance(node, (int, float)) and not isinstance(node, bool):
        yield dimension_of(name, unit), float(node)


def dimension_of(name: str, unit: str | None) -> str:
    if name in OF_KEY:
        return OF_KEY[name]
    result = BY_NAME.get(name.rpartition(".")[2])
    if result is not None:
        return SAME.get(result.dimension, result.dimension)
    row = run_row(name)
    if row is not None:
        return SAME.get(row.holds, row.holds if row.holds == "tokens" else "")
    return UNITS[unit][0] if unit in UNITS else SAME.get(unit or "", "")


def derived(document: Json) -> Iterator[tuple[str, float]]:
    """What page 1 works out of the typed numbers: each by hand here."""
    counts = document["verdict"].get("counts") or {}
    yield "", float(sum(counts.values()) - counts.get("na", 0))
    for e in document["experiments"]:
        yield "", float(len(e["points"]))
        for p in e["points"] if e["kind"] in ("run", "compare", "portfolio") else ():
            yield from of_point(p)
    yield "1", 0.25  # the margin from which a check is named
    yield "s", 180 * 86400.0  # from which a price is old


def of_point(p: Json) -> Iterator[tuple[str, float]]:
    """Counts of rows, the interval over the prediction, the curve at the planned interval, what a limit takes."""
    for rows, key in (("inputs", "origin"), ("verdicts", "holds"), ("checks", "status"), ("cost", "usd")):
        values = [row[key] for row in p.get(rows) or ()]
        yield from (("", float(values.count(value))) for value in {v for v in values if not isinstance(v, float)})
    results, ends = p["results"], (p.get("intervals") or {}).get("step_time")
    if ends and results.get("step_time"):
        yield from (("1", ends[side] / results["step_time"]) for side in ("low", "high"))
    heads = int(p["settings"].get("model.heads") or 0)
    yield from (("", float(d)) for d in range(1, heads + 1) if heads % d == 0)  # what tensor can be
    plan = p.get("checkpoint") or {}
    for curve in plan.get("curves") or ():
        yield "s", curve["mtbf"]
        yield from (("1", y) for y in [at(curve["points"], plan.get("used"))] if y is not None)
    yield from at_limits(p)


def at(points: Sequence[Sequence[float]], x: float | None) -> float | None:
    """The value of a curve at x, on the line between its neighbors."""
    for (x0, y0), (x1, y1) in zip(points, points[1:], strict=False):
        if x is not None and x0 <= x <= x1 and x1 > x0:
            return float(y0 + (y1 - y0) * (x - x0) / (x1 - x0))
    return None


def at_limits(p: Json) -> Iterator[tuple[str, float]]:
    """What it takes to meet a deadline or a budget: GPUs in whole nodes, tokens, the price of a GPU-hour."""
    results, settings, used = p["results"], p["settings"], (p.get("gpus") or {}).get("used")
    limits = [(v["limit"]["name"], v["limit"]["value"]) for v in p.get("verdicts") or () if v.get("limit")]
    line = next((row["usd"] for row in p.get("cost") or () if row["line"] == "GPUs"), None)
    for name, limit in limits:
        value = results.get(name)
        if name == "time_to_train" and value and limit and used:
            node = settings["cluster.gpus_per_node"]
            yield "", math.ceil(used * value / limit / node - 1e-9) * node
            yield "tokens", settings["tokens"] * limit / value
        if name == "cost" and value and line and settings.get("cluster.price"):
            yield "USD/s", settings["cluster.price"] * (1 - (value - limit) / line)


def unexplained(page: str, document: Json) -> list[Printed]:
    """The numbers of page 1 that no number of the document is, at their precision and in their unit."""
    numbers, keys = known(document), known_of_keys(document)
    return [n for n in printed(page, document) if not explained(n, keys if n.key else numbers)]


def explained(n: Printed, numbers: Mapping[str, Sequence[float]]) -> bool:
    """Whether a number of its dimension rounds to it; one without a unit is a count or a ratio."""
    dimension, factor = UNITS.get(n.unit, ("", 1.0))
    close = 0.5 * 10.0**-n.decimals * (1 + 1e-6)
    own = [v for d in ((dimension,) if n.unit else ("", "1")) for v in numbers.get(d, ())]
    return any(abs(value / factor - n.value) <= close for value in own)

"""Appendix: where the numbers of page 1 come from, each with the levels of its tree that fit a page."""

from collections.abc import Mapping

from reports.origins import Line, counts, fitting, items_of, signs
from reports.plan import Json, Plan, Section
from reports.tables import Cell, Table, code, text

LINES = 40  # of each number's table
INDENT = "\u2003"
COLUMNS = (code("Quantity", 54), text("Value", 25), text("Formula", 52), text("What it is, or where it is stated"))


def provenance(plan: Plan) -> Section | None:
    """A table for each number of page 1, and one of the constants behind them."""
    trees = plan.document.get("provenance") or []
    if not trees:
        return None
    items = items_of(trees)
    titles = {key["name"]: str(key["label"]) for key in plan.document.get("key_numbers", [])}
    tables = [origin_table(tree, items, titles, [t["id"] for t in trees]) for tree in trees]
    facts = {"numbers": len(trees), "counts": totals(items), "file": plan.document["file"]}
    return Section("origins", "", (*tables, *constants_table(items)), facts=facts)


def totals(items: Mapping[str, Json]) -> dict[str, int]:
    """Quantities, settings and constants behind all numbers together."""
    found: dict[str, int] = {"quantities": 0, "settings": 0, "constants": 0}
    for item in items.values():
        word = {"setting": "settings", "constant": "constants"}.get(item["kind"], "quantities")
        found[word] += 1
    return found


def origin_table(tree: Json, items: Mapping[str, Json], titles: Mapping[str, str], roots: list[str]) -> Table:
    """The first levels of a tree, a row a number."""
    found = fitting(tree, items, LINES, roots)
    hidden = sum(n for kind, n in counts(tree, items).items()) - len({line.item["id"] for line in found})
    more = f"{hidden} more numbers stand below these." if hidden > 0 else ""
    caption = f"{titles.get(tree['name'], tree['name'])}: where it comes from"
    rows = tuple(row(line, roots) for line in found)
    return Table(f"origin-{tree['name']}", caption, COLUMNS, rows, wide=True, more=more)


def row(line: Line, roots: list[str]) -> tuple[Cell, ...]:
    """A number with its formula and what it is, or the source of an input."""
    item = line.item
    formula = f"{item['formula']} ({item['note']})" if item["note"] else item["formula"]
    if line.elsewhere:
        formula = "see its own table" if item["id"] in roots else "see above"
    said = item["source"] if item["kind"] in ("setting", "constant") else item["label"]
    return (INDENT * line.depth + line.name, item["shown"], signs(formula) or " ", said or " ")


def constants_table(items: Mapping[str, Json]) -> tuple[Table, ...]:
    """The constants of the model that stand behind the numbers, each with what is known of it."""
    found = {i["label"]: i for i in items.values() if i["kind"] == "constant"}
    columns = (code("Constant", 44), text("Value", 22), text("Where it stands, and its meaning"))
    rows = tuple((name, item["shown"], item["source"]) for name, item in sorted(found.items()))
    table = Table("constants", "Constants of the model behind these numbers", columns, rows, wide=True)
    return (table,) if rows else ()

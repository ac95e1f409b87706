"""Appendix: where the numbers of page 1 come from, each with the levels of its tree that fit a page."""

from collections.abc import Mapping

from reports.locales import in_formula
from reports.origins import Line, counted, fitting, items_of, signs, told
from reports.plan import Json, Plan, Section
from reports.prose import capital
from reports.tables import Cell, Table, code, text

LINES = 40  # of each number's table
INDENT = "\u2003\u2003"
COLUMNS = (code("Quantity", 62), text("Value", 25), text("Formula", 48), text("What it is, or where it is stated"))


def provenance(plan: Plan) -> Section | None:
    """A table for each number of page 1, and one of the constants behind them."""
    trees = plan.document.get("provenance") or []
    if not trees:
        return None
    items = items_of(trees)
    titles = {key["name"]: str(key["label"]) for key in plan.document.get("key_numbers", [])}
    places = {tree["id"]: f"see the table of {titles[tree['name']]}" for tree in trees}
    tables = []
    for tree in trees:
        found = fitting(tree, items, LINES, places)
        tables.append(origin_table(tree, found, len(counted(tree, items)), titles[tree["name"]]))
        places |= dict.fromkeys(opened(found), places[tree["id"]])
    counts = told([item["kind"] for item in items.values()])
    facts = {"numbers": len(trees), "counts": counts, "file": plan.document["file"]}
    return Section("origins", "", (*tables, *constants_table(items)), facts=facts)


def opened(found: list[Line]) -> list[str]:
    """The items whose parts these lines show."""
    return [line.item["id"] for line in found if line.item["children"] and not line.hidden and not line.elsewhere]


def origin_table(tree: Json, found: list[Line], behind: int, title: str) -> Table:
    """The first levels of a tree, a row a number; ``behind`` is how many numbers it has in all."""
    left = behind - len({line.item["id"] for line in found})
    more = f"{left} more {'number stands' if left == 1 else 'numbers stand'} below these." if left else ""
    rows = tuple(row(line) for line in found)
    caption = f"{capital(title)}: where it comes from"
    return Table(f"origin-{tree['name']}", caption, COLUMNS, rows, wide=True, more=more)


def row(line: Line) -> tuple[Cell, ...]:
    """A number with its formula and what it is, or where an input or a constant stands."""
    item = line.item
    formula = f"{item['formula']} ({item['note']})" if item["note"] else item["formula"]
    said = item["source"].partition(": ")[0] if item["kind"] in ("setting", "constant") else item["label"]
    shown = line.elsewhere or in_formula(signs(formula)) or " "
    return (INDENT * line.depth + line.name, item["shown"], shown, said or " ")


def constants_table(items: Mapping[str, Json]) -> tuple[Table, ...]:
    """The constants of the model that stand behind the numbers, each with what is known of it."""
    found = {i["label"]: i for i in items.values() if i["kind"] == "constant"}
    columns = (code("Constant", 44), text("Value", 22), text("Where it stands, and its meaning"))
    rows = tuple((name, item["shown"], item["source"]) for name, item in sorted(found.items()))
    table = Table("constants", "Constants of the model behind these numbers", columns, rows, wide=True)
    return (table,) if rows else ()

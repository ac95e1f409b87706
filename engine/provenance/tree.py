"""The tree of a result: every named quantity behind it with its formula, down to settings and constants.

A quantity that stands in several places is one item; who prints it shows it once and refers to it elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.metrics import BY_NAME
from engine.provenance.formula import Formula, Part, Writer, inner, leaf_symbol, literal
from engine.provenance.graph import Node, Record

LONG = 12  # parts of a sum from which subtotals are made


@dataclass(eq=False)
class Item:
    """One number of a tree. ``kind``: result, quantity, subtotal, setting, constant or counted."""

    kind: str
    symbol: str
    label: str
    value: float
    unit: str
    formula: str = ""
    note: str = ""
    where: str = ""  # of the formula, or of the constant; of a setting the phase that it belongs to
    by: str = ""  # the function of the engine that works it out
    text: str = ""  # a setting's path, a constant's name, the expression that counted a number
    parts: "list[tuple[str, Item]]" = field(default_factory=list)


class Trees:
    """Items of one record, each made once. ``results`` are the nodes of the results by name."""

    def __init__(self, record: Record, results: dict[str, Node]) -> None:
        self.record, self.results = record, results
        self.items: dict[Node, Item] = {}
        self.sums: dict[Node, frozenset[Node]] = {}

    def of(self, result: str) -> Item:
        """The tree of a result; one that is a setting, a number or another result says so."""
        node = self.results[result]
        name = self.record.names.get(node)
        if name is not None and name.key == f"result.{result}":
            return self.item(node)
        metric = BY_NAME[result]
        made = Item("result", result, metric.doc, node.value, metric.unit, literal(node.value))
        if node.op != "number":
            made.formula = self.symbol(node)
            made.parts = [(made.formula, self.item(node))]
        return made

    def item(self, node: Node) -> Item:
        """The item of a node, with everything below it."""
        if node in self.items:
            return self.items[node]
        name = self.record.names.get(node)
        if name is None and not node.leaf:
            made = Item("subtotal", "rows", "rows together", node.value, self.unit(node))
        elif name is None:
            made = Item(node.op, leaf_symbol(node), "", node.value, "", text=node.text, where=node.where)
        else:
            kind = "result" if name.key.startswith("result.") else "quantity"
            made = Item(kind, name.symbol, name.label, node.value, name.unit, where=name.where, by=name.by)
        self.items[node] = made
        if not inner(node).leaf:
            self.fill(made, node)
        return made

    def unit(self, node: Node) -> str:
        """The unit of a sum without a name: that of what it adds."""
        names = self.record.names
        return next((names[term].unit for _, term in self.writer().terms(node) if term in names), "")

    def fill(self, item: Item, node: Node) -> None:
        """The formula of an item, and what it names."""
        formula = self.written(node)
        item.formula, item.note = formula.text, formula.note
        item.parts = [(part.symbol, self.item(part.node)) for part in formula.parts]
        if len(item.parts) > LONG and formula.text.startswith("sum of"):
            self.group(item, node, formula.parts)

    def written(self, node: Node) -> Formula:
        """The formula of a node in the names of those below it."""
        return self.writer().formula(node)

    def writer(self) -> Writer:
        """What writes formulas that stop at named nodes."""
        names = self.record.names
        return Writer(names.__contains__, self.symbol, lambda n: n in names and names[n].open)

    def symbol(self, node: Node) -> str:
        """What formulas call a node."""
        name = self.record.names.get(node)
        return name.symbol if name is not None else leaf_symbol(node) if node.leaf else "rows"

    def group(self, item: Item, whole: Node, parts: Sequence[Part]) -> None:
        """A long sum as results that cover it, and as subtotals of what has the same group."""
        left = dict.fromkeys(part.node for part in parts)
        if len(left) < len(parts):
            return
        found: list[Item] = []
        free = set(self.terms(inner(whole)))
        for node in dict.fromkeys(self.results.values()):
            terms = self.terms(node)
            if node is not whole and node.value != 0 and terms and terms < free:
                found.append(self.item(node))
                left, free = {n: None for n in left if n not in terms and n is not node}, free - terms
        groups: dict[str, list[Node]] = {}
        for node in left:
            name = self.record.names.get(node)
            groups.setdefault(name.group if name else "", []).append(node)
        for group, nodes in groups.items():
            if len(nodes) == 1 or not group or len(groups) == 1 and not found:
                found += [self.item(node) for node in nodes]
            else:
                found.append(self.subtotal(group, nodes))
        item.parts = self.labelled(found)
        item.formula = " + ".join(s for s, _ in item.parts) if len(found) <= LONG else f"sum of {len(found)} parts"

    def terms(self, node: Node) -> frozenset[Node]:
        """The rows that a result adds up, those that are 0 included; nothing where it is no sum of rows."""
        if node not in self.sums:
            body, rows = Writer(lambda n: n.op == "apart", lambda n: "", lambda n: False), frozenset[Node]()
            if node.op == "apart":
                rows = frozenset({node})
            elif node.op == "add":
                rows = frozenset(term for _, term in body.added(node))
            self.sums[node] = rows if all(r.op == "apart" for r in rows) else frozenset()
        return self.sums[node]

    def subtotal(self, group: str, nodes: Sequence[Node]) -> Item:
        """The sum of some parts of a long sum."""
        value = 0.0
        for node in nodes:
            value += node.value
        unit = self.record.names[nodes[0]].unit
        made = Item("subtotal", group.replace(" ", "_"), f"{group}: {len(nodes)} rows", value, unit)
        made.formula, made.parts = f"sum of {len(nodes)} parts", self.labelled([self.item(n) for n in nodes])
        return made

    def labelled(self, items: Sequence[Item]) -> list[tuple[str, Item]]:
        """The items with symbols that tell them apart."""
        found: list[tuple[str, Item]] = []
        taken: dict[str, int] = {}
        for item in items:
            taken[item.symbol] = number = taken.get(item.symbol, 0) + 1
            found.append((item.symbol if number == 1 else f"{item.symbol}_{number}", item))
        return found

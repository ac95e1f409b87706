"""Names of every kind of value, and what checking one expression of them gives."""

from dsl.algebra import FLAG, PLAIN, Meaning, Type
from dsl.dimensions import check
from dsl.parse import parse
from dsl.problems import Problem
from dsl.quantities import dimension
from dsl.syntax import Expression, Let, Name
from dsl.units import BYTE, DOLLAR, JOULE, KILOGRAM, NONE, RATE, SECOND, WATT
from tests.told import told

NAMES = {
    "memory": Type("number", BYTE, "", (), "GB"),
    "time": Type("number", SECOND, "", (), "days"),
    "cost": Type("number", DOLLAR, "", (), "$M"),
    "mfu": Type("number", NONE, "", (), "%"),
    "plain": PLAIN,
    "power": Type("number", WATT),
    "energy": Type("number", JOULE),
    "rate": Type("number", RATE),
    "carbon": Type("number", KILOGRAM),
    "speed": Type("number", dimension("bytes/s")),
    "gpus": Type("number", NONE, "gpus", (), "gpus"),
    "tokens": Type("number", NONE, "tokens", (), "tokens"),
    "price": Type("number", dimension("usd/s"), "/gpus", (), "$/gpu-hour"),
    "on": FLAG,
    "recompute": Type("choice", NONE, "", ("none", "selective", "full")),
    "model": Type("choice"),
    "title": Type("text"),
    "sizes": Type("list"),
}


class Known:
    """The names above."""

    def find(self, name: Name, problems: list[Problem] | None) -> Meaning | None:
        own = NAMES.get(name.path)
        if own is None and problems is not None:
            problems.append(Problem("E15", f"there is no `{name.path}`", name.span))
        return Meaning(name.path, own) if own else None


def expression(text: str) -> Expression:
    """The expression that ``text`` is."""
    tree, problems = parse(f"let x = {text}", "expression.scn")
    assert not problems and isinstance(tree[0], Let), problems
    return tree[0].value


def typed(text: str) -> tuple[Type, list[str]]:
    """The type of an expression and the lines that are told of it."""
    problems: list[Problem] = []
    own = check(expression(text), Known(), problems)
    return own, [line for problem in problems for line in told(problem, f"let x = {text}")]

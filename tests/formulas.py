"""Formulas of a tree worked out again from what they print: text and leaf values, nothing of the engine.

A formula is read as arithmetic in the symbols of the parts below it. The value of a part comes from its own formula,
that of a leaf from the leaf. "sum of 14 parts" adds the parts; ``root(...)`` is found by halving between 0 and 1.
"""

import ast
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

FUNCTIONS: dict[str, Callable[..., float]] = {
    "max": max, "min": min, "sqrt": math.sqrt, "exp": math.exp, "expm1": math.expm1, "log": math.log,
    "log2": math.log2, "ceil": math.ceil, "floor": math.floor, "round": round, "mod": math.fmod, "abs": abs,
}  # fmt: skip
OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b, ast.Pow: lambda a, b: a**b,
    ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b, ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b, ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b,
}  # fmt: skip
HALVINGS = 200


def worked_out(formula: str, parts: Mapping[str, float]) -> float:
    """What a formula comes to where its symbols have these values."""
    if re.fullmatch(r"sum of \d+ parts", formula):
        return sum(parts.values())
    names = {symbol: f"s{i}" for i, symbol in enumerate(parts)}
    known = {names[symbol]: value for symbol, value in parts.items()}
    text = re.sub(r"[A-Za-z_][\w.]*", lambda m: names.get(m[0], m[0]), formula)
    text = re.sub(r"(?<![<>!])=", "==", text.replace("×", "*").replace("^", "**"))
    return value_of(ast.parse(text, mode="eval").body, known)


def value_of(e: ast.expr, known: Mapping[str, float]) -> float:
    """The value of a parsed formula."""
    if isinstance(e, ast.Constant):
        return float(str(e.value))
    if isinstance(e, ast.Name):
        return math.inf if e.id == "inf" else known[e.id]
    if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
        return -value_of(e.operand, known)
    if isinstance(e, ast.BinOp):
        return OPERATORS[type(e.op)](value_of(e.left, known), value_of(e.right, known))
    if isinstance(e, ast.Compare):
        sides = [value_of(side, known) for side in (e.left, *e.comparators)]
        return float(all(OPERATORS[type(op)](a, b) for op, a, b in zip(e.ops, sides[:-1], sides[1:], strict=True)))
    if isinstance(e, ast.BoolOp):
        return float((all if isinstance(e.op, ast.And) else any)(value_of(v, known) for v in e.values))
    assert isinstance(e, ast.Call) and isinstance(e.func, ast.Name), ast.dump(e)
    if e.func.id == "root":
        return root(e.args[0], known)
    return float(FUNCTIONS[e.func.id](*(value_of(a, known) for a in e.args)))


def root(e: ast.expr, known: Mapping[str, float]) -> float:
    """The x between 0 and 1 at which a rising expression in x is 0."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if value_of(e, {**known, "x": middle}) > 0 else (middle, high)
    return low


def index(trees: Sequence[Any]) -> dict[str, Any]:
    """The items of some trees by their id."""
    found: dict[str, Any] = {}
    pending = list(trees)
    while pending:
        item = pending.pop()
        pending += item.get("children", [])
        if "id" in item:
            assert item["id"] not in found, item["id"]
            found[item["id"]] = item
    return found


def from_leaves(item: Any, items: Mapping[str, Any], known: dict[str, float]) -> float:
    """The value of an item from its leaves alone; ``items`` are those of all trees, ``known`` what was worked out."""
    item = items[item["see"]] if "see" in item else item
    if item["id"] not in known:
        parts = {c["name"]: from_leaves(c, items, known) for c in item["children"]}
        known[item["id"]] = worked_out(item["formula"], parts) if item["formula"] else float(item["value"])
    return known[item["id"]]

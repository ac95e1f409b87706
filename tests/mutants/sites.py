"""Where a line of Python can be changed so that it says something else, and what it then says."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"), ast.Mod: ("%", "*"), ast.Pow: ("**", "*"),
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"), ast.Is: ("is", "is not"),
}  # fmt: skip
BOOLEANS: dict[type[ast.boolop], tuple[str, str]] = {ast.And: ("and", "or"), ast.Or: ("or", "and")}
CALLS = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any"}
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, order=True)
class Site:
    """A piece of a file, from byte ``start`` to ``end``, and what stands there instead."""

    file: str
    start: int
    end: int
    new: str
    line: int
    function: str  # the outermost one, by its qualified name; empty at module level

    def applied(self, text: bytes) -> bytes:
        """The file with the change."""
        return text[: self.start] + self.new.encode() + text[self.end :]


@dataclass(frozen=True)
class _File:
    name: str
    text: bytes
    lines: tuple[int, ...]  # where each begins

    def at(self, line: int, column: int) -> int:
        return self.lines[line - 1] + column

    def start(self, node: ast.expr) -> int:
        return self.at(node.lineno, node.col_offset)

    def end(self, node: ast.expr) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.at(node.end_lineno, node.end_col_offset)

    def between(self, left: ast.expr, right: ast.expr, word: str, new: str, function: str) -> Iterator[Site]:
        """The operator ``word`` between two operands, replaced; brackets and blanks beside it stay."""
        start, end = self.end(left), self.start(right)
        found = self.text.find(word.encode(), start, end)
        if found >= 0 and b"#" not in self.text[start:end]:
            yield self.site(found, found + len(word), new, function, left.lineno)

    def site(self, start: int, end: int, new: str, function: str, line: int) -> Site:
        return Site(self.name, start, end, new, line, function)


def sites(name: str, text: bytes) -> list[Site]:
    """All changes to one file; none in annotations, decorators, docstrings and assertions, which do no work."""
    starts = [0]
    for line in text.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    return sorted(set(_walk(_File(name, text, tuple(starts)), ast.parse(text), "")))


def _walk(file: _File, node: ast.AST, function: str, inside: bool = False) -> Iterator[Site]:
    if isinstance(node, ast.expr):
        yield from _changes(file, node, function)
    if isinstance(node, Scope) and not inside:  # what is defined in a function goes by its name
        function = f"{function}.{node.name}" if function else node.name
        inside = not isinstance(node, ast.ClassDef)
    for child in _children(node):
        yield from _walk(file, child, function, inside)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """What of a node does work."""
    if isinstance(node, ast.Assert):
        return
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases") or _type_of_values(field, node):
            continue
        if isinstance(node, ast.keyword) and node.arg == "strict":  # of zip: an assertion that lengths are equal
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child


def _type_of_values(field: str, node: ast.AST) -> bool:
    """Whether a field is the value of `Name = A | B`, a name for a type."""
    return (
        isinstance(node, ast.Assign)
        and field == "value"
        and isinstance(node.value, ast.BinOp)
        and isinstance(node.value.op, ast.BitOr)
    )


def _changes(file: _File, node: ast.expr, function: str) -> Iterator[Site]:
    match node:
        case ast.BinOp(left, op, right) if type(op) in OPERATORS and not (_text(left) or _text(right)):
            yield from file.between(left, right, *OPERATORS[type(op)], function)
        case ast.Compare():
            for left, sign, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
                if type(sign) in COMPARISONS:
                    yield from file.between(left, right, *COMPARISONS[type(sign)], function)
        case ast.BoolOp(word, values):
            for left, right in zip(values, values[1:], strict=False):
                yield from file.between(left, right, *BOOLEANS[type(word)], function)
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield file.site(file.start(node), file.start(operand), "", function, node.lineno)
        case ast.Call(ast.Name(id=name) | ast.Attribute(attr=name)) if name in CALLS:
            end = file.end(node.func)
            yield file.site(end - len(name), end, CALLS[name], function, node.lineno)
        case ast.Constant(bool() | int() | float() as value):
            yield file.site(file.start(node), file.end(node), changed(value), function, node.lineno)
        case ast.IfExp(test=test):
            yield file.site(file.start(test), file.end(test), f"not ({_source(file, test)})", function, test.lineno)


def _text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _source(file: _File, node: ast.expr) -> str:
    return file.text[file.start(node) : file.end(node)].decode()


def changed(value: bool | int | float) -> str:
    """Another constant: the other truth value, the next whole number, a tenth more."""
    if isinstance(value, bool):
        return str(not value)
    return str(value + 1) if isinstance(value, int) else repr(value * 1.1 or 1.0)

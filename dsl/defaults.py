"""Defaults of the schema, and values that name nothing: they are worked out once, however many runs use them."""

from collections.abc import Iterator
from functools import cache

from dsl.kinds import ARGUMENTS, KINDS, Kind, Setting
from dsl.parse import parse
from dsl.scenario import Value
from dsl.schema import REFERENCES, argument
from dsl.syntax import Expression, Flag, Let, Name, Number, Ratio, Text


@cache
def _defaults() -> dict[str, Expression]:
    """The trees of all defaults of the schema; one text, so that one look into the cache finds them."""
    rows = [*(r for kind in KINDS for r in _rows(kind)), *(r for rows in ARGUMENTS.values() for r in rows)]
    texts = list(dict.fromkeys(row.default for row in rows if row.default))
    tree, problems = parse("\n".join(f"let d{i} = {text}" for i, text in enumerate(texts)), "the schema")
    assert not problems, f"a default of the schema does not parse: {problems[0]}"
    return {text: statement.value for text, statement in zip(texts, tree, strict=True) if isinstance(statement, Let)}


def _rows(kind: Kind) -> Iterator[Setting]:
    yield from kind.settings
    for block in kind.blocks:
        yield from _rows(block)


def default_expression(text: str) -> Expression:
    """The tree of a default as the schema writes it."""
    return _defaults()[text]


def literal(e: Expression, row: Setting) -> bool:
    """Whether a value names nothing, so that it means the same wherever it is read."""
    if isinstance(e, Name):
        return e.path in row.choices and row.holds not in REFERENCES
    return isinstance(e, Number | Ratio | Flag | Text)


def plain(row: Setting, path: str) -> bool:
    """Whether a setting that is not stated is always the same: it has no default, or one that names nothing."""
    return argument(path) is None and (not row.default or literal(default_expression(row.default), row))


# What settings are that nobody states and that follow from nothing, by setting and path.
KEPT: dict[tuple[Setting | None, str], Value | None] = {}

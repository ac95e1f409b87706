"""From the text of one file to its statements and its mistakes of grammar.

A statement that cannot be read is blanked out and the rest is read again, so that every mistake of a
file is found in one call.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import cache
from dsl.problems import Problem, Span
from dsl.syntax import UNREAD, Statement

if TYPE_CHECKING:
    from lark import Lark, Token

    from dsl.build import Build
    from dsl.lines import Lines

MOST = 20  # mistakes of grammar reported for one file
BRACKETS = {"LBRACE": "{", "LPAR": "(", "LSQB": "["}
GRAMMAR = Path(__file__).with_name("scn.lark")
OPTIONS: dict[str, Any] = {"parser": "lalr", "lexer": "contextual", "maybe_placeholders": True}

Tree = tuple[Statement, ...]


def parse(text: str, file: str) -> tuple[Tree, list[Problem]]:
    """The statements of ``text`` and its mistakes of grammar; ``file`` is the name that spans carry."""
    content = cache.digest(file, text)
    found = _read.get(file) or cache.read(f"tree-{cache.digest(file)}")
    if found is not None and found[0] == content:
        _read[file] = found
        return found[1], []
    tree, problems = _parse(text, file)
    if not problems:
        _read[file] = content, tree
        cache.write(f"tree-{cache.digest(file)}", (content, tree))
    return tree, problems


_read: dict[str, tuple[str, Tree]] = {}  # what this process has read, by file


def _parse(text: str, file: str) -> tuple[Tree, list[Problem]]:
    """Reads ``text``; on a mistake blanks the statement and reads again."""
    problems: list[Problem] = []
    for _ in range(MOST):
        tree, problem, blanked = attempt(text, file)
        if problem is not None and not (problem.label == ECHO and problems):
            problems.append(problem)
        if tree is not None or blanked == text:
            return tree or (), problems
        text = blanked
    return (), problems


ECHO = "opens a block that could not be read"


def attempt(text: str, file: str) -> tuple[Tree | None, Problem | None, str]:
    """One reading: the statements, or the first mistake and the text with its statement blanked out."""
    from lark import UnexpectedCharacters, UnexpectedToken  # a file found in the cache needs no parser

    from dsl.build import OutOfRange
    from dsl.lines import TooDeep

    parser, lines, build = _parser()
    build.file = file
    try:
        return tuple(parser.parse(text)), None, text  # type: ignore[arg-type]  # the transformer makes our tree
    except UnexpectedToken as error:
        return None, *_refused(text, file, lines, error.token.type, error.token)
    except UnexpectedCharacters as error:
        return None, *_refused(text, file, lines, "", _Character(text, error.line, error.column))
    except TooDeep as error:
        problem = Problem(
            "E05",
            "nested too deep",
            _span(file, error.token),
            "the 201st level",
            help="brackets and blocks may be nested 200 deep",
        )
        return None, problem, text
    except OutOfRange as error:
        problem = Problem(
            "E16",
            "this number is too long",
            _span(file, error.token),
            "no value",
            help="write it with an exponent: 1.5e12",
        )
        return None, problem, _without(text, error.token.line or 1, error.token.line or 1)


class _Character:
    """A character that begins no token, with the places a token has."""

    def __init__(self, text: str, line: int, column: int) -> None:
        row = text.split("\n")[line - 1]
        self.value = row[column - 1 : column]
        self.line, self.column, self.end_column = line, column, column + 1


def _span(file: str, token: "Token | _Character") -> Span:
    return Span(file, token.line or 1, token.column or 1, token.end_column or 0)


def _refused(text: str, file: str, lines: "Lines", kind: str, token: "Token | _Character") -> tuple[Problem, str]:
    """The problem for a refused token and the text without its statement."""
    from dsl.hints import Refused, explained

    rows = text.split("\n")
    span = _span(file, token)
    if kind == "$END":
        end = text.rstrip().split("\n")
        span = Span(file, len(end), max(1, len(end[-1])), len(end[-1]) + 1)
    opened = (BRACKETS[lines.open[-1].type], _span(file, lines.open[-1])) if lines.open else None
    before = tuple((t.type, str(t)) for t in lines.before)
    ended = str(lines.ended) if lines.ended is not None else "\n"
    problem = explained(Refused(kind, str(token.value), before, rows[span.line - 1], span, opened, ended))
    if kind == "LBRACE" and not before:
        problem = problem._replace(label=ECHO)
    if kind == "$END":
        return problem, text
    first = (lines.before[0].line or 1) if lines.before else span.line
    last = span.line
    if kind == "RBRACE":  # this brace closes the block: what must go is the statement before it
        if opened is None or first == last:
            return problem, _cut(text, span) if opened is None else _without(text, first, last)
        last -= 1
    return problem, _without(text, first, last)


def _cut(text: str, span: Span) -> str:
    rows = text.split("\n")
    row = rows[span.line - 1]
    rows[span.line - 1] = row[: span.column - 1] + " " + row[span.column :]
    return "\n".join(rows)


def _without(text: str, first: int, last: int) -> str:
    """``text`` with lines ``first`` to ``last`` blank but for the braces that the rest needs: an opened
    block stays, as one of a kind that nobody reads; a closing brace stays."""
    rows = text.split("\n")
    bare = re.sub(r'"(?:[^"\\\n]|\\.)*"|#[^\n]*', "", "\n".join(rows[first - 1 : last]))
    closed = opened = 0
    for brace in re.findall(r"[{}]", bare):
        opened += brace == "{"
        if brace == "}":
            closed, opened = (closed, opened - 1) if opened else (closed + 1, opened)
    rows[first - 1 : last] = [""] * (last - first) + ["}" * closed + f" {UNREAD} {{" * opened]
    return "\n".join(rows)


@once
def _parser() -> tuple["Lark", "Lines", "Build"]:
    """The parser, from the cache folder where it can be; building it takes a quarter of a second."""
    from lark import Lark, __version__
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    from dsl.build import Build
    from dsl.lines import Lines

    lines, build = Lines(), Build()
    name = f"grammar-{__version__}"
    kept = cache.read(name)
    if kept is not None:
        return _loaded(Lark, kept, transformer=build, postlex=lines), lines, build
    with _terminals_not_compared():
        parser = Lark(GRAMMAR.read_text("utf-8"), **OPTIONS, transformer=build, postlex=lines)
    cache.write(name, parser.memo_serialize([TerminalDef, Rule]))
    return parser, lines, build


@contextmanager
def _terminals_not_compared() -> Iterator[None]:
    """lark compares all terminals while it builds, two thirds of its time; a test does that, in strict mode."""
    from lark import lexer

    compares, lexer.has_interegular = lexer.has_interegular, False
    try:
        yield
    finally:
        lexer.has_interegular = compares


def _loaded(lark: Any, kept: Any, **options: Any) -> "Lark":
    """A parser from what memo_serialize gave; lark's own ``load`` passes no options on."""
    parser: Lark = lark._load_from_dict(*kept, **options)
    return parser

"""From the text of one file to its statements and its mistakes of grammar.

A statement that cannot be read is blanked out and the rest is read again, so that every mistake of a
file is found in one call.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache as once
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsl import cache
from dsl.limits import LINE, LINES
from dsl.problems import Label, Problem, Span
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
    rows = text.split("\n")
    for _ in range(MOST):
        tree, problem, blanked = attempt(text, file)
        if problem is not None and not (problem.label == ECHO and problems):
            problems.append(_in_the_text(problem, rows))
        if tree is not None or blanked == text:
            return tree or (), problems
        text = blanked
    return (), problems


def _in_the_text(problem: Problem, rows: list[str]) -> Problem:
    """A problem that marks a brace of a blanked statement, moved to where that brace stands in the text."""

    def moved(span: Span) -> Span:
        row = rows[span.line - 1]
        column = row.find("{") + 1 or max(1, len(row))
        return span if span.column <= len(row) + 1 else span._replace(column=column, end=column + 1)

    labels = tuple(label._replace(span=moved(label.span)) for label in problem.labels)
    return problem._replace(span=moved(problem.span), labels=labels)


ECHO = "opens a block that could not be read"


def attempt(text: str, file: str) -> tuple[Tree | None, Problem | None, str]:
    """One reading: the statements, or the first mistake and the text with its statement blanked out."""
    from lark import UnexpectedCharacters, UnexpectedToken  # a file found in the cache needs no parser

    from dsl.build import OutOfRange
    from dsl.lines import PastBound

    if problem := _too_long(text, file):
        return None, problem, text
    parser, lines, build = _parser()
    build.file = file
    try:
        return tuple(parser.parse(text)), None, text  # type: ignore[arg-type]  # the transformer makes our tree
    except UnexpectedToken as error:
        return None, *_refused(text, file, lines, error.token.type, error.token)
    except UnexpectedCharacters as error:
        return None, *_refused(text, file, lines, "", _Character(text, error.line, error.column))
    except PastBound as error:
        return None, Problem("E05", error.title, _span(file, error.token), error.label, help=error.help), text
    except OutOfRange as error:
        problem = Problem(
            "E16",
            "this number is too long or too large",
            _span(file, error.token),
            "at most 1e300",
            help="write it with an exponent: 1.5e12",
        )
        return None, problem, _without(text, error.token.line or 1, error.token.line or 1)


def _too_long(text: str, file: str) -> Problem | None:
    """A problem for more lines, or a longer one, than are read: patterns need memory for each character of a line."""
    rows = text.split("\n")
    line = next((i for i, row in enumerate(rows, 1) if len(row) > LINE), 0)
    if not line and len(rows) <= LINES:
        return None
    what, most, help = ("line", f"more than {LINE:_} characters", "break it inside a bracket or after an operator")
    if not line:
        what, most, help, line = "file", f"more than {LINES:_} lines", "split it and import the parts", LINES + 1
    return Problem("E05", f"this {what} is too long", Span(file, line, 1, 2), most, help=help)


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
    from dsl.hints import explained
    from dsl.refused import Refused

    rows = text.split("\n")
    span = _span(file, token)
    if kind == "$END":
        span = _last(rows, file, lines)
    opened = (BRACKETS[lines.open[-1].type], _span(file, lines.open[-1])) if lines.open else None
    before = tuple((t.type, str(t)) for t in lines.before)
    if kind == "RBRACE" and opened is None and (early := early_brace(rows, span.line)) is not None:
        labels = (Label(span, "so that nothing is open here"),)
        span = Span(file, early, rows[early - 1].index("}") + 1, rows[early - 1].index("}") + 2)
        title, help = "this } closes the block too early", "remove it"
        return Problem("E01", title, span, "its indentation is another one", labels, (), help), _cut(text, span)
    ended = str(lines.ended) if lines.ended is not None else "\n"
    below = _dashed(rows, span.line) if before and before[-1][0] == "EQUAL" else ()
    problem = explained(Refused(kind, str(token.value), before, rows[span.line - 1], span, opened, ended, below))
    if kind == "LBRACE" and not before:
        problem = problem._replace(label=ECHO)
    if kind == "$END":
        return problem, text
    first = (lines.before[0].line or 1) if lines.before else span.line
    last = span.line + len(below)
    if not before and kind in ("ADD", "MULTIPLY", "COMPARE", "DIVIDES", "IN"):  # goes on with the line before
        first = _above(rows, first)
    if kind == "RBRACE":  # this brace closes the block: what must go is the statement before it
        if opened is None or first == last:
            return problem, _cut(text, span) if opened is None else _without(text, first, last)
        last -= 1
    return problem, _without(text, first, last)


def _dashed(rows: list[str], line: int) -> tuple[str, ...]:
    """The lines under this one that begin with a dash, as the items of a list do in YAML."""
    return tuple(takewhile(lambda row: row.lstrip().startswith("- "), rows[line:]))


def _above(rows: list[str], line: int) -> int:
    """The line above this one that a line beginning with an operator goes on from, if it opens and closes nothing."""
    row = rows[line - 2] if line > 1 else ""
    return line if not row.strip() or re.search(r"[{}]", row) else line - 1


def _last(rows: list[str], file: str, lines: "Lines") -> Span:
    """The end of the text that is there, or that of a block that is still open where the next one of a file begins."""
    last = len(rows)
    if lines.open and lines.open[-1].type == "LBRACE":
        opened = lines.open[-1].line or 1
        begun = (i for i in range(opened, len(rows)) if re.match(r"[A-Za-z].*\{", rows[i]))
        last = next(begun, last) if rows[opened - 1][:1].strip() else last
    bare = [re.sub(r'("(?:[^"\\]|\\.)*")|#.*', r"\1", row).rstrip() for row in rows[:last]]
    line = next((i for i in range(last, 0, -1) if bare[i - 1]), 1)
    return Span(file, line, max(1, len(bare[line - 1])), len(bare[line - 1]) + 1)


def early_brace(rows: list[str], last: int) -> int | None:
    """The first line before ``last`` that holds only a } and stands further in or out than the block it closes."""
    opened: list[int] = []  # indentations
    for number, row in enumerate(rows[: last - 1], 1):
        indent = len(row) - len(row.lstrip())
        for brace in re.findall(r"[{}]", re.sub(r'"(?:[^"\\]|\\.)*"|#.*', "", row)):
            if brace == "{":
                opened.append(indent)
            elif opened and opened.pop() != indent and row.strip() == "}":
                return number
    return None


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

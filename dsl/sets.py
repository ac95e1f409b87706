"""--set path=value: settings from the command line, read and checked as if they stood in the file."""

from collections.abc import Sequence
from typing import NamedTuple

from dsl.blocks import Entry
from dsl.files import File
from dsl.parse import attempt
from dsl.problems import COMMAND_LINE, Problem, Span, did_you_mean
from dsl.schema import kinds, run_row, run_rows, schema
from dsl.scope import Defined, FileNames, Scope
from dsl.syntax import Assign


class Override(NamedTuple):
    """One --set: a setting of one block, or of every run where ``block`` is None."""

    path: str
    entry: Entry
    block: Defined | None


def overrides_of(texts: Sequence[str], scope: Scope, problems: list[Problem]) -> list[Override]:
    """The overrides that the texts mean; a let of the file is replaced at once."""
    found: list[Override] = []
    for text in texts:
        statement = _read(text, problems)
        if statement is not None:
            override = _override(text, statement, scope, problems)
            found += [override] if override else []
    return found


def _read(text: str, problems: list[Problem]) -> Assign | None:
    name = f"{COMMAND_LINE} {text}"
    tree, problem, _ = attempt(text, name)
    if tree is not None and len(tree) == 1 and isinstance(tree[0], Assign):
        return tree[0]
    why = problem.title if problem else "this is not a setting"
    help = problem.help if problem and problem.help else "write: --set cluster.nodes=256"
    problems.append(Problem("E29", f"--set {text}: {why}", Span(name, 1, 1, len(text) + 1), help=help))
    return None


def _override(text: str, statement: Assign, scope: Scope, problems: list[Problem]) -> Override | None:
    path = statement.path
    file = File(f"{COMMAND_LINE} {text}", COMMAND_LINE, COMMAND_LINE, None, False, text, "", 0, (), ())
    row = run_row(path.path)
    if row is not None:
        return Override(path.path, Entry(path.path, row, statement.value, file, statement.span, COMMAND_LINE), None)
    cell = scope.let(path.path)
    if cell is not None:
        cell.expression, cell.type, cell.names = statement.value, None, FileNames(scope)
        return None
    for defined in scope.ordered:
        if defined.name == path.parts[0] and len(path.parts) > 1:
            inner = ".".join(path.parts[1:])
            row = schema(kinds()[defined.kind.name]).row(inner)
            if defined.kind.name == "run":
                row = row or run_row(inner)
            if row is not None:
                return Override(inner, Entry(inner, row, statement.value, file, statement.span, COMMAND_LINE), defined)
            problems.append(
                Problem(
                    "E11",
                    f"`{inner}` is not a setting of {defined.kind.name} `{defined.name}`",
                    path.span,
                    "not a setting",
                    help=did_you_mean(inner, schema(defined.kind).rows),
                )
            )
            return None
    legal = [*run_rows(), *scope.lets, *(d.name for d in scope.ordered if d.name)]
    problems.append(
        Problem("E15", f"there is no `{path.path}` to set", path.span, "not found", help=did_you_mean(path.path, legal))
    )
    return None

"""--set path=value: settings from the command line, read and checked as if they stood in the file."""

from collections.abc import Sequence
from typing import NamedTuple

from dsl.blocks import Entry
from dsl.files import File
from dsl.parse import attempt
from dsl.problems import COMMAND_LINE, Problem, Span
from dsl.schema import kinds, run_row, run_rows, schema
from dsl.scope import Defined, FileNames, Scope
from dsl.synonyms import help_for
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
        statement = read(text, COMMAND_LINE, "cluster.nodes=256", problems)
        if statement is not None:
            override = _override(text, statement, scope, problems)
            found += [override] if override else []
    return found


def read(text: str, option: str, example: str, problems: list[Problem]) -> Assign | None:
    """The setting that an option of the command line gives, or None with a problem."""
    name = f"{option} {text}"
    tree, problem, _ = attempt(text, name)
    if tree is not None and len(tree) == 1 and isinstance(tree[0], Assign):
        return tree[0]
    why = problem.title.replace("end of the file", "end") if problem else "this is not a setting"
    help = problem.help.replace(" = ", "=") if problem and problem.help else f"write: {option} {example}"
    span = problem.span if problem and problem.span.line == 1 else Span(name, 1, 1, len(text) + 1)
    problems.append(Problem("E29", f"{option} {text}: {why}", span, help=help))
    return None


def stated_file(text: str, option: str) -> File:
    """The text of an option as a file, so that problems point into it."""
    return File(f"{option} {text}", option, option, None, False, text, "", 0, (), ())


def _override(text: str, statement: Assign, scope: Scope, problems: list[Problem]) -> Override | None:
    path = statement.path
    file = stated_file(text, COMMAND_LINE)
    row = run_row(path.path)
    if row is not None:
        return Override(path.path, Entry(path.path, row, statement.value, file, statement.span, COMMAND_LINE), None)
    cell = scope.let(path.path)
    if cell is not None:
        cell.expression, cell.type, cell.names = statement.value, None, FileNames(scope)
        return None
    for defined in scope.ordered:
        if (defined.name or defined.kind.name) == path.parts[0] and len(path.parts) > 1:  # a report has no name
            inner = ".".join(path.parts[1:])
            row = schema(kinds()[defined.kind.name]).row(inner)
            if defined.kind.name == "run":
                row = row or run_row(inner)
            if row is not None:
                return Override(inner, Entry(inner, row, statement.value, file, statement.span, COMMAND_LINE), defined)
            called = [defined.kind.name, *([f"`{defined.name}`"] if defined.name else [])]
            problems.append(
                Problem(
                    "E11",
                    f"`{inner}` is not a setting of {' '.join(called)}",
                    path.span,
                    "not a setting",
                    help=help_for(inner, schema(defined.kind).rows).replace("mean `", f"mean `{path.parts[0]}."),
                )
            )
            return None
    group = min((p for p in run_rows() if p.startswith(path.path + ".")), key=lambda p: p.count("."), default="")
    if group:
        problems.append(Problem("E15", f"`{path.path}` is a block", path.span, "not a setting",
                                help=f"write one of its settings: {group}=…"))  # fmt: skip
        return None
    legal = [*run_rows(), *scope.lets, *(d.name for d in scope.ordered if d.name)]
    problems.append(
        Problem("E15", f"there is no `{path.path}` to set", path.span, "not found", help=help_for(path.path, legal))
    )
    return None

"""The arguments of a choice, as in interleaved(virtual_stages = 8), and what is wrong with them."""

from dsl.kind import Setting
from dsl.kinds import ARGUMENTS
from dsl.problems import Label, Problem, Span, nearest
from dsl.syntax import Argument, written
from dsl.values import Settled


def given_arguments(path: str, found: Settled, whole: Span, problems: list[Problem]) -> list[tuple[Setting, Argument]]:
    """The arguments that a choice of the setting at ``path`` was given, each with its row of the schema."""
    assert found.arguments is not None
    rows = ARGUMENTS.get((path, found.value), ())
    taken: dict[str, tuple[Setting, Argument]] = {}
    for index, given in enumerate(found.arguments.arguments):
        row = _row(rows, index, given)
        if row is None:
            problems.append(_unknown(path, found.value, given, rows, whole))
        elif row.path in taken:
            labels = (Label(taken[row.path][1].span, "given here"),)
            problems.append(
                Problem("E12", f"`{row.path}` is given twice", given.span, "given again", labels,
                        help="remove one of the two")
            )  # fmt: skip
        else:
            taken[row.path] = (row, given)
    return list(taken.values())


def _row(rows: tuple[Setting, ...], index: int, given: Argument) -> Setting | None:
    if given.name:
        return next((r for r in rows if r.path == given.name), None)
    return rows[index] if index < len(rows) else None


def _unknown(path: str, choice: str, given: Argument, rows: tuple[Setting, ...], whole: Span) -> Problem:
    """An argument that the choice does not take."""
    names = [r.path for r in rows]
    title = f"`{choice}` has no argument `{given.name}`" if given.name else f"`{choice}` takes {len(rows)} arguments"
    if not names:
        owner = next((c for (p, c), own in ARGUMENTS.items() if p == path and given.name in [r.path for r in own]), "")
        notes = (f"`{given.name}` belongs to {owner}",) if owner else (f"`{choice}` takes none",)
        return Problem("E11", title, whole, "takes none", (), notes, f"write {choice}")
    near = nearest(given.name, names) or (names[0] if len(names) == 1 and given.name else "")
    help = f"write {near} = {written(given.value)}" if near else ""
    return Problem("E11", title, given.span, "not an argument", (), (f"arguments: {', '.join(names)}",), help)

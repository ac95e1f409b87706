"""Problems as an editor shows them: under the words that they point at, in every file that is open."""

from collections.abc import Iterable
from typing import NamedTuple

from dsl.problems import Problem, Span
from dsl.server.checked import Checked
from dsl.syntax import Import


class Note(NamedTuple):
    """One problem of one file; ``others`` are the places that it also speaks of, by the key of their file."""

    key: str
    span: Span
    code: str
    severity: str
    text: str
    others: tuple[tuple[str, Span, str], ...] = ()


def notes(checked: Checked, opened: Iterable[str]) -> list[Note]:
    """The problems of a file and of those of its imports that are open; what is wrong in another file that it imports
    is told at the import."""
    keys = {file.name: key for key, file in checked.loaded.files.items()}
    shown = {checked.key, *opened}
    found, elsewhere = list[Note](), dict[str, list[Problem]]()
    for problem in dict.fromkeys(checked.problems):
        key = keys.get(problem.span.file, checked.key)
        if key in shown:
            found.append(_note(problem, key, keys))
        else:
            elsewhere.setdefault(key, []).append(problem)
    return [*found, *(note for key, problems in elsewhere.items() for note in _at_import(checked, key, problems))]


def _note(problem: Problem, key: str, keys: dict[str, str]) -> Note:
    others = tuple(
        (keys[label.span.file], label.span, label.text) for label in problem.labels if label.span.file in keys
    )
    return Note(key, problem.span, problem.code, problem.severity, said(problem), others)


def said(problem: Problem) -> str:
    """A problem in one text: title, what the words are, why, and what to type."""
    label = f" ({problem.label})" if problem.label not in ("here", "") else ""
    why = [f"note: {note}" for note in problem.notes]
    return "\n".join([problem.title + label, *why, *([f"help: {problem.help}"] if problem.help else [])])


def _at_import(checked: Checked, key: str, problems: list[Problem]) -> Iterable[Note]:
    """One note where the file, or one that leads to it, is imported."""
    links = checked.loaded.links.get(checked.key, ())
    direct = next((link for link in links if link.key == key), None)
    statement = (
        direct.statement if direct else next((s for s in checked.loaded.main.tree if isinstance(s, Import)), None)
    )
    if statement is None:
        return
    first = problems[0]
    more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
    text = f"{checked.loaded.files[key].logical}: {first.title}{more}"
    place = ((key, first.span, first.title),)
    yield Note(checked.key, statement.path.span, first.code, first.severity, text, place)

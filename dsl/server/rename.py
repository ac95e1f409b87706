"""Definition, references and rename: where a name is defined, and every word that must change with it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from dsl.problems import Span
from dsl.server.checked import Checked
from dsl.server.hover import worth
from dsl.server.marks import marks
from dsl.server.meanings import Mark, Target
from dsl.words import STATEMENTS, shapes


class Found(NamedTuple):
    """A word in a file."""

    key: str
    span: Span


class Refused(Exception):
    """Why a name is not changed; its text is for the person who asked."""


def definition(checked: Checked, mark: Mark | None) -> Found | None:
    """Where the thing that a word means is defined; for a setting, where its value was written."""
    if mark is None:
        return None
    to = mark.target
    if to is not None:
        return Found(to.key, Span("", to.line, to.column, to.end))
    if mark.role in ("setting", "choice"):
        return _value(checked, mark)
    return None


def _value(checked: Checked, mark: Mark) -> Found | None:
    """The line that a setting's value comes from, in whatever block or file that is."""
    value = worth(checked, mark)
    if value is None or value.span is None:
        return None
    key = next((k for k, file in checked.world.loaded.files.items() if file.name == value.span.file), None)
    return Found(key, value.span) if key else None


def same(files: Iterable[Checked], root: Target) -> list[Found]:
    """Every word of these files that stands for ``root``."""
    return [Found(file.key, mark.span) for file in files for mark in marks(file.world, file.scope) if mark.root == root]


def renamable(mark: Mark | None) -> Mark:
    """The mark, where it is a name that a person chose; anything else is refused."""
    if mark is None or mark.root is None:
        what = f"`{mark.text}` is a word of the language" if mark else "there is no name here"
        raise Refused(f"{what}; blocks, lets and the names of imports can be renamed")
    return mark


def renamed(mark: Mark, new: str, files: list[Checked], own: Iterable[str]) -> dict[str, list[Span]]:
    """The places to change by file, or Refused. ``files`` are all that may use the name, ``own`` the keys of those
    that may be changed."""
    legal(new)
    assert mark.root is not None
    if mark.root.key not in set(own):
        raise Refused(f"`{mark.text}` is defined in the installed library; copy the block and rename the copy")
    places: dict[str, list[Span]] = {}
    for found in same(files, mark.root):
        places.setdefault(found.key, []).append(found.span)
    _held_against(mark, new, files, places)
    return places


def legal(new: str) -> None:
    """Refuses what is not one name."""
    if not re.fullmatch(shapes()["NAME"], new) or new in (*STATEMENTS, "true", "false"):
        raise Refused(f"`{new}` is not a name: letters, digits, _ and glued - or ., and it begins with a letter")


def _held_against(mark: Mark, new: str, files: list[Checked], places: Mapping[str, list[Span]]) -> None:
    """Refuses a name that is taken: the changed files must have no more problems, and no word must change meaning."""
    changed = {f.key: edited(f.world.loaded.main.text, places[f.key], new) for f in files if f.key in places}
    for file in files:
        if file.key not in places:
            continue
        before, after = file.closed(), file.closed(changed)
        more = _codes(after) - _codes(before)
        if more:
            told = {p.title for p in before.problems}
            titles = [p.title for p in after.problems if p.code in more]
            raise Refused(f"{next((title for title in titles if title not in told), titles[0])} then")
        if _meanings(after, new) != sorted([*_meanings(file, new), len(places[file.key])]):
            raise Refused(f"`{new}` already means something in {file.loaded.main.logical}")


def _codes(file: Checked) -> Counter[str]:
    """How many problems of each kind a file has; their texts may name what is renamed."""
    return Counter(problem.code for problem in file.problems)


def _meanings(file: Checked, name: str) -> list[int]:
    """How many words of a file share each meaning that a name has in it."""
    found = (mark for mark in marks(file.world, file.scope) if mark.text == name and mark.root is not None)
    return sorted(Counter(mark.root for mark in found).values())


def edited(text: str, places: list[Span], new: str) -> str:
    """The text with each place replaced."""
    rows = text.split("\n")
    for span in sorted(places, key=lambda s: (s.line, s.column), reverse=True):
        row = rows[span.line - 1]
        rows[span.line - 1] = row[: span.column - 1] + new + row[span.end - 1 :]
    return "\n".join(rows)

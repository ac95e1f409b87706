"""The heads of blocks: how a kind is named, and where a block or an argument belongs that stands in the wrong place."""

import re

from dsl.kinds import ARGUMENTS, Kind
from dsl.problems import Problem
from dsl.schema import kinds, schema
from dsl.synonyms import chosen
from dsl.syntax import Assign, Block, written


def named(block: Block, kind: Kind, problems: list[Problem]) -> bool:
    """Whether a block is named as its kind wants it; a problem is added where it is not."""
    if kind.named == "required" and not block.name:
        quoted = re.fullmatch(r"[A-Za-z_][\w-]*", block.title)
        notes = ("quotes make a title, which stands after the name",) if quoted else ()
        base = f" from {block.base.path}" if block.base is not None else ""
        help = f"write: {kind.name} {block.title if quoted else f'my-{kind.name}'}{base} {{ ... }}"
        problems.append(Problem("E14", f"a {kind.name} needs a name", block.span, "has none", (), notes, help))
        return False
    if kind.named == "none" and block.name:
        help = f"write: {kind.name} {{ ... }}"
        problems.append(Problem("E14", f"a `{kind.name}` block has no name", block.name_span, "remove this", help=help))
    if kind.named == "choice" and block.name and block.name not in kind.name_choices:
        problems.append(
            Problem(
                "E21",
                f"`{block.name}` is not a kind of {kind.name}",
                block.name_span,
                "not one of them",
                notes=(f"choices: {', '.join(kind.name_choices)}",),
                help=chosen(block.name, kind.name_choices),
            )
        )
        return False
    return True


def written_argument(statement: Assign) -> str:
    """A setting as an argument: virtual_stages = 2."""
    return f"{statement.path.parts[-1]} = {written(statement.value)}"


def called_with(group: str, word: str) -> tuple[str, str] | None:
    """The choice that takes this argument, and its setting inside the group, where the word is no setting itself."""
    last = word.rpartition(".")[2]
    for (path, choice), rows in ARGUMENTS.items():
        if path.startswith(group) and any(row.path == last for row in rows):
            return choice, path.removeprefix(group)
    return None


def homes_of(word: str) -> list[str]:
    """The kinds that a block or group of this name stands in."""
    return [k.name for k in kinds().values() if word in {*schema(k).groups, *schema(k).repeated}]


def elsewhere(block: Block, homes: list[str]) -> Problem:
    """The problem of a block that stands in another kind than here."""
    places = " or ".join([", ".join(homes[:-1]), homes[-1]] if len(homes) > 1 else homes)
    help = f"move it into a {homes[0]}"
    return Problem("E10", f"`{block.kind}` stands inside a {places}", block.span, "does not stand here", help=help)

"""Words that mean nothing where they stand: kinds, names, paths into a block; and what was probably meant."""

from typing import TYPE_CHECKING

from dsl.headers import elsewhere, homes_of
from dsl.kinds import KINDS
from dsl.problems import Label, Problem
from dsl.schema import kinds, schema
from dsl.synonyms import RESULTS, SETTINGS, TRUTHS, help_for, suggested
from dsl.syntax import Assign, Block, Name, written

if TYPE_CHECKING:
    from dsl.scope import Scope

OTHERS = {**SETTINGS, **RESULTS}  # other words for what an expression may name


def unknown_kind(block: Block) -> Problem:
    """A block of a kind that does not exist."""
    names = [kind.name for kind in KINDS]
    if homes := homes_of(block.kind):
        return elsewhere(block, homes)
    help = help_for(block.kind, names)
    notes = () if help else (f"kinds: {', '.join(names)}",)
    return Problem("E10", f"there is no kind of block called `{block.kind}`", block.span, "not found", (), notes, help)


def unknown_name(name: Name, legal: list[str]) -> Problem:
    """A name that means nothing; a glued dash between two known names is told apart from a misspelling."""
    known = set(legal)
    halves = name.path.split("-")
    for cut in range(1, len(halves)):
        left, right = "-".join(halves[:cut]), "-".join(halves[cut:])
        if left in known and (right in known or right.isdigit()):
            return Problem(
                "E15",
                f"there is no `{name.path}`",
                name.span,
                "one word: a glued dash joins",
                help=f"to subtract write `{left} - {right}`",
            )
    if name.path.lower() in TRUTHS:
        help = f"write {TRUTHS[name.path.lower()]}"
        return Problem("E15", f"there is no `{name.path}`", name.span, "not found", help=help)
    help = help_for(name.path, legal, OTHERS)
    notes = () if help else ("a name is a let, a setting such as layout.tensor, or a result such as mfu",)
    return Problem("E15", f"there is no `{name.path}`", name.span, "not found", (), notes, help)


def inner_name(scope: "Scope", name: Name) -> Problem | None:
    """The problem of a path into a named block that has no such setting (hopper.node), or None."""
    cut = 2 if name.parts[0] in scope.aliases else 1
    last = ".".join(name.parts[cut:])
    block = Name(name.parts[:cut], name.span)
    found = next((d for kind in kinds() if (d := scope.block(kind, block)) is not None), None) if last else None
    if found is None:
        return None
    near = suggested(last, schema(found.kind).rows)
    labels = (Label(found.block.name_span, "defined here"),)
    help = f"did you mean `{block.path}.{near}`?" if near else ""
    title = f"`{last}` is not a setting of {found.kind.name} `{found.name}`"
    return Problem("E11", title, name.span, "not a setting", labels, (), help)


def outside(statement: Assign) -> Problem:
    """A setting that stands outside of a block: what is not the name of a setting may be meant as a let."""
    path = statement.path.path
    let = f"write: let {path} = {written(statement.value)}, or put it into a block"
    help = "put it into the block that it belongs to" if known_setting(path) else let
    return Problem("E28", f"`{path}` is set outside of a block", statement.span, help=help)


def known_setting(path: str) -> bool:
    """Whether some kind of block has a setting of that path."""
    return "." in path or any(path in schema(kind).rows for kind in kinds().values())

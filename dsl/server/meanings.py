"""What a word of a scenario can mean to an editor, and which definitions belong together."""

from collections.abc import Iterator
from typing import NamedTuple

from dsl.kinds import Kind, Setting
from dsl.problems import Span
from dsl.resolve import TABLES, Resolution
from dsl.schema import run_row, schema
from dsl.scope import Defined, Scope
from dsl.syntax import Assign, Block, Let, List, Name, Statement


class Target(NamedTuple):
    """A definition: what it is called, the key of its file, and its place."""

    kind: str  # a kind of block, "let", "alias" or "file"
    name: str
    key: str
    line: int
    column: int
    end: int


class Mark(NamedTuple):
    """A word that means something.

    ``target`` is its definition; ``root`` the first of the definitions that override each other, by which all that
    must be renamed together is known.
    """

    span: Span
    role: str  # kind, block, let, alias, file, setting, result, choice, unit, function, group
    text: str
    target: Target | None = None
    root: Target | None = None
    path: str = ""  # of a setting, from the run
    row: Setting | None = None
    owner: Defined | None = None  # the block that a setting or a let is read in
    kind: Kind | None = None


class Place(NamedTuple):
    """Where statements stand: the named block around them, the schema that holds there, and the path before it."""

    owner: Defined
    kind: Kind
    group: str = ""
    prefix: str = ""  # what comes before a path of this place in a run
    reads: str = ""  # where names in its values are looked up first

    def row(self, path: str) -> Setting | None:
        """The setting that a path of this block means."""
        own = schema(self.kind).rows.get(path)
        return own or (run_row(path) if self.kind.name == "run" or self.kind.open_settings else None)


def target(scope: Scope, kind: str, name: str, span: Span) -> Target:
    """A definition in the file of ``scope``."""
    return Target(kind, name, scope.file.key, span.line, span.column, span.end)


def block_target(defined: Defined) -> Target:
    """The definition of a named block."""
    return target(defined.scope, defined.kind.name, defined.name, defined.block.name_span)


class Names:
    """What names mean in the blocks of one set of files."""

    def __init__(self, world: Resolution) -> None:
        self.world = world
        self.chains: dict[tuple[str, str, str], list[Defined]] = {}

    def chain(self, defined: Defined) -> list[Defined]:
        """The block, those that it copies, and the run that it varies: where its lets come from, nearest first."""
        if defined.key not in self.chains or not defined.name:
            self.chains[defined.key] = list(dict.fromkeys(self._chain(defined)))
        return self.chains[defined.key]

    def _chain(self, defined: Defined) -> Iterator[Defined]:
        yield from _copied(defined)
        run = self.run_of(defined)
        if run is not None:
            yield from _copied(run)

    def run_of(self, defined: Defined) -> Defined | None:
        """The run whose settings a block reads: itself, the base of a table, the first that is compared."""
        if defined.kind.name == "run":
            return defined
        if defined.kind.name not in (*TABLES, "compare"):
            return None
        for at in _copied(defined):
            for statement in at.block.body:
                if isinstance(statement, Assign) and statement.path.path in ("base", "between"):
                    value = statement.value
                    first = value.items[0] if isinstance(value, List) and value.items else value
                    return at.scope.block("run", first) if isinstance(first, Name) else None
        return None

    def local(self, defined: Defined, name: str) -> tuple[Target, Target] | None:
        """The let of a block that a name means, and the first of those that it overrides."""
        found = [t for d in self.chain(defined) if (t := _let_in(d, name)) is not None]
        return (found[0], found[-1]) if found else None


def _copied(defined: Defined) -> Iterator[Defined]:
    """The block and those that it copies, nearest first."""
    at: Defined | None = defined
    seen = set[tuple[str, str, str]]()
    while at is not None and at.key not in seen:
        seen.add(at.key)
        yield at
        at = at.scope.block(at.kind.name, at.block.base) if at.block.base else None


def _let_in(defined: Defined, name: str) -> Target | None:
    for let in lets_in(defined.block.body):
        if let.name == name:
            return target(defined.scope, "let", name, let.span)
    return None


def lets_in(body: tuple[Statement, ...]) -> Iterator[Let]:
    """The lets of a block, those inside its groups too."""
    for statement in body:
        if isinstance(statement, Let):
            yield statement
        elif isinstance(statement, Block):
            yield from lets_in(statement.body)

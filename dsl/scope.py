"""Names: what each file defines, and what of other files it can see.

An import makes the names of a file visible, not the names that file imports itself. The library's default
stack, failure rates and checks are visible everywhere, behind everything else.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from dsl.algebra import ANY, Meaning, Names, Type
from dsl.dimensions import check
from dsl.files import File, Loaded
from dsl.headers import named
from dsl.kinds import Kind
from dsl.problems import Label, Problem, Span, listed
from dsl.schema import kinds, run_rows, schema
from dsl.synonyms import CHOICES, help_for
from dsl.syntax import UNREAD, Assign, Block, Edition, Expression, Import, Let, Name, Require, Where
from dsl.unknown import inner_name, outside, unknown_kind, unknown_name

EDITION = 2026
COLLECTED = frozenset({"check", "report"})  # kinds that nobody refers to by name


class Defined(NamedTuple):
    """A named block and the file it stands in."""

    block: Block
    kind: Kind
    scope: "Scope"

    @property
    def name(self) -> str:
        return self.block.name

    @property
    def key(self) -> tuple[str, str, str]:
        return self.scope.file.key, self.kind.name, self.block.name


ValueOf = Callable[[Defined, str], "tuple[Type, Any] | None"]


class Cell:
    """A let; its type is worked out once, when it is first used."""

    def __init__(self, name: str, expression: Expression, names: Names, span: Span) -> None:
        self.name, self.expression, self.span = name, expression, span
        self.names: Names = names
        self.type: Type | None = None
        self.open = False
        self.untold: list[Problem] = []  # found when nobody wanted to hear of them

    def typed(self, problems: list[Problem] | None, at: Span) -> Type:
        """Its type; a let that is defined by itself is a problem. Its problems are told once, to the first who asks."""
        if self.open:
            if problems is not None:
                problems.append(self._leads_back(at))
            return ANY
        if self.type is None:
            self.open = True
            self.type = check(self.expression, self.names, self.untold)
            self.open = False
        if problems is not None:
            problems += self.untold
            self.untold = []
        return self.type

    def _leads_back(self, at: Span) -> Problem:
        labels, help = (Label(self.span, "defined here"),), "give one of the names a value of its own"
        return Problem("E23", f"`{self.name}` is defined by itself", at, "leads back here", labels, (), help)

    @property
    def key(self) -> str:
        return f"let {self.span.file}:{self.span.line}:{self.span.column}"


class Scope:
    """The names of one file."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.blocks: dict[tuple[str, str], Defined] = {}
        self.lets: dict[str, Cell] = {}
        self.aliases: dict[str, Scope] = {}
        self.imported: list[Scope] = []
        self.implicit: list[Scope] = []
        self.ordered: list[Defined] = []
        self.unread: set[str] = set()  # names of blocks and lets that stand here and could not be read
        self.nameless: set[str] = set()  # kinds of which a block has no name
        self.value_of: ValueOf | None = None  # a setting of a named block, worked out

    def define(self, problems: list[Problem]) -> None:
        """Gathers what the file itself defines."""
        for index, statement in enumerate(self.file.tree):
            match statement:
                case Block():
                    self._block(statement, problems)
                case Let():
                    self._let(statement, problems)
                case Edition():
                    problems += _edition(statement, index)
                case Import():
                    pass
                case Assign():
                    problems.append(outside(statement))
                    self.unread.add(statement.path.path)
                case Require() | Where():
                    word = "require" if isinstance(statement, Require) else "where"
                    problems.append(
                        Problem(
                            "E28",
                            f"a {word} stands in a block",
                            statement.span,
                            help="move it into a run, sweep or optimize",
                        )
                    )

    def _block(self, block: Block, problems: list[Problem]) -> None:
        if block.kind == UNREAD:
            return
        kind = kinds().get(block.kind)
        if kind is None:
            problems.append(unknown_kind(block))
            self.unread |= {block.name, block.title}
        elif not block.name and kind.named == "required":
            self.nameless.add(kind.name)
            self.unread.add(block.title)
            named(block, kind, problems)
        elif named(block, kind, problems):
            defined = Defined(block, kind, self)
            before = self.blocks.get((kind.name, block.name)) if block.name else None
            if before is not None:
                problems.append(
                    Problem(
                        "E12",
                        f"{kind.name} `{block.name}` is defined twice",
                        block.name_span,
                        "defined again",
                        (Label(before.block.name_span, "first defined here"),),
                        help="give one of them another name",
                    )
                )
                return
            self.ordered.append(defined)
            if block.name:
                self.blocks[kind.name, block.name] = defined

    def _let(self, statement: Let, problems: list[Problem]) -> None:
        before = self.lets.get(statement.name)
        if before is not None:
            problems.append(
                Problem(
                    "E12",
                    f"`{statement.name}` is defined twice",
                    statement.span,
                    "defined again",
                    (Label(before.span, "first defined here"),),
                    help="give one of them another name",
                )
            )
            return
        if statement.name in run_rows():
            problems.append(
                Problem(
                    "E25",
                    f"`{statement.name}` is a setting of every run",
                    statement.span,
                    "would hide it",
                    help="give the let another name, or move it into the run",
                )
            )
        self.lets[statement.name] = Cell(statement.name, statement.value, FileNames(self), statement.span)

    def visible(self) -> list["Scope"]:
        """The files whose names can be used here without an alias, own first."""
        return [self, *self.imported, *(scope for scope in self.implicit if scope is not self)]

    def block(self, kind: str, name: Name) -> Defined | None:
        """The block that a reference means, or None."""
        if len(name.parts) == 2 and name.parts[0] in self.aliases:
            return self.aliases[name.parts[0]].blocks.get((kind, name.parts[1]))
        if len(name.parts) > 1:
            return None
        return next((s.blocks[kind, name.path] for s in self.visible() if (kind, name.path) in s.blocks), None)

    def let(self, name: str) -> Cell | None:
        """The let of that name, own or imported, or None."""
        return next((s.lets[name] for s in self.visible() if name in s.lets), None)

    def known(self, kind: str) -> list[str]:
        """The names of all blocks of a kind that can be used here."""
        plain = [name for s in self.visible() for k, name in s.blocks if k == kind]
        return [*dict.fromkeys(plain), *(f"{a}.{n}" for a, s in self.aliases.items() for k, n in s.blocks if k == kind)]

    def find(self, kind: str, name: Name, problems: list[Problem]) -> Defined | None:
        """The block that a reference means; a problem where there is none."""
        found = self.block(kind, name)
        if found is None and not self.told(name, kind):
            problems.append(self._missing(kind, name))
        return found

    def told(self, name: Name, kind: str = "") -> bool:
        """Whether a name is missing because what defines it could not be read, which has been told."""
        return any(name.parts[0] in s.unread or name.path in s.unread or kind in s.nameless for s in self.visible())

    def _missing(self, kind: str, name: Name) -> Problem:
        known = self.known(kind)
        close = [n for n in known if n.lower().startswith(name.path.lower()[:4])]
        some = listed(known) if len(known) <= 12 else f"{', '.join((close or known)[:8])} … (all: scn catalog {kind})"
        notes = (f"{kind}s in reach: {some}",) if known else (f"no {kind} is in reach",)
        other = next((d for k in kinds() if (d := self.block(k, name)) is not None), None)
        if other is not None:
            return Problem(
                "E15",
                f"`{name.path}` is a {other.kind.name}, not a {kind}",
                name.span,
                f"a {kind} belongs here",
                (Label(other.block.name_span, f"{other.kind.name} `{name.path}` is defined here"),),
                notes,
            )
        help = help_for(name.path, known, CHOICES)
        if not help and kind in ("gpu", "model"):
            help = f'write at the top: import "library/{kind}s.scn"'
        return Problem("E15", f"there is no {kind} called `{name.path}`", name.span, "not found", (), notes, help)


def _edition(statement: Edition, index: int) -> list[Problem]:
    if index > 0:
        return [
            Problem("E06", "the edition comes first in a file, once", statement.span, help="move it to the first line")
        ]
    year = statement.year
    if year.value != EDITION:
        when = "newer than" if year.value > EDITION else "unknown to"
        return [
            Problem("E06", f"edition {year.text} is {when} this version", year.span, help=f"write: edition {EDITION}")
        ]
    return []


class FileNames:
    """The names that a let of a file may use: other lets, and settings of named blocks (hopper.nodes)."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def find(self, name: Name, problems: list[Problem] | None) -> Meaning | None:
        """What the name means in the file."""
        found = let_of(self.scope, name, problems) or setting_of(self.scope, name, problems)
        if found is None and problems is not None and not self.scope.told(name):
            if name.path in run_rows() or name.parts[0] in ("layout", "model", "cluster", "stack"):
                problems.append(
                    Problem(
                        "E25",
                        f"`{name.path}` belongs to a run; a let of the file cannot see it",
                        name.span,
                        "not visible here",
                        help="move the let into the run",
                    )
                )
            else:
                problems.append(inner_name(self.scope, name) or unknown_name(name, lets_of(self.scope)))
        return found


def let_of(scope: Scope, name: Name, problems: list[Problem] | None) -> Meaning | None:
    """The let that a name means, own, imported, or behind an alias (zoo.headroom)."""
    cell = scope.let(name.parts[0]) if len(name.parts) == 1 else None
    if len(name.parts) == 2 and name.parts[0] in scope.aliases:
        cell = scope.aliases[name.parts[0]].lets.get(name.parts[1])
    return None if cell is None else Meaning(cell.key, cell.typed(problems, name.span), cell)


def setting_of(scope: Scope, name: Name, problems: list[Problem] | None) -> Meaning | None:
    """The setting of a named block that a path means (hopper.nodes, h100-contract.rent), or None."""
    parts = name.parts
    cut = 2 if parts[0] in scope.aliases else 1
    block = Name(parts[:cut], name.span)
    path = ".".join(parts[cut:])
    if not path or scope.value_of is None:
        return None
    for kind in kinds().values():
        found = scope.block(kind.name, block)
        row = schema(kind).row(path) if found is not None else None
        if found is None or row is None:
            continue
        value = scope.value_of(found, path)
        if value is not None:
            return Meaning(f"{found.scope.file.key} {name.path}", value[0], None, value[1])
        if problems is not None:
            problems.append(
                Problem(
                    "E13",
                    f"{kind.name} `{found.name}` has no {path}",
                    name.span,
                    "has none",
                    (Label(found.block.name_span, "defined here"),),
                    help=f"state {path} there, or write the value here",
                )
            )
        return Meaning(name.path, ANY)
    return None


def lets_of(scope: Scope) -> list[str]:
    """The names of all lets that can be used in a file."""
    return [
        *(n for s in scope.visible() for n in s.lets),
        *(f"{a}.{n}" for a, s in scope.aliases.items() for n in s.lets),
    ]


def scopes(loaded: Loaded, problems: list[Problem]) -> dict[str, Scope]:
    """The names of every file, by the file's key."""
    made = {key: Scope(file) for key, file in loaded.files.items()}
    shelf = [made[key] for key in loaded.implicit]
    for key, scope in made.items():
        own: list[Problem] = []
        scope.define(own)
        if key == loaded.main.key or key not in loaded.implicit:
            problems += own
        scope.implicit = shelf
    for key, links in loaded.links.items():
        for link in links:
            if link.key:
                _link(made[key], made[link.key], link.statement, problems)
    return made


def _link(scope: Scope, target: Scope, statement: Import, problems: list[Problem]) -> None:
    """Makes the names of ``target`` visible in ``scope``; a name that is there already is a problem."""
    if target is scope:
        return
    if statement.alias:
        if statement.alias in scope.aliases and scope.aliases[statement.alias] is not target:
            problems.append(
                Problem("E12", f"`{statement.alias}` names two files", statement.alias_span, "given again",
                        help="give one of them another name")
            )  # fmt: skip
            scope.unread.add(statement.alias)
        scope.aliases[statement.alias] = target
        return
    if target in scope.imported:
        return
    for other in (scope, *scope.imported):
        for key, defined in target.blocks.items():
            if key in other.blocks and key[0] not in COLLECTED:
                problems.append(
                    _twice(
                        scope,
                        f"{key[0]} `{key[1]}`",
                        other.blocks[key].block.name_span,
                        defined.block.name_span,
                        statement,
                    )
                )
        for name, cell in target.lets.items():
            if name in other.lets:
                problems.append(_twice(scope, f"`{name}`", other.lets[name].span, cell.span, statement))
    scope.imported.append(target)


def _twice(scope: Scope, what: str, first: Span, second: Span, statement: Import) -> Problem:
    here, there = (first, second) if first.file == scope.file.name else (statement.path.span, first)
    labels = (
        (Label(there, "defined here"),) if here is first else (Label(first, "defined here"), Label(second, "and here"))
    )
    return Problem(
        "E12",
        f"{what} is defined twice",
        here,
        "defined again" if here is first else "brings it in again",
        labels,
        help='rename one of them, or import with a name: import "…" as other',
    )

"""Blocks: their settings by path, what stands in them, and what ``from`` copies into them."""

from itertools import islice
from typing import NamedTuple

from dsl.files import File
from dsl.headers import called_with, elsewhere, homes_of, named, written_argument
from dsl.kinds import Kind, Setting
from dsl.problems import COMMAND_LINE, Label, Problem, Span
from dsl.schema import kinds, run_row, run_rows, schema
from dsl.synonyms import help_for
from dsl.syntax import UNREAD, Assign, Block, Edition, Expression, Import, Let, Name, Require, Statement, Text, Where


class Entry(NamedTuple):
    """One setting as written: where it stands, the file whose names its value uses, and what stood there before."""

    path: str
    row: Setting
    value: Expression
    file: File
    span: Span
    block: str  # the name of the block it was written in
    prefix: str = ""  # where the block's settings are in a run's table; names in the value are looked up there first
    instead_of: Span | None = None  # the inherited setting that it replaces
    path_span: Span | None = None  # of its path as written

    @property
    def named(self) -> Span:
        """The place of its path."""
        return self.path_span or self.span

    @property
    def where(self) -> str:
        """ "file:line" of the value, or --set."""
        return self.file.logical if self.block == COMMAND_LINE else f"{self.file.logical}:{self.value.span.line}"


class Condition(NamedTuple):
    """A require or where as written."""

    expression: Expression
    because: str
    file: File
    span: Span
    block: str


class Local(NamedTuple):
    """A let of a block."""

    name: str
    value: Expression
    file: File
    span: Span


class Part(NamedTuple):
    """A block inside a block that may stand several times: a tier, a chart, a condition."""

    kind: Kind
    name: str
    title: str
    at: tuple[Assign, ...]
    body: "Body"
    span: Span


class Body(NamedTuple):
    """What a block says: its own statements, or with ``from`` those of its base as well."""

    entries: dict[str, Entry]
    lets: dict[str, Local]
    requires: tuple[Condition, ...]
    wheres: tuple[Condition, ...]
    parts: tuple[Part, ...]
    whole: bool = True  # False where a base is missing: what the block lacks may stand there

    def of(self, kind: str) -> list[Part]:
        """The repeated blocks of one kind, in order."""
        return [part for part in self.parts if part.kind.name == kind]


EMPTY = Body({}, {}, (), (), ())


class Reader:
    """Reads the statements of one block of one file; problems are added to ``problems``."""

    def __init__(self, block: Block, kind: Kind, file: File, problems: list[Problem]) -> None:
        self.block, self.file, self.problems = block, file, problems
        self.schema = schema(kind)
        self.entries: dict[str, Entry] = {}
        self.lets: dict[str, Local] = {}
        self.requires: list[Condition] = []
        self.wheres: list[Condition] = []
        self.parts: list[Part] = []
        self.whole = True

    @property
    def shown(self) -> str:
        """The block as a person would call it: cluster `hopper`."""
        name = self.block.name
        return f"{self.block.kind} `{name}`" if name else f"{self.block.kind}"

    def read(self) -> Body:
        """What the block says itself."""
        self.statements(self.block.body, "")
        return Body(self.entries, self.lets, tuple(self.requires), tuple(self.wheres), tuple(self.parts), self.whole)

    def statements(self, body: tuple[Statement, ...], group: str) -> None:
        for statement in body:
            match statement:
                case Assign():
                    self.assign(statement, group)
                case Block():
                    self.inner(statement, group)
                case Let():
                    self.let(statement)
                case Require() | Where():
                    self.condition(statement)
                case Edition() | Import():
                    word = "edition" if isinstance(statement, Edition) else "import"
                    self.problems.append(
                        Problem(
                            "E28",
                            f"`{word}` stands at the top of a file",
                            statement.span,
                            help="move it out of the block",
                        )
                    )

    def assign(self, statement: Assign, group: str) -> None:
        path = group + statement.path.path
        row = self.row(path)
        if row is None:
            self.unknown(path, statement)
        elif self.unset(path, statement.span):
            entry = Entry(path, row, statement.value, self.file, statement.span, self.block.name)
            self.entries[path] = entry._replace(path_span=statement.path.span)

    def row(self, path: str) -> Setting | None:
        """The schema's row for a path in this block; a run may also set what it refers to (cluster.nodes)."""
        row = self.schema.rows.get(path)
        if row is None and self.schema.kind.name == "run":
            row = run_row(path)
        if row is None and self.schema.kind.open_settings:
            row = Setting(path, "open", "")
        return row

    def unset(self, path: str, span: Span) -> bool:
        """Whether nothing in this block has set the path yet."""
        before = self.entries.get(path)
        if before is None:
            return True
        labels = (Label(before.span, "first set here"),)
        self.problems.append(
            Problem("E12", f"`{path}` is set twice", span, "set again", labels, help="remove one of the two")
        )
        return False

    def unknown(self, path: str, statement: Assign) -> None:
        self.whole = False  # what the block lacks may be meant by this
        title = f"`{path}` is not a setting of {self.shown}"
        group = path.removesuffix(statement.path.path)
        help = self.meant(statement.path.path, group)
        if path in self.schema.groups or path in self.schema.repeated:
            title, help = f"`{path}` is a block, not a setting", f"write: {statement.path.path} {{ ... }}"
        elif found := called_with(group, statement.path.path):
            choice, setting = found
            help = f"write it with its choice: {setting} = {choice}({written_argument(statement)})"
        more = " …" if len(self.schema.rows) > 16 else ""
        notes = () if help else (f"settings: {', '.join(islice(self.schema.rows, 16))}{more}",)
        self.problems.append(Problem("E11", title, statement.path.span, "not a setting", (), notes, help))

    def meant(self, word: str, group: str) -> str:
        """A help for a word that is no setting here: one of its own group first, as it would stand there."""
        legal = [*self.schema.rows, *self.schema.groups, *self.schema.repeated]
        near = [name.removeprefix(group) for name in legal if name.startswith(group)]
        if group:
            return help_for(word, near) or help_for(group + word, legal).replace("did you mean", "outside of it:")
        run = [*legal, *run_rows()] if self.schema.kind.name == "run" else legal
        return help_for(word, near) or help_for(word, run)

    def inner(self, block: Block, group: str) -> None:
        """A block inside this one: a group of settings, a choice, or one of several."""
        path = group + block.kind
        if block.kind == UNREAD:
            return
        if not group and block.kind in self.schema.repeated:
            return self.part(block, self.schema.repeated[block.kind])
        if path not in self.schema.groups:
            return self.misplaced(block, path)
        choosing = self.schema.choosing.get(path)
        if choosing is not None:
            self.choose(block, path, choosing)
        elif block.name or block.title:
            self.problems.append(
                Problem(
                    "E14",
                    f"a `{block.kind}` block has no name",
                    block.name_span,
                    "remove this",
                    help=f"write: {block.kind} {{ ... }}",
                )
            )
        if block.base is not None:
            help = f"write: {block.kind} {{ ... }}"
            self.problems.append(
                Problem("E14", f"a `{block.kind}` block copies nothing", block.base.span, "remove this", help=help)
            )
        self.statements(block.body, path + ".")

    def choose(self, block: Block, path: str, kind: Kind) -> None:
        if not block.name:
            self.problems.append(
                Problem(
                    "E14",
                    f"which {path}?",
                    block.span,
                    "needs a word after it",
                    notes=(f"choices: {', '.join(kind.name_choices)}",),
                    help=f"write: {block.kind} {kind.name_choices[1]} {{ ... }}",
                )
            )
        elif self.unset(path, block.name_span):
            value = Name((block.name,), block.name_span)
            self.entries[path] = Entry(path, self.schema.rows[path], value, self.file, block.name_span, self.block.name)

    def misplaced(self, block: Block, path: str) -> None:
        legal = [*self.schema.groups, *self.schema.repeated]
        if path in self.schema.rows:
            problem = Problem("E10", f"`{path}` is a setting, not a block", block.span, help=f"write: {path} = …")
        elif block.kind in kinds():
            problem = Problem(
                "E10",
                f"a {block.kind} does not stand inside a {self.block.kind}",
                block.span,
                help="move it out to the top of the file",
            )
        elif homes := homes_of(block.kind):
            problem = elsewhere(block, homes)
        else:
            help = help_for(path, legal)
            notes = (f"blocks: {', '.join(sorted(legal))}",) if legal and not help else ()
            problem = Problem(
                "E10", f"a {self.block.kind} has no block `{path}`", block.span, "not a block", (), notes, help
            )
        self.whole = False
        self.problems.append(problem)

    def part(self, block: Block, kind: Kind) -> None:
        """One of a repeated kind of block."""
        if not named(block, kind, self.problems):
            return
        if block.base is not None:
            self.problems.append(
                Problem("E14", f"a `{block.kind}` block copies nothing", block.base.span, "remove this",
                        help=f"write: {block.kind} {block.name} {{ ... }}")
            )  # fmt: skip
        before = next(
            (p for p in self.parts if p.kind is kind and p.name == block.name and kind.named == "required"), None
        )
        if before is not None:
            self.problems.append(
                Problem(
                    "E12",
                    f"{block.kind} `{block.name}` is given twice",
                    block.name_span,
                    "given again",
                    (Label(before.span, "first given here"),),
                    help="give one of them another name",
                )
            )
            return
        body = Reader(block, kind, self.file, self.problems).read()
        self.parts.append(Part(kind, block.name, block.title, block.at, body, block.name_span))

    def let(self, statement: Let) -> None:
        if "let" not in self.schema.kind.statements:
            self.problems.append(
                Problem(
                    "E28",
                    f"a {self.block.kind} has no let",
                    statement.span,
                    help="move it to the top of the file, or into the run",
                )
            )
        elif statement.name in self.lets:
            labels = (Label(self.lets[statement.name].span, "first given here"),)
            self.problems.append(
                Problem(
                    "E12",
                    f"`{statement.name}` is given twice",
                    statement.span,
                    "given again",
                    labels,
                    help="give one of them another name",
                )  # fmt: skip
            )
        else:
            self.lets[statement.name] = Local(statement.name, statement.value, self.file, statement.span)

    def condition(self, statement: Require | Where) -> None:
        word = "require" if isinstance(statement, Require) else "where"
        if word not in self.schema.kind.statements:
            places = [k.name for k in kinds().values() if word in k.statements]
            self.problems.append(
                Problem(
                    "E28",
                    f"a {self.block.kind} has no {word}",
                    statement.span,
                    help=f"it stands in: {', '.join(places)}",
                )
            )
            return
        because = statement.because if isinstance(statement, Require) else ""
        kept = self.requires if isinstance(statement, Require) else self.wheres
        kept.append(Condition(statement.condition, because, self.file, statement.condition.span, self.block.name))


def inherited(base: Body, own: Body) -> Body:
    """``own`` over a copy of ``base``: settings replace, repeated blocks of the same name merge, the rest adds up."""
    entries = {
        p: e
        for p, e in base.entries.items()
        if p not in COUNTS and not (ALTERNATIVES.get(p) in own.entries and p not in own.entries)
    }
    for path, entry in own.entries.items():
        before = base.entries.get(path)
        entries[path] = entry._replace(instead_of=before.span) if before else entry
    return Body(
        entries,
        base.lets | own.lets,
        base.requires + own.requires,
        base.wheres + own.wheres,
        _merged(base.parts, own.parts),
        base.whole and own.whole,
    )


# Two ways to say one thing: a copy that says it in one way drops what its base says in the other.
ALTERNATIVES = {"nodes": "gpus", "gpus": "nodes", "layout.split": "layout.stages", "layout.stages": "layout.split"}
NOT_INHERITED = frozenset({"measured"})  # what was measured on the base says nothing about its copy
COUNTS = frozenset(
    {"measured_rows", "memory_rows"}
)  # of runs of the framework itself; a copy has its range, not its runs


def _merged(base: tuple[Part, ...], own: tuple[Part, ...]) -> tuple[Part, ...]:
    news = {(part.kind.name, part.name): part for part in own if part.kind.named == "required"}
    kept = []
    for part in base:
        if part.kind.name in NOT_INHERITED:
            continue
        over = news.pop((part.kind.name, part.name), None) if part.kind.named == "required" else None
        kept.append(
            part
            if over is None
            else part._replace(body=inherited(part.body, over.body), title=over.title or part.title)
        )
    olds = {(part.kind.name, part.name) for part in base if part.kind.named == "required"}
    return (*kept, *(part for part in own if (part.kind.name, part.name) not in olds or part.kind.named != "required"))


def text_of(body: Body, path: str) -> str:
    """A text setting of a block as it stands, "" where there is none or it is no plain text."""
    entry = body.entries.get(path)
    value = entry.value if entry else None
    return value.value if isinstance(value, Text) else value.path if isinstance(value, Name) else ""

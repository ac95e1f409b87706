"""The settings of one block, or of a run with all that it refers to, worked out one by one as they are asked for.

A setting is what was stated, else what follows from others (derived.py), else its default, else absent.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from dsl.algebra import ANY, FLAG, Meaning, Type
from dsl.arguments import given_arguments
from dsl.blocks import Body, Entry, Local
from dsl.cited import Cited, Sources
from dsl.defaults import KEPT, default_expression, literal, plain
from dsl.kinds import ARGUMENTS, Setting
from dsl.problems import COMMAND_LINE, Problem, Span
from dsl.quantities import HOLDS, dimension, display_unit
from dsl.scenario import Value
from dsl.schema import READ_ONLY, REFERENCES, argument, part_row, parts, schema
from dsl.scope import Cell, Scope, let_of, lets_of, setting_of
from dsl.syntax import Expression, Name, Number
from dsl.unknown import inner_name, unknown_name
from dsl.values import Context, Settled, settle

Results = Mapping[str, str]  # result name: dimension
OPTIONAL = (
    "model.attention",
    "model.experts",
    "model.mixer",
    "attention",
    "experts",
    "mixer",
    "offload",
    "lora",
    "checkpoint.host",
    "checkpoint.local",
    "calibration",
    "calibration.attention",
    "calibration.factor",
    "trace",
    "actual",
)  # absent unless something is stated


class World(Protocol):
    """What a table needs of its surroundings."""

    problems: list[Problem]
    results: Results | None
    literals: dict[tuple[str, int], Settled]

    def scope_of(self, file: str) -> Scope:
        """The names of the file with this key."""
        ...


class Table:
    """Settings by their full path, worked out on demand. ``rows`` are those it may have."""

    def __init__(self, world: World, scope: Scope, name: str, place: Span, rows: Mapping[str, Setting]) -> None:
        self.world, self.scope, self.name, self.place, self.rows = world, scope, name, place, rows
        self.entries: dict[str, Entry] = {}
        self.sources: dict[str, Sources] = {}  # by prefix
        self.lets: dict[str, Local] = {}
        self.cells: dict[tuple[str, bool], Cell] = {}
        self.parts: dict[str, tuple[str, ...]] = {}  # names of blocks that repeat, by their path: cluster.tier
        self.whole = True  # False where a base is missing
        self.settled: dict[str, Value | None] = {}
        self.open: list[str] = []

    @property
    def problems(self) -> list[Problem]:
        return self.world.problems

    def add(self, body: Body, prefix: str, sources: Sources) -> None:
        """The settings of a block, under ``prefix``; those that are there already win."""
        self.sources[prefix] = sources
        for path, entry in body.entries.items():
            full = prefix + path
            self.entries.setdefault(full, entry._replace(path=full, prefix=prefix))
        for part in body.parts:
            head = prefix + part.kind.name
            if head not in parts():
                continue
            self.parts[head] = tuple(dict.fromkeys((*self.parts.get(head, ()), part.name)))
            for path, entry in part.body.entries.items():
                full = f"{head}.{part.name}.{path}"
                self.entries.setdefault(full, entry._replace(path=full, prefix=prefix, block=sources.name))

    @property
    def tiers(self) -> tuple[str, ...]:
        """The names of the cluster's tiers, innermost first."""
        return self.parts.get("cluster.tier", ())

    def get(self, path: str) -> Any:
        """The plain value of a setting, or None."""
        value = self.value(path)
        return None if value is None else value.value

    def value(self, path: str) -> Value | None:
        """A setting with its origin, or None where it has neither a value nor a default."""
        if path in self.settled:
            return self.settled[path]
        if path not in self.entries and (key := (self.rows.get(path), path)) in KEPT:
            self.settled[path] = KEPT[key]
            return KEPT[key]
        if path in self.open:
            ring = [*self.open[self.open.index(path) :], path]
            entry = next((self.entries[p] for p in ring if p in self.entries), None)
            span = entry.span if entry else self.place
            self.problems.append(
                Problem(
                    "E23",
                    f"`{path}` is defined by itself",
                    span,
                    "leads back here",
                    (),
                    (" needs ".join(ring),),
                    "give one of them a value of its own",
                )  # fmt: skip
            )
            return None
        self.open.append(path)
        try:
            self.settled[path] = self._work_out(path)
        finally:
            self.open.pop()
        return self.settled[path]

    def _work_out(self, path: str) -> Value | None:
        from dsl.derived import DERIVED, adjusted, derived  # they work on tables

        if argument(path) is not None and (head := path.rpartition(".")[0]) not in self.open:
            self.value(head)  # a stated choice brings its arguments
        entry = self.entries.get(path)
        if entry is not None:
            settled = self._settled(entry)
            if settled is None:
                return None
            if settled.arguments is not None:
                self._arguments(entry, settled)
            return adjusted(self, entry, settled, self._placed(entry, settled))
        found = derived(self, path) or self._default(path)
        row = self.rows.get(path)
        if row is not None and path not in DERIVED and plain(row, path):
            KEPT[row, path] = found
        return found

    def _settled(self, entry: Entry) -> Settled | None:
        """The value of an entry; one that copies share and that names nothing is settled once."""
        kept = self.world.literals
        key = (entry.path, id(entry.value)) if literal(entry.value, entry.row) else None
        if key is not None and key in kept:
            return kept[key]
        before = len(self.problems)
        found = settle(entry.value, self.context(entry))
        if key is not None and found is not None and len(self.problems) == before:
            kept[key] = found
        return found

    def row(self, path: str) -> Setting | None:
        """The setting at a full path, tiers included, or None."""
        row = self.rows.get(path) or READ_ONLY.get(path)
        if row is None and any(path.startswith(f"{head}.{n}.") for head, names in self.parts.items() for n in names):
            row = part_row(path)
        return row

    def paths(self) -> list[str]:
        """Every setting that the block may have: optional groups only where something of them is stated."""
        groups = {".".join(path.split(".")[:depth]) for path in self.entries for depth in (1, 2)}
        absent = tuple(g + "." for g in OPTIONAL if g not in groups)
        bare = {prefix[:-1] for prefix in absent}
        plain = [p for p in self.rows if p not in bare and not p.startswith(absent)]
        return plain + [
            f"{head}.{name}.{path}"
            for head, names in self.parts.items()
            for name in names
            for path in schema(parts()[head]).rows
        ]

    def context(self, entry: Entry) -> Context:
        """Where an entry's value is read."""
        scope = self.world.scope_of(entry.file.key)
        row = self.with_tiers(entry.path, entry.row)
        return Context(
            row,
            entry.path.removeprefix(entry.prefix),
            TableNames(self, entry.prefix, scope),
            self.get,
            scope,
            self.problems,
            self.entries,
        )

    def with_tiers(self, path: str, row: Setting) -> Setting:
        """The row of a setting that names a tier, with the tiers of this cluster as its choices."""
        return row._replace(choices=("all", *self.tiers)) if path == "layout.shard.within" and self.tiers else row

    def _placed(self, entry: Entry, found: Settled) -> Value:
        """The value with where it stands and where its figure comes from."""
        taken, origin, note = self._taken(entry), self._origin(entry), ""
        of = self.sources.get(entry.prefix)
        cited = of.of(entry) if of else Cited()
        if taken is not None:
            assert isinstance(entry.value, Name)
            origin = "library" if taken.origin == "library" else origin
            note = f"{entry.value.path}, {taken.where}"
            cited = Cited(*(getattr(taken, word) for word in Cited._fields))
        return Value(found.value, found.unit, entry.value.span, origin, note, entry.where, *cited, entry.instead_of)

    def _origin(self, entry: Entry) -> str:
        sources = self.sources.get(entry.prefix)
        if entry.file.library:
            return "library"
        if entry.prefix == "calibration.":
            return "calibration"
        return "inherited" if sources is not None and entry.block not in (sources.name, COMMAND_LINE) else "stated"

    def _taken(self, entry: Entry) -> Value | None:
        """The setting of another block that this one is: price = h100-contract.rent."""
        if not isinstance(entry.value, Name) or len(entry.value.parts) < 2:
            return None
        meaning = self.context(entry).names.find(entry.value, None)
        taken = meaning.constant if meaning is not None else None
        return taken if isinstance(taken, Value) else None

    def _arguments(self, entry: Entry, found: Settled) -> None:
        """Spreads the arguments of a choice: interleaved(virtual_stages = 8)."""
        for row, given in given_arguments(entry.path, found, entry.value.span, self.problems):
            full = f"{entry.path}.{row.path}"
            self.entries.setdefault(full, entry._replace(path=full, row=row, value=given.value, span=given.span))

    def _default(self, path: str) -> Value | None:
        row = self.row(path)
        if row is None or not row.default or not self._applies(path):
            return None
        e = default_expression(row.default)
        context = Context(row, path, TableNames(self, "", self.scope), self.get, self.scope, self.problems)
        found = settle(e, context)
        return None if found is None else Value(found.value, found.unit, None, "default", row.doc)

    def _applies(self, path: str) -> bool:
        """Arguments have a default only where their choice is taken."""
        if (
            argument(path) is None or path == "layout.shard.within"
        ):  # every sharding has a group: all, unless one says less
            return True
        head, _, last = path.rpartition(".")
        return any(row.path == last for row in ARGUMENTS.get((head, self.get(head)), ()))

    def names(
        self, prefix: str = "", results: Results | None = None, local: Mapping[str, Local] | None = None
    ) -> "TableNames":
        """The names that conditions of this block may use: results, settings, lets."""
        return TableNames(self, prefix, self.scope, results, local)


class TableNames:
    """Names inside a block: its lets, results (where they are known), settings, then what the file defines."""

    def __init__(
        self,
        table: Table,
        prefix: str,
        scope: Scope,
        results: Results | None = None,
        lets: Mapping[str, Local] | None = None,
    ) -> None:
        self.table, self.prefix, self.scope, self.results = table, prefix, scope, results
        self.lets = table.lets if lets is None else lets

    def find(self, name: Name, problems: list[Problem] | None) -> Meaning | None:
        """What the name means here."""
        path = name.path
        if path in self.lets:
            return self._let(self.lets[path], name, problems)
        if self.results is not None and path in self.results:
            return Meaning(path, result_type(self.results[path]))
        for full in (self.prefix + path, path):
            row = self.table.row(full)
            if row is not None:
                return Meaning(full, self._typed(full, row))
        found = let_of(self.scope, name, problems) or setting_of(self.scope, name, problems)
        if found is None and problems is not None and not self.scope.told(name):
            problems.append(self._unknown(name))
        return found

    def _let(self, local: Local, name: Name, problems: list[Problem] | None) -> Meaning:
        key = (local.name, self.results is not None)
        cell = self.table.cells.get(key)
        if cell is None or cell.expression is not local.value:
            scope = self.table.world.scope_of(local.file.key)
            names = TableNames(self.table, self.prefix, scope, self.results, self.lets)
            cell = Cell(local.name, local.value, names, local.span)
            self.table.cells[key] = cell
        return Meaning(cell.key, cell.typed(problems, name.span), cell)

    def _typed(self, path: str, row: Setting) -> Type:
        entry = self.table.entries.get(path)
        return row_type(self.table.with_tiers(path, row), entry.value if entry else None)

    def _unknown(self, name: Name) -> Problem:
        known = self.table.world.results
        if self.results is None and known is not None and name.path in known:
            notes = ("settings are known before a run is evaluated, results after",)
            help = "hold it in a require of the run instead"
            title = f"`{name.path}` is a result; a setting cannot depend on it"
            return Problem("E15", title, name.span, "worked out later", (), notes, help)
        legal = [*self.lets, *(self.results or ()), *self.table.paths(), *lets_of(self.scope)]
        if self.prefix:
            legal += [p.removeprefix(self.prefix) for p in self.table.paths() if p.startswith(self.prefix)]
        return inner_name(self.scope, name) or unknown_name(name, legal)


def row_type(row: Setting, value: Expression | None) -> Type:
    """What a setting is in an expression."""
    holds = row.holds
    if holds == "flag":
        return FLAG
    if holds == "choice":
        return Type("choice", choices=row.choices)
    if holds in REFERENCES:
        return Type("choice")
    if holds in HOLDS:
        size, tag, _ = HOLDS[holds]
        unit = value.unit if isinstance(value, Number) else ""
        return Type("number", size, tag, (), unit or ("%" if holds == "share" else ""))
    if holds in ("text", "date", "file"):
        return Type("text")
    return Type("list") if holds.startswith("list") else ANY


def result_type(holds: str) -> Type:
    """What a result is in an expression, from the name of its dimension."""
    if holds == "flag":
        return FLAG
    if holds in ("text", "choice"):
        return Type("choice")
    size = dimension(holds)
    tag = HOLDS[holds][1] if holds in HOLDS else ""
    return Type("number", size, tag, (), "%" if holds == "share" else "" if any(size) else display_unit(size))

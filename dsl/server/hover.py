"""What the editor shows beside a word: unit, default, doc, and the resolved value with where it comes from."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from dsl.defaults import default_expression
from dsl.expressions import compiled
from dsl.kinds import Setting
from dsl.problems import Problem
from dsl.quantities import HOLDS, display_unit, in_words
from dsl.scenario import Value
from dsl.scope import FileNames
from dsl.server.checked import Checked
from dsl.server.meanings import Mark, Names, lets_in
from dsl.syntax import Let, Name, written
from dsl.units import Refusal, find, number, shown


class Result(NamedTuple):
    """A result as editors show it."""

    name: str
    unit: str
    doc: str


FIRST = 8  # settings shown of a block


class Hover:
    """Texts in Markdown for the marks of one checked file; ``results`` says what results are."""

    def __init__(self, checked: Checked, results: Mapping[str, Result]) -> None:
        self.checked, self.results = checked, results
        self.names = Names(checked.world)

    def text(self, mark: Mark) -> str:
        """What there is to say about a word, "" where there is nothing."""
        says: dict[str, Callable[[Mark], Iterator[str]]] = {
            "kind": self._kind,
            "group": self._group,
            "block": self._block,
            "let": self._let,
            "setting": self._setting,
            "choice": self._setting,
            "result": self._result,
            "unit": self._unit,
            "file": self._file,
        }
        return "\n\n".join(says[mark.role](mark)) if mark.role in says else ""

    def _kind(self, mark: Mark) -> Iterator[str]:
        if mark.kind is not None:
            yield f"**{mark.text}**: {mark.kind.doc}"

    def _group(self, mark: Mark) -> Iterator[str]:
        inner = next((b for b in mark.kind.blocks if b.name == mark.text), None) if mark.kind else None
        yield f"**{mark.text}**: {inner.doc}" if inner else f"**{mark.text}**: settings of {mark.path}"

    def _file(self, mark: Mark) -> Iterator[str]:
        if mark.target is not None:
            file = self.checked.world.loaded.files[mark.target.key]
            names = [f"{d.kind.name} `{d.name}`" for d in self.checked.world.scopes[file.key].ordered if d.name]
            where = "of the installed library" if file.library else file.logical
            yield f"**{mark.text}** ({where}): {len(names)} blocks"
            yield ", ".join(names[:20]) + (" …" if len(names) > 20 else "")

    def _block(self, mark: Mark) -> Iterator[str]:
        defined = mark.owner
        if defined is None:
            return
        block, file = defined.block, defined.scope.file
        title = f' "{block.title}"' if block.title else ""
        base = f" from `{block.base.path}`" if block.base else ""
        yield f"{defined.kind.name} **{block.name}**{title}{base}"
        body = self.checked.world.body(defined)
        rows = [f"- `{path} = {written(entry.value)}`" for path, entry in body.entries.items() if path != "source"]
        more = [f"- … {len(rows) - FIRST} more"] if len(rows) > FIRST else []
        if rows:
            yield "\n".join(rows[:FIRST] + more)
        yield f"defined in {file.logical}:{block.name_span.line}"

    def _let(self, mark: Mark) -> Iterator[str]:
        let = self._statement(mark)
        if let is None:
            return
        yield f"let **{mark.text}** = `{written(let.value)}`"
        worth = self._worth(mark)
        if worth:
            yield worth

    def _statement(self, mark: Mark) -> Let | None:
        """The let that a mark means."""
        to = mark.target
        if to is None:
            return None
        tree = self.checked.world.loaded.files[to.key].tree
        return next((x for x in lets_in(tree) if (x.span.line, x.span.column) == (to.line, to.column)), None)

    def _worth(self, mark: Mark) -> str:
        """The value of a let from the settings that it names; what needs results has none before the run."""
        world, owner = self.checked.world, mark.owner
        name, problems = Name((mark.text,), mark.span), list[Problem]()
        if owner is None or (run := self.names.run_of(owner)) is None:
            scope = world.scopes[mark.target.key] if mark.target is not None else world.main
            function = compiled(name, FileNames(scope), problems)
            value = function({}) if function else None
        else:
            table = world.table(run)
            lets = {**table.lets, **world.body(owner).lets}  # a table has lets of its own
            function = compiled(name, table.names(local=lets), problems)
            value = function({key: table.get(key) for key in function.needs}) if function else None
        if function is None or not isinstance(value, int | float) or isinstance(value, bool):
            return ""
        unit = function.type.unit or display_unit(function.type.dimension, value)
        return f"= {shown(value, unit)}"

    def _setting(self, mark: Mark) -> Iterator[str]:
        row = mark.row
        yield f"**{mark.path}**" + (f": {row.doc}" if row is not None and row.doc else "")
        if row is not None:
            yield ", ".join(about(row))
        value = worth(self.checked, mark)
        if value is not None:
            yield said(value, row)

    def _result(self, mark: Mark) -> Iterator[str]:
        result = self.results.get(mark.text)
        if result is not None:
            unit = f", shown in {result.unit}" if result.unit else ""
            yield f"**{mark.text}**: {result.doc}"
            yield f"a result{unit}; worked out when the file is rendered"

    def _unit(self, mark: Mark) -> Iterator[str]:
        unit = find(mark.text)
        if isinstance(unit, Refusal):
            yield f"`{mark.text}` is not a unit" + (f": {unit.help}" if unit.help else "")
        else:
            measures = unit.tag or in_words(unit.dimension)
            each = f" for each {unit.per.removesuffix('s')}" if unit.per else ""
            yield f"**{mark.text}** = {number(unit.scale)} {measures}{each}"


UNVALUED = ("open", "expression", "list of expression", "run", "list of run")  # kept as they are written


def worth(checked: Checked, mark: Mark) -> Value | None:
    """A setting worked out in the block that it is read in, or in the run that this varies."""
    defined = mark.owner
    if defined is None or mark.row is None or mark.row.holds in UNVALUED:
        return None
    run = Names(checked.world).run_of(defined) or defined
    return checked.world.table(run).value(mark.path)


def about(row: Setting) -> Iterator[str]:
    """What a setting holds, its unit, choices, bounds and default, in short pieces."""
    if row.choices:
        yield "one of " + ", ".join(f"`{choice}`" for choice in row.choices)
    elif row.holds in HOLDS and HOLDS[row.holds][2]:
        yield f"{row.holds} ({HOLDS[row.holds][2]})"
    elif row.holds != "open":
        yield row.holds
    if row.bounds:
        yield row.bounds
    if row.required:
        yield "required"
    yield f"default `{written(default_expression(row.default))}`" if row.default else "no default"


def said(value: Value, row: Setting | None) -> str:
    """A resolved value with its origin: "= 1_024 gpus, derived: 128 nodes of 8 GPUs"."""
    origin = value.origin + (f" at {value.where}" if value.where else "")
    note = f": {value.note}" if value.note and value.origin != "default" else ""
    cited = f"\n\nsource: {value.source}" if value.source else ""
    return f"= **{plain(value.value, value.unit_written, row)}**, {origin}{note}{cited}"


def plain(value: Any, unit: str, row: Setting | None) -> str:
    """A value as one would write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        size, _, usual = HOLDS.get(row.holds if row is not None else "", HOLDS["number"])
        return shown(value, unit or (display_unit(size, value) if any(size) else usual))
    if isinstance(value, tuple):
        return "[" + ", ".join(plain(item, unit, row) for item in value) + "]"
    return str(value)

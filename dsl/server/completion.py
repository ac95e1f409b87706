"""What can be typed at the cursor: from the schema, and from the names in scope."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dsl.dimensions import FUNCTIONS
from dsl.files import installed_library
from dsl.kinds import ARGUMENTS, Kind, Setting
from dsl.quantities import HOLDS
from dsl.schema import PREFIXES, REFERENCES, argument, item_row, kinds, run_row, run_rows, schema
from dsl.scope import Defined
from dsl.server.checked import Checked
from dsl.server.cursor import Cursor
from dsl.server.hover import Result, about
from dsl.server.meanings import Names, lets_in
from dsl.server.spellings import spellings

AT_THE_TOP = {"import": "another file's names", "let": "a named value", "edition": "of the language, first in a file"}
BESIDE = 200  # files of the folder that are offered for an import
INSIDE = {"let": "a named value", "require": "a condition that is judged", "where": "drops points"}


class Offer(NamedTuple):
    """One completion: the text, what kind of thing it is, one line about it, and its rank."""

    text: str
    role: str
    says: str = ""
    rank: int = 1
    insert: str = ""  # what is typed where that is more than the text


class Completion:
    """Offers for one checked file."""

    def __init__(self, checked: Checked, results: Mapping[str, Result]) -> None:
        self.checked, self.results = checked, results
        self.names = Names(checked.world)

    def offers(self, at: Cursor) -> list[Offer]:
        """What fits at the cursor."""
        if at.inside == "comment":
            found: Iterator[Offer] = iter(())
        elif at.inside == "text":
            found = self._files() if at.words == ("import",) else iter(())
        elif not at.words:
            found = self._statements(at)
        else:
            found = self._words(at)
        first: dict[str, Offer] = {}  # the nearest meaning of a text is offered first, and stands for the others
        for offer in found:
            first.setdefault(offer.text, offer)
        return list(first.values())

    # statements

    def _statements(self, at: Cursor) -> Iterator[Offer]:
        kind, group = self._block(at)
        if not at.blocks:
            yield from (Offer(k.name, "kind", k.doc) for k in kinds().values())
            yield from (Offer(word, "word", says) for word, says in AT_THE_TOP.items())
        elif kind is not None:
            yield from self._settings(kind, group)
            if not group:
                yield from (Offer(w, "word", INSIDE[w], 2) for w in kind.statements)

    def _block(self, at: Cursor) -> tuple[Kind | None, str]:
        """The kind of block around the cursor, and the group of its settings that is open."""
        if not at.blocks:
            return None, ""
        kind, group = kinds().get(at.blocks[0].kind), ""
        for opened in at.blocks[1:]:
            if kind is None:
                return None, ""
            repeated = schema(kind).repeated.get(opened.kind) if not group else None
            kind, group = (repeated, "") if repeated is not None else (kind, f"{group}{opened.kind}.")
        return kind, group

    def _settings(self, kind: Kind, group: str) -> Iterator[Offer]:
        own = schema(kind)
        for path, row in own.rows.items():
            if path.startswith(group) and path not in own.choosing:
                yield setting(path.removeprefix(group), row, 0 if "." not in path.removeprefix(group) else 1)
        for path in own.groups:
            if path.startswith(group) and "." not in path.removeprefix(group):
                yield Offer(path.removeprefix(group), "group", "a group of settings", 0)
        if not group:
            yield from (Offer(b.name, "kind", b.doc, 0) for b in own.repeated.values())
        if kind.name == "measured":
            yield from self._results(0)
        if not group and (kind.name == "run" or kind.open_settings):
            yield from (setting(path, row, 3) for path, row in run_rows().items() if argument(path) is None)

    # inside a statement

    def _words(self, at: Cursor) -> Iterator[Offer]:
        first = at.words[0]
        if at.words[-1] == "as" and first != "import":
            yield from self._units_of_result(at)
        elif at.setting:
            yield from self._value(at, self._row(at), self._path(at))
        elif first in ("require", "where") and "because" not in at.words:
            yield from self._unit(None, at) if at.amount else self._expression(at, True)
        elif first == "let" and "=" in at.words:
            yield from self._unit(None, at) if at.amount else self._expression(at, bool(at.blocks))
        elif "=" not in at.words:
            yield from self._header(at)

    def _header(self, at: Cursor) -> Iterator[Offer]:
        """The first line of a block: its name where that is a choice, and what it copies."""
        kind, group = self._block(at)
        own = kinds().get(at.words[0]) if kind is None else None
        if at.words[-1] == "from" and own is not None:
            yield from self._blocks(own.name)
        elif own is not None and len(at.words) > 1:
            yield Offer("from", "word", "copies another block")
        elif kind is not None and len(at.words) == 1:
            inner = schema(kind)
            block = inner.choosing.get(group + at.words[0]) or inner.repeated.get(at.words[0])
            if block is not None:
                yield from (Offer(choice, "choice", block.doc) for choice in block.name_choices)

    def _path(self, at: Cursor) -> str:
        return f"{self._block(at)[1]}{at.setting}"

    def _row(self, at: Cursor) -> Setting | None:
        """The setting whose value is being typed."""
        kind, _ = self._block(at)
        if kind is None:
            return None
        path = self._path(at)
        row = schema(kind).rows.get(path) or (run_row(path) if kind.name == "run" or kind.open_settings else None)
        return item_row(row) if row is not None and row.holds.startswith("list of ") else row

    def _value(self, at: Cursor, row: Setting | None, path: str) -> Iterator[Offer]:
        if row is None:
            yield from self._expression(at, True)
            return
        rows = ARGUMENTS.get((path, at.call), ()) if at.call else ()
        if rows:
            inner = next((r for r in rows if r.path == given(at)), None)
            if inner is not None:
                yield from self._value(at._replace(call=""), inner, f"{path}.{inner.path}")
            else:
                yield from (Offer(r.path, "setting", r.doc, 0, f"{r.path} = ") for r in rows)
        elif at.amount:
            yield from self._unit(row, at)
        else:
            yield from self._plain(at, row, path)

    def _plain(self, at: Cursor, row: Setting, path: str) -> Iterator[Offer]:
        for choice in row.choices:
            arguments = ARGUMENTS.get((path, choice), ())
            says = f"{choice}({arguments[0].path} = …)" if arguments else row.doc
            yield Offer(choice, "choice", says, 0)
        if row.holds in REFERENCES:
            yield from self._blocks(row.holds)
        elif row.holds == "flag":
            yield from (Offer(word, "choice", row.doc, 0) for word in ("true", "false"))
        elif row.holds in HOLDS or row.holds == "expression":
            yield from self._expression(at, row.holds == "expression")

    def _unit(self, row: Setting | None, at: Cursor) -> Iterator[Offer]:
        """Units after a number: those of the setting, or all of them."""
        wanted = spellings(row.holds if row is not None else "")
        if at.typed.startswith("$"):
            amount = at.typed.partition("/")[0]
            yield from (Offer(f"{amount}{s.removeprefix('$')}", "unit", "", 0) for s in wanted if s.startswith("$/"))
        else:
            yield from (Offer(s, "unit", "", i) for i, s in enumerate(wanted))

    def _units_of_result(self, at: Cursor) -> Iterator[Offer]:
        holds = (self.checked.results or {}).get(at.words[-2], "")
        row = run_row(at.words[-2])
        yield from (Offer(s, "unit", "") for s in spellings(holds or (row.holds if row is not None else "")))

    # names

    def _files(self) -> Iterator[Offer]:
        main = self.checked.loaded.main
        if main.folder is not None:
            for path in sorted(main.folder.rglob("*.scn"))[:BESIDE]:
                if str(path.resolve()) != main.key:
                    yield Offer(path.relative_to(main.folder).as_posix(), "file", "beside this file")
        for path in sorted(installed_library().glob("*.scn")):
            yield Offer(f"library/{path.name}", "file", "of the library")

    def _blocks(self, kind: str) -> Iterator[Offer]:
        scope = self.checked.scope
        for name in scope.known(kind):
            alias, dot, own = name.partition(".")
            source = scope.aliases.get(alias) if dot else None
            found = source.blocks.get((kind, own)) if source is not None else self._found(kind, name)
            yield Offer(name, "block", found.block.title if found else "", 0)

    def _found(self, kind: str, name: str) -> Defined | None:
        return next((s.blocks[kind, name] for s in self.checked.scope.visible() if (kind, name) in s.blocks), None)

    def owner(self, at: Cursor) -> Defined | None:
        """The named block around the cursor."""
        return self.checked.scope.blocks.get((at.blocks[0].kind, at.blocks[0].name)) if at.blocks else None

    def _expression(self, at: Cursor, results: bool) -> Iterator[Offer]:
        """Names of an expression: lets first, then results, settings, named blocks and functions."""
        owner = self.owner(at)
        for defined in self.names.chain(owner) if owner is not None else ():
            yield from (Offer(let.name, "let", "a let of the block", 0) for let in lets_in(defined.block.body))
        for scope in self.checked.scope.visible():
            yield from (Offer(name, "let", f"a let of {scope.file.logical}", 0) for name in scope.lets)
        for alias, scope in self.checked.scope.aliases.items():
            yield from (Offer(f"{alias}.{name}", "let", f"a let of {scope.file.logical}") for name in scope.lets)
        if results:
            yield from self._results(1)
        if at.blocks:
            yield from self._of_run(at)
        yield from self._of_blocks(at)
        yield from (Offer(name, "function", "", 3, f"{name}(") for name in FUNCTIONS)

    def _results(self, rank: int) -> Iterator[Offer]:
        yield from (Offer(r.name, "result", r.doc, rank) for r in self.results.values())

    def _of_run(self, at: Cursor) -> Iterator[Offer]:
        prefix = PREFIXES.get(at.blocks[0].kind, "")
        for path, row in run_rows().items():
            if prefix and path.startswith(prefix):
                yield setting(path.removeprefix(prefix), row, 2)
            elif not prefix:
                yield setting(path, row, 2)

    def _of_blocks(self, at: Cursor) -> Iterator[Offer]:
        """Named blocks; with a dot typed after one, its settings."""
        head, dot, _ = at.typed.rpartition(".")
        for scope in self.checked.scope.visible():
            for (kind, name), defined in scope.blocks.items():
                if kind in REFERENCES or kind in ("price", "hazard"):
                    yield Offer(name, "block", defined.block.title, 3)
                    if dot and head == name:
                        rows = schema(defined.kind).rows
                        yield from (setting(f"{name}.{path}", row, 0) for path, row in rows.items())


def given(at: Cursor) -> str:
    """The argument of a choice whose value is being typed, "" where none is: zero3(group = 16"""
    argument = at.words[max(i for i, word in enumerate(at.words) if word in ("(", ",")) + 1 :]
    return argument[0] if argument[1:2] == ("=",) else ""


def setting(path: str, row: Setting, rank: int) -> Offer:
    """A setting with what it holds and its doc."""
    return Offer(path, "setting", f"{row.doc} · {', '.join(about(row))}" if row.doc else ", ".join(about(row)), rank)

"""What the names inside values and conditions mean."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from dsl.kinds import ARGUMENTS, Setting
from dsl.problems import Span
from dsl.quantities import HOLDS
from dsl.schema import PREFIXES, READ_ONLY, REFERENCES, item_row, kinds, run_row, schema
from dsl.scope import Defined, Scope
from dsl.server.meanings import Mark, Names, Place, block_target, target
from dsl.syntax import (
    Call,
    Chain,
    Compare,
    Expression,
    If,
    List,
    Name,
    Not,
    Number,
    Power,
    Range,
    Shown,
    Sign,
    joined,
)

_GAP = re.compile(r"(?:\s|#[^\n]*\n)*\.?(?:\s|#[^\n]*\n)*")  # between two parts of a path
_OPEN = re.compile(r"(?:[\s(]|#[^\n]*\n)*")  # before a word: the place of a value in brackets begins with them


class Uses:
    """The marks of expressions in one file."""

    def __init__(self, names: Names, scope: Scope) -> None:
        self.names, self.scope = names, scope
        self.text = scope.file.text
        self.starts = [0, *(found.end() for found in re.finditer("\n", self.text))]  # of each line

    def parts(self, name: Name) -> list[Span]:
        """The place of each part of a dotted name."""
        spans, offset = list[Span](), self._offset(name.span)
        for part in name.parts:
            gap = (_GAP if spans else _OPEN).match(self.text, offset)
            assert gap is not None  # it may be empty
            spans.append(self._span(gap.end(), part))
            offset = gap.end() + len(part)
        return spans

    def _offset(self, span: Span) -> int:
        return self.starts[span.line - 1] + span.column - 1

    def _span(self, offset: int, word: str) -> Span:
        line = bisect_right(self.starts, offset)
        column = offset - self.starts[line - 1] + 1
        return Span(self.scope.file.name, line, column, column + len(word))

    def _whole(self, name: Name) -> Span:
        """The place of a name, without the brackets around it."""
        spans = self.parts(name)
        return joined(spans[0], spans[-1])

    def _called(self, call: Call) -> Span:
        """The place of the name of a function or a choice."""
        return self._whole(Name((call.name,), call.span))

    def reference(self, kind: str, name: Name) -> Iterator[Mark]:
        """A name that stands for a block of one kind."""
        found = self.scope.block(kind, name)
        spans = self.parts(name)
        if found is None:
            return
        if len(spans) == 2:
            yield self._alias(name.parts[0], spans[0])
        to = block_target(found)
        yield Mark(spans[-1], "block", name.parts[-1], to, to, owner=found)

    def _alias(self, alias: str, span: Span) -> Mark:
        links = self.names.world.loaded.links.get(self.scope.file.key, ())
        place = next((link.statement.alias_span for link in links if link.statement.alias == alias), span)
        to = target(self.scope, "alias", alias, place)
        return Mark(span, "alias", alias, to, to)

    def value(self, e: Expression, row: Setting, path: str, place: Place) -> Iterator[Mark]:
        """The value of a setting: choices and references first, then what an expression may name."""
        results = row.holds.endswith("expression") or row.holds == "open"
        match e:
            case List():
                item = item_row(row) if row.holds.startswith("list of ") else row
                for each in e.items:
                    yield from self.value(each, item, path, place)
                yield from self._unit(e.unit, e.unit_span)
            case If() if row.holds not in HOLDS:
                yield from self.expression(e.condition, place, results)
                yield from self.value(e.then, row, path, place)
                yield from self.value(e.otherwise, row, path, place)
            case Name() if e.path in row.choices:
                yield Mark(self._whole(e), "choice", e.path, path=place.prefix + path, row=row, owner=place.owner)
            case Name() if row.holds in REFERENCES:
                yield from self.reference(row.holds, e)
            case Call() if e.name in row.choices:
                yield from self._chosen(e, row, path, place)
            case Range():
                for end in (e.low, e.high, e.step):
                    if end is not None:
                        yield from self.value(end, row, path, place)
            case _:
                yield from self.expression(e, place, results)

    def _chosen(self, e: Call, row: Setting, path: str, place: Place) -> Iterator[Mark]:
        """A choice with arguments: interleaved(virtual_stages = 8)."""
        yield Mark(self._called(e), "choice", e.name, path=place.prefix + path, row=row, owner=place.owner)
        rows = {r.path: r for r in ARGUMENTS.get((path, e.name), ())}
        for index, given in enumerate(e.arguments):
            own = rows.get(given.name) if given.name else dict(enumerate(rows.values())).get(index)
            if own is None:
                continue
            full = f"{place.prefix}{path}.{own.path}"
            if given.name:
                named = given.span._replace(end=given.span.column + len(given.name))
                yield Mark(named, "setting", given.name, path=full, row=own, owner=place.owner)
            yield from self.value(given.value, own, f"{path}.{own.path}", place)

    def _unit(self, unit: str, span: Span) -> Iterator[Mark]:
        if unit:
            yield Mark(span, "unit", unit)

    def expression(self, e: Expression, place: Place | None, results: bool) -> Iterator[Mark]:
        """An expression; ``results`` says whether it may name results."""
        match e:
            case Name():
                yield from self.name(e, place, results)
            case Number():
                yield from self._unit(e.unit, e.unit_span)
            case Call():
                yield Mark(self._called(e), "function", e.name)
                for argument in e.arguments:
                    yield from self.expression(argument.value, place, results)
            case List():
                for item in e.items:
                    yield from self.expression(item, place, results)
                yield from self._unit(e.unit, e.unit_span)
            case Sign() | Not():
                yield from self.expression(e.operand, place, results)
            case Chain() | Compare():
                for operand in (e.first, *(x for _, x in e.rest)):
                    yield from self.expression(operand, place, results)
            case Power():
                yield from self.expression(e.base, place, results)
                yield from self.expression(e.exponent, place, results)
            case If():
                for part in (e.condition, e.then, e.otherwise):
                    yield from self.expression(part, place, results)
            case Shown():
                yield from self.expression(e.expression, place, results)
                yield from self._unit(e.unit, e.unit_span)
            case Range():
                for end in (e.low, e.high, e.step):
                    if end is not None:
                        yield from self.expression(end, place, results)
            case _:
                return  # texts, flags and ratios name nothing

    def name(self, name: Name, place: Place | None, results: bool) -> Iterator[Mark]:
        """A name of an expression, looked up as the checker does: lets, results, settings, then what the file has."""
        if place is not None:
            local = self.names.local(place.owner, name.path)
            if local is not None:
                yield Mark(self._whole(name), "let", name.path, *local, owner=place.owner)
                return
            if results and name.path in (self.names.world.results or {}):
                yield Mark(self._whole(name), "result", name.path, owner=place.owner)
                return
            found = self._setting(name.path, place)
            if found is not None:
                yield Mark(self._whole(name), "setting", name.path, path=found[0], row=found[1], owner=place.owner)
                return
        yield from self._of_file(name, place)

    def _setting(self, path: str, place: Place) -> tuple[str, Setting] | None:
        rows = schema(place.owner.kind).rows if place.owner.kind.name in ("price", "hazard") else None
        for full in (place.reads + path, path):
            row = rows.get(full) if rows is not None else run_row(full) or READ_ONLY.get(full)
            if row is not None:
                return full, row
        return None

    def _of_file(self, name: Name, place: Place | None) -> Iterator[Mark]:
        """A let of a file, or a setting of a named block (hopper.nodes), perhaps behind an alias."""
        spans, cut = self.parts(name), int(name.parts[0] in self.scope.aliases)
        head = [self._alias(name.parts[0], spans[0])] if cut else []
        own = self.scope.aliases[name.parts[0]] if cut else None
        if len(name.parts) == cut + 1:
            for scope in [own] if own is not None else self.scope.visible():
                if name.parts[cut] in scope.lets:
                    to = target(scope, "let", name.parts[cut], scope.lets[name.parts[cut]].span)
                    yield from head
                    yield Mark(spans[cut], "let", name.parts[cut], to, to, owner=place.owner if place else None)
                    return
        block, inner = name._replace(parts=name.parts[: cut + 1]), ".".join(name.parts[cut + 1 :])
        found = self._block(block, inner)
        if found is None:
            yield from head
            return
        defined, full, row = found
        to = block_target(defined)
        yield from head
        yield Mark(spans[cut], "block", defined.name, to, to, owner=defined)
        if row is not None:
            yield Mark(joined(spans[cut + 1], spans[-1]), "setting", inner, path=full, row=row, owner=defined)

    def _block(self, name: Name, inner: str) -> tuple[Defined, str, Setting | None] | None:
        for kind in kinds().values():
            found = self.scope.block(kind.name, name)
            row = schema(kind).row(inner) if found is not None else None
            if found is not None and (row is not None or not inner):
                return found, PREFIXES.get(kind.name, "") + inner, row
        return None

"""What the names inside values and conditions mean."""

import re
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
)

_GAP = re.compile(r"(?:\s|#[^\n]*\n)*\.?(?:\s|#[^\n]*\n)*")  # between two parts of a path


class Uses:
    """The marks of expressions in one file."""

    def __init__(self, names: Names, scope: Scope) -> None:
        self.names, self.scope = names, scope
        self.rows = scope.file.text.split("\n")

    def parts(self, name: Name) -> list[Span]:
        """The place of each part of a dotted name."""
        span, line = name.span, name.span.line
        column, spans = span.column, list[Span]()
        rest = "\n".join(self.rows[line - 1 : line + 20])[column - 1 :]
        for part in name.parts:
            gap = _GAP.match(rest)
            skipped = gap.group() if gap and spans else ""
            line += skipped.count("\n")
            column = len(skipped) - skipped.rfind("\n") if "\n" in skipped else column + len(skipped)
            spans.append(Span(span.file, line, column, column + len(part)))
            rest, column = rest[len(skipped) + len(part) :], column + len(part)
        return spans

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
                yield Mark(e.span, "choice", e.path, path=place.prefix + path, row=row, owner=place.owner)
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
        span = e.span._replace(end=e.span.column + len(e.name))
        yield Mark(span, "choice", e.name, path=place.prefix + path, row=row, owner=place.owner)
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
                yield Mark(e.span._replace(end=e.span.column + len(e.name)), "function", e.name)
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
                yield Mark(name.span, "let", name.path, *local, owner=place.owner)
                return
            if results and name.path in (self.names.world.results or {}):
                yield Mark(name.span, "result", name.path, owner=place.owner)
                return
            found = self._setting(name.path, place)
            if found is not None:
                yield Mark(name.span, "setting", name.path, path=found[0], row=found[1], owner=place.owner)
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
            span = spans[cut + 1]._replace(end=spans[-1].end)
            yield Mark(span, "setting", inner, path=full, row=row, owner=defined)

    def _block(self, name: Name, inner: str) -> tuple[Defined, str, Setting | None] | None:
        for kind in kinds().values():
            found = self.scope.block(kind.name, name)
            row = schema(kind).row(inner) if found is not None else None
            if found is not None and (row is not None or not inner):
                return found, PREFIXES.get(kind.name, "") + inner, row
        return None

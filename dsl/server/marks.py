"""Marks: every word of a file that means something, with its place and what it means.

Hover, definition and rename read these; the walk follows the same tables and the same order of lookup as the checker
does (table.TableNames, scope.FileNames), and tells no problems.
"""

from collections.abc import Iterator

from dsl.kinds import Setting
from dsl.resolve import Resolution
from dsl.schema import PREFIXES, kinds, parts, schema
from dsl.scope import Defined, Scope
from dsl.server.meanings import Mark, Names, Place, Target, block_target, target
from dsl.server.uses import Uses
from dsl.syntax import UNREAD, Assign, Block, Import, Let, Require, Statement, Where

OPEN = Setting("", "open", "")


def marks(world: Resolution, scope: Scope) -> list[Mark]:
    """The marks of one file, in the order of its text."""
    found = list(_file(Uses(Names(world), scope), scope))
    return sorted(found, key=lambda mark: (mark.span.line, mark.span.column))


def at(found: list[Mark], line: int, column: int) -> Mark | None:
    """The mark at a place; where one word ends and another begins, the one that begins."""
    here = [m for m in found if m.span.line == line and m.span.column <= column <= m.span.end]
    return here[-1] if here else None


def _file(uses: Uses, scope: Scope) -> Iterator[Mark]:
    links = {link.statement.span: link.key for link in uses.names.world.loaded.links.get(scope.file.key, ())}
    for statement in scope.file.tree:
        match statement:
            case Import():
                key = links.get(statement.span, "")
                to = Target("file", statement.path.value, key, 1, 1, 1) if key else None
                yield Mark(statement.path.span, "file", statement.path.value, to)
                if statement.alias:
                    own = target(scope, "alias", statement.alias, statement.alias_span)
                    yield Mark(statement.alias_span, "alias", statement.alias, own, own)
            case Let():
                own = target(scope, "let", statement.name, statement.span)
                yield Mark(statement.span, "let", statement.name, own, own)
                yield from uses.expression(statement.value, None, False)
            case Block():
                yield from _block(uses, statement, scope)


def _block(uses: Uses, block: Block, scope: Scope) -> Iterator[Mark]:
    kind = kinds().get(block.kind)
    if kind is None:
        return
    defined = Defined(block, kind, scope)
    yield Mark(block.span, "kind", block.kind, kind=kind)
    if block.name:
        own = block_target(defined)
        yield Mark(block.name_span, "block", block.name, own, own, owner=defined)
    if block.base:
        yield from uses.reference(kind.name, block.base)
    prefix = PREFIXES.get(kind.name, "")
    yield from _body(uses, block.body, Place(defined, kind, "", prefix, prefix))


def _body(uses: Uses, body: tuple[Statement, ...], place: Place) -> Iterator[Mark]:
    for statement in body:
        match statement:
            case Assign():
                yield from _assign(uses, statement, place)
            case Let():
                found = uses.names.local(place.owner, statement.name)
                own = target(uses.scope, "let", statement.name, statement.span)
                yield Mark(statement.span, "let", statement.name, own, found[1] if found else own, owner=place.owner)
                yield from uses.expression(statement.value, place, True)
            case Require() | Where():
                yield from uses.expression(statement.condition, place, True)
            case Block():
                yield from _inner(uses, statement, place)


def _assign(uses: Uses, statement: Assign, place: Place) -> Iterator[Mark]:
    path = place.group + statement.path.path
    row = place.row(path)
    if row is None and place.kind.open_settings and path in (uses.names.world.results or {}):
        yield Mark(statement.path.span, "result", path, owner=place.owner)
    else:
        yield Mark(
            statement.path.span, "setting", statement.path.path, path=place.prefix + path, row=row, owner=place.owner
        )
    yield from uses.value(statement.value, row or OPEN, path, place)


def _inner(uses: Uses, block: Block, place: Place) -> Iterator[Mark]:
    """A block inside a block: a group of settings, a choice, or one of several."""
    path, own = place.group + block.kind, schema(place.kind)
    if block.kind == UNREAD:
        return
    if not place.group and block.kind in own.repeated:
        kind = own.repeated[block.kind]
        yield Mark(block.span, "kind", block.kind, kind=kind)
        for point in block.at:
            yield from _assign(uses, point, Place(place.owner, place.kind._replace(open_settings=True)))
        head = place.prefix + kind.name
        inside = f"{head}.{block.name}." if head in parts() else ""
        yield from _body(uses, block.body, Place(place.owner, kind, "", inside, place.reads))
        return
    if path not in own.groups:
        return
    yield Mark(block.span, "group", path, path=place.prefix + path, owner=place.owner, kind=place.kind)
    if block.name and path in own.choosing:
        yield Mark(
            block.name_span, "choice", block.name, path=place.prefix + path, row=own.rows[path], owner=place.owner
        )
    yield from _body(uses, block.body, place._replace(group=path + "."))

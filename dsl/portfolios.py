"""Portfolios: the runs of a programme, each on its share of one cluster, with what must come before it."""

from collections.abc import Sequence
from typing import Any, Protocol

from dsl.blocks import Body, Entry, Part
from dsl.experiments import base_of, lets_checked, plain_settings, quiet_table, where_of
from dsl.problems import Label, Problem, did_you_mean
from dsl.runs import World as RunWorld
from dsl.runs import example, rule_of
from dsl.scenario import Portfolio, PortfolioEntry, Run
from dsl.schema import run_row, schema
from dsl.scope import Defined
from dsl.syntax import Expression, List, Name
from dsl.table import Table
from dsl.units import number
from dsl.values import referred, settle


class World(RunWorld, Protocol):
    """What a portfolio needs of the scenario it stands in."""

    def run_with(self, defined: Defined, entries: Sequence[Entry]) -> Run | None: ...


def portfolio_of(world: World, defined: Defined) -> Portfolio | None:
    """A portfolio, checked; None where it has problems."""
    before = len(world.problems)
    body = world.body(defined)
    parts = body.of("entry")
    if not parts and body.whole:
        title = f"portfolio `{defined.name}` needs an entry"
        help = "write: entry first { run = ... }"
        world.problems.append(Problem("E13", title, defined.block.name_span, "has none", (), (), help))
    table = quiet_table(world, defined, None, body)
    settings = plain_settings(world, defined, body, table)
    cluster = _cluster(world, body, table)
    runs = {part.name: _run_of(world, defined, part) for part in parts}
    if cluster is None or _failed(world, before) or None in runs.values():
        return None
    found = [(part, run) for part in parts if (run := runs[part.name]) is not None]
    whole = world.run_with(found[0][1], [_entry(body.entries["cluster"], "cluster", body.entries["cluster"].value)])
    known = whole.settings.get("cluster.gpus") if whole is not None else None
    gpus = known.value if known is not None else 0.0
    entries = [e for part, run in found if (e := _entry_of(world, body, table, part, run, gpus)) is not None]
    _orders(world, parts)
    conditions = quiet_table(world, defined, found[0][1], body)
    lets_checked(world, body, conditions)
    rules = tuple(r for c in body.requires if (r := rule_of(world, c, conditions, defined.name)) is not None)
    if whole is None or _failed(world, before):
        return None
    start, hold = (settings.get(name) for name in ("start", "hold"))
    return Portfolio(
        defined.name,
        defined.block.title,
        defined.block.name_span,
        where_of(defined),
        cluster.name,
        whole,
        float(gpus),
        str(start.value) if start else "",
        float(hold.value) if hold else None,
        tuple(entries),
        rules,
    )


def _failed(world: World, before: int) -> bool:
    return any(p.severity == "error" for p in world.problems[before:])


def _cluster(world: World, body: Body, table: Table) -> Defined | None:
    """The cluster that all entries share."""
    entry = body.entries.get("cluster")
    if entry is None:
        return None
    before = len(world.problems)
    found = referred(entry.value, table.context(entry))
    del world.problems[before:]  # told by the settings of the block
    return found


def _run_of(world: World, defined: Defined, part: Part) -> Defined | None:
    """The run that an entry names; a problem where it names none."""
    entry = part.body.entries.get("run")
    if entry is not None:
        return base_of(world, defined, entry)
    row = schema(part.kind).rows["run"]
    help = f"write: run = {example(row, defined.scope)}"
    world.problems.append(
        Problem("E13", f"entry `{part.name}` needs run", part.span, "has none", (), (row.doc,), help)
    )
    return None


def _entry(like: Entry, path: str, value: Expression) -> Entry:
    """A setting of a run, as if it had been written where ``like`` stands."""
    row = run_row(path)
    assert row is not None
    return like._replace(path=path, row=row, value=value)


def _entry_of(
    world: World, body: Body, table: Table, part: Part, run: Defined, most: float
) -> PortfolioEntry | None:
    """One entry with its run resolved on its GPUs of the cluster."""
    values = {row.path: _plain(part, row.path, table) for row in part.kind.settings if row.path not in ("run", "after")}
    cluster = body.entries["cluster"]
    gpus = float(values["gpus"] if values["gpus"] is not None else most)
    stated = part.body.entries.get("gpus")
    if stated is not None and gpus > most:
        title = f"entry `{part.name}` takes {number(gpus)} of {number(most)} GPUs"
        labels = (Label(cluster.span, "the cluster they share"),)
        help = f"write {number(most)} gpus or less"
        world.problems.append(Problem("E26", title, stated.value.span, "more than there are", labels, (), help))
        return None
    given = [_entry(cluster, "cluster", cluster.value)]
    if stated is not None:
        given.append(_entry(stated, "cluster.gpus", stated.value))
    resolved = world.run_with(run, given)
    if resolved is None:
        return None
    own = {name: float(values[name] or 0.0) for name in ("start", "count", "trials", "evaluation", "restarts")}
    where = f"{part.body.entries['run'].file.logical}:{part.span.line}"
    after = tuple(name.path for name in _names(part))
    own["runs"] = own.pop("count")
    return PortfolioEntry(part.name, part.title, where, resolved, gpus, deadline=values["deadline"], after=after, **own)


def _plain(part: Part, path: str, table: Table) -> Any:
    """A setting of an entry in base units: as stated, else a count of one, else None."""
    entry = part.body.entries.get(path)
    if entry is not None:
        found = settle(entry.value, table.context(entry))
        return None if found is None else found.value
    return 1.0 if path == "count" else None


def _names(part: Part) -> list[Name]:
    """The entries that an entry waits for, as written."""
    entry = part.body.entries.get("after")
    if entry is None:
        return []
    items = entry.value.items if isinstance(entry.value, List) else (entry.value,)
    return [item for item in items if isinstance(item, Name)]


def _orders(world: World, parts: Sequence[Part]) -> None:
    """Problems for entries that wait for what is no entry, or for each other."""
    known = [part.name for part in parts]
    for part in parts:
        entry = part.body.entries.get("after")
        items = () if entry is None else entry.value.items if isinstance(entry.value, List) else (entry.value,)
        for item in items:
            if not isinstance(item, Name) or item.path not in known:
                text = item.path if isinstance(item, Name) else ""
                help = did_you_mean(text, known) or f"entries: {', '.join(known)}"
                title = f"there is no entry `{text}`" if text else "`after` names entries"
                world.problems.append(Problem("E15", title, item.span, "not an entry", help=help))
    waits = {part.name: [name.path for name in _names(part)] for part in parts}
    for part in parts:
        if _reaches(part.name, part.name, waits, set()):
            title, help = "entries wait for each other in a circle", "let one of them wait for nothing"
            world.problems.append(Problem("E23", title, part.body.entries["after"].value.span, "leads back", help=help))
            return


def _reaches(start: str, goal: str, waits: dict[str, list[str]], seen: set[str]) -> bool:
    """Whether following what entries wait for leads from one to another."""
    for name in waits.get(start, ()):
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            if _reaches(name, goal, waits, seen):
                return True
    return False

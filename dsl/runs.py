"""A run with everything that it refers to: model, cluster, gpu, stack; and single blocks checked by themselves."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from dsl.blocks import ALTERNATIVES, Body, Condition, Entry
from dsl.cited import Sources
from dsl.derived import HAZARDS
from dsl.dimensions import condition
from dsl.enough import enough
from dsl.expressions import built, compiled
from dsl.kinds import Setting
from dsl.measured import measured_of, phase_of
from dsl.problems import Label, Problem, Span
from dsl.scenario import Rule, Run, Value
from dsl.schema import PREFIXES, READ_ONLY, REFERENCES, run_row, run_rows, schema
from dsl.scope import Defined, Scope
from dsl.syntax import Name, written
from dsl.table import Results, Table, TableNames
from dsl.units import number
from dsl.values import Settled, referred

NOTHING: Mapping[str, Entry] = MappingProxyType({})
SIZES = {"cluster.nodes": "cluster.gpus", "cluster.gpus": "cluster.nodes"}  # the one follows from the other
REFERRED = ("model", "cluster", "stack", "calibration", "trace")


class World(Protocol):
    """What runs need of the scenario they stand in."""

    problems: list[Problem]
    results: Results | None
    literals: dict[tuple[str, int], Settled]

    def scope_of(self, file: str) -> Scope: ...
    def body(self, defined: Defined) -> Body: ...
    def run(self, defined: Defined) -> Run | None: ...
    def table(self, defined: Defined) -> Table: ...
    def for_runs(self) -> list[Entry]: ...
    def hazard(self, scope: Scope) -> Defined | None: ...


def named_block(world: World, defined: Defined) -> dict[str, Value]:
    """A gpu, model, cluster … by itself: what is stated in it, checked."""
    prefix = PREFIXES.get(defined.kind.name, "")
    table = world.table(defined)
    found = {path: value for path in list(table.entries) if (value := table.value(path)) is not None}
    _required(table, defined, world.body(defined), prefix)
    return found


def table_of_block(world: World, defined: Defined) -> Table:
    """The settings of a block by themselves; those of a run with all that it refers to."""
    kind = defined.kind.name
    if kind == "run":
        return run_table(world, defined)
    rows = run_rows() if kind in PREFIXES else schema(defined.kind).rows
    table = Table(world, defined.scope, defined.name, defined.block.name_span, rows)
    table.add(world.body(defined), PREFIXES.get(kind, ""), _sources(world, defined))
    if kind == "cluster":
        _refer(world, table, "cluster.gpu", "gpu")
    return table


def _sources(world: World, defined: Defined) -> Sources:
    return Sources(defined.name, defined.scope.file.library, world.body(defined))


def _required(table: Table, defined: Defined, body: Body, prefix: str) -> None:
    """Problems for the settings that a block needs and does not have, its tiers' included."""
    if not body.whole:
        return
    for path, row in schema(defined.kind).rows.items():
        if row.required and prefix + path not in table.entries and not _optional_group(path, body):
            _lacks(table, f"{defined.kind.name} `{defined.name}`", path, row, defined)
    for part in body.parts:
        if part.kind.name == "row" and not part.name:
            help = f"write: row {part.kind.name_choices[0]} {{ ... }}"
            table.problems.append(Problem("E14", "which class of work?", part.span, "needs a word after it", help=help))
        if part.kind.name in ("tier", "phase", "shape", "row"):
            for path, row in schema(part.kind).rows.items():
                if row.required and path not in part.body.entries:
                    span = part.span
                    table.problems.append(
                        Problem(
                            "E13",
                            f"{part.kind.name} `{part.name}` needs {path}",
                            span,
                            "has none",
                            notes=(row.doc,),
                            help=f"write: {path} = {example(row, defined.scope)}",
                        )
                    )


def _optional_group(path: str, body: Body) -> bool:
    """Whether a required setting belongs to a block that is not there (experts, lora)."""
    head, dot, _ = path.partition(".")
    return bool(dot) and not any(p.startswith(head + ".") for p in body.entries)


def _lacks(table: Table, shown: str, path: str, row: Setting, defined: Defined) -> None:
    table.problems.append(
        Problem(
            "E13",
            f"{shown} needs {path}",
            defined.block.name_span,
            "has none",
            notes=(row.doc,),
            help=f"write: {path} = {example(row, defined.scope)}",
        )
    )


EXAMPLES = {"bytes": "80 GB", "bytes/s": "400 Gb/s", "text": '"…"', "tokens": "1T tokens", "number": "8"}


def example(row: Setting, scope: Scope) -> str:
    """A value that a setting may have, to be pasted: the first block that it may name, or a usual quantity."""
    if row.holds in REFERENCES:
        return next(iter(scope.known(row.holds)), "…")
    return row.choices[0] if row.choices else EXAMPLES.get(row.holds, "…")


def run_table(
    world: World, defined: Defined, changed: Mapping[str, Entry] = NOTHING, made: type[Table] = Table
) -> Table:
    """The settings of a run with those of the blocks that it refers to; ``changed`` replaces some before that."""
    table = made(world, defined.scope, defined.name, defined.block.name_span, run_rows())
    body = world.body(defined)
    table.lets = body.lets
    table.whole = body.whole
    table.sources[""] = Sources(defined.name, False, body)
    for entry in (*world.for_runs(), *changed.values()):
        table.entries[entry.path] = entry
    for path, entry in body.entries.items():
        if ALTERNATIVES.get(path) not in table.entries and not _replaced(path, changed):
            table.entries.setdefault(path, entry)
    _read_already(table)
    for kind in REFERRED:
        _refer(world, table, kind, kind)
    _refer(world, table, "cluster.gpu", "gpu")
    _hazard(world, table, defined)
    return table


def _read_already(table: Table) -> None:
    """A problem where a run names another configuration for its model, which was read with the model's block."""
    entry = table.entries.get("model.hf")
    if entry is None or entry.span in [problem.span for problem in table.problems]:
        return
    why = "a configuration is read by the model that names it, not by a run"
    help = "write hf in a model block, or --set NAME.hf=… with that model's name"
    table.problems.append(Problem("E15", f"`{entry.path}` has no effect here", entry.span, why, help=help))


def _replaced(path: str, changed: Mapping[str, Entry]) -> bool:
    """Whether a setting gives way to a changed one: nodes to gpus, the arguments of a choice to the choice."""
    head = path.rpartition(".")[0]
    choice = run_row(head) if head in changed else None
    return (choice is not None and choice.holds == "choice") or SIZES.get(path) in changed


def _refer(world: World, table: Table, path: str, kind: str) -> None:
    """Adds the block that a reference setting names."""
    entry = table.entries.get(path)
    found = _default_stack(table) if entry is None and kind == "stack" else None
    if entry is not None:
        before = len(table.problems)
        found = referred(entry.value, table.context(entry))
        del table.problems[before:]  # told when the setting itself is worked out
    if found is None:
        return
    body = world.body(found)
    table.whole = table.whole and body.whole
    prefix = PREFIXES[kind]
    stated = {p.removeprefix(prefix) for p in table.entries if p.startswith(prefix)}
    dropped = {ALTERNATIVES[p] for p in stated if p in ALTERNATIVES} - stated
    entries = {p: e for p, e in body.entries.items() if p not in dropped}
    table.add(body._replace(entries=entries), prefix, _sources(world, found))


def _default_stack(table: Table) -> Defined | None:
    row = run_row("stack")
    assert row is not None
    name = Name((row.default,), table.place)
    return table.scope.block("stack", name)


def _hazard(world: World, table: Table, defined: Defined) -> None:
    """The library's failure rates, where the cluster states no mtbf."""
    found = world.hazard(defined.scope) if "cluster.mtbf" not in table.entries else None
    if found is None:
        return
    values = named_block(world, found)
    for part in HAZARDS:
        if part in values:
            table.settled[f"hazard.{part}"] = values[part]
    first = next((values[p] for p in HAZARDS if p in values), Value(None))
    table.settled["hazard"] = first._replace(value=found.name, span=found.block.name_span, unit_written="")


def run_of(world: World, defined: Defined) -> Run | None:
    """The run resolved, or None where it has problems that leave nothing to evaluate."""
    before = len(world.problems)
    body = world.body(defined)
    table = run_table(world, defined)
    _required(table, defined, body, "")
    settings = settings_of(table)
    enough(table, defined)
    _nested(table)
    _not_there(table)
    _told_twice(table, body)
    names = table.names("", world.results or {})
    for local in body.lets.values():
        hides(local.name, local.span, world.results or {}, world.problems)
        if run_row(local.name) is not None:
            world.problems.append(
                Problem(
                    "E25",
                    f"`{local.name}` is a setting of every run",
                    local.span,
                    "would hide it",
                    help=f"write: {local.name} = {written(local.value)}",
                )
            )
    requires = tuple(r for c in body.requires if (r := rule_of(world, c, table, defined.name)) is not None)
    lets = {
        local.name: let
        for local in body.lets.values()
        if (let := compiled(_name(local.name, table), names, world.problems))
    }
    measured = tuple(m for p in body.of("measured") if (m := measured_of(world, p, table)) is not None)
    phases = tuple((p.name, phase_of(p, table)) for p in body.of("phase"))
    if len(world.problems) > before and any(p.severity == "error" for p in world.problems[before:]):
        return None
    where = f"{defined.scope.file.logical}:{defined.block.span.line}"
    return Run(
        defined.name,
        defined.block.title,
        defined.block.name_span,
        where,
        settings,
        requires,
        lets,
        measured,
        phases,
        (),
    )


def hides(name: str, span: Span, results: Results, problems: list[Problem]) -> None:
    """A problem for a let whose name a result has."""
    if name in results:
        help = "give the let another name"
        problems.append(Problem("E25", f"`{name}` is a result of every run", span, "would hide it", help=help))


def _name(name: str, table: Table) -> Name:
    return Name((name,), table.place)


def settings_of(table: Table) -> dict[str, Value]:
    """Every setting that has a value, by path."""
    settings = {"name": Value(table.name, "", table.place)}
    for path in table.paths():
        value = table.value(path)
        if value is not None:
            settings[path] = value
    settings |= {
        path: value for path, value in table.settled.items() if path.startswith("hazard") and value is not None
    }
    for head, names in table.parts.items():
        note = "innermost first" if head == "cluster.tier" else "in the order stated"
        settings[head] = Value(names, "", None, "derived", note)
    interval = settings.get("checkpoint.interval")
    if interval is not None and isinstance(interval.value, str):  # a rule, not a time
        del settings["checkpoint.interval"]
    settings |= {path: value for path in READ_ONLY if (value := table.value(path)) is not None}
    return settings


def _not_there(table: Table) -> None:
    """A warning for measured tiers that the cluster does not have: nothing is predicted with them."""
    for tier in table.parts.get("calibration.tier", ()):
        if tier not in table.tiers:
            entry = table.entries["calibration"]
            title = f"calibration `{table.get('calibration')}` measures tier `{tier}`, which the cluster does not have"
            help = f"call it as the cluster does: {', '.join(table.tiers)}" if table.tiers else ""
            table.problems.append(Problem("W01", title, entry.value.span, "named here", help=help, severity="warning"))


def _told_twice(table: Table, body: Body) -> None:
    """A problem for layers that are split by a rule and stated stage by stage."""
    split, stages = (body.entries.get(f"layout.{p}") for p in ("split", "stages"))
    if split is not None and stages is not None:
        labels = (Label(split.span, "split by a rule here"),)
        title = "split and stages say the same thing twice"
        table.problems.append(Problem("E26", title, stages.span, "stated here", labels, (), "remove one of the two"))


def _nested(table: Table) -> None:
    """Problems for tiers that do not grow outwards, and for a network that does not reach every GPU."""
    found = [(tier, table.value(f"cluster.tier.{tier}.span")) for tier in table.tiers]
    spans = [(tier, value if value and value.value is not None else None) for tier, value in found]
    for (inner, small), (outer, large) in zip(spans, spans[1:], strict=False):
        if small and large and large.span and small.value > large.value:
            title = f"tier `{outer}` spans less than tier `{inner}` inside it"
            notes = (f"`{inner}` spans {number(small.value)} GPUs, `{outer}` {number(large.value)}",)
            help = f"write {number(small.value)} gpus or more"
            table.problems.append(Problem("E26", title, large.span, "contradicts", (), notes, help))
            return
    gpus, last = table.get("cluster.gpus"), spans[-1][1] if spans else None
    if gpus and last and last.value < gpus:
        title = f"the network spans {number(last.value)} of {number(gpus)} GPUs"
        help = "give the outermost tier a larger span, or add a tier"
        table.problems.append(Problem("E26", title, last.span or table.place, "the outermost tier", help=help))


def rule_of(world: World, c: Condition, table: Table, owner: str, results: Results | None = None) -> Rule | None:
    """A condition checked and compiled, or None with a problem."""
    scope = world.scope_of(c.file.key)
    names = TableNames(table, "", scope, world.results or {} if results is None else results, table.lets)
    before = len(world.problems)
    own = condition(c.expression, names, world.problems)
    if len(world.problems) > before or own.form == "any":
        return None
    compute = built(c.expression, names, own)
    origin = c.block if c.block != owner else ""
    return Rule(written(c.expression), c.because, origin, f"{c.file.logical}:{c.span.line}", c.span, compute)

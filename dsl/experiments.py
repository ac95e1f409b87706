"""Sweeps, comparisons, checks and reports, checked against the run that they vary or the results that they show."""

from functools import partial

from dsl.alike import alike
from dsl.axes import axes_of, varied_entries
from dsl.blocks import Body, Entry, Part
from dsl.cited import Sources
from dsl.dimensions import condition
from dsl.expressions import Compiled, built, compiled
from dsl.kinds import Setting
from dsl.measured import measured_of
from dsl.problems import Problem
from dsl.runs import World, example, named_block, rule_of, run_table
from dsl.scenario import Chart, Check, Compare, Item, Report, Roofline, Rule, Value
from dsl.scenario import Table as Experiment
from dsl.schema import run_rows, schema
from dsl.scope import Defined
from dsl.sizing import ORDERS, names
from dsl.space import space_of
from dsl.syntax import Expression, List, Name, Shown, written
from dsl.table import Table, TableNames
from dsl.values import Context, referred, settle
from dsl.varying import ruled, varied, worked

AIMS = ("minimize", "maximize", "then_by", "over")


def where_of(defined: Defined) -> str:
    """The place of a block: "file:line"."""
    return f"{defined.scope.file.logical}:{defined.block.span.line}"


def item_of(e: Expression, names: TableNames, problems: list[Problem]) -> Item | None:
    """A column to show: an expression, perhaps ``as UNIT``, perhaps ``called "Text"``."""
    compute = compiled(e, names, problems)
    if compute is None:
        return None
    inner = e.expression if isinstance(e, Shown) else e
    unit = e.unit if isinstance(e, Shown) else ""
    called = e.called if isinstance(e, Shown) else ""
    return Item(written(inner), called, unit, compute, e.span)


def items_of(world: World, entry: Entry | None, table: Table) -> tuple[Item, ...]:
    """The items of a list such as show = [mfu, cost as $M]; a single expression is a list of one."""
    if entry is None:
        return ()
    names = TableNames(table, "", world.scope_of(entry.file.key), world.results or {}, table.lets)
    given = entry.value.items if isinstance(entry.value, List) else (entry.value,)
    return tuple(item for e in given if (item := item_of(e, names, world.problems)) is not None)


def charts_of(world: World, body: Body, table: Table) -> tuple[Chart, ...]:
    """The charts of a table."""
    charts = []
    for part in body.of("chart"):
        if not part.name:
            kinds = part.kind.name_choices
            world.problems.append(
                Problem(
                    "E14",
                    "which chart?",
                    part.span,
                    "needs a word after it",
                    notes=(f"choices: {', '.join(kinds)}",),
                    help=f"write: chart {kinds[0]} {{ ... }}",
                )
            )
        axes = {path: items_of(world, entry, table) for path, entry in part.body.entries.items()}
        first = next(iter(part.body.entries.values()), None)
        where = f"{first.file.logical}:{part.span.line}" if first else ""
        charts.append(Chart(part.name, part.title, {path: items[0] for path, items in axes.items() if items}, where))
    return tuple(charts)


def plain_settings(world: World, defined: Defined, body: Body, table: Table) -> dict[str, Value]:
    """The settings of a block that are plain values, defaults included; problems for those that it needs."""
    own = Table(world, defined.scope, defined.name, defined.block.name_span, schema(defined.kind).rows)
    own.lets = table.lets
    own.add(
        Body({p: e for p, e in body.entries.items() if not _kept_as_tree(e.row)}, {}, (), (), ()),
        "",
        Sources(defined.name, False, body),
    )
    for path, row in schema(defined.kind).rows.items():
        if row.required and body.whole and path not in body.entries:
            shown = f"{defined.kind.name} `{defined.name}`" if defined.name else defined.kind.name
            world.problems.append(
                Problem(
                    "E13",
                    f"{shown} needs {path}",
                    defined.block.name_span,
                    "has none",
                    notes=(row.doc,),
                    help=f"write: {path} = {example(row, defined.scope)}",
                )
            )
    return {
        path: value
        for path, row in own.rows.items()
        if not _kept_as_tree(row) and (value := own.value(path)) is not None
    }


def _kept_as_tree(row: Setting) -> bool:
    return row.holds.endswith("expression") or row.holds in ("run", "list of run")


def rules_of(world: World, defined: Defined, body: Body, table: Table) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """The where and the require conditions of a block."""
    wheres = tuple(r for c in body.wheres if (r := rule_of(world, c, table, defined.name)) is not None)
    return wheres, tuple(r for c in body.requires if (r := rule_of(world, c, table, defined.name)) is not None)


def lets_checked(world: World, body: Body, table: Table) -> None:
    """Tells the problems of lets that nothing uses."""
    for local in body.lets.values():
        names = TableNames(table, "", world.scope_of(local.file.key), world.results or {}, table.lets)
        compiled(Name((local.name,), local.span), names, world.problems)


def base_of(world: World, defined: Defined, entry: Entry | None) -> Defined | None:
    """The run that ``base`` names."""
    if entry is None:
        return None
    scope = world.scope_of(entry.file.key)
    context = Context(
        entry.row, entry.path, TableNames(_empty(world, defined), "", scope), lambda path: None, scope, world.problems
    )
    return referred(entry.value, context)


def _empty(world: World, defined: Defined) -> Table:
    return Table(world, defined.scope, defined.name, defined.block.name_span, run_rows())


def quiet_table(world: World, defined: Defined, base: Defined | None, body: Body) -> Table:
    """The names of a run for conditions on it, with the lets of the block that varies it; no problem of it is told."""
    if base is None:
        return _empty(world, defined)
    before = len(world.problems)
    table = run_table(world, base)
    del world.problems[before:]
    table.lets = {**table.lets, **body.lets}
    return table


def compare_of(world: World, defined: Defined) -> Compare | None:
    """Runs side by side."""
    before = len(world.problems)
    body = world.body(defined)
    between = _between(world, defined, body)
    table = quiet_table(world, defined, between[0] if between else None, body)
    table.name = between[0].name if between else defined.name
    plain_settings(world, defined, body, table)
    lets_checked(world, body, table)
    show = items_of(world, body.entries.get("show"), table)
    _, requires = rules_of(world, defined, body, table)
    charts = charts_of(world, body, table)
    baseline = base_of(world, defined, body.entries.get("baseline"))
    if baseline is not None and between and baseline.key not in [d.key for d in between]:
        span = body.entries["baseline"].value.span
        world.problems.append(
            Problem(
                "E26",
                f"the baseline `{baseline.name}` is not compared",
                span,
                "not in between",
                notes=(f"between: {', '.join(d.name for d in between)}",),
                help="add it to between",
            )
        )
    runs = [run for d in between if (run := world.run(d)) is not None]
    if _failed(world, before) or len(runs) < len(between):
        return None
    named = baseline.name if baseline else runs[0].name if runs else ""
    if not alike(world, body.entries["between"], between, runs):
        return None
    return Compare(
        defined.name,
        defined.block.title,
        defined.block.name_span,
        where_of(defined),
        tuple(runs),
        named,
        show,
        requires,
        charts,
    )


def _failed(world: World, before: int) -> bool:
    return any(p.severity == "error" for p in world.problems[before:])


def _between(world: World, defined: Defined, body: Body) -> list[Defined]:
    """The runs that are compared, each once."""
    entry = body.entries.get("between")
    if entry is None:
        return []
    if not isinstance(entry.value, List):
        world.problems.append(
            Problem(
                "E16",
                "`between` is a list of runs",
                entry.value.span,
                "not a list",
                help=f"write: between = [{written(entry.value)}, …]",
            )
        )
        return []
    row = entry.row._replace(holds="run")
    found = [base_of(world, defined, entry._replace(row=row, value=item)) for item in entry.value.items]
    return list({d.key: d for d in found if d is not None}.values())


def table_of(world: World, defined: Defined) -> Experiment | None:
    """A sweep, optimize, scale, sensitivity or size, checked."""
    before = len(world.problems)
    body = ruled(defined, world.body(defined))
    base = base_of(world, defined, body.entries.get("base"))
    table = quiet_table(world, defined, base, body)
    run = world.run(base) if base is not None else None
    settings = plain_settings(world, defined, body, table)
    lets_checked(world, body, table)
    vary = varied(world, defined, body, table, run)
    axes = axes_of(world, defined, vary, table) if base is not None else ()
    axes, settings = worked(world, defined, axes, settings, body)
    aims = {aim: items_of(world, body.entries.get(aim), table) for aim in AIMS if aim in body.entries}
    if defined.kind.name == "size" and run is not None:
        aims |= {order: orders_of(world, defined, order, table) for order in ORDERS}
    if defined.kind.name == "optimize" and body.whole and not {"minimize", "maximize"} & set(aims):
        world.problems.append(
            Problem(
                "E13",
                f"optimize `{defined.name}` needs minimize or maximize",
                defined.block.name_span,
                "has neither",
                help="write: minimize = cost",
            )
        )
    wheres, own = rules_of(world, defined, body, table)
    inherited = tuple(r._replace(origin=r.origin or run.name) for r in run.requires) if run else ()
    show = items_of(world, body.entries.get("show"), table)
    measured = tuple(m for part in body.of("measured") if (m := measured_of(world, part, table)) is not None)
    charts = charts_of(world, body, table)
    if base is None or _failed(world, before):
        return None
    return Experiment(
        defined.kind.name,
        defined.name,
        defined.block.title,
        defined.block.name_span,
        where_of(defined),
        run,
        axes,
        wheres,
        (*inherited, *own),
        show,
        aims,
        settings,
        charts,
        measured,
        partial(space_of, world, base, varied_entries(vary), axes),
        partial(space_of, world, base, varied_entries(vary)),
    )


def orders_of(world: World, defined: Defined, order: str, table: Table) -> tuple[Item, ...]:
    """What a size orders its points by."""
    own = TableNames(table, "", defined.scope, world.results or {}, table.lets)
    found = (item_of(name, own, world.problems) for name in names(order, defined.block.name_span))
    return tuple(item for item in found if item is not None)


def roofline_of(world: World, defined: Defined) -> Roofline | None:
    """A roofline, checked."""
    before = len(world.problems)
    body = world.body(defined)
    table = _empty(world, defined)
    settings = plain_settings(world, defined, body, table)
    entry = body.entries.get("gpu")
    gpu = referred(entry.value, table.context(entry)) if entry is not None and not _failed(world, before) else None
    if gpu is None:
        return None
    part = named_block(world, gpu)
    settings |= {
        path.removeprefix("cluster."): value for path, value in part.items() if path.startswith("cluster.gpu.")
    }
    return Roofline(defined.name, defined.block.title, defined.block.name_span, where_of(defined), settings)


def check_of(world: World, defined: Defined) -> Check | None:
    """A rule of thumb; its conditions see every setting and every result."""
    before = len(world.problems)
    body = world.body(defined)
    table = _empty(world, defined)
    table.lets = body.lets
    settings = plain_settings(world, defined, body, table)
    names = TableNames(table, "", defined.scope, world.results or {}, table.lets)
    lets_checked(world, body, table)
    when = body.entries.get("when")
    applies = _condition(when, names, world.problems) if when else None
    _, requires = rules_of(world, defined, body, table)
    limit, result = (items_of(world, body.entries.get(word), table) for word in ("limit", "result"))
    if not body.requires:
        world.problems.append(
            Problem(
                "E13",
                f"check `{defined.name}` needs a require",
                defined.block.name_span,
                "has none",
                help="write: require launch_share <= 10%",
            )
        )
    if _failed(world, before):
        return None
    text = {word: str(settings[word].value) if word in settings else "" for word in ("severity", "advice", "source")}
    return Check(
        defined.name,
        defined.block.title,
        text["severity"],
        applies,
        requires,
        limit[0] if limit else None,
        result[0] if result else None,
        text["advice"],
        text["source"],
        where_of(defined),
    )


def _condition(entry: Entry, names: TableNames, problems: list[Problem]) -> Compiled | None:
    before = len(problems)
    own = condition(entry.value, names, problems)
    return None if len(problems) > before or own.form == "any" else built(entry.value, names, own)


def report_of(world: World, defined: Defined) -> Report | None:
    """What the document is to hold."""
    before = len(world.problems)
    body = world.body(defined)
    table = _empty(world, defined)
    settings = plain_settings(world, defined, body, table)
    show = items_of(world, body.entries.get("show"), table)
    parts = {
        kind: tuple(_texts(world, part, table) for part in body.of(kind))
        for kind in ("condition", "approval", "revision")
    }
    if _failed(world, before):
        return None
    title = defined.block.title or defined.name
    return Report(title, where_of(defined), settings, show, parts["condition"], parts["approval"], parts["revision"])


def _texts(world: World, part: Part, table: Table) -> dict[str, str]:
    """A block of texts: its title and its settings."""
    found = {"title": part.title or part.name}
    for path, entry in part.body.entries.items():
        settled = settle(entry.value, table.context(entry))
        if settled is not None:
            found[path] = str(settled.value)
    return found

"""What a `scale` varies: the setting that grows; with GPUs also what keeps each replica's work (weak), or the job's."""

from collections.abc import Sequence

from dsl.axes import axes_of
from dsl.blocks import EMPTY, Body, Entry, Part
from dsl.kinds import VARY
from dsl.points import MODEL_AXES
from dsl.problems import Problem
from dsl.quantities import HOLDS
from dsl.runs import World
from dsl.scenario import Axis, Run, Value
from dsl.schema import run_row
from dsl.scope import Defined
from dsl.sets import read, stated_file
from dsl.syntax import Name, Range
from dsl.table import Table
from dsl.units import number

OVER = "cluster.gpus"
SIZES = ("cluster.gpus", "cluster.nodes")
FIRST_LINK = 20e9  # bytes/s from which a bandwidth grows where no points are given
BARE = ("bytes/s", "number", "share", "ratio")  # settings whose values need no unit, or are bandwidths
STEPS = 12  # values of a bandwidth
UP = 32  # times the GPUs of the base run up to which they double


def grown(world: World, defined: Defined, body: Body, table: Table, run: Run) -> Body:
    """The block with what grows as its first axes, in step; a problem where that is no setting."""
    over = body.entries.get("over")
    path = over.value.path if over is not None and isinstance(over.value, Name) else OVER
    row = run_row(path)
    known = row is not None and row.holds in HOLDS
    if over is not None and (not isinstance(over.value, Name) or row is not None and not known):
        help = f"write: over = {OVER}, or a bandwidth such as cluster.tier.pod.bandwidth"
        world.problems.append(Problem("E16", "`over` names a number", over.value.span, "does not grow", help=help))
        return body
    if row is None:
        return body
    given = body.entries.get("points")
    if given is None and path not in SIZES and row.holds not in BARE:
        place = over.value.span if over is not None else defined.block.name_span
        title, help = f"a scale over `{path}` needs points", "write: points = low..high step …, or a list of values"
        world.problems.append(Problem("E13", title, place, "has none", (), (row.doc,), help))
        return body
    if given is None:
        entry = written(world, table, path, usual(run, path))
    else:
        value = given.value
        bare = isinstance(value, Range)
        entry = given._replace(path=path, row=row, value=value, path_span=None if bare else given.path_span)
    first = axes_of(world, defined, _varying(table, {path: entry}), table)
    if not first:
        return body
    entries = {path: entry}
    if path in SIZES:
        text = follower(world, body, run, path, first[0], defined)
        entries |= {name: written(world, table, name, values) for name, values in text.items()}
    part = Part(VARY, "together", "", (), Body(entries, {}, (), (), ()), entry.span)
    return body._replace(parts=(part, *body.parts))


def _varying(table: Table, entries: dict[str, Entry]) -> Body:
    return EMPTY._replace(parts=(Part(VARY, "", "", (), Body(entries, {}, (), (), ()), table.place),))


def written(world: World, table: Table, path: str, values: Sequence[str]) -> Entry:
    """An axis as if it had been written."""
    text = f"{path}=[{', '.join(values)}]"
    statement, row = read(text, "scale", "", world.problems), run_row(path)
    assert statement is not None and row is not None
    return Entry(path, row, statement.value, stated_file(text, "scale"), statement.path.span, "scale")


def usual(run: Run, path: str) -> list[str]:
    """Values where none are given: GPUs doubling from one replica to 32 times the run's, or a bandwidth in steps.

    A bandwidth grows in equal steps from 20 GB/s to twice the run's.
    """
    if path in SIZES:
        each = _plain(run, "cluster.gpus_per_node") if path == "cluster.nodes" else 1.0
        first, last = max(1.0, replica(run) / each), UP * _plain(run, "cluster.gpus") / each
        return [number(first * 2**i) for i in range(32) if first * 2**i <= last * (1 + 1e-9)]
    own, link = _plain(run, path), run_row(path)
    unit, size = (" GB/s", 1e9) if link is not None and link.holds == "bytes/s" else ("", 1.0)
    low = min(FIRST_LINK, own / 4) if unit else own / 4
    return [f"{number((low + (2 * own - low) * i / (STEPS - 1)) / size)}{unit}" for i in range(STEPS)]


def _plain(run: Run, path: str) -> float:
    value = run.settings.get(path)
    return float(value.value) if value is not None and isinstance(value.value, (int, float)) else 1.0


def replica(run: Run) -> float:
    """GPUs of one copy of the model: tensor x context x pipeline."""
    total = 1.0
    for axis in MODEL_AXES:
        total *= _plain(run, f"layout.{axis}")
    return total


def follower(world: World, body: Body, run: Run, path: str, axis: Axis, defined: Defined) -> dict[str, list[str]]:
    """What moves in step with the GPUs. Weak: the batch, so that each replica keeps its sequences. Strong: the
    micro-batches of a run that states them in place of a batch. Data-parallel ranks where they are stated."""
    each = _plain(run, "cluster.gpus_per_node") if path == "cluster.nodes" else 1.0
    gpus = [float(value) * each for value in axis.values]
    ranks = [max(1.0, n // replica(run)) for n in gpus]
    own = max(1.0, _plain(run, "cluster.gpus") // replica(run))
    data, batch, steps = (run.settings.get(name) for name in ("layout.data", "batch", "accumulation"))
    found: dict[str, list[str]] = {}
    if data is not None and data.origin not in ("default", "derived"):
        own, found["layout.data"] = float(data.value), [number(n) for n in ranks]
    weak, stated = is_weak(body), batch is not None and batch.origin != "derived"
    if weak and batch is not None and stated:
        sizes = [float(batch.value) * n / own for n in ranks]
        if any(abs(size - round(size)) > 1e-9 for size in sizes):
            title = f"{number(float(batch.value))} sequences are no whole number on each of {number(own)} replicas"
            help = "give the base run a batch that its data-parallel ranks divide, or write: mode = strong"
            world.problems.append(Problem("E26", title, defined.block.name_span, "cannot grow", help=help))
        found["batch"] = [f"{number(round(size))} sequences" for size in sizes]
    elif not weak and not stated and steps is not None:
        found["accumulation"] = [number(float(steps.value) * own / n) for n in ranks]
    return found


def is_weak(body: Body) -> bool:
    entry = body.entries.get("mode")
    return entry is not None and isinstance(entry.value, Name) and entry.value.path == "weak"


def settled(axes: Sequence[Axis], settings: dict[str, Value]) -> dict[str, Value]:
    """The settings of a scale, with the path that grows and its values in base units."""
    first = axes[0] if axes else None
    if first is None:
        return settings
    return settings | {"over": Value(first.path), "points": Value(first.values)}

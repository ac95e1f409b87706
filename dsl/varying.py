"""What each kind of table varies: what it states, and what it works out from the run (a search, a scale, a size)."""

from collections.abc import Sequence
from typing import NamedTuple

from dsl.blocks import Body
from dsl.layout_space import layout_space, once
from dsl.runs import World
from dsl.scaling import grown, settled
from dsl.scenario import Axis, Run, Value
from dsl.scope import Defined
from dsl.sizing import limits, sized, timed
from dsl.table import Table
from dsl.uncertain import told, uncertain


def varied(world: World, defined: Defined, body: Body, table: Table, run: Run | None) -> Body:
    """The block with all that varies in it; a `size` with its deadline and budget as conditions."""
    kind = defined.kind.name
    if kind == "sensitivity":
        return uncertain(world, body)
    if run is None:
        return body
    if kind == "scale":
        return grown(world, defined, body, table, run)
    if kind == "size":
        timed(world, defined, body, run)
        return sized(world, body, table)
    return layout_space(world, table) if kind == "optimize" and not body.of("vary") else body


def ruled(defined: Defined, body: Body) -> Body:
    """The block with the conditions that its settings stand for, and that of the whole layout space."""
    kind = defined.kind.name
    if kind == "size":
        body = body._replace(requires=(*body.requires, *limits(body, defined.name)))
    if kind in ("optimize", "size") and not body.of("vary"):
        body = body._replace(wheres=(*body.wheres, once(defined)))
    return body


class Worked(NamedTuple):
    """Axes and settings as the evaluation wants them."""

    axes: tuple[Axis, ...]
    settings: dict[str, Value]


def worked(
    world: World, defined: Defined, axes: Sequence[Axis], settings: dict[str, Value], body: Body
) -> Worked:
    """Axes with the texts that were written, and what a scale grows over."""
    kind = defined.kind.name
    if kind == "scale":
        return Worked(tuple(axes), settled(axes, settings))
    return Worked(told(world, axes, body) if kind == "sensitivity" else tuple(axes), settings)

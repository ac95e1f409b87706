"""From what varies to design points: axes alone are a product in the order written, axes together move in step."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import ceil, prod
from typing import Any

from dsl.scenario import Axis, Run

MODEL_AXES = ("tensor", "context", "pipeline")


def size(axes: Sequence[Axis]) -> int:
    """How many points there are before any ``where`` drops some: the product of the lengths of what moves alone."""
    return prod(len(group[0].values) for group in groups(axes))


def points(axes: Sequence[Axis]) -> Iterator[dict[str, Any]]:
    """Every point as {setting path: value}; the last axis changes fastest, a choice brings its arguments along."""
    steps = [[merged(row) for row in zip(*map(spread, group), strict=True)] for group in groups(axes)]
    for combination in product(*steps):
        yield merged(combination)


def settings(base: Run, plain: Mapping[str, Any], point: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of ``base``, whose flat table is ``plain``, at a point.

    GPUs, nodes and data-parallel ranks follow what varies unless they are stated.
    """
    found = {**plain, **point}
    each = found.get("cluster.gpus_per_node") or 1.0
    if "cluster.nodes" in point and "cluster.gpus" not in point:
        found["cluster.gpus"] = found["cluster.nodes"] * each
    elif "cluster.gpus" in point and "cluster.nodes" not in point:
        found["cluster.nodes"] = float(ceil(found["cluster.gpus"] / each))
    data = base.settings.get("layout.data")
    if "layout.data" not in point and data is not None and data.origin in ("default", "derived"):
        found["layout.data"] = found["cluster.gpus"] // prod(found.get(f"layout.{axis}") or 1.0 for axis in MODEL_AXES)
    return found


def groups(axes: Sequence[Axis]) -> list[list[Axis]]:
    """Axes that move in step side by side, every other one by itself."""
    groups: list[list[Axis]] = []
    for axis in axes:
        if axis.together and groups and groups[-1][0].together == axis.together:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    return groups


def spread(axis: Axis) -> list[dict[str, Any]]:
    """The values of one axis as settings."""
    return [v if isinstance(v, dict) and axis.path in v else {axis.path: v} for v in axis.values]


def merged(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {path: value for part in parts for path, value in part.items()}

"""From what varies to design points: axes alone are a product in the order written, axes together move in step."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

from dsl.scenario import Axis

MODEL_AXES = ("tensor", "context", "pipeline")


def size(axes: Sequence[Axis]) -> int:
    """How many points there are before any ``where`` drops some: the product of the lengths of what moves alone."""
    return prod(len(group[0].values) for group in groups(axes))


def points(axes: Sequence[Axis]) -> Iterator[dict[str, Any]]:
    """Every point as {setting path: value}; the last axis changes fastest, a choice brings its arguments along."""
    steps = [[merged(row) for row in zip(*map(spread, group), strict=True)] for group in groups(axes)]
    for combination in product(*steps):
        yield merged(combination)


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

"""Parts of a table: design points that share their structure, each setting an array with one dimension a dimension.

A setting that only one dimension moves is as long as that dimension and broadcasts over the others, so that whatever
the engine works out from few settings stays small; only what depends on all of them is as large as the part. Settings
that decide the shape of the calculation (a schedule, a sharding, pipeline stages) are plain values of the part.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsl.space import PROBLEM, Follows, Space, Variant
from engine.read import is_column

Positions = NDArray[np.intp]
# Values at which rows of the ledger come or go: points on either side do not share their structure.
SWITCHES = {
    "frozen": 0.0,
    "layout.expert_tensor": 1.0,
    "offload.optimizer": 0.0,
    "offload.weights": 0.0,
    "offload.activations": 0.0,
}


@dataclass(frozen=True)
class Part:
    """Some points of a table; ``settings`` holds plain values and arrays that broadcast to ``shape``."""

    settings: dict[str, Any]
    positions: tuple[Positions, ...]  # on each dimension of the table
    lengths: tuple[int, ...]  # of the table's dimensions
    wrong: tuple[tuple[str, NDArray[np.bool_]], ...]  # why some points have no settings
    moved: frozenset[str] = frozenset()  # settings that differ between parts or points of a variant
    shared: dict[str, Any] | None = None  # what was worked out for one part and serves all of a variant

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(p) for p in self.positions)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def index(self) -> NDArray[np.int64]:
        """The number of each point in the table, the last dimension fastest."""
        result, stride = np.zeros((1,) * len(self.lengths), dtype=np.int64), 1
        for k in reversed(range(len(self.lengths))):
            result = result + _along(self.positions[k].astype(np.int64) * stride, k, len(self.lengths))
            stride *= self.lengths[k]
        return np.broadcast_to(result, self.shape)


def parts(space: Space, most: int, loose: Collection[str] = ()) -> Iterator[Part]:
    """All parts of a table, none with more than ``most`` points.

    Settings in ``loose`` may differ within a part though they are no numbers: the engine works them out itself.
    """
    for variant in space.variants:
        shared: dict[str, Any] = {}
        for positions in product(*_classes(variant, loose)):
            for few in _cut(positions, most):
                yield part(space, variant, few, shared)


def part(
    space: Space, variant: Variant, positions: Sequence[Positions], shared: dict[str, Any] | None = None
) -> Part:
    """The points at these positions, which share their structure."""
    count = len(space.dimensions)
    settings, wrong = dict(variant.plain), list[tuple[str, NDArray[np.bool_]]]()
    for own, rows in _tables(variant, positions):
        for path in rows[0].keys() - {PROBLEM}:
            settings[path] = _column([row[path] for row in rows], own, positions, count)
        for text in dict.fromkeys(row[PROBLEM] for row in rows if row.get(PROBLEM)):
            flags = np.array([row.get(PROBLEM) == text for row in rows])
            wrong.append((text, _shaped(flags, own, positions, count)))
    lengths = tuple(len(d.steps) for d in space.dimensions)
    return Part(settings, tuple(positions), lengths, tuple(wrong), moved(variant), shared)


def moved(variant: Variant) -> frozenset[str]:
    """Every setting that differs somewhere in a variant."""
    rows = [*variant.steps, *(follows.rows for follows in variant.follows)]
    return frozenset(path for own in rows for path in own[0]) - {PROBLEM}


def _tables(
    variant: Variant, positions: Sequence[Positions]
) -> Iterator[tuple[tuple[int, ...], list[dict[str, Any]]]]:
    """Dimensions, and the rows of settings that they decide together, at these positions."""
    for k, own in enumerate(variant.steps):
        yield (k,), [own[i] for i in positions[k]]
    for follows in variant.follows:
        yield follows.dimensions, _rows(follows, variant, positions)


def _rows(follows: Follows, variant: Variant, positions: Sequence[Positions]) -> list[dict[str, Any]]:
    """The rows of what follows at these positions, the last dimension fastest."""
    lengths = [len(variant.steps[k]) for k in follows.dimensions]
    numbers = np.arange(prod(lengths)).reshape(lengths)[np.ix_(*(positions[k] for k in follows.dimensions))]
    return [follows.rows[i] for i in numbers.ravel()]


def _column(values: list[Any], own: tuple[int, ...], positions: Sequence[Positions], count: int) -> Any:
    """The values as an array along their dimensions; one value where all are alike."""
    first = values[0]
    if all(value is first or value == first for value in values):
        return first
    flags = all(isinstance(value, bool) for value in values)
    numbers = np.array([np.nan if v is None else v for v in values], dtype=bool if flags else np.float64)
    return _shaped(numbers, own, positions, count)


def _shaped(values: NDArray[Any], own: tuple[int, ...], positions: Sequence[Positions], count: int) -> NDArray[Any]:
    return values.reshape([len(positions[k]) if k in own else 1 for k in range(count)])


def _along(values: NDArray[Any], k: int, count: int) -> NDArray[Any]:
    return values.reshape([-1 if i == k else 1 for i in range(count)])


def _classes(variant: Variant, loose: Collection[str]) -> list[list[Positions]]:
    """For every dimension its positions, those that share their structure together."""
    signs = [
        [[sign(path, value) for path, value in step.items() if path not in loose] for step in own]
        for own in variant.steps
    ]
    for follows in variant.follows:
        _split(follows, signs, loose)
    return [_alike(own, variant.positions.get(k)) for k, own in enumerate(signs)]


def _split(follows: Follows, signs: list[list[list[Any]]], loose: Collection[str]) -> None:
    """Adds the structure of what follows; where several dimensions decide it, every position stands alone."""
    for path in follows.rows[0].keys() - {PROBLEM, *loose}:
        if not is_column(path) and len({sign(path, row.get(path)) for row in follows.rows}) > 1:
            for k in follows.dimensions:
                for i, own in enumerate(signs[k]):
                    own.append(i)


def sign(path: str, value: Any) -> Any:
    """What of a value decides the structure: all of a choice, of a number only whether it is there or switches."""
    if path == PROBLEM:
        return None
    if not is_column(path) or isinstance(value, (str, bool)):
        return value
    return (value is None, value == SWITCHES[path] if path in SWITCHES else None)


def _alike(signs: list[list[Any]], only: int | None) -> list[Positions]:
    """Positions with the same signs together, in the order of their first; ``only`` one where a reference stands."""
    found: dict[str, list[int]] = {}
    for i, own in enumerate(signs):
        if only is None or i == only:
            found.setdefault(repr(own), []).append(i)
    return [np.array(own, dtype=np.intp) for own in found.values()]


def _cut(positions: Sequence[Positions], most: int) -> Iterator[tuple[Positions, ...]]:
    """The positions in pieces of at most ``most`` points, cut along the longest dimension."""
    size = prod(len(p) for p in positions)
    if size <= most:
        yield tuple(positions)
        return
    longest = max(range(len(positions)), key=lambda k: len(positions[k]))
    pieces = min(-(-size // most), len(positions[longest]))
    for piece in np.array_split(positions[longest], pieces):
        yield from _cut([piece if k == longest else p for k, p in enumerate(positions)], most)


def one(space: Space, index: int) -> Part:
    """The part that holds one point only."""
    lengths = [len(d.steps) for d in space.dimensions]
    at = np.unravel_index(index, lengths) if lengths else ()
    variant = next(v for v in space.variants if all(at[k] == i for k, i in v.positions.items()))
    return part(space, variant, [np.array([i], dtype=np.intp) for i in at])


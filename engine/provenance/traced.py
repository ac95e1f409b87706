"""Columns that remember: an array that records every operation on it, element by element.

``Traced`` is a numpy array with a node of the record for each of its elements. Formulas take it for a column; what
they compute is the same to the last bit. Functions that only move elements (stack, where, take_along_axis) move the
nodes with them; what is not known here gives a plain array, whose elements are then numbers without a past.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.provenance.graph import Record
from engine.provenance.origin import Nodes, formula, operand_nodes

ASKED = ("isnan", "isfinite", "isinf", "logical_not", "invert")  # questions about a number, not steps towards one


class Traced(np.ndarray[tuple[int, ...], np.dtype[Any]]):
    """An array whose elements have nodes; none where numpy made it by a way that is not recorded."""

    record: Record | None
    nodes: Nodes | None

    def __array_finalize__(self, source: object) -> None:
        self.record, self.nodes = None, None

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """The result of a ufunc with its nodes; of one that asks, reduces or leaves elements out, the plain result."""
        plain, record = [], None
        for x in inputs:
            if type(x) is Traced:
                record = record or x.record
                x = x.view(np.ndarray)
            plain.append(x)
        if method != "__call__" or kwargs or ufunc.__name__ in ASKED:
            result = getattr(ufunc, method)(*plain, **untraced(kwargs))
            if method != "__call__" or "where" not in kwargs or not np.all(untraced(kwargs["where"])):
                return result
        else:
            result = ufunc(*plain)
        return result if record is None else _elementwise(record, ufunc.__name__, result, _with_origin(record, inputs))

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """The result of one of FUNCTIONS with its nodes, of any other the plain result."""
        known = FUNCTIONS.get(func)
        return func(*untraced(args), **untraced(kwargs)) if known is None else known(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        key = untraced(key)
        value = untraced(self)[key]
        if self.nodes is None or not isinstance(value, np.ndarray):
            return value
        return traced(self.record, value, self.nodes[key])

    def __iter__(self) -> Iterator[Any]:
        return iter(untraced(self))

    def astype(self, *args: Any, **kwargs: Any) -> Any:
        """Indices, which have no past."""
        return untraced(self).astype(*args, **kwargs)

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())


def traced(record: Record | None, value: NDArray[Any], nodes: Nodes) -> Traced:
    """The array with these nodes."""
    made = value.view(Traced)
    made.record, made.nodes = record, nodes
    return made


def untraced(x: Any) -> Any:
    """The same without its past; what a list, tuple or dictionary holds, element by element."""
    if isinstance(x, Traced):
        return x.view(np.ndarray)
    if isinstance(x, tuple | list):
        return type(x)(untraced(y) for y in x)
    return {k: untraced(v) for k, v in x.items()} if isinstance(x, dict) else x


def nodes_of(x: Any) -> Nodes | None:
    """The nodes of an array, None where it has none."""
    return x.nodes if isinstance(x, Traced) else None


def record_of(inputs: Sequence[Any]) -> Record | None:
    """The record that the first traced input writes to."""
    return next((x.record for x in inputs if isinstance(x, Traced) and x.record is not None), None)


def _with_origin(record: Record, inputs: Sequence[Any]) -> list[Nodes]:
    """The nodes of every input of a formula; a plain one gets those of what it was written as."""
    found = []
    for i, x in enumerate(inputs):
        nodes = x.nodes if type(x) is Traced else None
        found.append(operand_nodes(record, untraced(x), i) if nodes is None else nodes)
    return found


def _with_numbers(record: Record, values: Sequence[Any]) -> list[Nodes]:
    """The nodes of every array; a plain one's are numbers."""
    return [_numbers(record, np.asarray(x)) if nodes is None else nodes for x in values for nodes in (nodes_of(x),)]


def _numbers(record: Record, values: NDArray[Any]) -> Nodes:
    made = np.empty(values.shape, dtype=object)
    for index, value in np.ndenumerate(values):
        made[index] = record.number(float(value))
    return made


def _elementwise(record: Record, op: str, result: NDArray[Any], nodes: Sequence[Nodes]) -> Traced:
    """The result of an operation on elements, with a node for each."""
    made, frame = np.empty(result.shape, dtype=object), formula()
    by = frame and frame.f_code
    if result.size == 1:
        made[...] = record.operation(op, tuple([n.item() for n in nodes]), float(result.item()), by=by)
        return traced(record, result, made)
    spread = np.broadcast_arrays(made, *nodes)[1:]
    for index in np.ndindex(result.shape):
        args: tuple[Any, ...] = tuple([n[index] for n in spread])
        made[index] = record.operation(op, args, float(result[index]), by=by)
    return traced(record, result, made)


def _stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    arrays = list(arrays)
    value, record = np.stack(untraced(arrays), axis), record_of(arrays)
    return value if record is None else traced(record, value, np.stack(_with_numbers(record, arrays), axis))


def _broadcast_arrays(*arrays: Any) -> tuple[Any, ...]:
    record = record_of(arrays)
    values = np.broadcast_arrays(*untraced(arrays))
    if record is None:
        return tuple(values)
    nodes = np.broadcast_arrays(*_with_numbers(record, arrays))
    return tuple(traced(record, np.array(v), n) for v, n in zip(values, nodes, strict=True))


def _where(condition: Any, this: Any, other: Any) -> Any:
    """The side that a condition picks: of a choice the record keeps what was chosen."""
    holds = untraced(condition)
    value, record = np.where(holds, untraced(this), untraced(other)), record_of((this, other, condition))
    if record is None or value.dtype.kind not in "fiub":
        return value
    sides = _with_origin(record, (condition, this, other))[1:]
    chosen = np.where(*np.broadcast_arrays(holds, *sides))
    return traced(record, value, np.asarray(chosen, dtype=object))


def _max(values: Any, axis: int | None = None) -> Any:
    """The largest along the first axis as one operation on all that are compared."""
    found, nodes = np.max(untraced(values), axis=axis), nodes_of(values)
    if axis != 0 or nodes is None:
        return found
    made = np.empty(found.shape, dtype=object)
    for index in np.ndindex(found.shape):
        made[index] = values.record.operation("largest", tuple(nodes[(slice(None), *index)]), float(found[index]))
    return traced(values.record, found, made)


def _take_along_axis(values: Any, indices: Any, axis: int) -> Any:
    places, nodes = untraced(indices), nodes_of(values)
    found = np.take_along_axis(untraced(values), places, axis)
    return found if nodes is None else traced(values.record, found, np.take_along_axis(nodes, places, axis))


def _clip(value: Any, low: Any, high: Any) -> Any:
    return np.minimum(np.maximum(value, low), high)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.atleast_1d: lambda x: x,
    np.broadcast_arrays: _broadcast_arrays,
    np.clip: _clip,
    np.max: _max,
    np.round: lambda x: np.rint(x),
    np.stack: _stack,
    np.take_along_axis: _take_along_axis,
    np.where: _where,
}

"""A run evaluated under record: its settings as leaves, its results as nodes."""

from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

import numpy as np

from engine.metrics import BY_NAME
from engine.provenance.graph import Name, Node, Record
from engine.provenance.naming import naming, whole
from engine.provenance.origin import function_of, place_of
from engine.provenance.traced import Traced, traced
from engine.result import Result


def leaves(record: Record, settings: Mapping[str, Any], owner: str = "") -> dict[str, Any]:
    """A flat table of settings whose numbers are leaves of the record; ``owner`` is the phase that they are of."""
    return {path: _leaf(record, path, value, owner) for path, value in settings.items()}


def _leaf(record: Record, path: str, value: Any, owner: str) -> Any:
    if not isinstance(value, int | float):
        return value
    node = np.empty(1, dtype=object)
    node[0] = record.setting(path, float(value), owner)
    return value if isinstance(value, bool) else traced(record, np.array([float(value)]), node)


def results(
    record: Record, evaluate: Callable[[], Result]
) -> tuple[dict[str, Node], dict[str, tuple[str, ...]]]:
    """The nodes of all results of a run that is read from ``leaves``, and what the others lack."""
    with naming(record):
        found = evaluate()
    nodes = {}
    for name, column in found.columns.items():
        if isinstance(column, Traced) and column.nodes is not None:
            nodes[name] = node = column.nodes.ravel()[0]
        else:
            nodes[name] = node = record.number(float(np.ravel(column)[0]))
        if not node.leaf and name in BY_NAME:
            known = record.names.get(node)
            if known is None or not known.key.startswith("result."):
                record.names[node] = as_result(name, known, record.makers.get(node))
    return nodes, found.missing


def as_result(name: str, known: Name | None, maker: object) -> Name:
    """A result's name, in the words and the base unit of the results' table."""
    metric = BY_NAME[name]
    where, by, group = (known.where, known.by, known.group) if known else ("", "", "")
    if isinstance(maker, CodeType) and not by:
        where, by = place_of(maker), whole(function_of(maker))
    elif isinstance(maker, str):
        by = by or maker
    return Name(f"result.{name}", metric.doc, metric.unit, name, group, where, by)

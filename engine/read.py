"""From a flat table of settings to typed inputs.

The paths and units are those of the language's schema ("layout.tensor", "cluster.tier.node.bandwidth"), values in
SI base units. Choices with arguments spread: "layout.schedule" and "layout.schedule.virtual_stages".
"""

import types
import typing
from collections.abc import Collection, Mapping, Set
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

from engine.calibrate import calibrated
from engine.calibration_inputs import Calibration
from engine.columns import Column, column
from engine.inputs import Attention, Cluster, Gpu, Mixer, Model, Recompute, Run, Schedule, Shard, Stack

T = TypeVar("T")
TIERS = "cluster.tier."

# How a field of a dataclass is named in the flat table, where the two differ.
PATHS: dict[tuple[type, str], str] = {
    (Attention, "kind"): "",
    (Mixer, "kind"): "",
    (Schedule, "kind"): "",
    (Shard, "kind"): "",
    (Recompute, "kind"): "",
    (Gpu, "name"): "",
    (Model, "name"): "",
    (Cluster, "name"): "",
    (Stack, "name"): "",
    (Calibration, "name"): "",
}


@cache
def _hints(kind: typing.Hashable) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _plain(kind: type, value: Any) -> Any:
    if value is None:
        return None
    if kind is int:
        return int(value)
    if kind is bool:
        return bool(value)
    return str(value)


def _field(hint: Any, path: str, settings: Mapping[str, Any]) -> Any:
    """The value of one field: a column, a plain value, a nested object or a tuple."""
    options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    kinds = [o for o in options if o is not type(None)]
    kind, optional = kinds[0], len(kinds) < len(options)
    if typing.get_origin(kind) is tuple:
        item = typing.get_args(kind)[0]
        if is_dataclass(item):
            return tuple(
                build(typing.cast(type, item), f"{path}.{name}", settings, name=name)
                for name in settings.get(path) or ()
            )
        value = settings.get(path)
        return None if value is None and optional else tuple(item(v) for v in value or ())
    if is_dataclass(kind):
        present = any(k == path or k.startswith(path + ".") for k in settings)
        return None if optional and not present else build(typing.cast(type, kind), path, settings)
    value = settings.get(path)
    if value is None:
        if not optional:
            raise KeyError(f"setting {path} has neither a value nor a default")
        return None
    if kind in (int, bool, str):
        return _plain(kind, value)
    return column(value)


def build(kind: type[T], path: str, settings: Mapping[str, Any], name: str | None = None) -> T:
    """An input object of type ``kind`` from the settings below ``path``; KeyError names a setting that is missing."""
    values: dict[str, Any] = {}
    hints = _hints(typing.cast(typing.Hashable, kind))
    for f in fields(typing.cast(Any, kind)):
        if f.name == "name" and name is not None:
            values["name"] = name
            continue
        own = PATHS.get((kind, f.name), f.name)
        values[f.name] = _field(hints[f.name], ".".join(p for p in (path, own) if p), settings)
    return kind(**values)


@cache
def _kinds() -> dict[str, Any]:
    """The kind of every field by the path of its setting; tiers under the name "*"."""
    found: dict[str, Any] = {}

    def walk(kind: Any, path: str) -> None:
        for f in fields(kind):
            own = PATHS.get((kind, f.name), f.name)
            full = ".".join(p for p in (path, own) if p)
            hint = _hints(kind)[f.name]
            options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
            inner = next(o for o in options if o is not type(None))
            if typing.get_origin(inner) is tuple and is_dataclass(item := typing.get_args(inner)[0]):
                walk(item, f"{full}.*")
            elif is_dataclass(inner):
                walk(inner, full)
            else:
                found.setdefault(full, inner)

    walk(Run, "")
    return found


def is_column(path: str) -> bool:
    """Whether a setting is a column: a number that may differ from point to point of a group. All others are shared."""
    if path.startswith(TIERS):
        path = f"{TIERS}*.{path.rpartition('.')[2]}"
    return bool(_kinds().get(path, Column) == Column)


def changed(run: Run, settings: Mapping[str, Any], paths: Collection[str]) -> Run:
    """``run``, as ``built`` made it, with the settings at some paths; what no path is below stays the same object."""
    above = {path[:i] for path in paths for i, letter in enumerate(path) if letter == "."}
    return typing.cast(Run, _changed(run, "", settings, frozenset(paths), above | set(paths)))


def _changed(old: Any, path: str, settings: Mapping[str, Any], paths: frozenset[str], above: Set[str]) -> Any:
    """An input object with the fields read anew that some path is below; ``above`` are the paths and all above them."""
    news: dict[str, Any] = {}
    hints = _hints(typing.cast(typing.Hashable, type(old)))
    for f in fields(old):
        own = PATHS.get((type(old), f.name), f.name)
        full = f"{path}.{own}" if path and own else path or own
        if f.name == "name" or (full not in above if own else path not in paths):
            continue
        value = getattr(old, f.name)
        if is_dataclass(value):
            news[f.name] = _changed(value, full, settings, paths, above)
        else:
            news[f.name] = _field(hints[f.name], full, settings)
    return replace(old, **news) if news else old


def built(settings: Mapping[str, Any]) -> Run:
    """The run described by a flat table of settings, before what a calibration says."""
    return build(Run, "", settings)


def read(settings: Mapping[str, Any]) -> Run:
    """The run described by a flat table of settings in base units.

    "model", "cluster", "cluster.gpu" and "stack" hold the names of what they refer to; "name" the run's.
    "cluster.tier" is the tuple of tier names, innermost first. "checkpoint.rule" and "checkpoint.interval"
    are both there. Choices with arguments spread: "layout.schedule" and "layout.schedule.virtual_stages". Where a
    calibration is named, its measurements stand in the place of the library's figures.
    """
    return calibrated(built(settings))

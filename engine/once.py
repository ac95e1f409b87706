"""Work that is done once for an object that never changes: a model's counts, a group's latencies."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Given = TypeVar("Given")
Found = TypeVar("Found")


def once(function: Callable[[Given], Found]) -> Callable[[Given], Found]:
    """``function`` of one frozen object, whose result is kept with the object itself.

    Frozen dataclasses hold arrays, which have no hash, so that ``functools.cache`` cannot tell them apart.
    """

    @wraps(function)
    def kept(given: Given) -> Found:
        found: dict[Any, Any] = given.__dict__.setdefault("_once", {})
        if function not in found:
            found[function] = function(given)
        result: Found = found[function]
        return result

    return kept

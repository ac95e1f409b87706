"""Settings of a point as an exporter reads them."""

import math
from collections.abc import Mapping
from typing import Any

from reports.quantities import Quantity, readable

Settings = Mapping[str, Any]


def amount(s: Settings, path: str) -> int:
    """A setting as a whole number; 0 where it is not stated."""
    value = s.get(path)
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def flag(s: Settings, path: str) -> bool:
    """A setting that is on or off."""
    return s.get(path) is True


def total_steps(s: Settings) -> int:
    """Optimizer steps of the run; 0 where it states no tokens."""
    each = amount(s, "batch") * amount(s, "sequence")
    tokens = s.get("tokens")
    return math.ceil(float(tokens) / each) if each and isinstance(tokens, (int, float)) else 0


def stages(s: Settings) -> tuple[int, int]:
    """Layers of the first and of the last stage where the layers do not fill the stages evenly; else zeros.

    A balanced split counts embedding and head as a layer each, as the engine does.
    """
    layers, count = amount(s, "model.layers"), amount(s, "layout.pipeline") or 1
    stated = s.get("layout.stages")
    if isinstance(stated, (list, tuple)) and len(stated) > 1:
        return int(stated[0]), int(stated[-1])
    if count == 1 or layers % count == 0:
        return 0, 0
    each = math.ceil((layers + 2) / count)
    first = each - 1
    last = layers - first - each * (count - 2)
    return (first, last) if last > 0 else (0, 0)


def near(value: float | None, unit: str) -> str:
    """A value in the unit of its scale that suits it, with three digits: "2.44 s", "4.87 TB", "450 GB/s"."""
    found = readable(value, unit)
    if value is None or not value:
        return found.text()
    size = abs(value) / found.display.factor
    return Quantity(value, found.unit, 0 if size >= 100 or size == int(size) else 1 if size >= 10 else 2).text()

"""Settings of a point as an exporter reads them."""

import math
from collections.abc import Mapping, Sequence
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


def layers_of(point: Mapping[str, Any]) -> list[int]:
    """The layers of each pipeline stage as the engine placed them; empty where it did not."""
    return [int(stage["layers"]) for stage in point.get("stages") or ()]


def sharded_over(point: Mapping[str, Any]) -> int:
    """Ranks that the states are sharded over: of data and context together, fewer where copies of a group are kept."""
    s, found = point["settings"], (point.get("sharding") or {}).get("ranks")
    return int(found or (amount(s, "layout.data") or 1) * (amount(s, "layout.context") or 1))


def ends(layers: Sequence[int]) -> tuple[int, int] | None:
    """Layers of the first and of the last stage, 0 where it has as many as those between; None where those differ."""
    first, middle, last = layers[:1], layers[1:-1], layers[-1:]
    if len(set(layers)) < 2:
        return 0, 0
    if len(set(middle)) > 1 or min(layers) < 1:
        return None
    own = middle[:1] or last
    return (0 if first == own else first[0]), (0 if last == own else last[0])


def counted_save(point: Mapping[str, Any]) -> float | None:
    """Seconds of a save that the plan counts with: the pause of training, in the background those of the write."""
    checkpoint, later = point.get("checkpoint") or {}, point["settings"].get("checkpoint.mode") == "async"
    found: float | None = checkpoint.get("save" if later else "pause")
    return found


def near(value: float | None, unit: str) -> str:
    """A value in the unit of its scale that suits it, with three digits: "2.44 s", "4.87 TB", "450 GB/s"."""
    found = readable(value, unit)
    if value is None or not value:
        return found.text()
    size = abs(value) / found.display.factor
    return Quantity(value, found.unit, 0 if size >= 100 or size == int(size) else 1 if size >= 10 else 2).text()

"""What the scatter figures of a validation share: the rows of an experiment by stack, and their looks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures.picture import Tip
from reports.figures.sheet import LINE, Sheet, fitted, width
from reports.figures.words import NB, known, number, percent, plain

SHAPES = ("o", "s", "^", "D", "v", "P", "X")
COLORS = (style.NAVY, style.BLUE, style.GREEN, style.AMBER, style.RUST, style.SKY, style.MUTE)
MOST = len(SHAPES)  # stacks with a look of their own; the last is "others" where there are more
SIZE = 3.6  # pt
WIDEST = 70.0  # mm, of a name in the key


@dataclass(frozen=True)
class Spot:
    """One row: predicted and measured in the unit of the table, GPUs, and which of the stacks it is of."""

    predicted: float
    measured: float
    gpus: float
    stack: int

    @property
    def error(self) -> float:
        """predicted / measured - 1."""
        return self.predicted / self.measured - 1.0


@dataclass(frozen=True)
class Cloud:
    """The rows of a table with their stacks, largest first, each with how many rows it has."""

    name: str
    unit: str
    stacks: tuple[tuple[str, int], ...]
    spots: tuple[Spot, ...]


def cloud(experiment: Mapping[str, Any], most: int = MOST) -> Cloud | None:
    """The rows of a validation that have a prediction; None where there is none."""
    rows = [r for r in experiment["rows"] if known(r["predicted"]) and known(r["measured"])]
    counted = Counter(r["stack"] for r in rows).most_common()
    if not rows:
        return None
    own = counted if len(counted) <= most else counted[: most - 1]
    others = sum(n for _, n in counted[len(own) :])
    stacks = (*own, *(((f"{len(counted) - len(own)} others", others),) if others else ()))
    place = {name: i for i, (name, _) in enumerate(own)}
    scale = {"GiB": 2.0**30}.get(experiment["unit"], 1.0)
    spots = tuple(
        Spot(r["predicted"] / scale, r["measured"] / scale, known(r["gpus"]) or 1.0, place.get(r["stack"], len(own)))
        for r in rows
    )
    return Cloud(experiment["name"], experiment["unit"], stacks, spots)


def key(sheet: Sheet, stacks: Sequence[tuple[str, int]], left: float, top: float, right: float) -> float:
    """Draws a marker and a name for each stack, in as many rows as it takes; returns the center of the last row."""
    x, y = left, top
    for i, (name, count) in enumerate(stacks):
        label = named(name, count)
        wide = 4.0 + width(label) + 4.0
        if x > left and x + wide - 4.0 > right:
            x, y = left, y + LINE + 0.6
        sheet.marker(x + 1.4, y, SHAPES[i], COLORS[i], 4.8)
        sheet.text(x + 3.6, y, label)
        x += wide
    return y


def named(stack: str, count: int) -> str:
    """A stack in the key, with how many rows it has."""
    return f"{fitted(stack, WIDEST)} ({count})"


def key_rows(stacks: Sequence[tuple[str, int]], room: float) -> int:
    """The rows that `key` takes on a width so large."""
    rows, x = 1, 0.0
    for name, count in stacks:
        wide = 8.0 + width(named(name, count))
        if x and x + wide - 4.0 > room:
            rows, x = rows + 1, 0.0
        x += wide
    return rows


def draw_spots(sheet: Sheet, data: Cloud, places: Sequence[tuple[float, float]]) -> None:
    """Draws every spot at its place (x, y) with the look of its stack; smaller stacks above larger ones."""
    for i in range(MOST):
        own = [(place, s) for place, s in zip(places, data.spots, strict=True) if s.stack == i]
        if own:
            tips = [_tip(data, s) for _, s in own]
            sheet.markers([p for p, _ in own], SHAPES[i], COLORS[i], SIZE, z=4 + 0.1 * i, tips=tips)


def _tip(data: Cloud, spot: Spot) -> Tip:
    """What a spot says when pointed at: its stack and GPUs, predicted and measured value, the error."""
    pair = f"predicted {plain(spot.predicted)}, measured {plain(spot.measured)}{NB}{data.unit}"
    name = f"{data.stacks[spot.stack][0]}, {number(spot.gpus, 0)}{NB}GPUs"
    return name, pair, percent(spot.error, 1, signed=True)


__all__ = ["Cloud", "Spot", "cloud", "draw_spots", "key", "key_rows"]

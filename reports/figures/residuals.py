"""Figure: how the errors of each stack are spread, with their median and the middle 80 %."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reports import style
from reports.figures import words
from reports.figures.cloud import Cloud, cloud
from reports.figures.frame import value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale
from reports.figures.sheet import Sheet, fitted, width
from reports.quantiles import quantile

NAME = "residuals"
EDGE = 0.5  # errors beyond 50 % are drawn at the edge
ROW = 7.4


@dataclass(frozen=True)
class Spread:
    """Errors of the stacks, one row each: name, number, errors in order."""

    rows: tuple[tuple[str, tuple[float, ...]], ...]


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> Spread | None:
    """The errors of every stack, largest stack first, after those of all rows; None where there is no prediction."""
    made: Cloud | None = cloud(experiment, most=14)
    if made is None:
        return None
    every = tuple(sorted(s.error for s in made.spots))
    own = [
        (name, tuple(sorted(s.error for s in made.spots if s.stack == i))) for i, (name, _) in enumerate(made.stacks)
    ]
    return Spread((("all rows", every), *own) if len(own) > 1 else tuple(own))


@figure
def draw(data: Spread) -> Picture:
    """A row a stack: a tick for each error, a bar from the 10th to the 90th percentile, a line at the median."""
    names = [f"{name} ({len(errors)})" for name, errors in data.rows]
    left = min(50.0, max(width(n) for n in names)) + 2.0
    top, bottom = 6.5, 6.5 + ROW * len(data.rows)
    sheet = Sheet(NAME, style.FULL, bottom + 9.5)
    edge = min(EDGE, max(0.1, max(abs(e) for _, errors in data.rows for e in errors)))
    scale = Scale(-100 * edge, 100 * edge, left, style.FULL - 15.0)
    ticks = scale.ticks(9)
    value_axis(sheet, scale, top - 2.0, bottom, "Error: predicted over measured, less one (%)", ticks=ticks,
               texts=[words.number(t, 0, signed=True) for t in ticks])  # fmt: skip
    sheet.text(style.FULL - 0.5, 2.2, "median", color=style.MUTE, align="right")
    zero = scale.at(0.0)
    sheet.line([(zero, top - 2.0), (zero, bottom)], style.INK, 0.8, z=3)
    for i, (name, (_, errors)) in enumerate(zip(names, data.rows, strict=True)):
        row(sheet, scale, top + ROW * (i + 0.5) - 1.0, name, errors)
    said = "; ".join(f"{n}: median {words.percent(quantile(e, 0.5), 1, signed=True)}" for n, e in data.rows[:6])
    return sheet.finish(f"Errors by stack. {said}.")


def row(sheet: Sheet, scale: Scale, y: float, name: str, errors: tuple[float, ...]) -> None:
    """One stack's errors about a line."""
    sheet.text(0.5, y, fitted(name, scale.start - 2.0))
    low, middle, high = (scale.inside(100 * quantile(errors, share)) for share in (0.1, 0.5, 0.9))
    said = [words.percent(quantile(errors, share), 1, signed=True) for share in (0.1, 0.5, 0.9)]
    tip = (name, f"middle 80 % from {said[0]} to {said[2]}", f"median {said[1]}")
    sheet.rectangle(low, y - 1.5, max(high - low, 0.3), 3.0, style.SKY, z=2, tip=tip)
    for e in errors:
        x = scale.inside(100 * e)
        sheet.line([(x, y - 1.2), (x, y + 1.2)], style.BLUE, 0.35, z=3)
    sheet.line([(middle, y - 2.2), (middle, y + 2.2)], style.NAVY, 1.6, z=4)
    sheet.text(style.FULL - 0.5, y, said[1], align="right")

"""Figure: every row's prediction against its measurement, both logarithmic, with bands of 10 and 20 %."""

from collections.abc import Mapping
from typing import Any

from reports import style
from reports.figures.cloud import Cloud, cloud, draw_spots, key, key_rows
from reports.figures.frame import height_axis, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale
from reports.figures.sheet import LINE, Sheet

NAME = "predicted_measured"
LEFT, WIDE, TALL = 19.0, 153.0, 52.0
BANDS = ((0.2, style.STONE), (0.1, style.SELECTED))
NAMES = {"time": "step time", "memory": "memory of a GPU"}


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> Cloud | None:
    """The rows of a validation; None where it has no prediction."""
    return cloud(experiment)


@figure
def draw(data: Cloud) -> Picture:
    """A line of equality with its bands; a marker a row, its shape and color by stack."""
    rows = key_rows(data.stacks, style.FULL - 2.0)
    top = 3.0 + rows * (LINE + 0.6)
    sheet = Sheet(NAME, style.FULL, top + TALL + 10.5)
    key(sheet, data.stacks, 1.0, 2.0, style.FULL - 1.0)
    values = [v for s in data.spots for v in (s.predicted, s.measured)]
    low, high = min(values) / 1.15, max(values) * 1.15
    across = Scale(low, high, LEFT, LEFT + WIDE, log=True)
    up = Scale(low, high, top + TALL, top, log=True)
    bands(sheet, across, up, (low, high))
    value_axis(sheet, across, top, top + TALL, f"Measured {NAMES[data.name]} ({data.unit})")
    height_axis(sheet, up, LEFT, LEFT + WIDE, f"Predicted {NAMES[data.name]} ({data.unit})")
    draw_spots(sheet, data, [(across.at(s.measured), up.at(s.predicted)) for s in data.spots])
    near = [sum(abs(s.error) <= share for s in data.spots) / len(data.spots) for share in (0.1, 0.2)]
    said = f"{near[0]:.0%} of {len(data.spots)} rows lie within 10 %, {near[1]:.0%} within 20 %"
    sheet.place(
        [(LEFT + WIDE - 2.0, top + TALL - 4.0, "right"), (LEFT + 2.0, top + 4.0, "left")], said, plate=style.WHITE
    )
    return sheet.finish(f"Predicted against measured {NAMES[data.name]}, logarithmic. {said}.")


def bands(sheet: Sheet, across: Scale, up: Scale, ends: tuple[float, float]) -> None:
    """Draws the bands of +-20 and +-10 % about the line of equality, held within the frame."""
    low, high = ends
    for share, color in BANDS:
        upper = [(low, low * (1 + share)), (high / (1 + share), high), (high, high)]
        lower = [(high, high * (1 - share)), (low / (1 - share), low), (low, low)]
        points = [(across.at(x), up.inside(y)) for x, y in (*upper, *lower)]
        sheet.polygon(points, color, z=0.5 if share == 0.2 else 0.6)
    sheet.line([(across.start, up.start), (across.end, up.end)], style.INK, 0.7, z=2)

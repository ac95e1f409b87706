"""Figure: every row's error over the number of its GPUs, with bands of 10 and 20 %."""

from collections.abc import Mapping
from typing import Any

from reports import style
from reports.figures import words
from reports.figures.cloud import Cloud, cloud, draw_spots, key, key_rows
from reports.figures.frame import height_axis, value_axis
from reports.figures.picture import Picture, figure
from reports.figures.scale import Scale
from reports.figures.sheet import LINE, Sheet

NAME = "residuals_by_scale"
LEFT, WIDE, TALL = 19.0, 153.0, 56.0
EDGE = 0.5  # errors beyond 50 % are drawn at the edge


def from_experiment(experiment: Mapping[str, Any], which: int = 0) -> Cloud | None:
    """The rows of a validation; None where it has no prediction."""
    return cloud(experiment)


@figure
def draw(data: Cloud) -> Picture:
    """Errors over GPUs on a logarithmic axis; a marker a row, by stack."""
    top = 3.0 + key_rows(data.stacks, style.FULL - 2.0) * (LINE + 0.6)
    sheet = Sheet(NAME, style.FULL, top + TALL + 10.5)
    key(sheet, data.stacks, 1.0, 2.0, style.FULL - 1.0)
    gpus = [s.gpus for s in data.spots]
    across = Scale(min(gpus) / 1.3, max(max(gpus), 8.0) * 1.3, LEFT, LEFT + WIDE, log=True)
    edge = 100 * min(EDGE, max(0.2, max(abs(s.error) for s in data.spots)))
    up = Scale(-edge, edge, top + TALL, top)
    for share, color in ((20.0, style.STONE), (10.0, style.SELECTED)):
        if share <= edge:
            sheet.rectangle(LEFT, up.at(share), WIDE, up.at(-share) - up.at(share), color, z=0.5 + (share == 10.0) / 10)
    value_axis(sheet, across, top, top + TALL, "GPUs of the run")
    ticks = up.ticks(7)
    texts = [words.number(t, 0, signed=True) for t in ticks]
    height_axis(sheet, up, LEFT, LEFT + WIDE, "Error (%)", ticks=ticks, texts=texts)
    sheet.line([(LEFT, up.at(0.0)), (LEFT + WIDE, up.at(0.0))], style.INK, 0.7, z=2)
    draw_spots(sheet, data, [(across.at(s.gpus), up.inside(100 * s.error)) for s in data.spots])
    beyond = sum(abs(100 * s.error) > edge for s in data.spots)
    return sheet.finish(f"Errors over the number of GPUs. {beyond} rows lie beyond {edge:.0f} % and stand at the edge.")

"""The figures of a report, one file each; matplotlib is imported when the first one is drawn.

Every file has frozen data, `from_point(point)` that takes a point of the JSON document and returns the data or None
where the figure does not apply, and `draw(data)` that returns a Picture; those of experiments have
`from_experiment(experiment, which)`. A new figure is one file and its name below.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reports.figures.picture import Picture

FIGURES = ("step_time", "memory", "topology", "checkpoint_curve", "pipeline_schedule", "cost_by_line",
           "traffic_by_tier", "roofline", "measured", "profiled", "bus_bandwidth", "over_time")  # fmt: skip
OF_TABLES = ("heatmap", "lines", "columns", "scatter", "front", "scaling", "tornado", "distribution", "removed")
"""The figures of a table of design points."""
OF_VALIDATIONS = ("predicted_measured", "residuals", "residuals_by_scale")
OF_EXPERIMENTS: tuple[str, ...] = (
    "step_time", "memory", "waterfall", "changes", "calendar", *OF_VALIDATIONS, *OF_TABLES,
)  # fmt: skip
"""The figures with `from_experiment(experiment, which)`."""
COMPARED = ("step_time", "memory", "cost_by_line")
"""The figures that can show several runs, a row each."""


def of_point(figure: str, point: Mapping[str, Any], name: str = "This run") -> "Picture | None":
    """The figure of one point; name labels its row where there is one. None where the figure does not apply."""
    module = import_module(f"reports.figures.{figure}")
    data = module.from_point(point, name) if figure in COMPARED else module.from_point(point)
    picture: Picture | None = None if data is None else module.draw(data)
    return picture


def of_points(
    figure: str, points: Sequence[Mapping[str, Any]], names: Sequence[str], chosen: int = 0
) -> "Picture | None":
    """The figure (one of COMPARED) of several points, the chosen one first. None where it does not apply."""
    assert figure in COMPARED, f"{figure} shows one run"
    module = import_module(f"reports.figures.{figure}")
    data = module.from_points(points, names, chosen)
    picture: Picture | None = None if data is None else module.draw(data)
    return picture


def of_experiment(figure: str, experiment: Mapping[str, Any], which: int = 0) -> "Picture | None":
    """The figure (one of OF_EXPERIMENTS) of a table of points; which: of its charts. None where it does not apply."""
    assert figure in OF_EXPERIMENTS, f"{figure} shows one run"
    module = import_module(f"reports.figures.{figure}")
    data = module.from_experiment(experiment, which)
    picture: Picture | None = None if data is None else module.draw(data)
    return picture

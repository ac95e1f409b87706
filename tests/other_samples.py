"""Data of the figures of comparisons, portfolios, changes and validations for hypothesis to vary."""

from typing import Any

from hypothesis import strategies as st

from reports.figures import calendar, changes, cloud, measured, residuals, waterfall
from tests import experiment_samples, figure_samples
from tests.figure_samples import names, positive, several

small = st.one_of(st.floats(0, 1e8), st.sampled_from([0.0, 1.0, 86400.0]))
row = st.builds(
    lambda name, wait, start, parts, gpus, deadline: calendar.Row(name, start - wait, start, parts, gpus, deadline),
    names,
    st.one_of(st.just(0.0), small),
    small,
    st.tuples(*[small] * len(calendar.KINDS)),
    st.integers(1, 10**6).map(float),
    st.one_of(st.none(), small),
)
level = st.tuples(small, small, st.floats(0, 1e6)).map(lambda p: (min(p[:2]), max(p[:2]), p[2]))
causes = st.one_of(st.sampled_from(list(waterfall.CAUSES)), names)
amounts = st.one_of(st.floats(-1e9, 1e9), st.sampled_from([0.0, 1e-12, -1e-12]))
falls = st.lists(st.tuples(causes, amounts), max_size=16, unique_by=lambda b: b[0]).map(tuple)
spot = st.builds(cloud.Spot, positive, positive, st.integers(1, 200_000).map(float), st.integers(0, cloud.MOST - 1))
clouds = st.builds(
    cloud.Cloud,
    st.sampled_from(["time", "memory"]),
    st.sampled_from(["s", "GiB"]),
    st.lists(st.tuples(names, st.integers(1, 900)), min_size=cloud.MOST, max_size=cloud.MOST).map(tuple),
    several(spot, 60),
)
errors = st.lists(st.floats(-1, 30), min_size=1, max_size=80).map(lambda v: tuple(sorted(v)))
changed = st.builds(
    measured.MeasuredRow, names, names, st.just("385 TFLOP/s"), st.one_of(st.none(), st.floats(-1, 100))
)
DATA: dict[str, st.SearchStrategy[Any]] = {
    "waterfall": st.builds(waterfall.WaterfallData, st.sampled_from(["step_time", "cost"]), names, names,
                           st.floats(0, 1e9), st.floats(0, 1e9), falls),
    "calendar": st.builds(calendar.CalendarData, several(row), several(level), st.integers(1, 10**6).map(float), small),
    "changes": st.builds(measured.MeasuredData, several(changed), st.integers(0, 300), st.just(changes.HEADS)),
    "residuals": st.builds(residuals.Spread, several(st.tuples(names, errors), 14)),
    "predicted_measured": clouds,
    "residuals_by_scale": clouds,
}  # fmt: skip

EVERY = figure_samples.DATA | experiment_samples.DATA | DATA
"""Data of every figure there is."""

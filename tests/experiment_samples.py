"""Data of the figures of tables for hypothesis to vary: tiny, huge, equal, one point, many, long names."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from reports.figures import columns, distribution, front, heatmap, lines, removed, scaling, scatter, tornado
from tests.figure_samples import names, positive, several

finite = st.one_of(st.floats(1e-3, 1e3), st.sampled_from([0.0, 1.0, 1e-9, 1e12, -5.0]))
maybe = st.one_of(finite, finite, st.none())
flag = st.booleans()
cell = st.one_of(
    st.builds(heatmap.Cell, finite, st.sampled_from(["43.2", "1", "1 048 576", "7.5e9"]), st.sampled_from(["", "102"]),
              unmet=flag, chosen=flag),
    st.builds(lambda reason: heatmap.Cell(reason=reason, infeasible=True), names),
    st.just(heatmap.Cell()),
)  # fmt: skip


@st.composite
def heatmaps(draw: Any) -> heatmap.HeatmapData:
    """Grids of one to twenty rows and columns, one to five panels."""
    columns, rows = draw(several(names, 20)), draw(several(names, 12))
    row = st.tuples(*[cell] * len(columns))
    grid = st.builds(heatmap.Grid, names, st.tuples(*[row] * len(rows)))
    grids = draw(several(grid, 4))
    return heatmap.HeatmapData(columns, rows, draw(names), draw(names), draw(names), draw(names), grids)


spot = st.builds(
    lambda x, y, m, band: lines.Spot(x, y, m, *(band or (None, None))),
    st.one_of(st.floats(1, 1e5), st.sampled_from([1.0, 2.0, 4.0])),
    st.one_of(finite, finite, st.none()),
    st.one_of(st.none(), finite),
    st.one_of(st.none(), st.tuples(finite, finite).map(lambda p: tuple(sorted(p)))),
)
line = st.builds(lines.Line, names, several(spot, 12).map(lambda s: tuple(sorted(s, key=lambda p: p.x))))
panels = several(st.tuples(names, several(line, 6)), 5)
bar = st.one_of(
    st.builds(lambda g, s, v, m: columns.Bar(g, s, v, f"{v:.4g}".replace("-", "−"), m), names, names, finite,
              st.one_of(st.none(), finite)),
    st.builds(lambda g, s, r: columns.Bar(g, s, None, reason=r), names, names, names),
)  # fmt: skip
mark = st.builds(scatter.Mark, finite, finite, st.integers(0, 3), flag)
option = st.builds(front.Option, positive, positive, names, st.integers(0, 2), flag, met=flag)
options = several(option, 30).map(lambda found: (replace(found[0], chosen=True, front=True), *found[1:]))
gpus = st.one_of(st.floats(1, 1e6), st.sampled_from([256.0, 512.0, 1024.0, 16384.0]))
grown = st.builds(lambda x, v, b: (x, v, *(b if v and b else (None, None))), gpus, st.one_of(positive, st.none()),
                  st.one_of(st.none(), st.tuples(positive, positive).map(lambda p: tuple(sorted(p)))))  # fmt: skip
curve = st.builds(lambda n, p, first: scaling.Curve(n, tuple(sorted([first, *p], key=lambda s: s[0]))), names,
                  st.lists(grown, max_size=10), st.tuples(gpus, positive, st.none(), st.none()))  # fmt: skip
swing = st.builds(tornado.Swing, names, names, finite, finite)
rule = st.builds(removed.Rule, names, st.sampled_from(["where", "layout", "memory", "require", "odd"]),
                 st.integers(0, 10**8))  # fmt: skip


@st.composite
def distributions(draw: Any) -> distribution.DistributionData:
    """From one to forty bins, percentiles in or beside them."""
    shares = draw(st.lists(st.floats(0, 1), min_size=1, max_size=40).map(lambda v: [*v, 0.5]))
    low, wide = draw(finite), draw(st.one_of(positive, st.just(0.0)))
    edges = tuple(low + wide * i for i in range(len(shares) + 1))
    marks = tuple((p, draw(finite)) for p in ("P10", "P50", "P90")[: draw(st.integers(0, 3))])
    return distribution.DistributionData(draw(names), draw(names), edges, tuple(shares), marks, draw(maybe))


DATA: dict[str, st.SearchStrategy[Any]] = {
    "heatmap": heatmaps(),
    "lines": st.builds(lines.LinesData, names, names, panels),
    "columns": st.builds(columns.ColumnsData, names, names, several(bar, 24)),
    "scatter": st.builds(scatter.ScatterData, names, names, st.just(("a", "b", "c", "d")), several(mark, 40)),
    "front": st.builds(
        front.FrontData, options, st.just("M$"), st.sampled_from([(), ("h100", "b200", "a" * 30)]), maybe, maybe,
        st.integers(0, 10**6), st.booleans(),
    ),  # fmt: skip
    "scaling": st.builds(
        scaling.ScalingData,
        several(curve, 5),
        names,
        names,
        names,
        st.one_of(st.none(), st.tuples(gpus, positive)),
        flag,
    ),
    "tornado": st.builds(tornado.TornadoData, names, names, finite, several(swing, 12)),
    "distribution": distributions(),
    "removed": st.builds(removed.RemovedData, several(rule, 11), st.integers(0, 10**8), st.integers(0, 10**9)),
}
